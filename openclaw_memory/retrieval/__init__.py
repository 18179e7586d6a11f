"""Retrieval: every passage of the workspace by its words and by its meaning, always as fresh as the disk.

Plain functions over one SQLite file (`.openclaw-memory/index.db`), which holds nothing that cannot be made again.
The path of `search` imports neither LlamaIndex nor numpy (a test proves it): import submodules, not this package.

The way of a file into the index
    collections   which folders are searched: the layout's defaults, `memory.paths`, what the user added
    scan          stat every file, say what is new, changed, moved, gone (git's racy-clean rule)
    chunks/facts  text to chunks of atoms (list item, paragraph, table row, fence) with lines of the file on disk
    analyse       text to terms; the only analyser there is
    store         the schema and connections: readers are read-only, writers hold one lock
    postings      which chunks hold a term, in tables of our own instead of FTS5's: an atom is scored by more than one
                  BM25, and common words are meant to cost less (building them costs more; see tests/bench/retrieval)
    update/apply  the lock, the batches (one transaction each), what came, changed, moved and went

The way of a query
    query         text to a Query: terms, phrases, filters; never a syntax error
    lexical       Query to Candidates, from the postings; passages scores the atoms of the best chunks
    rows/texts    what it reads of files and chunks, and memory: what a process that stays keeps of them
    dense         Query to Candidates, from the vectors (needs an embedder; imports numpy)
    fuse          both lists to one, on an absolute scale
    search        freshen, look by words, check against the disk, snippets; hybrid does it with both legs

Names
    file      a row of `files`, by collection and path below the collection's root
    chunk     consecutive atoms below one heading, about 1,000 characters; id = file << 12 | place in the file
    passage   one atom of a chunk, what is scored and returned; id = chunk << 6 | place in the chunk

Seams
    embedders.Embedder               what computes vectors, with an identity that is stored beside them
    hits.Candidate                   what a leg gives: (passage, score 0 to 1)
    hits.Leg                         (connection, Query, Scope, limit) to Candidates
    fuse.fuse(lexical, vector)       Candidates to Candidates
    schema.VECTORS                   `vectors` (content hash: scale, int8 codes) and `embedded` (passage: content hash);
                                     `meta.generation` grows with every batch, for caches beside the file
"""
