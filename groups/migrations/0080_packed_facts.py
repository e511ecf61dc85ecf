"""Days of facts that are over are packed: a row for some hundred facts of a group (docs/facts.md).

Rows of a day repeat each other: names, lives that many rebalances waited for, partitions hour after
hour. PostgreSQL compresses values, not rows, so a day's rows become arrays of rows, a quarter of
the size, which readers unnest. Hours of progress are numbers that hardly repeat: each of their
arrays becomes differences to its least value, of two or four bytes where they fit.
"""

from importlib import import_module

from django.db import migrations

BEFORE = import_module("groups.migrations.0061_rounds_and_hours")

NUMBERS = """
CREATE TYPE rollcall_numbers AS (least bigint, small smallint[], medium int[], wide bigint[]);
COMMENT ON TYPE rollcall_numbers IS
    'Numbers as differences to the least: of small ones 32768 less, of medium ones 2147483648.';

CREATE FUNCTION rollcall_packed_numbers(numbers bigint[]) RETURNS rollcall_numbers
LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE
        WHEN spread < 65536 THEN ROW(low, ARRAY(
            SELECT (each.n - low - 32768)::smallint
            FROM unnest(numbers) WITH ORDINALITY AS each(n, i) ORDER BY i), NULL, NULL
        )::rollcall_numbers
        WHEN spread < 4294967296 THEN ROW(low, NULL, ARRAY(
            SELECT (each.n - low - 2147483648)::int
            FROM unnest(numbers) WITH ORDINALITY AS each(n, i) ORDER BY i), NULL
        )::rollcall_numbers
        ELSE ROW(NULL, NULL, NULL, numbers)::rollcall_numbers
    END
    FROM (SELECT min(n) AS low, coalesce(max(n)::numeric - min(n), 0) AS spread
          FROM unnest(numbers) AS n) AS bounds
$$;

CREATE FUNCTION rollcall_unpacked_numbers(packed rollcall_numbers) RETURNS bigint[]
LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE
        WHEN packed.small IS NOT NULL THEN ARRAY(
            SELECT each.n + 32768 + packed.least
            FROM unnest(packed.small) WITH ORDINALITY AS each(n, i) ORDER BY i)
        WHEN packed.medium IS NOT NULL THEN ARRAY(
            SELECT each.n + 2147483648 + packed.least
            FROM unnest(packed.medium) WITH ORDINALITY AS each(n, i) ORDER BY i)
        ELSE packed.wide
    END
$$;

CREATE FUNCTION rollcall_differences(more bigint[], less bigint[]) RETURNS bigint[]
LANGUAGE sql IMMUTABLE AS $$
    SELECT ARRAY(SELECT m - l FROM unnest(more, less) WITH ORDINALITY AS each(m, l, i) ORDER BY i)
$$;

CREATE TYPE rollcall_packed_hour AS (
    at timestamptz,
    era int,
    xid bigint,
    id bigint,
    hour timestamptz,
    topic text,
    partitions int4multirange,
    commits rollcall_numbers,
    advanced rollcall_numbers,
    last_offsets rollcall_numbers,
    pauses_ms rollcall_numbers,
    lives rollcall_numbers,
    lags rollcall_numbers
);

CREATE FUNCTION rollcall_pack_hour(p rollcall_progress) RETURNS rollcall_packed_hour
LANGUAGE sql IMMUTABLE AS $$
    SELECT ROW(p.at, p.era, p.xid, p.id, p.hour, p.topic,
        (SELECT range_agg(int4range(n, n, '[]')) FROM unnest(p.partitions) AS n),
        rollcall_packed_numbers(p.commits),
        rollcall_packed_numbers(rollcall_differences(p.last_offsets, p.first_offsets)),
        rollcall_packed_numbers(p.last_offsets),
        rollcall_packed_numbers(p.pauses_ms),
        rollcall_packed_numbers(p.lives),
        rollcall_packed_numbers(rollcall_differences(p.end_offsets, p.last_offsets))
    )::rollcall_packed_hour
$$;

CREATE FUNCTION rollcall_unpacked_hours(group_id text, hours rollcall_packed_hour[])
RETURNS SETOF rollcall_progress LANGUAGE sql IMMUTABLE ROWS 24 AS $$
    SELECT h.at, h.era, h.xid, h.id, h.hour, group_id, h.topic,
        ARRAY(SELECT generate_series(lower(r), upper(r) - 1) FROM unnest(h.partitions) AS r),
        rollcall_unpacked_numbers(h.commits)::int[],
        rollcall_differences(rollcall_unpacked_numbers(h.last_offsets),
                             rollcall_unpacked_numbers(h.advanced)),
        rollcall_unpacked_numbers(h.last_offsets),
        rollcall_unpacked_numbers(h.pauses_ms)::int[],
        rollcall_unpacked_numbers(h.lives),
        ARRAY(SELECT last_offset + lag FROM unnest(
                  rollcall_unpacked_numbers(h.last_offsets), rollcall_unpacked_numbers(h.lags))
              WITH ORDINALITY AS each(last_offset, lag, i) ORDER BY i)
    FROM unnest(hours) AS h
$$;
"""

