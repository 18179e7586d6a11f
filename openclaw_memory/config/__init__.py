"""`openclaw-memory.yaml`: the model of every key, loading and checking, trust, and the caps of each host.

Must not import jsonschema or, before there is something to parse, yaml: hooks come through here.
"""

from openclaw_memory.config.load import FILE, load, parse, schema, wants
from openclaw_memory.config.model import Config, SearchPath, seconds
from openclaw_memory.late import late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openclaw_memory.config.profiles import PROFILES, Profile

_HOMES = {"PROFILES": "profiles", "Profile": "profiles"}
__getattr__ = late(__name__, _HOMES)

__all__ = [
    "FILE",
    "PROFILES",
    "Config",
    "Profile",
    "SearchPath",
    "load",
    "parse",
    "schema",
    "seconds",
    "wants",
]
