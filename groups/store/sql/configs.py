"""The SQL of groups' own settings; ``groups.runtime.group_configs`` executes it, and
``console.operations.configs`` for operators."""

from groups.core.journal import EntryKind, Trigger
from groups.postgres.channels import notify

BELL = "rollcall_configs"
"""The channel: one NOTIFY per changed group, its id the payload."""

LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('rollcall configs', 0))"
"""One change at a time: settings that are checked together must be written together, and a group
without settings has no row to lock. Not a lock for each group: a change of a thousand groups would
take a sixth of all locks that PostgreSQL has."""

RING = f"""SELECT {notify("%(bell)s", "group_id")}
FROM unnest(%(group_ids)s::text[]) AS group_id"""

OF_GROUPS = """
SELECT group_id, name, value FROM rollcall_group_config
WHERE group_id = ANY(%(group_ids)s::text[])
"""

LISTED = "SELECT DISTINCT group_id FROM rollcall_group_config ORDER BY group_id"

OF_SLOTS = """
SELECT group_id, name, value FROM rollcall_group_config
WHERE slot = ANY(%(slots)s::smallint[])
"""

PUT = """
INSERT INTO rollcall_group_config AS c (group_id, name, slot, value, updated_at)
SELECT group_id, name, slot, value, clock_timestamp()
FROM unnest(%(group_ids)s::text[], %(slots)s::smallint[], %(names)s::text[], %(values)s::text[])
     AS new(group_id, slot, name, value) ORDER BY group_id, name
ON CONFLICT (group_id, name) DO UPDATE SET
    value = excluded.value, updated_at = excluded.updated_at, until = NULL
WHERE c.value <> excluded.value
"""

DROP = """
DELETE FROM rollcall_group_config
WHERE (group_id, name) IN (
    SELECT group_id, name FROM unnest(%(group_ids)s::text[], %(names)s::text[])
        AS gone(group_id, name))
"""

END_OF_FREEZE = """
SELECT to_jsonb(asked.until) #>> '{}', c.until IS NOT DISTINCT FROM asked.until,
       coalesce(c.until > asked.until, c.until IS NULL)
FROM (VALUES (%(until)s::timestamptz)) AS asked(until)
LEFT JOIN rollcall_group_config c ON c.group_id = %(group_id)s AND c.name = %(name)s
"""
"""The time that was asked for; whether the freeze ends then; whether it ends later, or never."""

FREEZE_GROUP = """
INSERT INTO rollcall_group_config (group_id, name, slot, value, updated_at, until)
VALUES (%(group_id)s, %(name)s, %(slot)s, %(value)s, clock_timestamp(), %(until)s::timestamptz)
ON CONFLICT (group_id, name) DO UPDATE SET
    value = excluded.value, updated_at = excluded.updated_at, until = excluded.until
"""

THAW_GROUP = """
DELETE FROM rollcall_group_config
WHERE group_id = %(group_id)s AND name = %(name)s
  AND (%(until)s::timestamptz IS NULL OR until <= %(until)s::timestamptz)
"""
"""Not a freeze that was set after the decision."""

NOTE = f"""
INSERT INTO rollcall_journal (
    at, group_id, revision, node_id, kind, trigger, reason, client_id, generation_before,
    generation_after, waited_for, joined, "left", details)
SELECT clock_timestamp(), asked.group_id, coalesce(g.revision, 0), %(node_id)s,
       '{EntryKind.CONFIG_CHANGED}', '{Trigger.REQUEST}', %(reason)s,
       %(author)s::jsonb ->> 'client_id',
       coalesce(g.generation, 0), coalesce(g.generation, 0), '{{}}', '[]', '[]',
       jsonb_build_object('author', %(author)s::jsonb, 'before', asked.before::jsonb,
                          'after', asked.after::jsonb)
FROM unnest(%(group_ids)s::text[], %(before)s::text[], %(after)s::text[])
     AS asked(group_id, before, after) LEFT JOIN rollcall_group g USING (group_id)
"""
"""Also for a group that does not exist yet, which may be configured before."""
