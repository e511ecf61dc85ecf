"""Members' lives, and who owned which partitions when (docs/facts.md).

What is open now is in two small tables that change; each opening and each closing is appended once
to a table in partitions of a day, which are dropped whole. Every appended row, and every entry of
the journal from now on, has a place in one order without gaps: ``era`` counts the histories of the
database (``rollcall_timeline.jump``), ``xid`` is the transaction's full id.

No models: they are written by the store alone, and read by SQL of their own.
"""

from django.db import migrations

ERA = """
CREATE TABLE rollcall_era (
    era int PRIMARY KEY,
    jump uuid NOT NULL,
    since timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE rollcall_era IS
    'The histories of this database, in order: ids of transactions start again in each.';
INSERT INTO rollcall_era (era, jump) SELECT 0, jump FROM rollcall_timeline;
-- For the defaults of the journal, whose writers need no right to the table.
CREATE FUNCTION rollcall_current_era() RETURNS int LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = public, pg_temp RETURN (SELECT max(era) FROM rollcall_era);
CREATE SEQUENCE rollcall_life_seq;
CREATE FUNCTION rollcall_next_era() RETURNS trigger LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO rollcall_era (era, jump)
    SELECT coalesce(max(era) + 1, 0), NEW.jump FROM rollcall_era;
    IF TG_OP = 'UPDATE' THEN  -- lives of the lost time are not mistaken for later ones
        PERFORM setval('rollcall_life_seq', nextval('rollcall_life_seq') + 1000000000);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER timeline_jumps AFTER INSERT OR UPDATE OF jump ON rollcall_timeline
FOR EACH ROW EXECUTE FUNCTION rollcall_next_era();
"""

NO_ERA = """
DROP TRIGGER timeline_jumps ON rollcall_timeline;
DROP FUNCTION rollcall_next_era();
DROP SEQUENCE rollcall_life_seq;
DROP FUNCTION rollcall_current_era();
DROP TABLE rollcall_era;
"""

JOURNAL = """
ALTER TABLE rollcall_journal
    ADD COLUMN era int NOT NULL DEFAULT 0, ADD COLUMN xid bigint NOT NULL DEFAULT 0;
ALTER TABLE rollcall_journal
    ALTER COLUMN era SET DEFAULT rollcall_current_era(),
    ALTER COLUMN xid SET DEFAULT pg_current_xact_id()::text::bigint;
CREATE INDEX journal_in_order ON rollcall_journal USING brin (xid);
"""

NO_JOURNAL = "ALTER TABLE rollcall_journal DROP COLUMN era, DROP COLUMN xid"

LIFE = """
    life bigint NOT NULL,
    group_id text COLLATE "C" NOT NULL,
    member_id text COLLATE "C" NOT NULL,
    instance_id text,
    client_id text NOT NULL,
    client_host text NOT NULL,
    principal text NOT NULL,
    rack_id text,
    software_name text NOT NULL,
    software_version text NOT NULL,
    kind text NOT NULL,
    api_version int,
    session_timeout_ms int NOT NULL,
    rebalance_timeout_ms int NOT NULL,
    subscription text[],
    pattern text NOT NULL,
    protocols text[] NOT NULL,
    revision bigint NOT NULL,
    joined_generation int NOT NULL,
    joined_at timestamptz NOT NULL,
    origin text NOT NULL"""

PLACE = """
    at timestamptz NOT NULL,
    era int NOT NULL,
    xid bigint NOT NULL,
    id bigint NOT NULL,"""

TABLES = f"""
CREATE TABLE rollcall_life_open ({LIFE},
    PRIMARY KEY (life)
);
CREATE UNIQUE INDEX life_open_of_member ON rollcall_life_open (group_id, member_id);

CREATE TABLE rollcall_life ({PLACE}{LIFE},
    left_generation int,
    left_at timestamptz,
    departure text,
    heard_at timestamptz
) PARTITION BY RANGE (at);
CREATE SEQUENCE rollcall_life_id_seq OWNED BY rollcall_life.id;
ALTER TABLE rollcall_life ALTER COLUMN id SET DEFAULT nextval('rollcall_life_id_seq');
CREATE INDEX life_in_order ON rollcall_life USING brin (xid);
CREATE INDEX life_of_group ON rollcall_life (group_id, joined_at) WHERE left_at IS NOT NULL;
CREATE TABLE rollcall_life_default PARTITION OF rollcall_life DEFAULT;

CREATE TABLE rollcall_ownership_open (
    group_id text COLLATE "C" NOT NULL,
    life bigint NOT NULL,
    topic text COLLATE "C" NOT NULL,
    topic_id uuid,
    partitions int4multirange NOT NULL,
    from_generation int NOT NULL,
    from_at timestamptz NOT NULL,
    PRIMARY KEY (life, topic, from_at)
) WITH (fillfactor = 80);

CREATE TABLE rollcall_ownership ({PLACE}
    group_id text COLLATE "C" NOT NULL,
    life bigint NOT NULL,
    topic text COLLATE "C" NOT NULL,
    topic_id uuid,
    partitions int4multirange NOT NULL,
    from_generation int NOT NULL,
    from_at timestamptz NOT NULL,
    until_generation int,
    until_at timestamptz
) PARTITION BY RANGE (at);
CREATE SEQUENCE rollcall_ownership_id_seq OWNED BY rollcall_ownership.id;
ALTER TABLE rollcall_ownership ALTER COLUMN id SET DEFAULT nextval('rollcall_ownership_id_seq');
CREATE INDEX ownership_in_order ON rollcall_ownership USING brin (xid);
CREATE INDEX ownership_of_group ON rollcall_ownership (group_id, from_at)
    WHERE until_at IS NOT NULL;
CREATE TABLE rollcall_ownership_default PARTITION OF rollcall_ownership DEFAULT;

CREATE TABLE rollcall_facts_floor (
    table_name text PRIMARY KEY,
    era int NOT NULL,
    xid bigint NOT NULL,
    dropped_until timestamptz NOT NULL
);
COMMENT ON TABLE rollcall_facts_floor IS
    'The last row of each table of facts that was dropped: a cursor below it has a gap.';
"""

