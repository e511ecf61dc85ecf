"""The SQL of transactions: producers, the groups in their transactions, pending offsets.

Executed by ``groups.store.transactional_offsets`` (in the batches of the groups' owner) and by
``groups.runtime.transactions``. Both lock in the same order: producers, pending offsets in key
order, committed offsets. This avoids deadlocks, and the second one sees the changes of the first.
"""

# -- in the batches of a group's owner

LOCK_PRODUCERS = """
SELECT FROM rollcall_producer WHERE producer_id = ANY(%(producer_ids)s::bigint[])
ORDER BY transactional_id FOR SHARE
"""
"""Until the batch commits, none of these transactions can end."""

LOCK_PENDING = """
SELECT FROM rollcall_pending_offset
WHERE group_id = ANY(%(group_ids)s::text[]) AND (
    group_id = ANY(%(deleted)s::text[])
    OR (group_id, topic, partition) IN (
        SELECT * FROM unnest(%(group_id)s::text[], %(topic)s::text[], %(partition)s::int[])))
ORDER BY group_id, topic, partition, producer_id FOR UPDATE
"""

DROP_PENDING = """
DELETE FROM rollcall_pending_offset p
USING unnest(%(group_id)s::text[], %(topic)s::text[], %(partition)s::int[])
      AS gone(group_id, topic, partition)
WHERE p.group_id = gone.group_id AND p.topic = gone.topic AND p.partition = gone.partition
"""

SUPERSEDE = """
UPDATE rollcall_pending_offset p SET superseded = true
FROM unnest(%(group_id)s::text[], %(topic)s::text[], %(partition)s::int[])
     AS later(group_id, topic, partition)
WHERE p.group_id = later.group_id AND p.topic = later.topic AND p.partition = later.partition
  AND NOT p.superseded
"""

PUT_PENDING = """
INSERT INTO rollcall_pending_offset (
    producer_id, group_id, topic, partition, committed_offset, leader_epoch, metadata,
    committed_at, superseded, member_id, client_id, client_host, principal)
SELECT new.producer_id, new.group_id, topic, partition, committed_offset, leader_epoch, metadata,
       clock_timestamp(), superseded, member_id, client_id, client_host, principal
FROM unnest(%(producer_id)s::bigint[], %(epoch)s::smallint[], %(group_id)s::text[],
            %(topic)s::text[], %(partition)s::int[], %(committed_offset)s::bigint[],
            %(leader_epoch)s::int[], %(metadata)s::text[], %(superseded)s::boolean[],
            %(member_id)s::text[], %(client_id)s::text[], %(client_host)s::text[],
            %(principal)s::text[])
     WITH ORDINALITY AS new(
            producer_id, epoch, group_id, topic, partition, committed_offset, leader_epoch,
            metadata, superseded, member_id, client_id, client_host, principal, n)
JOIN rollcall_producer p ON p.producer_id = new.producer_id AND p.epoch = new.epoch
                        AND p.state = 'Ongoing'
JOIN rollcall_txn_group g ON g.transactional_id = p.transactional_id AND g.group_id = new.group_id
ORDER BY n
ON CONFLICT (producer_id, group_id, topic, partition) DO UPDATE SET
    committed_offset = excluded.committed_offset, leader_epoch = excluded.leader_epoch,
    metadata = excluded.metadata, committed_at = excluded.committed_at,
    superseded = excluded.superseded, place = excluded.place, member_id = excluded.member_id,
    client_id = excluded.client_id, client_host = excluded.client_host,
    principal = excluded.principal
"""
"""Only into a transaction that the producer still has and that contains the group. Places rise in
the order of the arrays."""

# -- producers

LOCK_PRODUCER = """
SELECT transactional_id, producer_id, epoch, timeout_ms, state, last_epoch, previous_id,
       state = 'Ongoing'
           AND started_at + timeout_ms * interval '1 millisecond' < clock_timestamp()
FROM rollcall_producer WHERE transactional_id = %(transactional_id)s FOR UPDATE
"""

