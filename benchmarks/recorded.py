"""What a fleet would have recorded, invented in PostgreSQL by set-based SQL: millions of rows a
minute.

Groups of a few members: rebalances evenly over sixty days, deploys that replace all members (six,
where a group has 500 entries), the ownership of their partitions, and hours. Of every 500 entries
of the journal there are 50 rows of lives, 50 of ownership, 10 of silence and 10 of progress.
``hot`` tenths of all but the hours are of one group, which then has thousands of members.
"""

from datetime import UTC, datetime, timedelta
from typing import Final

import psycopg

A_GROUP: Final = 500
"""Entries of a group, where they are spread evenly."""

DAYS: Final = timedelta(days=60)

UNUSED: Final = "DROP INDEX IF EXISTS journal_of_topic, journal_rebalances"
"""Nothing that is measured uses these, and they take longer to fill than the table."""

JOURNAL: Final = """
INSERT INTO rollcall_journal (at, group_id, revision, node_id, kind, trigger, reason, client_reason,
    member_id, client_id, generation_before, generation_after, duration_ms, waited_for, joined,
    "left", details)
SELECT %(since)s + (n * 3 + p) * (%(until)s - %(since)s) / %(entries)s, 'group-' || g, 1, 0, kind,
    (ARRAY['member-joined', 'member-left', 'session-expired'])[1 + n %% 3], 'a reason', '',
    'm-' || n %% 4, 'worker-' || n %% 5, n, n + 1, CASE WHEN p > 0 THEN 900 + n * 7919 %% 4000 END,
    CASE WHEN p = 1 THEN jsonb_build_object('m-1', n %% 900, 'm-2', n %% 1300) ELSE '{}' END,
    '[]', '[]',
    CASE p WHEN 1 THEN jsonb_build_object('members', 4, 'waited_for_count', 2, 'why',
        jsonb_build_object('causes', jsonb_build_array(jsonb_build_object('trigger',
            'member-joined', 'ms', n %% 700), jsonb_build_object('trigger', 'member-left', 'ms',
            200))))
    WHEN 2 THEN '{"members": 4, "moved": 3}' ELSE '{}' END
FROM generate_series(0, %(entries)s::bigint / 3 - 1) AS n,
    LATERAL (SELECT CASE WHEN n %% 10 < %(hot)s THEN 0 ELSE n * 31 %% %(groups)s END AS g) AS of,
    (VALUES (0, 'rebalance-started'), (1, 'rebalance-completed'), (2, 'stable')) AS k(p, kind)
"""

BORN: Final = """
CREATE TEMPORARY TABLE born AS
WITH counted AS (
    SELECT n, n < cool AS is_cool, CASE WHEN n < cool THEN n %% %(groups)s ELSE 0 END AS g,
        CASE WHEN n < cool THEN n / %(groups)s ELSE n - cool END AS k,
        CASE WHEN n < cool THEN 4 ELSE greatest(4, (total - cool) / 60) END AS size,
        CASE WHEN n < cool THEN cool / %(groups)s ELSE total - cool END AS lives
    FROM (SELECT total, total * (10 - %(hot)s) / 10 AS cool
          FROM (SELECT %(entries)s::bigint / 20 AS total) AS t) AS sizes,
        LATERAL generate_series(0, total - 1) AS n
), waves AS (
    SELECT n, g, k %% size AS slot, is_cool, k / size AS wave, greatest(1, lives / size) AS waves,
        (k %% size) * interval '1 minute' / size AS later, (%(until)s - %(since)s) AS long
    FROM counted
)
SELECT %(first)s + n AS life, 'group-' || g AS group_id, slot, is_cool, wave,
    %(since)s + wave * long / (waves + 1) + later AS began,
    CASE WHEN wave + 1 < waves
        THEN %(since)s + (wave + 1) * long / (waves + 1) + later + interval '5 seconds' END AS ended
FROM waves ORDER BY began
"""