NO_TABLES = """
DROP TABLE rollcall_facts_floor, rollcall_ownership, rollcall_ownership_open, rollcall_life,
    rollcall_life_open
"""

TURN = """
CREATE FUNCTION rollcall_facts_bytes() RETURNS bigint LANGUAGE sql STABLE
SET search_path = public, pg_temp RETURN (
    SELECT coalesce(sum(pg_total_relation_size(inhrelid)), 0)::bigint FROM pg_inherits
    WHERE inhparent IN ('rollcall_life'::regclass, 'rollcall_ownership'::regclass));

CREATE FUNCTION rollcall_turn_facts(hours int, mebibytes int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
SET lock_timeout = '50ms' SET timezone = 'UTC' AS $$
DECLARE
    parents CONSTANT text[] := ARRAY['rollcall_life', 'rollcall_ownership'];
    parent text;
    name text;
    start timestamptz;
    today CONSTANT timestamptz := date_trunc('day', clock_timestamp());
    oldest CONSTANT timestamptz := clock_timestamp() - hours * interval '1 hour';
    dropped int := 0;
BEGIN
    FOREACH parent IN ARRAY parents LOOP
        FOR ahead IN 0..2 LOOP
            start := today + ahead * interval '1 day';
            name := parent || '_' || to_char(start, 'YYYYMMDD');
            IF to_regclass(name) IS NULL THEN
                BEGIN
                    EXECUTE format(
                        'CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)',
                        name, parent, start, start + interval '1 day');
                EXCEPTION
                    -- Rows of this day are in the default partition already, or somebody is busy
                    -- with it: the next day's partition is made in time.
                    WHEN check_violation OR lock_not_available OR duplicate_table THEN NULL;
                END;
            END IF;
        END LOOP;
        EXECUTE format('DELETE FROM %I WHERE at < %L', parent || '_default', oldest);
    END LOOP;
    FOR parent, name, start IN
        SELECT p.relname, c.relname, to_timestamp(right(c.relname, 8), 'YYYYMMDD')
        FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        JOIN pg_class p ON p.oid = i.inhparent
        WHERE p.relname = ANY(parents) AND c.relname ~ '_[0-9]{8}$'
        ORDER BY right(c.relname, 8), 1
    LOOP
        EXIT WHEN start >= today;
        CONTINUE WHEN start + interval '1 day' >= oldest
            AND rollcall_facts_bytes() <= mebibytes * 1048576::bigint;
        BEGIN
            EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', name);
            EXECUTE format(
                'INSERT INTO rollcall_facts_floor AS f (table_name, era, xid, dropped_until)'
                ' SELECT %L, era, xid, %L FROM %I ORDER BY era DESC, xid DESC LIMIT 1'
                ' ON CONFLICT (table_name) DO UPDATE SET era = excluded.era,'
                ' xid = excluded.xid, dropped_until = excluded.dropped_until',
                parent, start + interval '1 day', name);
            EXECUTE format('DROP TABLE %I', name);
            dropped := dropped + 1;
        EXCEPTION WHEN lock_not_available THEN NULL;  -- a long COPY: the next time
        END;
    END LOOP;
    RETURN dropped;
END $$
"""

KNOWN = """
WITH found AS (
    INSERT INTO rollcall_life_open
    SELECT nextval('rollcall_life_seq'), m.group_id, m.member_id, m.instance_id, m.client_id,
           m.client_host, '', NULL, '', '',
           CASE WHEN g.kind = 'consumer' AND m.subscription <> '' THEN 'classic' ELSE g.kind END,
           NULL, m.session_timeout_ms, m.rebalance_timeout_ms, NULL, '', '{}', g.revision,
           g.generation, m.joined_at, 'known'
    FROM rollcall_member m JOIN rollcall_group g USING (group_id)
    RETURNING *
)
INSERT INTO rollcall_life
SELECT clock_timestamp(), rollcall_current_era(), pg_current_xact_id()::text::bigint,
       nextval('rollcall_life_id_seq'), found.*
FROM found
"""
"""Members that are there already: their lives are open, and began earlier."""


class Migration(migrations.Migration):
    dependencies = [("groups", "0053_logins_of_the_database")]

    operations = [
        migrations.RunSQL(ERA, NO_ERA),
        migrations.RunSQL(JOURNAL, NO_JOURNAL),
        migrations.RunSQL(TABLES, NO_TABLES),
        migrations.RunSQL(
            TURN,
            "DROP FUNCTION rollcall_turn_facts(int, int); DROP FUNCTION rollcall_facts_bytes()",
        ),
        # It runs with its owner's rights, so only granted roles may call it
        # (groups.postgres.roles).
        migrations.RunSQL(
            "REVOKE ALL ON FUNCTION rollcall_turn_facts(int, int) FROM PUBLIC",
            migrations.RunSQL.noop,
        ),
        migrations.RunSQL("SELECT rollcall_turn_facts(24, 1)", migrations.RunSQL.noop),
        migrations.RunSQL(KNOWN, migrations.RunSQL.noop),
    ]
