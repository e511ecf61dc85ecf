"""The SQL of the topic catalogue, once and readable; ``groups.catalogue.cache`` executes it.

Every change rings ``rollcall_topics`` with the topic's name in the statement that
makes it, so that the ring goes out at the commit and only then.
"""

from groups.core.journal import EntryKind, Trigger

BELL = "rollcall_topics"
"""The channel: one NOTIFY per topic, its name the payload (250 bytes of 8,000 allowed)."""

LOAD_TOPICS = """
SELECT name, topic_id, partitions, end_offsets, racks FROM rollcall_topic
"""

FIND_TOPICS = """
SELECT name, topic_id, partitions, end_offsets, racks FROM rollcall_topic
WHERE name = ANY(%(names)s::text[])
"""

FIND_TOPICS_BY_ID = """
SELECT name, topic_id, partitions, end_offsets, racks FROM rollcall_topic
WHERE topic_id = ANY(%(topic_ids)s::uuid[])
"""

# What the journal tells of a topic: the entry has no group, its details name the topic. %s are the
# topic's name, what becomes of it, and the rows.
_NOTE = f"""
    INSERT INTO rollcall_journal (
        at, group_id, revision, node_id, kind, trigger, reason, client_id, generation_before,
        generation_after, waited_for, joined, "left", details)
    SELECT clock_timestamp(), '', 0, %%(node_id)s, '%s', '{Trigger.REQUEST}', '',
           %%(author)s::jsonb ->> 'client_id', 0, 0, '{{}}', '[]', '[]',
           jsonb_build_object('author', %%(author)s::jsonb, 'topic', name) || %s
    FROM %s
"""

_CHANGE = """jsonb_build_object('before', jsonb_build_object('%s', before),
                                'after', jsonb_build_object('%s', after))"""

# What the journal tells each group of offsets that go with a topic. Of more than a thousand the
# first are told, all are counted.
_NOTE_ERASED = f"""
    INSERT INTO rollcall_journal (
        at, group_id, revision, node_id, kind, trigger, reason, client_id, generation_before,
        generation_after, waited_for, joined, "left", details)
    SELECT clock_timestamp(), group_id, coalesce(g.revision, 0), %%(node_id)s,
           '{EntryKind.OFFSETS_DELETED}', '%s', '', %%(author)s::jsonb ->> 'client_id',
           coalesce(g.generation, 0), coalesce(g.generation, 0), '{{}}', '[]', '[]',
           jsonb_build_object('author', %%(author)s::jsonb, 'offsets', e.offsets,
                              'before', jsonb_build_object(e.topic, e.before))
    FROM (
        SELECT group_id, topic, count(*) AS offsets,
               jsonb_object_agg(partition, committed_offset) FILTER (WHERE n <= 1000) AS before
        FROM (
            SELECT *, row_number() OVER (PARTITION BY group_id, topic ORDER BY partition) AS n
            FROM erased
        ) AS numbered
        GROUP BY group_id, topic
    ) AS e LEFT JOIN rollcall_group g USING (group_id)
"""

# PostgreSQL judges who was first: a topic that exists gives no row back. Names in order, so that
# two requests for the same topics wait for each other rather than deadlock. A new topic is another
# topic than a deleted one of its name: offsets that a commit in flight left behind go.
CREATE_TOPICS = f"""
WITH made AS (
    INSERT INTO rollcall_topic (name, topic_id, partitions, end_offsets, created_at)
    SELECT name, topic_id, partitions, '{{}}', clock_timestamp()
    FROM unnest(%(names)s::text[], %(topic_ids)s::uuid[], %(partitions)s::int[])
         AS new(name, topic_id, partitions)
    ORDER BY name
    ON CONFLICT (name) DO NOTHING
    RETURNING name, topic_id, partitions
), swept_pending AS (
    DELETE FROM rollcall_pending_offset WHERE topic = ANY(ARRAY(SELECT name FROM made))
), erased AS (
    DELETE FROM rollcall_offset WHERE topic = ANY(ARRAY(SELECT name FROM made))
    RETURNING group_id, topic, partition, committed_offset
), noted AS ({
    _NOTE
    % (
        EntryKind.TOPIC_CREATED,
        "jsonb_build_object('after', jsonb_build_object('partitions', partitions))",
        "made",
    )
}), noted_erased AS ({_NOTE_ERASED % Trigger.TOPIC_CREATED})
SELECT name, pg_notify(%(bell)s, name) FROM made
"""

