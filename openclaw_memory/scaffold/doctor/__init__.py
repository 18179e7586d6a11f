"""`doctor`: what the host will really load of a workspace, what is wrong with it, and what it costs. Reads only."""

from openclaw_memory.scaffold.doctor.bootstrap import BootFile, boot
from openclaw_memory.scaffold.doctor.diagnose import Diagnosis, Indexing, Problem, diagnose

__all__ = ["BootFile", "Diagnosis", "Indexing", "Problem", "boot", "diagnose"]