LIVES: Final = """
INSERT INTO rollcall_life (at, era, xid, life, group_id, member_id, instance_id, client_id,
    client_host, principal, software_name, software_version, kind, session_timeout_ms,
    rebalance_timeout_ms, pattern, protocols, revision, joined_generation, joined_at, origin,
    left_generation, left_at, departure, heard_at)
SELECT CASE WHEN is_end THEN ended ELSE began END, 0, pg_current_xact_id()::text::bigint, life,
    group_id, 'm-' || slot, NULL, 'worker-' || slot, '10.0.' || slot / 250 || '.' || slot %% 250,
    '', 'librdkafka', '2.6.' || wave %% 3, 'classic', 45000, 60000, '', '{range}', 1, 1, began,
    'joined', CASE WHEN is_end THEN 2 END, CASE WHEN is_end THEN ended END,
    CASE WHEN is_end THEN (ARRAY['left', 'expired'])[1 + life %% 2] END,
    CASE WHEN is_end THEN ended - interval '20 seconds' END
FROM born, (VALUES (false), (true)) AS k(is_end) WHERE NOT is_end OR ended IS NOT NULL
"""

OWNERSHIP: Final = """
INSERT INTO rollcall_ownership (at, era, xid, group_id, life, topic, partitions, from_generation,
    from_at, until_generation, until_at)
SELECT CASE WHEN is_end THEN ended ELSE began END, 0, pg_current_xact_id()::text::bigint, group_id,
    life, 'orders', int4multirange(int4range((slot * 4)::int, (slot * 4 + 4)::int)), 1, began,
    CASE WHEN is_end THEN 2 END, CASE WHEN is_end THEN ended END
FROM born, (VALUES (false), (true)) AS k(is_end) WHERE NOT is_end OR ended IS NOT NULL
"""

HOURS: Final = """
INSERT INTO rollcall_silence (at, era, xid, hour, group_id, lives, longest_ms, looks)
SELECT began + interval '1 hour', 0, pg_current_xact_id()::text::bigint,
    date_trunc('hour', began), group_id, ARRAY[life, NULL], ARRAY[1000 + life %% 9000, 5],
    ARRAY[9, 5, 1, 0, 0, 0, life %% 2, 0, 9, 0, 0, 0, 0, 0, 0, 0]
FROM born, generate_series(0, 1) AS n WHERE is_cool AND slot < 1
"""

PROGRESS: Final = """
INSERT INTO rollcall_progress (at, era, xid, hour, group_id, topic, partitions, commits,
    first_offsets, last_offsets, pauses_ms, lives, end_offsets)
SELECT began + interval '1 hour', 0, pg_current_xact_id()::text::bigint,
    date_trunc('hour', began) + n * interval '1 hour', group_id, 'orders', ARRAY[0, 1, 2, 3],
    ARRAY[60, 60, 60, 60], ARRAY[1, 2, 3, 4] , ARRAY[1, 500 + life %% 7, 600, 700],
    ARRAY[100, 200, 300, 400], ARRAY[life, life, life, life], ARRAY[9, 800, NULL, 700]
FROM born, generate_series(0, 1) AS n WHERE is_cool AND slot < 1
"""


def fill(url: str, entries: int, groups: int, *, hot: int = 0, is_new: bool = False) -> None:
    """So many entries and what belongs to them, over sixty days; or (``is_new``) since they
    ended."""
    until = datetime.now(UTC)
    values = {
        "entries": entries, "groups": groups, "hot": hot, "first": is_new * 1_000_000_000,
        "since": until - DAYS * (0.01 if is_new else 1), "until": until,
    }  # fmt: skip
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(UNUSED.encode())
        for statement in (JOURNAL, BORN, LIVES, OWNERSHIP, HOURS, PROGRESS):
            connection.execute(statement.encode(), values)
        connection.execute("VACUUM ANALYZE")
