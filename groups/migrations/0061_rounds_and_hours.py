"""Rebalances, and what an hour was like: silence and progress (docs/facts.md).

Append-only tables of facts like those of 0056, in partitions of a day, in the same order and with
the same retention. The awaited members of a round and the partitions of an hour are arrays.
"""

from importlib import import_module

from django.db import migrations

FIRST = import_module("groups.migrations.0056_lives_and_ownership")
PLACE = FIRST.PLACE

ROUND = f"""
CREATE TABLE rollcall_round ({PLACE}
    group_id text COLLATE "C" NOT NULL,
    generation int NOT NULL,
    kind text NOT NULL,
    outcome text NOT NULL,
    started_at timestamptz NOT NULL,
    ended_at timestamptz NOT NULL,
    is_partial boolean NOT NULL,
    members int NOT NULL,
    moved int NOT NULL,
    stopped_ms bigint NOT NULL,
    silent_ms bigint NOT NULL,
    unowned_ms bigint NOT NULL,
    triggers text[] NOT NULL,
    cause_members int[] NOT NULL,
    cause_ids text[] NOT NULL,
    cause_at_ms bigint[] NOT NULL,
    cause_ms bigint[] NOT NULL,
    acts text[] NOT NULL,
    ends text[] NOT NULL,
    counts int[] NOT NULL,
    lives bigint[] NOT NULL,
    waited_ms int[] NOT NULL
) PARTITION BY RANGE (at);
CREATE SEQUENCE rollcall_round_id_seq OWNED BY rollcall_round.id;
ALTER TABLE rollcall_round ALTER COLUMN id SET DEFAULT nextval('rollcall_round_id_seq');
CREATE INDEX round_in_order ON rollcall_round USING brin (xid);
CREATE INDEX round_of_group ON rollcall_round (group_id, ended_at);
CREATE TABLE rollcall_round_default PARTITION OF rollcall_round DEFAULT;
COMMENT ON TABLE rollcall_round IS
    'Rebalances. Waits stand in runs: counts[i] of them were for acts[i] and ended as ends[i].';
"""

HOURS = f"""
CREATE TABLE rollcall_silence ({PLACE}
    hour timestamptz NOT NULL,
    group_id text COLLATE "C" NOT NULL,
    lives bigint[] NOT NULL,
    longest_ms int[] NOT NULL,
    looks smallint[] NOT NULL
) PARTITION BY RANGE (at);
CREATE SEQUENCE rollcall_silence_id_seq OWNED BY rollcall_silence.id;
ALTER TABLE rollcall_silence ALTER COLUMN id SET DEFAULT nextval('rollcall_silence_id_seq');
CREATE INDEX silence_in_order ON rollcall_silence USING brin (xid);
CREATE INDEX silence_of_group ON rollcall_silence (group_id, hour);
CREATE TABLE rollcall_silence_default PARTITION OF rollcall_silence DEFAULT;

CREATE TABLE rollcall_progress ({PLACE}
    hour timestamptz NOT NULL,
    group_id text COLLATE "C" NOT NULL,
    topic text COLLATE "C" NOT NULL,
    partitions int[] NOT NULL,
    commits int[] NOT NULL,
    first_offsets bigint[] NOT NULL,
    last_offsets bigint[] NOT NULL,
    pauses_ms int[] NOT NULL,
    lives bigint[] NOT NULL,
    end_offsets bigint[] NOT NULL
) PARTITION BY RANGE (at);
CREATE SEQUENCE rollcall_progress_id_seq OWNED BY rollcall_progress.id;
ALTER TABLE rollcall_progress ALTER COLUMN id SET DEFAULT nextval('rollcall_progress_id_seq');
CREATE INDEX progress_in_order ON rollcall_progress USING brin (xid);
CREATE INDEX progress_of_group ON rollcall_progress (group_id, hour);
CREATE TABLE rollcall_progress_default PARTITION OF rollcall_progress DEFAULT;

CREATE TABLE rollcall_progress_done (
    name text PRIMARY KEY,
    hour timestamptz NOT NULL,
    group_id text COLLATE "C" NOT NULL
);
COMMENT ON TABLE rollcall_progress_done IS
    'The hour that is summarised next, and the last of its groups that was.';
"""

NO_TABLES = "DROP TABLE rollcall_progress_done, rollcall_progress, rollcall_silence, rollcall_round"

ALL = """
CREATE FUNCTION rollcall_facts_tables() RETURNS text[] LANGUAGE sql IMMUTABLE RETURN ARRAY[
    'rollcall_life', 'rollcall_ownership', 'rollcall_round', 'rollcall_silence',
    'rollcall_progress'];
CREATE OR REPLACE FUNCTION rollcall_facts_bytes() RETURNS bigint LANGUAGE sql STABLE
SET search_path = public, pg_temp RETURN (
    SELECT coalesce(sum(pg_total_relation_size(i.inhrelid)), 0)::bigint
    FROM pg_inherits i JOIN pg_class p ON p.oid = i.inhparent
    WHERE p.relname = ANY(rollcall_facts_tables()));
"""

TURN = FIRST.TURN[FIRST.TURN.index("CREATE FUNCTION rollcall_turn_facts") :].replace(
    "CREATE FUNCTION", "CREATE OR REPLACE FUNCTION"
)
TURN_ALL = TURN.replace("ARRAY['rollcall_life', 'rollcall_ownership']", "rollcall_facts_tables()")

FIRST_BYTES = FIRST.TURN[: FIRST.TURN.index("CREATE FUNCTION rollcall_turn_facts")].replace(
    "CREATE FUNCTION", "CREATE OR REPLACE FUNCTION"
)


class Migration(migrations.Migration):
    dependencies = [("groups", "0060_silence_across_owners")]

    operations = [
        migrations.RunSQL(ROUND + HOURS, NO_TABLES),
        migrations.RunSQL(ALL, FIRST_BYTES + "DROP FUNCTION rollcall_facts_tables();"),
        migrations.RunSQL(TURN_ALL, TURN),
        migrations.RunSQL("SELECT rollcall_turn_facts(24, 1)", migrations.RunSQL.noop),
    ]
