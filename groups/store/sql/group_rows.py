"""The SQL of groups; only ``groups.store.apply`` executes it.

Each statement takes whole columns as arrays, so that a batch of any size is one execution of one
prepared statement. Rows are sorted by key.
"""

from groups.core.journal import EntryKind
from groups.postgres.channels import notify
from groups.store.sql.history import NOTE_GONE

GUARD = """
SELECT rollcall_guard(%(slots)s::smallint[], %(epochs)s::bigint[],
                      %(group_ids)s::text[], %(revisions)s::bigint[])
"""

MORE_TIME = """
SELECT set_config('statement_timeout', %(ms)s, true), set_config('transaction_timeout', '0', true),
       set_config('transaction_timeout', %(total_ms)s, true)
"""
"""For a transaction that is larger than usual. A running transaction timer is restarted only by
setting it to 0 first."""

RAISE_REVISIONS = """
WITH mine AS (
    SELECT s.slot FROM rollcall_slot s
    JOIN unnest(%(slots)s::smallint[], %(epochs)s::bigint[]) AS owned(slot, epoch)
      ON s.slot = owned.slot AND s.epoch = owned.epoch
    ORDER BY s.slot FOR SHARE OF s
), free AS (
    SELECT g.group_id FROM rollcall_group g
    WHERE g.group_id = ANY(%(group_ids)s::text[]) AND g.slot IN (SELECT slot FROM mine)
    ORDER BY g.group_id FOR NO KEY UPDATE OF g SKIP LOCKED
), raised AS (
    UPDATE rollcall_group g SET revision = g.revision + 1
    FROM free WHERE g.group_id = free.group_id RETURNING g.group_id
)
SELECT g.group_id FROM rollcall_group g
WHERE g.group_id = ANY(%(group_ids)s::text[]) AND g.slot IN (SELECT slot FROM mine)
  AND g.group_id NOT IN (SELECT group_id FROM raised)
"""
"""Statements that were sent before for these groups and have not reached the guard will find
another revision. Returns the groups whose rows are locked: there, an earlier batch is past the
guard and may still commit."""

LOCK_CLASS = 0x526C67
"""First key of the advisory lock of a group ("Rlg"), which a transaction takes exclusively before
it changes generation or members. A client that commits offsets in a transaction of its own shares
it during its COMMIT (``rollcall_settle_offsets``)."""

LOCK_GROUPS = """
SELECT pg_advisory_xact_lock(%(class)s, key) FROM (
    SELECT DISTINCT hashtext(group_id) AS key FROM unnest(%(group_ids)s::text[]) AS group_id
    ORDER BY key
) AS keys
"""

END_HOLDERS = "SELECT rollcall_end_holders(%(group_id)s)"
"""Ends sessions that hold the group's lock outside of a COMMIT (migration 0053)."""

PUT_GROUPS = """
INSERT INTO rollcall_group AS g (
    group_id, slot, kind, state, generation, protocol_type, protocol_name, leader, details,
    revision, state_since, created_at, updated_at)
SELECT group_id, slot, kind, state, generation, protocol_type, protocol_name, leader,
       details::jsonb, 1, clock_timestamp(), clock_timestamp(), clock_timestamp()
FROM unnest(%(group_id)s::text[], %(slot)s::smallint[], %(kind)s::text[], %(state)s::text[],
            %(generation)s::int[], %(protocol_type)s::text[], %(protocol_name)s::text[],
            %(leader)s::text[], %(details)s::text[])
     AS new(group_id, slot, kind, state, generation, protocol_type, protocol_name, leader, details)
ON CONFLICT (group_id) DO UPDATE SET
    kind = excluded.kind, state = excluded.state, generation = excluded.generation,
    protocol_type = excluded.protocol_type, protocol_name = excluded.protocol_name,
    leader = excluded.leader, details = excluded.details, revision = g.revision + 1,
    state_since = CASE WHEN g.state = excluded.state THEN g.state_since
                       ELSE excluded.state_since END,
    updated_at = excluded.updated_at
"""

DROP_MEMBERS = """
DELETE FROM rollcall_member m
USING unnest(%(group_id)s::text[], %(member_id)s::text[]) AS gone(group_id, member_id)
WHERE m.group_id = gone.group_id AND m.member_id = gone.member_id
"""

