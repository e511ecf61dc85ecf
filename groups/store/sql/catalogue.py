"""The SQL of the topic catalogue; ``groups.catalogue.cache`` executes it.

Every change notifies ``rollcall_topics`` with the topic's name in the same statement, so that the
notification is sent at the commit and only then.
"""

from groups.core.journal import EntryKind, Trigger
from groups.postgres.channels import notify
from groups.store.sql.history import NOTE_GONE

BELL = "rollcall_topics"
"""The channel: one NOTIFY per topic, its name the payload (250 bytes of 8,000 allowed)."""

RINGS = notify("%(bell)s", "name")

TOPIC = "name, topic_id, partitions, end_offsets, racks"

LOAD_TOPICS = f"""
SELECT {TOPIC} FROM rollcall_topic
"""

FIND_TOPICS = f"""
SELECT {TOPIC} FROM rollcall_topic
WHERE name = ANY(%(names)s::text[])
"""

FIND_TOPICS_BY_ID = f"""
SELECT {TOPIC} FROM rollcall_topic
WHERE topic_id = ANY(%(topic_ids)s::uuid[])
"""

# The journal entry of a topic: it has no group, its details contain the topic. %s are the topic's
# name, the new state, and the rows.
NOTE = f"""
    INSERT INTO rollcall_journal (
        at, group_id, revision, node_id, kind, trigger, reason, client_id, generation_before,
        generation_after, waited_for, joined, "left", details)
    SELECT clock_timestamp(), '', 0, %%(node_id)s, '%s', '{Trigger.REQUEST}', '',
           %%(author)s::jsonb ->> 'client_id', 0, 0, '{{}}', '[]', '[]',
           jsonb_build_object('author', %%(author)s::jsonb, 'topic', name) || %s
    FROM %s
"""

CHANGE = """jsonb_build_object('before', jsonb_build_object('%s', before),
                                'after', jsonb_build_object('%s', after))"""

# The journal entry of each group whose offsets are deleted with a topic. It lists the first
# thousand, and counts all.
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

# PostgreSQL decides which request was first: an existing topic returns no row. Names are in order,
# so that two requests for the same topics wait for each other rather than deadlock. A new topic has
# another id than a deleted one of the same name: offsets from a late commit are deleted.
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
    NOTE
    % (
        EntryKind.TOPIC_CREATED,
        "jsonb_build_object('after', jsonb_build_object('partitions', partitions))",
        "made",
    )
}), noted_erased AS ({_NOTE_ERASED % Trigger.TOPIC_CREATED}), noted_gone AS ({NOTE_GONE})
SELECT name, {RINGS} FROM made
"""

# If two requests grow a topic at the same time, the second one is checked against the first one's
# count.
GROW_TOPIC = f"""
WITH held AS (
    SELECT name, partitions FROM rollcall_topic WHERE name = %(name)s FOR UPDATE
), grown AS (
    UPDATE rollcall_topic t SET partitions = %(count)s
    FROM held WHERE t.name = held.name AND held.partitions < %(count)s
    RETURNING t.name, held.partitions AS before, t.partitions AS after
), noted AS ({NOTE % (EntryKind.TOPIC_GROWN, CHANGE % ("partitions", "partitions"), "grown")})
SELECT name, {RINGS} FROM grown
"""

# Deleting a topic to which thousands of groups have committed takes longer than a node's usual
# transaction timeout. Its timer is already running, and another value does not restart it; only 0
# stops it.
MORE_TIME = """
SET LOCAL statement_timeout = '30s';
SET LOCAL transaction_timeout = 0;
SET LOCAL transaction_timeout = '40s'
"""
MORE_TIME_S = 45
"""How long the node waits for the response: longer than PostgreSQL's limit."""

DELETE_TOPIC = f"""
WITH gone AS (
    DELETE FROM rollcall_topic
    WHERE name = %(name)s AND (%(topic_id)s::uuid IS NULL OR topic_id = %(topic_id)s)
    RETURNING name, topic_id AS was_id, partitions
), noted AS ({
    NOTE
    % (
        EntryKind.TOPIC_DELETED,
        "jsonb_build_object('before',"
        " jsonb_build_object('partitions', partitions, 'topic_id', was_id))",
        "gone",
    )
})
SELECT name, {RINGS} FROM gone
"""

# Locked in the order in which committers write them, to avoid deadlocks. One statement for any
# number of groups; each gets an entry about its loss. Locked rows are counted before anything is
# deleted, not in a join: a plan of PostgreSQL from when the table was small would compare each row
# with each.
ERASE_OFFSETS = f"""
WITH doomed AS (
    SELECT FROM rollcall_offset WHERE topic = %(name)s
    ORDER BY group_id, topic, partition FOR UPDATE
), erased AS (
    DELETE FROM rollcall_offset WHERE topic = %(name)s AND (SELECT count(*) FROM doomed) > 0
    RETURNING group_id, topic, partition, committed_offset
), noted_gone AS ({NOTE_GONE})
{_NOTE_ERASED % Trigger.TOPIC_DELETED}
"""

# Before the committed ones, in the order of all that lock both (groups.store.sql.transactions):
# otherwise a transaction that is just ending would restore them.
ERASE_PENDING = """
WITH doomed AS (
    SELECT FROM rollcall_pending_offset WHERE topic = %(name)s
    ORDER BY group_id, topic, partition, producer_id FOR UPDATE
)
DELETE FROM rollcall_pending_offset
WHERE topic = %(name)s AND (SELECT count(*) FROM doomed) > 0
"""

# One index probe per requested partition, over the groups that committed to it; a query by topic
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
