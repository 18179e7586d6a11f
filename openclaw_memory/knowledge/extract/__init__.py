"""Extraction: from notes and conversations to facts, entities, decisions, lessons, preferences and open questions.

Three readers (`rules` without a model, the agent itself, a model) make one `proposal`; `apply` is the only writer.
"""