PUT_MEMBERS = """
INSERT INTO rollcall_member AS m (
    group_id, member_id, instance_id, client_id, client_host, session_timeout_ms,
    rebalance_timeout_ms, position, subscription, assignment, details, joined_at)
SELECT group_id, member_id, instance_id, client_id, client_host, session_timeout_ms,
       rebalance_timeout_ms, position, subscription, assignment, details::jsonb, clock_timestamp()
FROM unnest(%(group_id)s::text[], %(member_id)s::text[], %(instance_id)s::text[],
            %(client_id)s::text[], %(client_host)s::text[], %(session_timeout_ms)s::int[],
            %(rebalance_timeout_ms)s::int[], %(position)s::int[], %(subscription)b::bytea[],
            %(assignment)b::bytea[], %(details)s::text[])
     AS new(group_id, member_id, instance_id, client_id, client_host, session_timeout_ms,
            rebalance_timeout_ms, position, subscription, assignment, details)
ON CONFLICT (group_id, member_id) DO UPDATE SET
    instance_id = excluded.instance_id, client_id = excluded.client_id,
    client_host = excluded.client_host, session_timeout_ms = excluded.session_timeout_ms,
    rebalance_timeout_ms = excluded.rebalance_timeout_ms, position = excluded.position,
    subscription = excluded.subscription, assignment = excluded.assignment,
    details = excluded.details
"""

DROP_GROUPS = (
    "DELETE FROM rollcall_follower WHERE group_id = ANY(%(group_id)s::text[])",
    "DELETE FROM rollcall_pause WHERE group_id = ANY(%(group_id)s::text[])",
    "DELETE FROM rollcall_command WHERE group_id = ANY(%(group_id)s::text[])",
    "DELETE FROM rollcall_pending_offset WHERE group_id = ANY(%(group_id)s::text[])",
    f"""
    WITH erased AS (
        DELETE FROM rollcall_offset WHERE group_id = ANY(%(group_id)s::text[])
        RETURNING group_id, topic, partition
    )
    {NOTE_GONE}
    """,
    "DELETE FROM rollcall_member WHERE group_id = ANY(%(group_id)s::text[])",
    "DELETE FROM rollcall_group WHERE group_id = ANY(%(group_id)s::text[])",
)

PUT_OFFSETS = """
INSERT INTO rollcall_offset AS o (
    group_id, topic, partition, committed_offset, leader_epoch, metadata, committed_at, expires_at)
SELECT group_id, topic, partition, committed_offset, coalesce(leader_epoch, -1),
       coalesce(metadata, ''), coalesce(to_timestamp(commit_ms / 1000.0), clock_timestamp()),
       coalesce(to_timestamp(commit_ms / 1000.0), clock_timestamp())
           + retention_ms * interval '1 millisecond'
FROM unnest(%(group_id)s::text[], %(topic)s::text[], %(partition)s::int[],
            %(committed_offset)s::bigint[], %(leader_epoch)s::int[], %(metadata)s::text[],
            %(commit_ms)s::bigint[], %(retention_ms)s::bigint[])
     AS new(group_id, topic, partition, committed_offset, leader_epoch, metadata,
            commit_ms, retention_ms)
ON CONFLICT (group_id, topic, partition) DO UPDATE SET
    committed_offset = excluded.committed_offset, leader_epoch = excluded.leader_epoch,
    metadata = excluded.metadata, committed_at = excluded.committed_at,
    expires_at = excluded.expires_at
"""

PUT_OFFSETS_AND_HISTORY = """
WITH new AS MATERIALIZED (
    SELECT group_id, topic, partition, committed_offset, coalesce(leader_epoch, -1) AS leader_epoch,
           coalesce(metadata, '') AS metadata, commit_ms, retention_ms, member_id, client_id,
           client_host, principal, clock_timestamp() AS at
    FROM unnest(%(group_id)s::text[], %(topic)s::text[], %(partition)s::int[],
                %(committed_offset)s::bigint[], %(leader_epoch)s::int[], %(metadata)s::text[],
                %(commit_ms)s::bigint[], %(retention_ms)s::bigint[], %(member_id)s::text[],
                %(client_id)s::text[], %(client_host)s::text[], %(principal)s::text[])
         AS n(group_id, topic, partition, committed_offset, leader_epoch, metadata,
              commit_ms, retention_ms, member_id, client_id, client_host, principal)
), noted AS (
    INSERT INTO rollcall_offset_history
    SELECT at, group_id, topic, partition, committed_offset, leader_epoch, metadata,
           member_id, client_id, client_host, principal FROM new
)
INSERT INTO rollcall_offset AS o (
    group_id, topic, partition, committed_offset, leader_epoch, metadata, committed_at, expires_at)
SELECT group_id, topic, partition, committed_offset, leader_epoch, metadata,
       coalesce(to_timestamp(commit_ms / 1000.0), at),
       coalesce(to_timestamp(commit_ms / 1000.0), at) + retention_ms * interval '1 millisecond'
FROM new
ON CONFLICT (group_id, topic, partition) DO UPDATE SET
    committed_offset = excluded.committed_offset, leader_epoch = excluded.leader_epoch,
    metadata = excluded.metadata, committed_at = excluded.committed_at,
    expires_at = excluded.expires_at
"""
"""``PUT_OFFSETS`` with a row of history for each commit that has an author."""