TABLE = """
CREATE TABLE rollcall_facts_packed (
    table_name text NOT NULL,
    of_group text COLLATE "C" NOT NULL,
    began timestamptz NOT NULL,
    last_at timestamptz NOT NULL,
    last_era int NOT NULL,
    last_xid bigint NOT NULL,
    life_rows rollcall_life[],
    ownership_rows rollcall_ownership[],
    round_rows rollcall_round[],
    silence_rows rollcall_silence[],
    hour_rows rollcall_packed_hour[]
) PARTITION BY RANGE (last_at);
CREATE INDEX facts_packed_of_group ON rollcall_facts_packed (of_group, table_name, began);
CREATE TABLE rollcall_facts_packed_default PARTITION OF rollcall_facts_packed DEFAULT;
COMMENT ON TABLE rollcall_facts_packed IS
    'Rows of table_name of days that are over, some of a group in each; began: the earliest.';
"""

NO_TABLE = """
INSERT INTO rollcall_life SELECT r.* FROM rollcall_facts_packed AS p, unnest(p.life_rows) AS r;
INSERT INTO rollcall_ownership SELECT r.*
FROM rollcall_facts_packed AS p, unnest(p.ownership_rows) AS r;
INSERT INTO rollcall_round SELECT r.* FROM rollcall_facts_packed AS p, unnest(p.round_rows) AS r;
INSERT INTO rollcall_silence SELECT r.*
FROM rollcall_facts_packed AS p, unnest(p.silence_rows) AS r;
INSERT INTO rollcall_progress SELECT r.*
FROM rollcall_facts_packed AS p, rollcall_unpacked_hours(p.of_group, p.hour_rows) AS r;
DROP FUNCTION rollcall_unpacked_hours, rollcall_pack_hour;
DROP TABLE rollcall_facts_packed;
DROP TYPE rollcall_packed_hour;
DROP FUNCTION rollcall_differences, rollcall_unpacked_numbers, rollcall_packed_numbers;
DROP TYPE rollcall_numbers;
"""

CHUNK_BYTES = 262_144
"""Of rows before they are packed: read whole for one of them."""

PACK = f"""
CREATE FUNCTION rollcall_pack_facts(late interval) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
SET lock_timeout = '50ms' SET timezone = 'UTC' AS $$
DECLARE
    parent text;
    name text;
    start timestamptz;
    began text;
    packed text;
    place text;
    until CONSTANT timestamptz := (
        SELECT least(clock_timestamp() - late, hour + interval '1 hour')
        FROM rollcall_fleet_hour ORDER BY hour DESC LIMIT 1);
BEGIN
    FOR parent, name, start IN
        SELECT p.relname, c.relname, to_timestamp(right(c.relname, 8), 'YYYYMMDD')
        FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        JOIN pg_class p ON p.oid = i.inhparent
        WHERE p.relname = ANY(rollcall_facts_tables()) AND c.relname ~ '_[0-9]{{8}}$'
        ORDER BY right(c.relname, 8), 1
    LOOP
        EXIT WHEN until IS NULL OR start + interval '1 day' > until;
        packed := 'rollcall_facts_packed_' || to_char(start, 'YYYYMMDD');
        began := CASE parent WHEN 'rollcall_life' THEN 'joined_at'
            WHEN 'rollcall_ownership' THEN 'from_at' WHEN 'rollcall_round' THEN 'started_at'
            ELSE 'hour' END;
        place := CASE parent WHEN 'rollcall_life' THEN 'life_rows'
            WHEN 'rollcall_ownership' THEN 'ownership_rows' WHEN 'rollcall_round' THEN 'round_rows'
            WHEN 'rollcall_silence' THEN 'silence_rows' ELSE 'hour_rows' END;
        BEGIN
            IF to_regclass(packed) IS NULL THEN
                -- By itself: it locks its parent, which readers shall not wait for meanwhile.
                EXECUTE format(
                    'CREATE TABLE %I PARTITION OF rollcall_facts_packed'
                    ' FOR VALUES FROM (%L) TO (%L)',
                    packed, start, start + interval '1 day');
                RETURN packed;
            END IF;
            EXECUTE format('LOCK TABLE %I IN SHARE MODE', name);
            EXECUTE format(
                'INSERT INTO rollcall_facts_packed (table_name, of_group, began, last_at, last_era,'
                ' last_xid, %1$I)'
                ' SELECT %2$L, group_id, min(began), max(at), max(era),'
                ' (array_agg(xid ORDER BY era DESC, xid DESC))[1],'
                ' array_agg(%3$s ORDER BY began, id)'
                ' FROM (SELECT r, r.group_id, r.at, r.era, r.xid, r.id, r.%4$I AS began,'
                ' sum(pg_column_size(r)) OVER (PARTITION BY r.group_id ORDER BY r.%4$I, r.id)'
                ' / {CHUNK_BYTES} AS chunk'
                ' FROM %2$I AS r WHERE r.at >= %5$L AND r.at < %6$L) AS each'
                ' GROUP BY group_id, chunk',
                place, parent,
                CASE parent WHEN 'rollcall_progress' THEN 'rollcall_pack_hour(r)' ELSE 'r' END,
                began, start, start + interval '1 day');
            PERFORM rollcall_note_floor(parent, parent, name, start + interval '1 day');
            EXECUTE format('DROP TABLE %I', name);
            RETURN name;
        EXCEPTION
            -- Somebody writes or reads for long, or the day has rows in a default partition.
            WHEN lock_not_available OR check_violation OR duplicate_table THEN NULL;
        END;
    END LOOP;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION rollcall_pack_facts IS
    'Pack a table of a day that is over, or prepare it; what was done, NULL if nothing is left.';
"""
"""A day is packed when the hours of the fleet have been made of it, which read its rows."""

