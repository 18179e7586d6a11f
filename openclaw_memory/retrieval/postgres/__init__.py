"""The scale-out store: many workspaces and agents in one PostgreSQL with pgvector, through LlamaIndex's PGVectorStore.

`retrieval.store: postgresql://user@host/database` in a trusted config switches to it. Each agent sees its own
passages and those of collections that others share (`retrieval.shared`). One node a passage: its text for the text
index are the terms of our analyser (so every script is found that the embedded store finds), the passage itself
stands in the metadata. The files' rows here say what was indexed; a batch that was cut off is done again.

    connection  a pool through psycopg2, and what to say where the server fails
    schema      the tables beside PGVectorStore's, and what upgrades them
    database    all of it as one workspace sees it, with the locks of its writers
    model       which model's passages those are, known without loading it
    difference  what differs between the disk and the rows
    sync        bring the rows of one workspace up to what is on disk, by words
    vectors     compute the vectors that are missing
    narrow, postings, nearest   what may be found, and what words and meaning find
    shelf       the documents that were found, as a small embedded index
    search      an answer from it
"""
