"""The SQL of freezes that have reached their end; ``groups.sweeps.ends`` executes it."""

THAW = """
INSERT INTO rollcall_operation (
    group_id, slot, verb, member_id, reason, actor, until, state, detail, created_at)
SELECT c.group_id, c.slot, 'thaw', '',
       'frozen until ' || to_char(c.until AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') || ' UTC',
       %(actor)s, c.until, 'pending', '', clock_timestamp()
FROM rollcall_group_config c
WHERE c.until <= clock_timestamp() AND c.name = 'rollcall.freeze' AND c.value = 'true'
  AND NOT EXISTS (
    SELECT FROM rollcall_operation o
    WHERE o.slot = c.slot AND o.group_id = c.group_id AND o.verb = 'thaw' AND o.state = 'pending')
ORDER BY c.until LIMIT %(groups)s
RETURNING slot
"""
"""One operation for each group: the next sweep finds it pending until the owner has decided."""
