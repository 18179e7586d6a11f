"""What the agent knows: daily notes, entities, atomic facts, their heat, extraction, synthesis, archive.

Import the module you need; nothing is re-exported here, so that `note` and `check` stay cheap to start.
"""
