"""The SQL of ACLs; ``groups.clients.acls`` executes it. Every change notifies ``rollcall_acls``."""

from typing import Final

from groups.core.journal import EntryKind
from groups.postgres.channels import notify
from groups.store.sql.access_note import access_note

BELL: Final = "rollcall_acls"
"""The channel for changes of ACLs."""

_RINGS = notify(f"'{BELL}'", "''")

COLUMNS: Final = (
    "resource_type",
    "name",
    "pattern",
    "principal",
    "host",
    "operation",
    "permission",
)
"""The columns of a binding, in order."""

_KEY = ", ".join(COLUMNS)
_ARRAYS = ", ".join(f"%({column})s::text[]" for column in COLUMNS)

ALL = f"SELECT {_KEY} FROM rollcall_acl"

# Changes of ACLs wait for each other: what one reads is still there when it writes.
TURN = "SELECT pg_advisory_xact_lock(hashtextextended('rollcall_acls', 0))"

_DETAILS = "'acl', to_jsonb(changed)"

CREATE = f"""
WITH changed AS (
    INSERT INTO rollcall_acl ({_KEY}, created_at)
    SELECT {_KEY}, clock_timestamp() FROM unnest({_ARRAYS}) AS given({_KEY})
    ON CONFLICT DO NOTHING
    RETURNING {_KEY}
), noted AS ({access_note(EntryKind.ACL_CREATED, _DETAILS)})
SELECT {_RINGS} FROM changed LIMIT 1
"""

DELETE = f"""
WITH changed AS (
    DELETE FROM rollcall_acl WHERE ({_KEY}) IN (SELECT * FROM unnest({_ARRAYS}))
    RETURNING {_KEY}
), noted AS ({access_note(EntryKind.ACL_DELETED, _DETAILS)})
SELECT {_RINGS} FROM changed LIMIT 1
"""
