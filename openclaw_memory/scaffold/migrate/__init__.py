"""`migrate`: one long MEMORY.md becomes detail files and an index; an outside folder of memory comes in.

Every line lands exactly once: `plan` says where, `apply` proves it before anything is written.
"""

from openclaw_memory.scaffold.migrate.apply import Migration, migrate
from openclaw_memory.scaffold.migrate.bring import Brought, bring
from openclaw_memory.scaffold.migrate.plan import Plan, Span, plan

__all__ = ["Brought", "Migration", "Plan", "Span", "bring", "migrate", "plan"]
