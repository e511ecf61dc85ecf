"""The SQL of the facts (migrations 0056 and 0061): one row of an array is one life, or one member.

Each statement has one moment, from which ages are subtracted, and appends what it opens and closes.
Rows of two arrays are never joined with each other, since PostgreSQL does not know how many there
are: a member's partitions are one JSON object.
"""

MOMENT = """moment AS MATERIALIZED (
    SELECT clock_timestamp() AS now, rollcall_current_era() AS era,
           pg_current_xact_id()::text::bigint AS xid
)"""

LIFE = """life, group_id, member_id, instance_id, client_id, client_host, principal, rack_id,
    software_name, software_version, kind, api_version, session_timeout_ms, rebalance_timeout_ms,
    subscription, pattern, protocols, revision, joined_generation, joined_at, origin"""

ADD_LIFE = f"""
INSERT INTO rollcall_life (
    at, era, xid, {LIFE}, left_generation, left_at, departure, heard_at)
"""

OWNED = "group_id, life, topic, topic_id, partitions, from_generation, from_at"

ADD_OWNERSHIP = f"""
INSERT INTO rollcall_ownership (
    at, era, xid, {OWNED}, until_generation, until_at)
"""

END_LIVES = f"""
WITH {MOMENT}, gone AS MATERIALIZED (
    SELECT * FROM unnest(%(group_id)s::text[], %(member_id)s::text[], %(departure)s::text[],
                         %(generation)s::int[], %(silent_ms)s::bigint[])
             AS gone(group_id, member_id, departure, generation, silent_ms)
), dead AS (
    DELETE FROM rollcall_life_open AS o USING gone
    WHERE o.group_id = gone.group_id AND o.member_id = gone.member_id
    RETURNING o.*, gone.departure, gone.generation, gone.silent_ms
), freed AS (
    DELETE FROM rollcall_ownership_open AS o USING dead
    WHERE o.life = dead.life RETURNING o.*, dead.generation
), closed AS (
    {ADD_OWNERSHIP}
    SELECT now, era, xid, {OWNED}, generation, greatest(now, from_at)
    FROM freed CROSS JOIN moment
)
{ADD_LIFE}
SELECT now, era, xid, {LIFE}, generation, greatest(now, joined_at), departure,
       greatest(now - silent_ms * interval '1 ms', joined_at)
FROM dead CROSS JOIN moment
"""
"""Lives that ended, with all that their members owned."""

NEW = """unnest(
        %(group_id)s::text[], %(member_id)s::text[], %(instance_id)s::text[],
        %(client_id)s::text[], %(client_host)s::text[], %(principal)s::text[],
        %(rack_id)s::text[], %(software_name)s::text[], %(software_version)s::text[],
        %(kind)s::text[], %(api_version)s::int[], %(session_timeout_ms)s::int[],
        %(rebalance_timeout_ms)s::int[], %(subscription)s::text[], %(pattern)s::text[],
        %(protocols)s::text[], %(revision)s::bigint[], %(generation)s::int[],
        %(age_ms)s::bigint[], %(origin)s::text[], %(departure)s::text[], %(silent_ms)s::bigint[])
    AS new(group_id, member_id, instance_id, client_id, client_host, principal, rack_id,
           software_name, software_version, kind, api_version, session_timeout_ms,
           rebalance_timeout_ms, subscription, pattern, protocols, revision, generation, age_ms,
           origin, departure, silent_ms)"""

MADE = """nextval('rollcall_life_seq') AS life, group_id, member_id, instance_id, client_id,
           client_host, principal, rack_id, software_name, software_version, kind, api_version,
           session_timeout_ms, rebalance_timeout_ms, subscription::text[] AS subscription, pattern,
           protocols::text[] AS protocols, revision, generation AS joined_generation,
           now - age_ms * interval '1 ms' AS joined_at, origin"""

BEGIN_LIVES = f"""
WITH {MOMENT}, opened AS (
    INSERT INTO rollcall_life_open ({LIFE})
    SELECT {MADE} FROM {NEW} CROSS JOIN moment
    RETURNING *
)
{ADD_LIFE}
SELECT now, era, xid, {LIFE}, NULL, NULL, NULL, NULL FROM opened CROSS JOIN moment
"""

PASS_LIVES = f"""
WITH {MOMENT}, passed AS MATERIALIZED (
    SELECT {MADE}, departure, silent_ms FROM {NEW} CROSS JOIN moment
), opened AS (
    {ADD_LIFE}
    SELECT now, era, xid, {LIFE}, NULL, NULL, NULL, NULL FROM passed CROSS JOIN moment
)
{ADD_LIFE}
SELECT now, era, xid, {LIFE}, joined_generation, now, departure,
       greatest(now - silent_ms * interval '1 ms', joined_at)
FROM passed CROSS JOIN moment
"""
"""Lives that began and ended in one step."""

