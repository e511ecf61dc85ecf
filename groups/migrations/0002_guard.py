"""The guard that fences former owners, the slots, and free space for updates in place.

The guard is the first statement of every transaction of a node (docs/architecture.md, *Ownership
and the guard*). It raises an error instead of returning a count, since only an error makes
PostgreSQL reject the following statements of the same pipeline.
"""

from django.db import migrations

GUARD = """
CREATE FUNCTION rollcall_guard(
    slots smallint[], epochs bigint[], group_ids text[], revisions bigint[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    held int;
    wrong text[];
    busy text[];
BEGIN
    -- The lock waits for a takeover that is under way and then sees its epoch. FOR SHARE, since
    -- FOR KEY SHARE does not conflict with the takeover's UPDATE and so would not fence.
    SELECT count(*) INTO held FROM (
        SELECT 1 FROM rollcall_slot s
        JOIN unnest(slots, epochs) AS mine(slot, epoch) ON s.slot = mine.slot
        WHERE s.epoch = mine.epoch
        ORDER BY s.slot FOR SHARE OF s
    ) AS locked;
    IF held <> cardinality(slots) THEN
        RAISE EXCEPTION 'a slot of this batch has another owner' USING ERRCODE = 'RC001';
    END IF;

    -- Key order keeps two batches from deadlocking; SKIP LOCKED keeps one held row from
    -- delaying the whole batch: its group is named and waits alone.
    WITH seen AS (
        SELECT * FROM unnest(group_ids, revisions) AS seen(group_id, revision)
    ), locked AS (
        SELECT g.group_id, g.revision FROM rollcall_group g
        WHERE g.group_id = ANY (group_ids)
        ORDER BY g.group_id FOR NO KEY UPDATE SKIP LOCKED
    ), judged AS (
        SELECT seen.group_id, CASE
            WHEN locked.revision = seen.revision THEN 'right'
            WHEN locked.revision IS NOT NULL THEN 'wrong'
            WHEN EXISTS (SELECT FROM rollcall_group g WHERE g.group_id = seen.group_id) THEN 'busy'
            WHEN seen.revision = 0 THEN 'right'
            ELSE 'wrong'
        END AS verdict
        FROM seen LEFT JOIN locked USING (group_id)
    )
    SELECT array_agg(group_id) FILTER (WHERE verdict = 'busy'),
           array_agg(group_id) FILTER (WHERE verdict = 'wrong')
    INTO busy, wrong FROM judged;
    IF wrong IS NOT NULL THEN
        RAISE EXCEPTION 'a group of this batch has another revision'
            USING ERRCODE = 'RC002', DETAIL = array_to_json(wrong)::text;
    END IF;
    IF busy IS NOT NULL THEN
        RAISE EXCEPTION 'a group of this batch is held by another transaction'
            USING ERRCODE = 'RC003', DETAIL = array_to_json(busy)::text;
    END IF;
END $$;
"""


class Migration(migrations.Migration):
    dependencies = [("groups", "0001_tables")]

    operations = [
        migrations.RunSQL(
            GUARD, "DROP FUNCTION rollcall_guard(smallint[], bigint[], text[], bigint[])"
        ),
        migrations.RunSQL(
            "INSERT INTO rollcall_slot (slot, epoch) SELECT s, 0 FROM generate_series(0, 63) s",
            "DELETE FROM rollcall_slot",
        ),
        # Offsets and groups are updated far more often than inserted: free space on each page keeps
        # the new version beside the old one without changing indexes (heap-only tuples).
        migrations.RunSQL(
            "ALTER TABLE rollcall_offset SET (fillfactor = 60);"
            "ALTER TABLE rollcall_group SET (fillfactor = 70);"
            "ALTER TABLE rollcall_node SET (fillfactor = 50)",
            migrations.RunSQL.noop,
        ),
    ]
