"""Beats: what HEARTBEAT.md asks for, when it is due, and running it. Owns the grammar, the clock and the counter.

Read in `grammar` (pure) and `agenda`, decided in `clock` and `due`, remembered in `state`, done in `runner`. Nothing
here calls a model. Import what you need from its module: a beat with nothing due must stay cheap.
"""