OWN = f"""
WITH {MOMENT}, asked AS MATERIALIZED (
    SELECT asked.*, o.life
    FROM unnest(%(group_id)s::text[], %(member_id)s::text[], %(generation)s::int[],
                %(lost_ms)s::bigint[], %(gains)s::boolean[], %(parts)s::text[])
         AS asked(group_id, member_id, generation, lost_ms, gains, parts)
    LEFT JOIN rollcall_life_open o USING (group_id, member_id)
), found AS (
    INSERT INTO rollcall_life_open ({LIFE})
    SELECT nextval('rollcall_life_seq'), m.group_id, m.member_id, m.instance_id, m.client_id,
           m.client_host, '', NULL, '', '', g.kind, NULL, m.session_timeout_ms,
           m.rebalance_timeout_ms, NULL, '', '{{}}', g.revision, g.generation, m.joined_at, 'known'
    FROM asked
    JOIN rollcall_member m USING (group_id, member_id) JOIN rollcall_group g USING (group_id)
    WHERE asked.life IS NULL
    RETURNING *
), known AS (
    {ADD_LIFE}
    SELECT now, era, xid, {LIFE}, NULL, NULL, NULL, NULL FROM found CROSS JOIN moment
), lives AS MATERIALIZED (
    SELECT group_id, life, generation, lost_ms, gains, parts::jsonb AS parts
    FROM asked WHERE life IS NOT NULL
    UNION ALL
    SELECT group_id, found.life, generation, lost_ms, gains, parts::jsonb
    FROM asked JOIN found USING (group_id, member_id)
), lost AS (
    DELETE FROM rollcall_ownership_open o USING lives
    WHERE o.life = lives.life
      AND NOT o.partitions <@ coalesce((lives.parts ->> o.topic)::int4multirange, '{{}}')
    RETURNING o.*, lives.generation, lives.lost_ms,
              coalesce((lives.parts ->> o.topic)::int4multirange, '{{}}') AS shall
), shrunk AS (
    INSERT INTO rollcall_ownership_open ({OWNED})
    SELECT group_id, life, topic, topic_id, partitions * shall, from_generation, from_at
    FROM lost WHERE partitions && shall
), closed AS (
    {ADD_OWNERSHIP}
    SELECT now, era, xid, group_id, life, topic, topic_id, partitions - shall, from_generation,
           from_at, generation, greatest(now - lost_ms * interval '1 ms', from_at)
    FROM lost CROSS JOIN moment
), opened AS (
    INSERT INTO rollcall_ownership_open AS o ({OWNED})
    SELECT group_id, life, named.topic,
           (SELECT t.topic_id FROM rollcall_topic t WHERE t.name = named.topic),
           named.shall::int4multirange - coalesce(had.partitions, '{{}}'), generation, now
    FROM lives CROSS JOIN moment
    CROSS JOIN LATERAL jsonb_each_text(lives.parts) AS named(topic, shall)
    CROSS JOIN LATERAL (
        SELECT range_agg(o.partitions) AS partitions FROM rollcall_ownership_open o
        WHERE o.life = lives.life AND o.topic = named.topic
    ) AS had
    WHERE lives.gains AND NOT named.shall::int4multirange <@ coalesce(had.partitions, '{{}}')
    RETURNING o.*
)
{ADD_OWNERSHIP}
SELECT now, era, xid, {OWNED}, NULL, NULL FROM opened CROSS JOIN moment
"""
"""What members own from now on: the difference to what is open is closed and opened. A member that
an earlier version has let in has no life yet: it is known from now on."""

ROUND = """group_id, generation, kind, outcome, started_at, ended_at, is_partial, members, moved,
    stopped_ms, silent_ms, unowned_ms, triggers, cause_members, cause_ids, cause_at_ms, cause_ms,
    acts, ends, counts, lives, waited_ms"""

LIFE_OF = """coalesce(o.life, (
            SELECT gone.life FROM rollcall_life AS gone
            WHERE o.life IS NULL AND gone.group_id = {group} AND gone.member_id = {member}
              AND gone.left_at IS NOT NULL AND gone.at >= {since} - interval '1 minute'
            ORDER BY gone.at DESC LIMIT 1))"""
"""The life of a member by its id: the open one, or the last that has ended since then."""

END_ROUNDS = f"""
WITH {MOMENT}, asked AS MATERIALIZED (
    SELECT asked.*, now, era, xid, now - age_ms * interval '1 ms' AS ended_at,
           now - (age_ms + ms) * interval '1 ms' AS started_at
    FROM unnest(
        %(group_id)s::text[], %(generation)s::int[], %(kind)s::text[], %(outcome)s::text[],
        %(ms)s::bigint[], %(age_ms)s::bigint[], %(is_partial)s::boolean[], %(members)s::int[],
        %(moved)s::int[], %(stopped_ms)s::bigint[], %(silent_ms)s::bigint[],
        %(unowned_ms)s::bigint[], %(triggers)s::text[], %(cause_members)s::text[],
        %(cause_ids)s::text[], %(cause_at_ms)s::text[], %(cause_ms)s::text[], %(acts)s::text[],
        %(ends)s::text[], %(counts)s::text[], %(waiting)s::text[], %(waited_ms)s::text[])
        AS asked(group_id, generation, kind, outcome, ms, age_ms, is_partial, members, moved,
                 stopped_ms, silent_ms, unowned_ms, triggers, cause_members, cause_ids,
                 cause_at_ms, cause_ms, acts, ends, counts, waiting, waited_ms)
    CROSS JOIN moment
)
INSERT INTO rollcall_round (at, era, xid, {ROUND})
SELECT now, era, xid, group_id, generation, kind, outcome, started_at, ended_at, is_partial,
       members, moved, stopped_ms, silent_ms, unowned_ms, triggers::text[], cause_members::int[],
       cause_ids::text[], cause_at_ms::bigint[], cause_ms::bigint[], acts::text[], ends::text[],
       counts::int[], coalesce(found.lives, '{{}}'), waited_ms::int[]
FROM asked CROSS JOIN LATERAL (
    SELECT array_agg({
    LIFE_OF.format(group="asked.group_id", member="w.member_id", since="asked.started_at")
} ORDER BY w.n) AS lives
    FROM unnest(asked.waiting::text[]) WITH ORDINALITY AS w(member_id, n)
    LEFT JOIN rollcall_life_open AS o
      ON o.group_id = asked.group_id AND o.member_id = w.member_id
) AS found
"""
"""Rebalances that ended, each a row with arrays: awaited members by their lives, NULL for a client
that was given a member id and has not joined."""
