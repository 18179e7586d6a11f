"""Beats: what HEARTBEAT.md asks for, when it is due, and running it. Owns the grammar, the clock and the counter."""
