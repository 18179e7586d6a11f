"""`openclaw-memory.yaml`: the model of every key, loading and checking, trust, and the caps of each host.

Must not import jsonschema or, before there is something to parse, yaml: hooks come through here.
"""

from openclaw_memory.config.load import FILE, load, parse, schema, wants
from openclaw_memory.config.model import Config, SearchPath, seconds
from openclaw_memory.config.profiles import PROFILES, Profile
from openclaw_memory.config.trust import require as require_trust

__all__ = [
    "FILE",
    "PROFILES",
    "Config",
    "Profile",
    "SearchPath",
    "load",
    "parse",
    "require_trust",
    "schema",
    "seconds",
    "wants",
]
