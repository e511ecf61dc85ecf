"""How long the pages take that read a month of a large group, or foresee; rows written by SQL.

Every day at 14:00 a deploy replaces each member; a rebalance an hour waits for all of them; half of
the partitions of a member are owned by its neighbour for an hour of each day. Days that are over
are packed, as the clean-up does it; progress is that of two days.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Final
from urllib.parse import urlencode

import psycopg

from benchmarks import lists, pages
from benchmarks.options import Options
from launcher.installation import Installation

DAYS: Final = 30
HOSTS: Final = 250
HOUR: Final = 14
"""The hour of the deploys, of UTC."""

TABLES: Final = ("life", "ownership", "round", "silence", "progress")

PROGRESS_HOURS: Final = 48
NIGHT: Final = timedelta(hours=30)
"""How far back the moment is at which the group is looked at."""

PARTITIONS: Final = """
DO $$
DECLARE start timestamptz; day date; name text;
BEGIN
    SET LOCAL TimeZone TO 'UTC';
    FOR n IN 0..{days} LOOP
        day := (now() AT TIME ZONE 'UTC')::date - n;
        name := format('rollcall_{table}_%s', to_char(day, 'YYYYMMDD'));
        IF to_regclass(name) IS NULL THEN
            EXECUTE format(
                'CREATE TABLE %I PARTITION OF rollcall_{table} FOR VALUES FROM (%L) TO (%L)',
                name, day, day + 1);
        END IF;
    END LOOP;
END $$
"""

LIVES: Final = """
INSERT INTO rollcall_life (at, era, xid, life, group_id, member_id, client_id, client_host,
    principal, software_name, software_version, kind, session_timeout_ms, rebalance_timeout_ms,
    subscription, pattern, protocols, revision, joined_generation, joined_at, origin,
    left_generation, left_at, departure, heard_at)
SELECT CASE WHEN ended THEN left_at ELSE joined_at END, 0, 1, 1000000 + day * {members} + n,
    'large', 'm-' || n || CASE WHEN day = 0 THEN '' ELSE '-' || day END, 'client-' || n,
    '/10.0.0.' || n % {hosts}, 'User:ANONYMOUS', 'apache-kafka-java', '4.3.1', 'classic', 45000,
    300000, '{{large}}', '', '{{range}}', 1, 1, joined_at, 'joined', CASE WHEN ended THEN 2 END,
    CASE WHEN ended THEN left_at END,
    CASE WHEN NOT ended THEN NULL WHEN n % 100 = 0 THEN 'expired' ELSE 'left' END,
    CASE WHEN ended THEN left_at - CASE WHEN n % 100 = 0 THEN interval '45 s' ELSE '0' END END
FROM generate_series({first}, {days} - 1) AS day, generate_series(1, {members}) AS n,
    LATERAL (SELECT {deploy} - day * interval '1 day' + n * interval '10 ms' AS joined_at) AS j,
    LATERAL (SELECT joined_at + interval '1 day' AS left_at) AS l,
    (VALUES (false), (true)) AS e(ended)
WHERE day > 0 OR NOT ended
"""
"""Day 0 is the present one: its lives are not over."""

OPEN: Final = """
INSERT INTO rollcall_life_open (life, group_id, member_id, client_id, client_host, principal,
    software_name, software_version, kind, session_timeout_ms, rebalance_timeout_ms, subscription,
    pattern, protocols, revision, joined_generation, joined_at, origin)
SELECT life, group_id, member_id, client_id, client_host, principal, software_name,
    software_version, kind, session_timeout_ms, rebalance_timeout_ms, subscription, pattern,
    protocols, revision, joined_generation, joined_at, origin
FROM rollcall_life WHERE group_id = 'large' AND life < 1000000 + {members} + 1
"""

OWNED: Final = """
INSERT INTO rollcall_ownership (at, era, xid, group_id, life, topic, partitions, from_generation,
    from_at, until_generation, until_at)
