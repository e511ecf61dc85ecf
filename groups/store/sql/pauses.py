"""The SQL of pauses and of the members that obey them (``groups.store.beside``,
``groups.operations.pause_acks``)."""

from groups.postgres.channels import notify

BELL = "rollcall_pauses"
"""The channel for pages: a pause, a resume or an acknowledgement. The payload is the group's id."""

OF_SLOTS = """
SELECT group_id, scope, name, pause_id, actor, reason FROM rollcall_pause
WHERE slot = ANY(%(slots)s::smallint[])
"""

OF_GROUPS = """
SELECT group_id, scope, name, pause_id, actor, reason FROM rollcall_pause
WHERE group_id = ANY(%(group_ids)s::text[])
"""

PUT = """
INSERT INTO rollcall_pause (group_id, slot, scope, name, pause_id, actor, reason, since)
VALUES (%(group_id)s, %(slot)s, %(scope)s, %(name)s, %(pause_id)s, %(actor)s, %(reason)s,
        clock_timestamp())
"""

DROP = """
DELETE FROM rollcall_pause p
USING unnest(%(scopes)s::text[], %(names)s::text[]) AS gone(scope, name)
WHERE p.group_id = %(group_id)s AND p.scope = gone.scope AND p.name = gone.name
"""

RING = f"SELECT {notify('%(bell)s', '%(group_id)s')}"

NOTE = """
WITH new AS (
    SELECT * FROM unnest(%(group_ids)s::text[], %(member_ids)s::text[], %(obeying)s::bigint[])
        AS said(group_id, member_id, obeying)
), gone AS (
    DELETE FROM rollcall_follower f
    WHERE f.group_id = ANY(%(group_ids)s::text[])
      AND NOT EXISTS (SELECT FROM rollcall_member m
                      WHERE m.group_id = f.group_id AND m.member_id = f.member_id)
      AND NOT EXISTS (SELECT FROM new
                      WHERE new.group_id = f.group_id AND new.member_id = f.member_id)
)
INSERT INTO rollcall_follower AS f (group_id, member_id, obeying, at)
SELECT group_id, member_id, obeying, clock_timestamp() FROM new
ON CONFLICT (group_id, member_id) DO UPDATE SET obeying = excluded.obeying, at = excluded.at
WHERE f.obeying <> excluded.obeying
"""
"""Writes members' last acknowledgements, and deletes those of members that are gone."""