PUT_RUNS_AND_HISTORY = """
WITH new AS MATERIALIZED (
    SELECT group_id, topic, commit_ms, retention_ms, member_id, client_id, client_host, principal,
           partitions::int[], offsets::bigint[], leader_epochs::int[], metadata::text[],
           clock_timestamp() AS at
    FROM unnest(%(group_id)s::text[], %(topic)s::text[], %(commit_ms)s::bigint[],
                %(retention_ms)s::bigint[], %(member_id)s::text[], %(client_id)s::text[],
                %(client_host)s::text[], %(principal)s::text[], %(partitions)s::text[],
                %(offsets)s::text[], %(leader_epochs)s::text[], %(metadata)s::text[])
         AS n(group_id, topic, commit_ms, retention_ms, member_id, client_id, client_host,
              principal, partitions, offsets, leader_epochs, metadata)
), noted AS (
    INSERT INTO rollcall_offset_history (
        at, group_id, topic, partition, committed_offset, leader_epoch, metadata,
        member_id, client_id, client_host, principal,
        more_partitions, more_offsets, more_leader_epochs, more_metadata)
    SELECT at, group_id, topic, partitions[1], offsets[1], coalesce(leader_epochs[1], -1),
           coalesce(metadata[1], ''), member_id, client_id, client_host, principal,
           nullif(partitions[2:], '{}'), nullif(offsets[2:], '{}'),
           nullif(leader_epochs[2:], '{}'), nullif(metadata[2:], '{}')
    FROM new
)
INSERT INTO rollcall_offset AS o (
    group_id, topic, partition, committed_offset, leader_epoch, metadata, committed_at, expires_at)
SELECT group_id, topic, p.partition, p.committed_offset, coalesce(p.leader_epoch, -1),
       coalesce(p.metadata, ''), coalesce(to_timestamp(commit_ms / 1000.0), at),
       coalesce(to_timestamp(commit_ms / 1000.0), at) + retention_ms * interval '1 millisecond'
FROM new CROSS JOIN LATERAL unnest(partitions, offsets, leader_epochs, new.metadata)
     AS p(partition, committed_offset, leader_epoch, metadata)
ON CONFLICT (group_id, topic, partition) DO UPDATE SET
    committed_offset = excluded.committed_offset, leader_epoch = excluded.leader_epoch,
    metadata = excluded.metadata, committed_at = excluded.committed_at,
    expires_at = excluded.expires_at
"""
"""The same for commits of several partitions: an array's element is a run, partitions of a topic
that one client committed at once, as the literals of further arrays. A run is one row of history
(migration 0046), and its texts are sent and parsed once. With one partition a run this costs more
than ``PUT_OFFSETS_AND_HISTORY``."""

DROP_OFFSETS = f"""
WITH erased AS (
    DELETE FROM rollcall_offset o
    USING unnest(%(group_id)s::text[], %(topic)s::text[], %(partition)s::int[])
          AS gone(group_id, topic, partition)
    WHERE o.group_id = gone.group_id AND o.topic = gone.topic AND o.partition = gone.partition
    RETURNING o.group_id, o.topic, o.partition
)
{NOTE_GONE}
"""