FIND_PRODUCER = """
SELECT p.transactional_id, p.producer_id, p.epoch, p.timeout_ms, p.state, p.last_epoch,
       p.previous_id, EXISTS (
            SELECT FROM rollcall_txn_group g
            WHERE g.transactional_id = p.transactional_id AND g.group_id = %(group_id)s)
FROM rollcall_producer p WHERE p.transactional_id = %(transactional_id)s
"""
"""The producer's row, and whether the group is part of the transaction."""

DRAW_PRODUCER_ID = "SELECT nextval('rollcall_producer_id')"

NEW_PRODUCER = """
INSERT INTO rollcall_producer (
    transactional_id, slot, producer_id, epoch, timeout_ms, state, last_epoch, previous_id,
    updated_at)
VALUES (%(transactional_id)s, %(slot)s, %(producer_id)s, %(epoch)s, %(timeout_ms)s, %(state)s,
        %(last_epoch)s, %(previous_id)s, clock_timestamp())
ON CONFLICT (transactional_id) DO NOTHING
"""

PUT_PRODUCER = """
UPDATE rollcall_producer p
SET producer_id = %(producer_id)s, epoch = %(epoch)s, timeout_ms = %(timeout_ms)s,
    state = %(state)s, last_epoch = %(last_epoch)s, previous_id = %(previous_id)s,
    started_at = CASE WHEN %(state)s <> 'Ongoing' THEN NULL
                      WHEN p.state = 'Ongoing' THEN p.started_at
                      ELSE clock_timestamp() END,
    updated_at = clock_timestamp()
WHERE transactional_id = %(transactional_id)s
"""

ADD_GROUP = """
INSERT INTO rollcall_txn_group (transactional_id, group_id)
SELECT %(transactional_id)s, %(group_id)s
WHERE (SELECT count(*) FROM rollcall_txn_group
       WHERE transactional_id = %(transactional_id)s AND group_id <> %(group_id)s) < %(most)s
ON CONFLICT (transactional_id, group_id) DO UPDATE SET group_id = excluded.group_id
"""
"""Writes nothing if the transaction has the maximum number of groups."""

OVERDUE = """
SELECT transactional_id FROM rollcall_producer
WHERE state = 'Ongoing' AND slot = ANY(%(slots)s::smallint[])
  AND started_at + timeout_ms * interval '1 millisecond' < clock_timestamp()
ORDER BY started_at LIMIT %(most)s
"""

# -- the end of a transaction

# The table is nearly empty whenever PostgreSQL analyses it, so a join of thousands of offsets would
# compare each with each. With "IS TRUE" the subquery is hashed in every plan.
_OF_GROUPS = """group_id = ANY(ARRAY(
    SELECT DISTINCT group_id FROM rollcall_pending_offset WHERE producer_id = %(producer_id)s))"""

LOCK_WAITING = f"""
SELECT FROM rollcall_pending_offset
WHERE {_OF_GROUPS} AND ((group_id, topic, partition) IN (
    SELECT group_id, topic, partition FROM rollcall_pending_offset
    WHERE producer_id = %(producer_id)s)) IS TRUE
ORDER BY group_id, topic, partition, producer_id FOR UPDATE
"""
"""Locks other transactions' offsets of the same partitions too: this one may supersede them."""

APPLY = """
INSERT INTO rollcall_offset AS o (
    group_id, topic, partition, committed_offset, leader_epoch, metadata, committed_at)
SELECT group_id, topic, partition, committed_offset, leader_epoch, metadata, committed_at
FROM rollcall_pending_offset WHERE producer_id = %(producer_id)s AND NOT superseded
ORDER BY group_id, topic, partition
ON CONFLICT (group_id, topic, partition) DO UPDATE SET
    committed_offset = excluded.committed_offset, leader_epoch = excluded.leader_epoch,
    metadata = excluded.metadata, committed_at = excluded.committed_at, expires_at = NULL
"""

NOTE_HISTORY = """
INSERT INTO rollcall_offset_history (
    at, group_id, topic, partition, committed_offset, leader_epoch, metadata,
    member_id, client_id, client_host, principal)
SELECT clock_timestamp(), group_id, topic, partition, committed_offset, leader_epoch, metadata,
       member_id, client_id, client_host, principal
FROM rollcall_pending_offset
WHERE producer_id = %(producer_id)s AND NOT superseded AND member_id IS NOT NULL
ORDER BY group_id, topic, partition
"""
"""The author is the client that added the offset to the transaction; the time is its end, since the
offset could not be read before. Without an author no history is kept."""