SELECT until_at, 0, 1, 'large', 1000000 + day * {members} + n, 'large',
    int4multirange(int4range((n - 1) * {share} + low, (n - 1) * {share} + high)), 1, from_at, 2,
    until_at
FROM generate_series(1, {days} - 1) AS day, generate_series(1, {members}) AS n,
    LATERAL (SELECT {deploy} - day * interval '1 day' + interval '1 minute' AS begin) AS b,
    LATERAL (VALUES (0, {share} / 2, begin, begin + interval '1 day'),
                    ({share} / 2, {share}, begin, begin + interval '6 hours'),
                    ({share} / 2, {share}, begin + interval '7 hours', begin + interval '1 day'))
        AS o(low, high, from_at, until_at)
"""

OWNED_OPEN: Final = """
INSERT INTO rollcall_ownership_open (group_id, life, topic, partitions, from_generation, from_at)
SELECT 'large', 1000000 + n, 'large', int4multirange(int4range((n - 1) * {share}, n * {share})), 1,
    {deploy} + interval '1 minute'
FROM generate_series(1, {members}) AS n
"""

ROUNDS: Final = """
INSERT INTO rollcall_round (at, era, xid, group_id, generation, kind, outcome, started_at,
    ended_at, is_partial, members, moved, stopped_ms, silent_ms, unowned_ms, triggers,
    cause_members, cause_ids, cause_at_ms, cause_ms, acts, ends, counts, lives, waited_ms)
SELECT ended_at, 0, 1, 'large', day * 24 + hour, 'classic', 'assigned',
    ended_at - interval '20 s', ended_at, false, {members}, {members}, 1000 * hour, 500, 100,
    ARRAY[CASE WHEN hour = {hour} THEN 'member-joined' ELSE 'session-expired' END], '{{1}}',
    ARRAY['m-' || hour], '{{0}}', '{{20000}}', '{{rejoin}}', '{{rejoined}}',
    ARRAY[{members}],
    (SELECT array_agg(1000000 + (day + CASE WHEN hour < {hour} THEN 1 ELSE 0 END) * {members} + n)
     FROM generate_series(1, {members}) AS n),
    (SELECT array_agg(10 + (n * 7919 + hour * 13) % 19000) FROM generate_series(1, {members}) AS n)
FROM generate_series(0, {days} - 2) AS day, generate_series(0, 23) AS hour,
    LATERAL (SELECT date_trunc('day', {deploy}) - day * interval '1 day'
                    + hour * interval '1 hour' + interval '1 minute' AS ended_at) AS e
WHERE ended_at < now()
"""

PROGRESS: Final = """
INSERT INTO rollcall_progress (at, era, xid, hour, group_id, topic, partitions, commits,
    first_offsets, last_offsets, pauses_ms, lives, end_offsets)
SELECT h + interval '62 minutes', 0, 1, h, 'large', 'large', parts, parts, parts::bigint[],
    parts::bigint[], parts, parts::bigint[], parts::bigint[]
FROM generate_series(date_trunc('hour', now()) - interval '{hours} hours',
                     date_trunc('hour', now()) - interval '1 hour', interval '1 hour') AS h,
    (SELECT array_agg(n) AS parts FROM generate_series(0, {members} * {share} - 1) AS n) AS p
"""

SILENCE: Final = """
INSERT INTO rollcall_silence (at, era, xid, hour, group_id, lives, longest_ms, looks)
SELECT hour + interval '1 hour', 0, 1, hour, 'large',
    (SELECT array_agg(1000000 + day * {members} + n) FROM generate_series(1, {members}) AS n),
    (SELECT array_agg(n * 7919 % 3000) FROM generate_series(1, {members}) AS n),
    (SELECT array_agg(CASE WHEN n % 8 = 0 THEN 80 ELSE 0 END)
     FROM generate_series(0, {members} * 8 - 1) AS n)
FROM generate_series(0, {days} - 2) AS day, generate_series(0, 23) AS before,
    LATERAL (SELECT {deploy} - (day * 24 + before) * interval '1 hour' AS hour) AS h
