"""The SQL of commands to members; ``groups.store.apply`` writes, ``groups.store.load`` reads."""

DROP = """
DELETE FROM rollcall_command c
USING unnest(%(group_id)s::text[], %(member_id)s::text[], %(command_id)s::bigint[])
      AS gone(group_id, member_id, command_id)
WHERE c.group_id = gone.group_id AND c.member_id = gone.member_id
      AND c.command_id = gone.command_id
"""

PUT = """
INSERT INTO rollcall_command (
    group_id, member_id, command_id, option, generation, ownership, reason, series, sent_at)
SELECT group_id, member_id, command_id, option, generation, ownership::jsonb, reason, series,
       clock_timestamp()
FROM unnest(%(group_id)s::text[], %(member_id)s::text[], %(command_id)s::bigint[],
            %(option)s::text[], %(generation)s::int[], %(ownership)s::text[], %(reason)s::text[],
            %(series)s::bigint[])
     AS new(group_id, member_id, command_id, option, generation, ownership, reason, series)
"""

LOAD_OF_SLOTS = """
SELECT c.group_id, c.member_id, c.command_id, c.option, c.generation, c.ownership, c.reason,
       c.series
FROM rollcall_command c JOIN rollcall_group g USING (group_id)
WHERE g.slot = ANY(%(slots)s::smallint[]) ORDER BY c.group_id, c.member_id, c.command_id
"""

LOAD = """
SELECT group_id, member_id, command_id, option, generation, ownership, reason, series
FROM rollcall_command WHERE group_id = ANY(%(group_ids)s::text[])
ORDER BY group_id, member_id, command_id
"""