OVERTAKE = f"""
UPDATE rollcall_pending_offset SET superseded = true
WHERE {_OF_GROUPS} AND NOT superseded AND ((producer_id, group_id, topic, partition) IN (
    SELECT producer_id, group_id, topic, partition FROM (
        SELECT producer_id, group_id, topic, partition, place,
               max(place) FILTER (WHERE producer_id = %(producer_id)s) OVER same AS mine
        FROM rollcall_pending_offset WHERE {_OF_GROUPS} AND NOT superseded
        WINDOW same AS (PARTITION BY group_id, topic, partition)) AS waiting
    WHERE place < mine)) IS TRUE
"""
"""Offsets that were written earlier no longer count, even if their own transactions end later."""

DROP_WAITING = "DELETE FROM rollcall_pending_offset WHERE producer_id = %(producer_id)s"

DROP_GROUPS = "DELETE FROM rollcall_txn_group WHERE transactional_id = %(transactional_id)s"

# -- reading

GROUPS_OF_SLOTS = """
SELECT DISTINCT p.group_id FROM rollcall_pending_offset p
JOIN rollcall_group g USING (group_id) WHERE g.slot = ANY(%(slots)s::smallint[])
"""

PARTITIONS_OF_GROUP = """
SELECT DISTINCT topic, partition FROM rollcall_pending_offset
WHERE group_id = %(group_id)s
      AND (%(topics)s::text[] IS NULL OR topic || '' = ANY(%(topics)s::text[]))
LIMIT %(most)s
"""

PARTITIONS_OF_GROUPS = """
SELECT place, o.*
FROM unnest(%(place)s::int[], %(group_id)s::text[]) AS asked(place, group_id)
CROSS JOIN LATERAL (
    SELECT DISTINCT topic, partition FROM rollcall_pending_offset
    WHERE group_id = asked.group_id LIMIT %(most)s) AS o
UNION ALL
SELECT place, o.*
FROM unnest(%(topic_place)s::int[], %(topic_group_id)s::text[], %(topic)s::text[])
     AS asked(place, group_id, topic)
CROSS JOIN LATERAL (
    SELECT DISTINCT topic, partition FROM rollcall_pending_offset
    WHERE group_id = asked.group_id AND topic || '' = asked.topic LIMIT %(most)s) AS o
LIMIT %(most)s
"""
"""By the group and no index of topics, as ``group_rows.FETCH_OFFSETS_OF_TOPICS``."""

LIST = """
SELECT transactional_id, producer_id, epoch, timeout_ms, state, last_epoch, previous_id,
       coalesce((extract(epoch FROM clock_timestamp() - started_at) * 1000)::bigint, 0)
FROM rollcall_producer
WHERE slot = ANY(%(slots)s::smallint[])
ORDER BY transactional_id
"""

DESCRIBE = """
SELECT transactional_id, producer_id, epoch, timeout_ms, state, last_epoch, previous_id,
       coalesce((extract(epoch FROM started_at) * 1000)::bigint, -1)
FROM rollcall_producer WHERE transactional_id = ANY(%(transactional_ids)s::text[])
"""

PARTITIONS_OF_PRODUCERS = """
SELECT producer_id, topic, array_agg(DISTINCT partition ORDER BY partition)
FROM rollcall_pending_offset WHERE producer_id = ANY(%(producer_ids)s::bigint[])
GROUP BY producer_id, topic ORDER BY producer_id, topic
"""

FORGET = """
DELETE FROM rollcall_producer WHERE transactional_id IN (
    SELECT transactional_id FROM rollcall_producer
    WHERE state <> 'Ongoing'
      AND updated_at < clock_timestamp() - %(ms)s * interval '1 millisecond'
    ORDER BY updated_at LIMIT %(rows)s FOR UPDATE SKIP LOCKED)
"""
"""Ids that were not used for transactional.id.expiration.ms; the lock prevents a concurrent use."""