# Of two that grow a topic at the same time the second sees the first's count, and is judged by it.
GROW_TOPIC = f"""
WITH held AS (
    SELECT name, partitions FROM rollcall_topic WHERE name = %(name)s FOR UPDATE
), grown AS (
    UPDATE rollcall_topic t SET partitions = %(count)s
    FROM held WHERE t.name = held.name AND held.partitions < %(count)s
    RETURNING t.name, held.partitions AS before, t.partitions AS after
), noted AS ({_NOTE % (EntryKind.TOPIC_GROWN, _CHANGE % ("partitions", "partitions"), "grown")})
SELECT name, pg_notify(%(bell)s, name) FROM grown
"""

PLACE_TOPIC = f"""
WITH held AS (
    SELECT name, racks FROM rollcall_topic
    WHERE name = %(name)s AND partitions >= %(count)s FOR UPDATE
), placed AS (
    UPDATE rollcall_topic t SET racks = %(racks)s::jsonb FROM held WHERE t.name = held.name
    RETURNING t.name, held.racks AS before, t.racks AS after
), noted AS ({_NOTE % (EntryKind.TOPIC_PLACED, _CHANGE % ("racks", "racks"), "placed")})
SELECT name, pg_notify(%(bell)s, name) FROM placed
"""

# Ends only rise: who tells the least knows the least. A topic of which nothing rises rings nobody.
RAISE_ENDS = """
WITH raised AS (
    UPDATE rollcall_topic SET end_offsets = (
        SELECT array_agg(greatest(was, told, 0) ORDER BY n)
        FROM unnest(end_offsets, %(ends)s::bigint[]) WITH ORDINALITY AS both_(was, told, n)
    )
    WHERE name = %(name)s AND EXISTS (
        SELECT FROM unnest(end_offsets, %(ends)s::bigint[]) AS both_(was, told)
        WHERE told > coalesce(was, 0)
    )
    RETURNING name
)
SELECT name, pg_notify(%(bell)s, name) FROM raised
"""

# A topic that thousands of groups have committed to takes longer to erase than a node's ordinary
# transaction may last. The clock of transaction_timeout runs already, and setting another value
# does not wind it anew; only 0 stops it.
MORE_TIME = """
SET LOCAL statement_timeout = '30s';
SET LOCAL transaction_timeout = 0;
SET LOCAL transaction_timeout = '40s'
"""
MORE_TIME_S = 45
"""How long the node waits for the answer: longer than PostgreSQL lets it take."""

DELETE_TOPIC = f"""
WITH gone AS (
    DELETE FROM rollcall_topic
    WHERE name = %(name)s AND (%(topic_id)s::uuid IS NULL OR topic_id = %(topic_id)s)
    RETURNING name, topic_id AS was_id, partitions
), noted AS ({
    _NOTE
    % (
        EntryKind.TOPIC_DELETED,
        "jsonb_build_object('before',"
        " jsonb_build_object('partitions', partitions, 'topic_id', was_id))",
        "gone",
    )
})
SELECT name, pg_notify(%(bell)s, name) FROM gone
"""

# Locked in the order in which committers write them, so that neither deadlocks the other. One
# statement, whatever the number of groups; each is told what it loses. What is locked is counted
# before anything is deleted, not joined to it: a plan of PostgreSQL's from when the table was small
# would compare each row with each.
ERASE_OFFSETS = f"""
WITH doomed AS (
    SELECT FROM rollcall_offset WHERE topic = %(name)s
    ORDER BY group_id, topic, partition FOR UPDATE
), erased AS (
    DELETE FROM rollcall_offset WHERE topic = %(name)s AND (SELECT count(*) FROM doomed) > 0
    RETURNING group_id, topic, partition, committed_offset
)
{_NOTE_ERASED % Trigger.TOPIC_DELETED}
"""

# Ahead of the committed ones, as everybody who locks both does (groups.store.sql.transactions):
# else a transaction that ends just now would bring them back.
ERASE_PENDING = """
WITH doomed AS (
    SELECT FROM rollcall_pending_offset WHERE topic = %(name)s
    ORDER BY group_id, topic, partition, producer_id FOR UPDATE
)
DELETE FROM rollcall_pending_offset
WHERE topic = %(name)s AND (SELECT count(*) FROM doomed) > 0
"""

# One index probe per partition asked for, over the groups that committed to it; asking by topic
# would read every partition of it each time, and clients ask partition by partition.
GREATEST_COMMITTED = """
SELECT asked.topic, asked.partition, greatest.committed_offset
FROM unnest(%(topics)s::text[], %(partitions)s::int[]) AS asked(topic, partition)
CROSS JOIN LATERAL (
    SELECT max(o.committed_offset) AS committed_offset FROM rollcall_offset o
    WHERE o.topic = asked.topic AND o.partition = asked.partition
) AS greatest
WHERE greatest.committed_offset IS NOT NULL
"""
