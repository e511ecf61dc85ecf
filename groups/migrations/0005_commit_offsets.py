"""Offsets that an application commits in its own transaction.

``rollcall_commit_offsets`` only records the offsets. A deferred trigger does the rest at COMMIT: it
takes a lock that briefly waits for a change of generation, makes the checks of a commit over the
wire, and writes; or it raises an error, so that the application's rows are rolled back too. So
nothing that a rebalance waits for is held while the application's transaction runs
(docs/exactly-once.md).
"""

from django.db import migrations

TABLE = """
CREATE TABLE rollcall_noted_offsets (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    group_id text COLLATE "C" NOT NULL,
    generation int NOT NULL,
    member_id text COLLATE "C" NOT NULL,
    topics text[] NOT NULL,
    partitions int[] NOT NULL,
    offsets bigint[] NOT NULL,
    metadata text[] NOT NULL
)
"""

# Error codes are "RK" and Kafka's number in three digits.
COMMIT_OFFSETS = """
CREATE FUNCTION rollcall_commit_offsets(
    group_id text, generation int, member_id text,
    topics text[], partitions int[], offsets bigint[], metadata text[] DEFAULT NULL
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    stranger text;
    notes text[] := coalesce(metadata, array_fill(''::text, ARRAY[cardinality(topics)]));
BEGIN
    IF group_id IS NULL OR generation IS NULL OR member_id IS NULL
       OR cardinality(topics) IS NULL OR cardinality(topics) = 0
       OR cardinality(topics) IS DISTINCT FROM cardinality(partitions)
       OR cardinality(topics) IS DISTINCT FROM cardinality(offsets)
       OR cardinality(topics) IS DISTINCT FROM cardinality(notes)
       OR array_position(offsets, NULL) IS NOT NULL OR array_position(notes, NULL) IS NOT NULL
    THEN
        RAISE EXCEPTION 'INVALID_REQUEST: name a group, a generation and a member, and as many'
            ' partitions and offsets as topics, none of them NULL' USING ERRCODE = 'RK042';
    END IF;
    IF EXISTS (SELECT FROM unnest(offsets) AS o WHERE o < 0) THEN
        RAISE EXCEPTION 'INVALID_REQUEST: an offset is never below 0' USING ERRCODE = 'RK042';
    END IF;
    IF EXISTS (SELECT FROM unnest(notes) AS n WHERE length(n) > 4096) THEN
        RAISE EXCEPTION 'OFFSET_METADATA_TOO_LARGE: at most 4096 characters'
            USING ERRCODE = 'RK012';
    END IF;
    SELECT format('%s-%s', w.topic, w.partition) INTO stranger
    FROM unnest(topics, partitions) AS w(topic, partition)
    LEFT JOIN rollcall_topic t ON t.name = w.topic
    WHERE t.name IS NULL OR w.partition IS NULL
       OR w.partition NOT BETWEEN 0 AND t.partitions - 1 LIMIT 1;
    IF stranger IS NOT NULL THEN
        RAISE EXCEPTION 'UNKNOWN_TOPIC_OR_PARTITION: there is no %', stranger
            USING ERRCODE = 'RK003';
    END IF;
    INSERT INTO rollcall_noted_offsets
        (group_id, generation, member_id, topics, partitions, offsets, metadata)
    VALUES (group_id, generation, member_id, topics, partitions, offsets, notes);
END $$
"""

