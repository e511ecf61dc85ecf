"""Every commit with its author, kept for some hours in hourly partitions.

Deleting each row would cost too much; whole partitions are dropped instead. One function creates
and drops them, which the worker may call.
"""

from django.db import migrations, models

HISTORY = """
CREATE TABLE rollcall_offset_history (
    at timestamptz NOT NULL,
    group_id text COLLATE "C" NOT NULL,
    topic text COLLATE "C" NOT NULL,
    partition int NOT NULL,
    committed_offset bigint NOT NULL,
    leader_epoch int NOT NULL,
    metadata text NOT NULL,
    member_id text NOT NULL,
    client_id text NOT NULL,
    client_host text NOT NULL
) PARTITION BY RANGE (at);
CREATE INDEX offset_history_of_group ON rollcall_offset_history (group_id, at);
-- So that no commit ever fails for want of a partition.
CREATE TABLE rollcall_offset_history_default PARTITION OF rollcall_offset_history DEFAULT
"""

TURN = """
CREATE FUNCTION rollcall_turn_history(hours int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
SET lock_timeout = '50ms' SET timezone = 'UTC' AS $$
DECLARE
    start timestamptz;
    name text;
    dropped int := 0;
BEGIN
    FOR ahead IN 0..2 LOOP
        start := date_trunc('hour', clock_timestamp()) + ahead * interval '1 hour';
        name := 'rollcall_offset_history_' || to_char(start, 'YYYYMMDDHH24');
        IF to_regclass(name) IS NULL THEN
            BEGIN
                EXECUTE format(
                    'CREATE TABLE %I PARTITION OF rollcall_offset_history'
                    ' FOR VALUES FROM (%L) TO (%L)', name, start, start + interval '1 hour');
            EXCEPTION
                -- Rows of this hour are in the default partition already, or somebody is busy
                -- with it: the next hour's partition is made in time.
                WHEN check_violation OR lock_not_available OR duplicate_table THEN NULL;
            END;
        END IF;
    END LOOP;
    FOR name IN
        SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'rollcall_offset_history'::regclass
          AND c.relname ~ '_[0-9]{10}$'
          AND to_timestamp(right(c.relname, 10), 'YYYYMMDDHH24')
              < clock_timestamp() - (hours + 1) * interval '1 hour'
    LOOP
        BEGIN
            EXECUTE format('DROP TABLE %I', name);
            dropped := dropped + 1;
        EXCEPTION WHEN lock_not_available THEN NULL;
        END;
    END LOOP;
    DELETE FROM rollcall_offset_history_default
    WHERE at < clock_timestamp() - hours * interval '1 hour';
    RETURN dropped;
END $$
"""


class Migration(migrations.Migration):
    dependencies = [("groups", "0003_operators")]

    operations = [
        migrations.RunSQL(HISTORY, "DROP TABLE rollcall_offset_history"),
        migrations.RunSQL(TURN, "DROP FUNCTION rollcall_turn_history(int)"),
        # It runs with its owner's rights, so only granted roles may call it
        # (groups.postgres.roles).
        migrations.RunSQL(
            "REVOKE ALL ON FUNCTION rollcall_turn_history(int) FROM PUBLIC",
            migrations.RunSQL.noop,
        ),
        migrations.RunSQL("SELECT rollcall_turn_history(1)", migrations.RunSQL.noop),
        migrations.AddField(
            "operation",
            "restore_to",
            models.DateTimeField(
                null=True, help_text="For restore-offsets: the time whose offsets are restored."
            ),
        ),
        migrations.AlterField(
            "operation",
            "verb",
            models.TextField(
                choices=[
                    ("rebalance", "Rebalance"),
                    ("evict", "Evict"),
                    ("expire-offsets", "Expire Offsets"),
                    ("restore-offsets", "Restore Offsets"),
                ]
            ),
        ),
    ]
