"""The history of PostgreSQL that the rows belong to, and the function that raises all epochs when
it changes.

A promoted standby, or a restored backup, may lack the last acknowledged changes: generations,
epochs and ids would be used a second time, and members of the lost time be mistaken for current
ones (docs/backups.md).

No model: the row is not read through the ORM, and only the function may write it.
"""

from django.db import migrations

TABLE = """
CREATE TABLE rollcall_timeline (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    system_identifier bigint NOT NULL,
    timeline bigint NOT NULL,
    jump uuid NOT NULL,
    jumped_on timestamptz,
    generations_after int NOT NULL
);
COMMENT ON COLUMN rollcall_timeline.jump IS 'A new one each time all epochs are raised.';
COMMENT ON COLUMN rollcall_timeline.jumped_on IS
    'Start of the server process that they were raised on last.';
COMMENT ON COLUMN rollcall_timeline.generations_after IS
    'What a group without a row counts from, since a lost one of that name may have been below.';
"""

TIMELINE = """
CREATE FUNCTION rollcall_server_timeline() RETURNS bigint LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp AS $$
    -- The checkpoint in the control file lags behind a promotion; the name of a segment does not.
    SELECT ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint
$$
"""

FIRST = """
INSERT INTO rollcall_timeline (system_identifier, timeline, jump, generations_after)
SELECT system_identifier, rollcall_server_timeline(), gen_random_uuid(), 0
FROM pg_control_system()
"""

JUMP = 1_000_000
"""More generations than a group can have had in what was lost: one a second for eleven days."""

GENERATION_MAX = 2_147_483_647
"""A generation is an int32 on the wire."""

RAISED = """
CREATE FUNCTION rollcall_raised(epoch jsonb, higher int) RETURNS jsonb
LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp AS $$
    -- 0 and below are no epochs: not yet assigned, or away for now.
    SELECT CASE WHEN epoch::bigint > 0 THEN to_jsonb(epoch::bigint + higher) ELSE epoch END
$$
"""