SETTLE = """
CREATE FUNCTION rollcall_settle_offsets() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    g record;
    m record;
BEGIN
    DELETE FROM rollcall_noted_offsets WHERE id = NEW.id;
    -- The owner takes it exclusively before it changes generation or members; the queue is fair.
    PERFORM pg_advisory_xact_lock_shared(%(lock_class)s, hashtext(NEW.group_id));
    -- FOR SHARE reads the row as it is now; a transaction with an older snapshot fails here.
    SELECT kind, state, generation INTO g
    FROM rollcall_group WHERE group_id = NEW.group_id FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'GROUP_ID_NOT_FOUND: there is no group %%', NEW.group_id
            USING ERRCODE = 'RK069';
    END IF;
    SELECT details, client_id, client_host INTO m
    FROM rollcall_member WHERE group_id = NEW.group_id AND member_id = NEW.member_id;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'UNKNOWN_MEMBER_ID: %% is no member of %%', NEW.member_id, NEW.group_id
            USING ERRCODE = 'RK025';
    ELSIF g.kind = 'consumer' AND (m.details ->> 'epoch')::int IS DISTINCT FROM NEW.generation THEN
        RAISE EXCEPTION 'STALE_MEMBER_EPOCH: the member is in epoch %%, not %%',
            m.details ->> 'epoch', NEW.generation USING ERRCODE = 'RK113';
    ELSIF g.kind <> 'consumer' AND g.generation <> NEW.generation THEN
        RAISE EXCEPTION 'ILLEGAL_GENERATION: the group is in generation %%, not %%',
            g.generation, NEW.generation USING ERRCODE = 'RK022';
    ELSIF g.state = 'CompletingRebalance' THEN
        RAISE EXCEPTION 'REBALANCE_IN_PROGRESS: the generation has no assignment yet'
            USING ERRCODE = 'RK027';
    END IF;
    -- A later commit wins over an offset that waits for a transaction (docs/transactions.md).
    UPDATE rollcall_pending_offset p SET superseded = true
    FROM unnest(NEW.topics, NEW.partitions) AS w(topic, partition)
    WHERE p.group_id = NEW.group_id AND p.topic = w.topic AND p.partition = w.partition;
    WITH told AS (
        SELECT DISTINCT ON (w.topic, w.partition) w.topic, w.partition, w.at, w.note
        FROM unnest(NEW.topics, NEW.partitions, NEW.offsets, NEW.metadata)
             WITH ORDINALITY AS w(topic, partition, at, note, n)
        ORDER BY w.topic, w.partition, w.n DESC
    ), noted AS (
        INSERT INTO rollcall_offset_history
        SELECT clock_timestamp(), NEW.group_id, topic, partition, at, -1, note,
               NEW.member_id, m.client_id, m.client_host FROM told
    )
    INSERT INTO rollcall_offset AS o (group_id, topic, partition, committed_offset, leader_epoch,
                                      metadata, committed_at, expires_at)
    SELECT NEW.group_id, topic, partition, at, -1, note, clock_timestamp(), NULL FROM told
    ON CONFLICT (group_id, topic, partition) DO UPDATE SET
        committed_offset = excluded.committed_offset, leader_epoch = excluded.leader_epoch,
        metadata = excluded.metadata, committed_at = excluded.committed_at,
        expires_at = excluded.expires_at;
    RETURN NULL;
END $$
"""

READ = """
CREATE FUNCTION rollcall_committed_offsets(group_id text)
RETURNS TABLE (topic text, partition int, "offset" bigint, metadata text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT o.topic, o.partition, o.committed_offset, o.metadata FROM rollcall_offset o
    WHERE o.group_id = rollcall_committed_offsets.group_id ORDER BY o.topic, o.partition
$$
"""

TRIGGER = """
CREATE CONSTRAINT TRIGGER rollcall_settle_offsets AFTER INSERT ON rollcall_noted_offsets
DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION rollcall_settle_offsets()
"""

LOCK_CLASS = 0x526C67
"""First key of a group's advisory lock (``groups.store.sql.group_rows.LOCK_CLASS``)."""

FUNCTIONS = (
    "rollcall_commit_offsets(text, int, text, text[], int[], bigint[], text[])",
    "rollcall_committed_offsets(text)",
    "rollcall_settle_offsets()",
)


class Migration(migrations.Migration):
    dependencies = [("groups", "0004_offset_history")]

    operations = [
        migrations.RunSQL(TABLE, "DROP TABLE rollcall_noted_offsets"),
        *(
            migrations.RunSQL(text, f"DROP FUNCTION {name} CASCADE")
            for text, name in zip(
                (COMMIT_OFFSETS, READ, SETTLE % {"lock_class": LOCK_CLASS}), FUNCTIONS, strict=True
            )
        ),
        migrations.RunSQL(TRIGGER, migrations.RunSQL.noop),
        # They run with their owner's rights, so only granted roles may call them
        # (groups.postgres.roles).
        *(
            migrations.RunSQL(f"REVOKE ALL ON FUNCTION {name} FROM PUBLIC", migrations.RunSQL.noop)
            for name in FUNCTIONS
        ),
    ]
