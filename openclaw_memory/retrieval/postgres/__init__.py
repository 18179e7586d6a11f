"""The scale-out store: many workspaces and agents in one PostgreSQL with pgvector, through LlamaIndex's PGVectorStore.

`retrieval.store: postgresql://user@host/database` in a trusted config switches to it. Each agent sees its own
passages and those of collections that others share (`retrieval.shared`). One node a passage: its text for the text
index are the terms of our analyser (so every script is found that the embedded store finds), the passage itself
stands in the metadata. The files' rows here say what was indexed; a batch that was cut off is done again.

    database    connection, tables, the lock of a workspace's writer
    sync        bring the rows of one workspace up to what is on disk
    search      words and vectors through PGVectorStore, fused as in the embedded store
"""