ADD_JOURNAL = """
INSERT INTO rollcall_journal (
    at, group_id, revision, node_id, kind, trigger, reason, client_reason, member_id, client_id,
    generation_before, generation_after, duration_ms, waited_for, joined, "left", details)
SELECT clock_timestamp(), group_id, revision, %(node_id)s, kind, trigger, reason, client_reason,
       member_id, client_id, generation_before, generation_after, duration_ms, waited_for::jsonb,
       joined::jsonb, gone::jsonb, details::jsonb
FROM unnest(%(group_id)s::text[], %(revision)s::bigint[], %(kind)s::text[], %(trigger)s::text[],
            %(reason)s::text[], %(client_reason)s::text[], %(member_id)s::text[],
            %(client_id)s::text[], %(generation_before)s::int[], %(generation_after)s::int[],
            %(duration_ms)s::bigint[], %(waited_for)s::text[], %(joined)s::text[],
            %(left)s::text[], %(details)s::text[])
     AS new(group_id, revision, kind, trigger, reason, client_reason, member_id, client_id,
            generation_before, generation_after, duration_ms, waited_for, joined, gone, details)
"""

ADD_JOURNAL_OF_OFFSETS = f"""
WITH new AS (
    SELECT * FROM unnest(
        %(group_id)s::text[], %(revision)s::bigint[], %(kind)s::text[], %(trigger)s::text[],
        %(reason)s::text[], %(client_reason)s::text[], %(member_id)s::text[],
        %(client_id)s::text[], %(generation_before)s::int[], %(generation_after)s::int[],
        %(duration_ms)s::bigint[], %(waited_for)s::text[], %(joined)s::text[], %(left)s::text[],
        %(details)s::text[],
        %(number)s::int[], %(has_all)s::boolean[])
    AS entry(group_id, revision, kind, trigger, reason, client_reason, member_id, client_id,
             generation_before, generation_after, duration_ms, waited_for, joined, gone, details,
             number, has_all)
), named AS (
    SELECT * FROM unnest(%(part_of)s::int[], %(topic)s::text[], %(partition)s::int[])
        AS part(number, topic, partition)
), was AS (
    SELECT number, o.topic, o.partition, o.committed_offset
    FROM named JOIN new USING (number)
    JOIN rollcall_offset o ON o.group_id = new.group_id AND o.topic = named.topic
                          AND o.partition = named.partition
    UNION ALL
    SELECT number, o.topic, o.partition, o.committed_offset
    FROM new CROSS JOIN LATERAL (
        SELECT topic, partition, committed_offset FROM rollcall_offset
        WHERE has_all AND group_id = new.group_id
    ) AS o
), counted AS (
    SELECT *, row_number() OVER (PARTITION BY number ORDER BY topic, partition) AS nth FROM was
), by_topic AS (
    SELECT number, topic, count(*) AS offsets,
           jsonb_object_agg(partition, committed_offset) FILTER (WHERE nth <= %(most)s) AS told
    FROM counted GROUP BY number, topic
), before AS (
    SELECT number, sum(offsets) AS offsets,
           jsonb_object_agg(topic, told) FILTER (WHERE told IS NOT NULL) AS told
    FROM by_topic GROUP BY number
)
INSERT INTO rollcall_journal (
    at, group_id, revision, node_id, kind, trigger, reason, client_reason, member_id, client_id,
    generation_before, generation_after, duration_ms, waited_for, joined, "left", details)
SELECT clock_timestamp(), group_id, revision, %(node_id)s, kind, trigger, reason, client_reason,
       member_id, client_id, generation_before, generation_after, duration_ms, waited_for::jsonb,
       joined::jsonb, gone::jsonb,
       CASE WHEN details::jsonb ? 'offsets' THEN '{{}}'
            ELSE jsonb_build_object('offsets', coalesce(offsets, 0)) END
           || details::jsonb || jsonb_build_object('before', coalesce(told, '{{}}'))
FROM new LEFT JOIN before USING (number)
WHERE kind <> '{EntryKind.OFFSETS_DELETED}' OR told IS NOT NULL
ORDER BY number
"""
"""``ADD_JOURNAL`` for entries about committed offsets, with the previous value of each, and with
their number if the entry does not have it. A deletion that deletes nothing is not journaled."""

END_OPERATIONS = """
UPDATE rollcall_operation o
SET state = ended.state, outcome = ended.outcome, detail = ended.detail,
    generation = ended.generation,
    finished_at = CASE WHEN ended.state = 'running' THEN NULL ELSE clock_timestamp() END
FROM unnest(%(id)s::bigint[], %(state)s::text[], %(outcome)s::text[], %(detail)s::text[],
            %(generation)s::int[])
     AS ended(id, state, outcome, detail, generation)
WHERE o.id = ended.id AND o.state IN ('pending', 'running')
"""

