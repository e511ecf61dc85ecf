"""What the tables of facts must not hold: SQL, each row of its answer a violation."""

from typing import Final, LiteralString

NOT_OPENED_ONCE = """
    SELECT life, count(*), count(*) FILTER (WHERE left_at IS NULL) FROM rollcall_life GROUP BY 1
    HAVING (count(*) FILTER (WHERE left_at IS NULL), count(*)) NOT IN ((1, 1), (1, 2))
    UNION ALL
    SELECT life, 0, 0 FROM rollcall_life_open o FULL JOIN (
        SELECT life FROM rollcall_life GROUP BY 1 HAVING count(*) = 1) AS one USING (life)
    WHERE o.group_id IS NULL OR one.life IS NULL"""
"""Lives that were not opened once, or closed more than once, or are open only in one table."""

PIECES = """
    SELECT life, topic, p, from_at, until_at FROM {}
    CROSS JOIN LATERAL unnest(partitions) r
    CROSS JOIN LATERAL generate_series(lower(r), upper(r) - 1) p"""

NOT_OWNED_ONCE = f"""
    WITH said AS ({PIECES.format("rollcall_ownership")}),
    opened AS (SELECT life, topic, p, from_at FROM said WHERE until_at IS NULL),
    over AS (
        SELECT life, topic, p, from_at FROM said WHERE until_at IS NOT NULL
        UNION ALL
        SELECT life, topic, p, from_at FROM (
            {PIECES.format("(SELECT *, now() AS until_at FROM rollcall_ownership_open)")}) AS o)
    (SELECT * FROM opened EXCEPT ALL SELECT * FROM over)
    UNION ALL (SELECT * FROM over EXCEPT ALL SELECT * FROM opened)"""
"""Partitions whose interval was not opened once, and then closed once or is open."""

NOT_A_ROUND_EACH = """
    SELECT group_id, xid, told.n, found.n FROM (
        SELECT group_id, xid, count(*) AS n FROM rollcall_journal
        WHERE kind IN ('stable', 'emptied')
           OR (kind = 'rebalance-completed' AND NOT details ? 'joined_count')
        GROUP BY 1, 2) AS told
    FULL JOIN (
        SELECT group_id, xid, count(*) AS n FROM rollcall_round
        WHERE outcome <> 'interrupted' GROUP BY 1, 2) AS found USING (group_id, xid)
    WHERE told.n IS DISTINCT FROM found.n"""
"""Rebalances that the journal ends without a row in the same transaction, or the reverse."""

EVERY_INTERVAL = """(
    SELECT group_id, life, topic, partitions, from_at, until_at FROM rollcall_ownership
    WHERE until_at IS NOT NULL
    UNION ALL
    SELECT group_id, life, topic, partitions, from_at, 'infinity' FROM rollcall_ownership_open)"""

OWNED_BY_TWO = f"""
    SELECT a.group_id, a.topic, a.partitions FROM {EVERY_INTERVAL} a JOIN {EVERY_INTERVAL} b
    ON a.group_id = b.group_id AND a.topic = b.topic AND a.life <> b.life
    AND a.partitions && b.partitions AND a.from_at < b.until_at AND b.from_at < a.until_at"""

OF_ANY_CLOCK: Final[tuple[LiteralString, ...]] = (NOT_OPENED_ONCE, NOT_OWNED_ONCE, NOT_A_ROUND_EACH)
"""Those that hold whatever the server's clock did meanwhile."""
