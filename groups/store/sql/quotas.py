"""The SQL of client quotas; ``groups.clients.quotas`` executes it. Every change notifies
``rollcall_quotas``."""

from typing import Final

from groups.core.journal import EntryKind
from groups.postgres.channels import notify
from groups.store.sql.access_note import access_note

BELL: Final = "rollcall_quotas"
"""The channel for changes of quotas."""

_RINGS = notify(f"'{BELL}'", "''")

ENTITY: Final = ("entity_type", "user_name", "client_id", "ip")
"""The columns of an entity; a part that it does not have is empty, and so is a default one."""

COLUMNS: Final = (*ENTITY, "key", "value")
"""The columns of a quota."""

_KEY = ", ".join((*ENTITY, "key"))
_ALL = ", ".join(COLUMNS)
_ARRAYS = ", ".join(f"%({column})s::text[]" for column in (*ENTITY, "key"))
_ROWS = f"unnest({_ARRAYS}, %(value)s::float8[]) AS given({_ALL})"

ALL = f"SELECT {_ALL} FROM rollcall_quota"

# Changes of quotas wait for each other: what one reads is still there when it writes.
TURN = "SELECT pg_advisory_xact_lock(hashtextextended('rollcall_quotas', 0))"

_DETAILS = "'quota', to_jsonb(changed)"

SET = f"""
WITH given AS (SELECT * FROM {_ROWS}
), known AS (
    SELECT {_KEY}, value AS before FROM rollcall_quota WHERE ({_KEY}) IN (
        SELECT {_KEY} FROM given)
), written AS (
    INSERT INTO rollcall_quota ({_ALL}, updated_at)
    SELECT {_ALL}, clock_timestamp() FROM given
    ON CONFLICT ({_KEY}) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at
    RETURNING {_ALL}
), changed AS (SELECT {_ALL}, before FROM written LEFT JOIN known USING ({_KEY})
), noted AS ({access_note(EntryKind.QUOTA_SET, _DETAILS)})
SELECT {_RINGS} FROM changed LIMIT 1
"""

REMOVE = f"""
WITH changed AS (
    DELETE FROM rollcall_quota WHERE ({_KEY}) IN (SELECT * FROM unnest({_ARRAYS}))
    RETURNING {_KEY}, value AS before
), noted AS ({access_note(EntryKind.QUOTA_REMOVED, _DETAILS)})
SELECT {_RINGS} FROM changed LIMIT 1
"""