RING = f"SELECT set_config('synchronous_commit', 'off', true), {notify('%(bell)s', '%(payload)s')}"
"""Notifies observers after the commit. PostgreSQL serializes commits that notify, so this one waits
for no disk."""

LOAD_GROUPS_OF_SLOTS = """
SELECT group_id, kind, state, generation, protocol_type, protocol_name, leader, details, revision
FROM rollcall_group WHERE slot = ANY(%(slots)s::smallint[])
"""

LOAD_MEMBERS_OF_SLOTS = """
SELECT m.group_id, m.member_id, m.instance_id, m.client_id, m.client_host, m.session_timeout_ms,
       m.rebalance_timeout_ms, m.position, m.subscription, m.assignment, m.details
FROM rollcall_member m JOIN rollcall_group g USING (group_id)
WHERE g.slot = ANY(%(slots)s::smallint[]) ORDER BY m.group_id, m.position
"""

LOAD_GROUP = """
SELECT group_id, kind, state, generation, protocol_type, protocol_name, leader, details, revision
FROM rollcall_group WHERE group_id = ANY(%(group_ids)s::text[])
"""

LOAD_MEMBERS = """
SELECT group_id, member_id, instance_id, client_id, client_host, session_timeout_ms,
       rebalance_timeout_ms, position, subscription, assignment, details
FROM rollcall_member WHERE group_id = ANY(%(group_ids)s::text[]) ORDER BY group_id, position
"""

FETCH_OFFSETS = """
SELECT topic, partition, committed_offset, leader_epoch, metadata
FROM rollcall_offset WHERE group_id = %(group_id)s ORDER BY topic, partition
LIMIT %(most)s
"""

FETCH_OFFSETS_OF_TOPICS = """
SELECT topic, partition, committed_offset, leader_epoch, metadata
FROM rollcall_offset WHERE group_id = %(group_id)s AND topic || '' = ANY(%(topics)s::text[])
LIMIT %(most)s
"""
"""Among the group's offsets, and by no index of topics: as long as PostgreSQL has no statistics of
the table it may read the topics' offsets of every group."""

FETCH_OFFSETS_OF_PARTITIONS = """
SELECT place, o.*
FROM unnest(%(place)s::int[], %(group_id)s::text[], %(topic)s::text[], %(partition)s::int[])
     AS asked(place, group_id, topic, partition)
CROSS JOIN LATERAL (
    SELECT committed_offset, leader_epoch, metadata FROM rollcall_offset AS o
    WHERE o.group_id = asked.group_id AND o.topic = asked.topic AND o.partition = asked.partition
    LIMIT 1) AS o
UNION ALL
SELECT place, NULL, NULL, NULL
FROM unnest(%(stable_place)s::int[], %(stable_group_id)s::text[], %(stable_topic)s::text[],
            %(stable_partition)s::int[]) AS asked(place, group_id, topic, partition)
CROSS JOIN LATERAL (
    SELECT FROM rollcall_pending_offset AS o
    WHERE o.group_id = asked.group_id AND o.topic = asked.topic AND o.partition = asked.partition
    LIMIT 1) AS pending
"""
"""Single partitions of some groups. Those of the ``stable_`` arrays that a transaction may still
commit come once more, without an offset. The limits within keep PostgreSQL from comparing each row
with each."""

FETCH_OFFSETS_OF_GROUPS = """
SELECT place, o.*
FROM unnest(%(place)s::int[], %(group_id)s::text[]) AS asked(place, group_id)
CROSS JOIN LATERAL (
    SELECT topic, partition, committed_offset, leader_epoch, metadata
    FROM rollcall_offset WHERE group_id = asked.group_id ORDER BY topic, partition
    LIMIT %(most)s) AS o
UNION ALL
SELECT place, o.*
FROM unnest(%(topic_place)s::int[], %(topic_group_id)s::text[], %(topic)s::text[])
     AS asked(place, group_id, topic)
CROSS JOIN LATERAL (
    SELECT topic, partition, committed_offset, leader_epoch, metadata
    FROM rollcall_offset WHERE group_id = asked.group_id AND topic || '' = asked.topic
    LIMIT %(most)s) AS o
LIMIT %(most)s
"""
"""All topics of some groups, and single topics of others, as ``FETCH_OFFSETS_OF_TOPICS``. The inner
limits keep PostgreSQL from reading the whole table when there are many groups."""