FLOOR = """
CREATE FUNCTION rollcall_note_floor(key text, parent text, name text, until timestamptz)
RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
    EXECUTE format(
        'INSERT INTO rollcall_facts_floor AS f (table_name, era, xid, dropped_until)'
        ' SELECT %L, era, xid, %L FROM %I ORDER BY era DESC, xid DESC LIMIT 1'
        ' ON CONFLICT (table_name) DO UPDATE SET era = excluded.era,'
        ' xid = excluded.xid, dropped_until = excluded.dropped_until'
        ' WHERE (excluded.era, excluded.xid) > (f.era, f.xid)', key, until, name);
END $$;
REVOKE ALL ON FUNCTION rollcall_note_floor FROM PUBLIC;
"""

BYTES = """
CREATE OR REPLACE FUNCTION rollcall_facts_bytes() RETURNS bigint LANGUAGE sql STABLE
SET search_path = public, pg_temp RETURN (
    SELECT coalesce(sum(pg_total_relation_size(i.inhrelid)), 0)::bigint
    FROM pg_inherits i JOIN pg_class p ON p.oid = i.inhparent
    WHERE p.relname = ANY(rollcall_facts_tables() || 'rollcall_facts_packed'::text));
"""

BYTES_BEFORE = BEFORE.ALL[BEFORE.ALL.index("CREATE OR REPLACE FUNCTION rollcall_facts_bytes") :]

DROP_OF = """
CREATE FUNCTION rollcall_turn_packed(hours int, mebibytes int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
SET lock_timeout = '50ms' SET timezone = 'UTC' AS $$
DECLARE
    name text;
    start timestamptz;
    oldest CONSTANT timestamptz := clock_timestamp() - hours * interval '1 hour';
    dropped int := 0;
BEGIN
    DELETE FROM rollcall_facts_packed_default WHERE last_at < oldest;
    FOR name, start IN
        SELECT c.relname, to_timestamp(right(c.relname, 8), 'YYYYMMDD')
        FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'rollcall_facts_packed'::regclass AND c.relname ~ '_[0-9]{8}$'
        ORDER BY 1
    LOOP
        CONTINUE WHEN start + interval '1 day' >= oldest
            AND rollcall_facts_bytes() <= mebibytes * 1048576::bigint;
        BEGIN
            EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', name);
            EXECUTE format(
                'INSERT INTO rollcall_facts_floor AS f (table_name, era, xid, dropped_until)'
                ' SELECT DISTINCT ON (table_name) table_name || '' packed'', last_era, last_xid, %L'
                ' FROM %I ORDER BY table_name, last_era DESC, last_xid DESC'
                ' ON CONFLICT (table_name) DO UPDATE SET era = excluded.era,'
                ' xid = excluded.xid, dropped_until = excluded.dropped_until'
                ' WHERE (excluded.era, excluded.xid) > (f.era, f.xid)',
                start + interval '1 day', name);
            EXECUTE format('DROP TABLE %I', name);
            dropped := dropped + 1;
        EXCEPTION WHEN lock_not_available THEN NULL;  -- a long COPY: the next time
        END;
    END LOOP;
    RETURN dropped;
END $$;
"""

DROPS = BEFORE.TURN_ALL[
    BEFORE.TURN_ALL.index(
        "            EXECUTE format(\n                'INSERT INTO"
    ) : BEFORE.TURN_ALL.index("            EXECUTE format('DROP TABLE")
]
TURN = BEFORE.TURN_ALL.replace(
    DROPS,
    """            PERFORM rollcall_note_floor(parent, parent, name, start + interval '1 day');
            PERFORM rollcall_note_floor(
                parent || ' packed', parent, name, start + interval '1 day');
""",
)


class Migration(migrations.Migration):
    dependencies = [("groups", "0077_kept_answers")]

    operations = [
        migrations.RunSQL(NUMBERS + TABLE, NO_TABLE),
        migrations.RunSQL(BYTES, BYTES_BEFORE),
        migrations.RunSQL(
            FLOOR + PACK + DROP_OF,
            "DROP FUNCTION rollcall_turn_packed, rollcall_pack_facts, rollcall_note_floor",
        ),
        migrations.RunSQL(
            "REVOKE ALL ON FUNCTION rollcall_turn_packed, rollcall_pack_facts FROM PUBLIC",
            migrations.RunSQL.noop,
        ),
        migrations.RunSQL(TURN, BEFORE.TURN_ALL),
    ]