"""

FLEET: Final = """
INSERT INTO rollcall_fleet_hour
SELECT date_trunc('hour', now()) - n * interval '1 hour', {members}, 1000000, 20000, 1600,
    '{{member-joined,session-expired}}', '{{1,2}}', '{{large}}', '{{1}}', '{{1600}}'
FROM generate_series(1, {days} * 24) AS n ON CONFLICT DO NOTHING
"""
"""Days are packed when the hours of the installation are there."""

PACK: Final = "SELECT rollcall_pack_facts('2 hours')"

DEPLOY: Final = """(date_trunc('day', now() - interval '{hour} hours', 'UTC')
    + interval '{hour} hours')"""
"""The newest one."""


STATEMENTS: Final = (LIVES, OPEN, OWNED, OWNED_OPEN, ROUNDS, SILENCE, PROGRESS, FLEET)


def fill(
    url: str, members: int = lists.LARGE, partitions: int = pages.PARTITIONS, days: int = DAYS
) -> None:
    """Write the month of the group ``large``, which is there."""
    values: dict[str, Any] = {
        "members": members,
        "share": partitions // members,
        "days": days,
        "first": 0,
        "hosts": HOSTS,
        "hour": HOUR,
        "hours": PROGRESS_HOURS,
        "deploy": DEPLOY.format(hour=HOUR),
    }
    with psycopg.connect(url) as connection:
        for table in TABLES:
            connection.execute(PARTITIONS.format(table=table, days=days).encode())
        for statement in STATEMENTS:
            connection.execute(statement.format(**values).encode())
    with psycopg.connect(url, autocommit=True) as connection:
        while connection.execute(PACK).fetchone() != (None,):
            pass
        connection.execute("VACUUM ANALYZE")


GOAL_MS: Final = 1_000


def paths() -> list[str]:
    """Every tab of the group's page, now and at a moment, and the lists that lead to it."""
    group = "/admin/groups/group/large/change/"
    now = datetime.now(UTC).replace(tzinfo=None, microsecond=0)
    at = (now - NIGHT).isoformat()
    tabs = ("owners", "members", "rebalances", "offsets", "configuration")
    then = ("owners", "members", "offsets", "configuration")
    asked: list[dict[str, str]] = [
        *({"tab": tab} for tab in tabs),
        *({"tab": "timeline", "last": length} for length in ("1h", "24h", "7d", "30d")),
        *({"tab": tab, "at": at} for tab in then),
        {"tab": "compare", "since": at, "until": now.isoformat()},
        {"tab": "what-if", "host": "/10.0.0.7"},
        {"tab": "what-if", "more": "10"},
        {"tab": "what-if", "at_once": "50"},
    ]
    lists = ("/admin/", "/admin/groups/group/", "/admin/groups/node/")
    return [*lists, *(f"{group}?{urlencode(q)}" for q in asked)]


def _is_wanted(words: Sequence[str], path: str) -> bool:
    return not words or any(word in path for word in words)


def main(options: Options) -> bool:
    """Print a line for each page; ``only``: for those whose path has one of these words."""
    rounds = options.rounds or lists.ROUNDS
    settings = {"ROLLCALL_ADMIN_USER": pages.USER, "ROLLCALL_ADMIN_PASSWORD": pages.PASSWORD}
    with Installation(settings) as running:
        url = (running.data_dir / "database-url").read_text().strip()
        lists.fill(url)
        pages.share(url)
        fill(url)
        with pages.Browser(running.web) as browser:
            next(browser.pages("/admin/"))
            print(f"{'':72}{'best':>7}{'median':>8}{'CPU':>7}   goal (ms)")
            for path in filter(partial(_is_wanted, options.only), paths()):
                told = lists.measured(running, browser, path, rounds, 1)
                figures = f"{told.best:7.0f}{told.median:8.0f}{told.cpu:7.0f}"
                print(f"{path:72}{figures}   {GOAL_MS}", flush=True)
    return True
