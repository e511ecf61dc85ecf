"""The SQL of operators' changes that no group decides, and that only the web asks for. They are
functions of the database (``functions``): the web writes neither these tables nor the journal."""

from groups.core.journal import EntryKind, Trigger
from groups.store.sql import configs, nodes
from groups.store.sql.catalogue import CHANGE, NOTE, RINGS
from groups.store.sql.drains import noted

DRAIN = f"""
WITH done AS (
    INSERT INTO rollcall_drain (node_id, actor, reason, since, seen_at)
    SELECT node_id, coalesce(%(author)s ->> 'user', ''), %(reason)s, clock_timestamp(),
           clock_timestamp()
    FROM rollcall_node WHERE node_id = %(node)s
    ON CONFLICT (node_id) DO NOTHING
    RETURNING node_id, reason, %(author)s AS author),
{noted(EntryKind.NODE_DRAINED, Trigger.OPERATOR)}"""

UNDRAIN = f"""
WITH done AS (
    DELETE FROM rollcall_drain WHERE node_id = %(node)s
    RETURNING node_id, %(reason)s AS reason, %(author)s AS author),
{noted(EntryKind.NODE_UNDRAINED, Trigger.OPERATOR)}"""
"""If something has changed, it returns a row and notifies the nodes."""

FORGET_NODE = f"""
WITH done AS (
    DELETE FROM rollcall_node n WHERE node_id = %(node)s AND {nodes.HAS_LEFT}
    RETURNING node_id, %(reason)s AS reason, %(author)s AS author),
freed AS (DELETE FROM rollcall_node_lease WHERE node_id IN (SELECT node_id FROM done)),
{noted(EntryKind.NODE_FORGOTTEN, Trigger.OPERATOR)}"""
"""Its id becomes free for another host, too."""

CAN_BE_FORGOTTEN = f"""
SELECT EXISTS (SELECT FROM rollcall_node n WHERE node_id = %(node)s AND {nodes.HAS_LEFT})
"""

SET = f"""
WITH dropped AS (
    DELETE FROM rollcall_group_config
    WHERE (group_id, name) IN (
        SELECT group_id, key
        FROM unnest(%(group_ids)s::text[], %(after)s::text[]) AS asked(group_id, after),
             jsonb_each(asked.after::jsonb) WHERE value = 'null')
), put AS (
    INSERT INTO rollcall_group_config AS c (group_id, name, slot, value, updated_at)
    SELECT group_id, name, %(slot)s, value, clock_timestamp()
    FROM unnest(%(group_ids)s::text[]) AS group_id,
         unnest(%(names)s::text[], %(values)s::text[]) AS new(name, value)
    ON CONFLICT (group_id, name) DO UPDATE SET
        value = excluded.value, updated_at = excluded.updated_at, until = NULL
    WHERE c.value <> excluded.value
)
{configs.RING}
"""
"""The settings that an operator changes: those with a value, and those that ``after`` has as null.
No others: an owner may thaw the group meanwhile. ``configs.NOTE``
follows."""

PLACE_TOPIC = f"""
WITH held AS (
    SELECT name, racks FROM rollcall_topic
    WHERE name = %(name)s AND partitions >= %(count)s FOR UPDATE
), placed AS (
    UPDATE rollcall_topic t SET racks = %(racks)s::jsonb FROM held WHERE t.name = held.name
    RETURNING t.name, held.racks AS before, t.racks AS after
), noted AS ({NOTE % (EntryKind.TOPIC_PLACED, CHANGE % ("racks", "racks"), "placed")})
SELECT name, {RINGS} FROM placed
"""

# End offsets only rise: the highest report is the newest. If none rises, nothing is notified.
RAISE_ENDS = f"""
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
SELECT name, {RINGS} FROM raised
"""