RAISE = f"""
CREATE FUNCTION rollcall_raise_epochs(
    seen_jump uuid, seen_generations int, node_id int, reason text
) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    most CONSTANT int := {GENERATION_MAX};
    step CONSTANT bigint := {JUMP};
    was rollcall_timeline;
    server bigint := (SELECT system_identifier FROM pg_control_system());
    present bigint := rollcall_server_timeline();
    higher bigint;
    counter regclass;
BEGIN
    SELECT * INTO was FROM rollcall_timeline FOR UPDATE;
    IF was.jump IS DISTINCT FROM seen_jump THEN
        RETURN false;  -- another node has done it meanwhile
    END IF;
    -- One backup may be restored twice, and must not lead to the same numbers: a node remembers how
    -- high they were, and a recovery with an archive gives each restored server its own timeline.
    higher := greatest(
        step,
        step + seen_generations - was.generations_after,
        CASE WHEN server = was.system_identifier THEN (present - was.timeline) * step END);

    -- Slots, then groups, each in the order in which the guard locks them.
    PERFORM FROM rollcall_slot ORDER BY slot FOR UPDATE;
    UPDATE rollcall_slot SET epoch = epoch + higher, node_id = NULL, incarnation = NULL;
    DELETE FROM rollcall_node;  -- those that live register again

    -- All numbers of a group rise by the same, by half of what is left near the end of int32.
    PERFORM FROM rollcall_group ORDER BY group_id FOR UPDATE;
    UPDATE rollcall_member m SET details = m.details || jsonb_build_object(
        'epoch', rollcall_raised(m.details -> 'epoch', g.higher),
        'previous_epoch', rollcall_raised(m.details -> 'previous_epoch', g.higher),
        'since', (
            SELECT coalesce(jsonb_agg(jsonb_build_array(
                s -> 0, s -> 1, rollcall_raised(s -> 2, g.higher)) ORDER BY n), '[]')
            FROM jsonb_array_elements(m.details -> 'since') WITH ORDINALITY AS held(s, n)))
    FROM (SELECT group_id, least(higher, (most - generation) / 2)::int AS higher
          FROM rollcall_group WHERE kind = 'consumer') AS g
    WHERE m.group_id = g.group_id AND m.details ? 'epoch';
    UPDATE rollcall_command c
    SET generation = c.generation + least(higher, (most - g.generation) / 2)::int
    FROM rollcall_group g WHERE g.group_id = c.group_id AND c.generation > 0;
    UPDATE rollcall_group g SET
        generation = g.generation + least(higher, (most - g.generation) / 2)::int,
        revision = g.revision + higher,
        details = g.details || coalesce((
            SELECT jsonb_object_agg(named.key, rollcall_raised(
                named.value, least(higher, (most - g.generation) / 2)::int))
            FROM jsonb_each(g.details) AS named
            WHERE named.key IN ('target_epoch', 'settled_epoch', 'last_command')
              AND named.value <> 'null'), '{{}}');

    -- A transactional id's producer gets an id that nobody has had: its next request is refused.
    FOREACH counter IN ARRAY ARRAY[
        'rollcall_producer_id', pg_get_serial_sequence('rollcall_journal', 'id'),
        pg_get_serial_sequence('rollcall_operation', 'id')]::regclass[]
    LOOP
        EXECUTE format('SELECT setval(%L, last_value + $1) FROM %s', counter, counter)
            USING higher;
    END LOOP;
    WITH renamed AS MATERIALIZED (
        SELECT producer_id AS old, nextval('rollcall_producer_id') AS new
        FROM (SELECT producer_id FROM rollcall_producer
              ORDER BY transactional_id FOR UPDATE) AS producers
    ), waiting AS (
        UPDATE rollcall_pending_offset p SET producer_id = renamed.new
        FROM renamed WHERE p.producer_id = renamed.old
    )
    UPDATE rollcall_producer p
    SET producer_id = renamed.new, epoch = 0, last_epoch = -1, previous_id = -1
    FROM renamed WHERE p.producer_id = renamed.old;

    UPDATE rollcall_timeline SET
        system_identifier = server, timeline = present, jump = gen_random_uuid(),
        jumped_on = pg_postmaster_start_time(),
        generations_after = was.generations_after
            + least(higher, (most - was.generations_after) / 2)::int;
    INSERT INTO rollcall_journal (
        at, group_id, revision, node_id, kind, trigger, reason, generation_before,
        generation_after, waited_for, joined, "left", details)
    VALUES (clock_timestamp(), '', 0, node_id, 'time-went-back', '', reason, 0, 0, '{{}}', '[]',
            '[]', jsonb_build_object(
                'higher', higher,
                'from', jsonb_build_object(
                    'system_identifier', was.system_identifier::text, 'timeline', was.timeline),
                'to', jsonb_build_object(
                    'system_identifier', server::text, 'timeline', present,
                    'lsn', pg_current_wal_insert_lsn()::text)));
    RETURN true;
END $$
"""

FUNCTION = "rollcall_raise_epochs(uuid, int, int, text)"


class Migration(migrations.Migration):
    dependencies = [("groups", "0017_known_time_without_owner")]

    operations = [
        migrations.RunSQL(TABLE, "DROP TABLE rollcall_timeline"),
        migrations.RunSQL(TIMELINE, "DROP FUNCTION rollcall_server_timeline()"),
        migrations.RunSQL(FIRST, migrations.RunSQL.noop),
        migrations.RunSQL(RAISED, "DROP FUNCTION rollcall_raised(jsonb, int)"),
        migrations.RunSQL(RAISE, f"DROP FUNCTION {FUNCTION}"),
        # It runs with its owner's rights, so only granted roles may call it
        # (groups.postgres.roles).
        migrations.RunSQL(f"REVOKE ALL ON FUNCTION {FUNCTION} FROM PUBLIC", migrations.RunSQL.noop),
    ]
