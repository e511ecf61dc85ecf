-- Every table of docs/pipeline-tables.md, from what docs/pipeline.md and docs/facts.md say of it.
-- Before: the tables journal, life and ownership as they are in PostgreSQL (JSON as text), and
-- run(moment). Another way than the pipeline's: no windows over a group's entries, but for each
-- entry the nearest one of a kind (ASOF joins).
CREATE VIEW period AS
SELECT name, moment - length AS since, NULL::TIMESTAMPTZ AS until
FROM run, (VALUES ('24h', INTERVAL 24 HOUR), ('7d', INTERVAL 168 HOUR), ('30d', INTERVAL 720 HOUR)) AS l(name, length)
UNION ALL
SELECT name || '-before', moment - 2 * length, moment - length
FROM run, (VALUES ('24h', INTERVAL 24 HOUR), ('7d', INTERVAL 168 HOUR), ('30d', INTERVAL 720 HOUR)) AS l(name, length)
UNION ALL
SELECT 'all', NULL, NULL;

CREATE MACRO lies_in(t, since, until) AS (since IS NULL OR t >= since) AND (until IS NULL OR t < until);
CREATE MACRO number_in(doc, path) AS
    CASE WHEN json_type(doc, path) IN ('UBIGINT', 'BIGINT') THEN json_extract(doc, path)::BIGINT END;
-- DuckDB's own epoch_ms rounds.
CREATE MACRO whole_ms(t) AS epoch_us(t) // 1000;
CREATE MACRO text_of(a, b) AS coalesce(nullif(a, ''), nullif(b, ''));

CREATE TABLE entry AS SELECT * FROM journal WHERE group_id <> '';

CREATE TABLE rebalances AS
WITH completed AS (SELECT * FROM entry WHERE kind = 'rebalance-completed'),
over AS (
    SELECT group_id, id FROM entry
    WHERE kind IN ('rebalance-completed', 'rebalance-abandoned', 'emptied', 'group-deleted')
), since AS (
    SELECT c.*, coalesce(e.id, 0) AS after_id
    FROM completed c ASOF LEFT JOIN over e ON c.group_id = e.group_id AND c.id > e.id
), started AS (
    SELECT c.*, s.id AS s_id, s.decided AS s_at, s.trigger AS s_trigger, s.reason AS s_reason, s.client_reason AS s_words
    FROM since c ASOF LEFT JOIN (SELECT * FROM entry WHERE kind = 'rebalance-started') s
      ON c.group_id = s.group_id AND c.after_id < s.id
), next AS (
    SELECT group_id, id, kind, decided, duration_ms, generation_after, number_in(details, '$.moved') AS moved
    FROM entry WHERE kind IN ('rebalance-completed', 'stable', 'emptied', 'group-deleted')
), seen AS (
    SELECT c.* EXCLUDE (s_at, s_trigger, s_reason, s_words),
           CASE WHEN s_id < c.id THEN s_at END AS s_at,
           CASE WHEN s_id < c.id THEN s_trigger END AS s_trigger,
           CASE WHEN s_id < c.id THEN s_reason END AS s_reason,
           CASE WHEN s_id < c.id THEN s_words END AS s_words,
           n.kind = 'stable' AND n.generation_after = c.generation_after AS has_stable,
           n.decided AS n_at, n.duration_ms AS n_ms, n.moved AS n_moved
    FROM started c ASOF LEFT JOIN next n ON c.group_id = n.group_id AND c.id < n.id
), waits AS (
    SELECT id, list({'member_id': key, 'ms': ms} ORDER BY ms DESC, key) AS waited_for
    FROM (SELECT id, unnest(json_keys(waited_for)) AS key, (waited_for ->> ('$."' || key || '"'))::BIGINT AS ms
          FROM completed)
    GROUP BY id
), timed AS (
    SELECT s.*, coalesce(duration_ms, greatest(whole_ms(decided) - whole_ms(s_at), 0), 0) AS took,
           coalesce(text_of(trigger, s_trigger), 'unknown') AS cause,
           number_in(details, '$.unowned_longest_ms') AS known,
           from_json(details -> '$.why.causes', '[{"trigger":"VARCHAR","ms":"BIGINT"}]') AS told,
           coalesce(w.waited_for, []) AS waits
    FROM seen s LEFT JOIN waits w USING (id)
)
SELECT group_id,
       CASE WHEN number_in(details, '$.moved') IS NOT NULL THEN 'consumer'
            WHEN number_in(details, '$.waited_for_count') IS NOT NULL OR has_stable THEN 'classic' END AS kind,
       cause AS trigger,
       CASE WHEN len(told) > 0 THEN told ELSE [{'trigger': cause, 'ms': took}] END AS causes,
       coalesce(text_of(reason, s_reason), '') AS reason,
       coalesce(text_of(client_reason, s_words), '') AS client_reason,
       member_id, client_id, generation_before, generation_after,
       coalesce(s_at, make_timestamptz((whole_ms(decided) - took) * 1000)) AS started_at,
       decided AS completed_at, CASE WHEN has_stable THEN n_at END AS stable_at, took AS duration_ms,
       CASE WHEN has_stable THEN n_ms END AS sync_ms,
       coalesce(known, took + coalesce(CASE WHEN has_stable THEN n_ms END, 0)) AS without_owner_ms,
       known AS without_owner_known_ms, waits AS waited_for,
       CASE WHEN waits[1].ms > 0 THEN waits[1].member_id END AS slowest_member,
       CASE WHEN waits[1].ms > 0 THEN waits[1].ms END AS slowest_ms,
       number_in(details, '$.members')::INT AS members,
       coalesce(number_in(details, '$.moved'), CASE WHEN has_stable THEN n_moved END, 0) AS partitions_moved,
       id AS journal_id
FROM timed;

-- One row for each life: that of its end if it is there.
CREATE TABLE member_lives AS
WITH ended AS (SELECT * FROM life WHERE left_at IS NOT NULL),
one AS (
    SELECT * FROM ended
    UNION ALL
    SELECT * FROM life b WHERE left_at IS NULL AND life NOT IN (SELECT life FROM ended)
), named AS (
    SELECT *, CASE WHEN instance_id IS NOT NULL THEN 'static ' || instance_id
                   ELSE 'dynamic ' || client_id || chr(1) || client_host END AS who
    FROM one
), back AS (
    SELECT a.life, arg_min(b.joined_at, (b.joined_at, b.life)) AS again
    FROM named a JOIN named b
      ON a.group_id = b.group_id AND a.who = b.who AND (b.joined_at, b.life) > (a.joined_at, a.life)
    GROUP BY a.life
)
SELECT life, group_id, member_id, instance_id, client_id, client_host,
       concat_ws(' ', nullif(software_name, ''), nullif(software_version, '')) AS software, kind,
       session_timeout_ms, protocols, joined_at, left_at, departure, heard_at,
       CASE WHEN left_at IS NOT NULL THEN greatest(whole_ms(left_at) - whole_ms(joined_at), 0) END AS lived_ms,
       CASE WHEN whole_ms(again) >= whole_ms(left_at) THEN whole_ms(again) - whole_ms(left_at) END AS back_ms
FROM named LEFT JOIN back USING (life);

CREATE TABLE intervals AS
WITH each AS (SELECT *, unnest(partitions) AS partition FROM ownership)
SELECT group_id, life, topic, partition, from_at, max(until_at) AS until_at
FROM each GROUP BY ALL;

CREATE TABLE silences AS
WITH each AS (
    SELECT hour, group_id, looks, unnest(lives) AS life, unnest(longest_ms) AS longest_ms,
           unnest(range(len(lives))) AS n
    FROM silence_hour
)
SELECT hour, group_id, life, max(longest_ms) AS longest_ms,
       sum(looks[8 * n + 7] + looks[8 * n + 8])::BIGINT AS near
FROM each GROUP BY ALL;

CREATE TABLE partition_hours AS
WITH each AS (
    SELECT hour, group_id, topic, era, xid, id, unnest(partitions) AS partition, unnest(commits) AS commits,
           unnest(first_offsets) AS first_offset, unnest(last_offsets) AS last_offset,
           unnest(pauses_ms) AS pause_ms, unnest(lives) AS life, unnest(end_offsets) AS end_offset
    FROM progress_hour
)
SELECT * EXCLUDE (era, xid, id) FROM each
QUALIFY row_number() OVER (PARTITION BY hour, group_id, topic, partition ORDER BY era DESC, xid DESC, id DESC) = 1;

CREATE TABLE by_cause AS
WITH flat AS (
    SELECT r.*, unnest(causes) AS c, generate_subscripts(causes, 1) AS place FROM rebalances r
), merged AS (
    SELECT journal_id, c.trigger AS cause, sum(c.ms)::BIGINT AS ms, min(place) AS place FROM flat GROUP BY ALL
), shares AS (
    SELECT *, greatest(sum(ms) OVER (PARTITION BY journal_id), 1)::BIGINT AS total,
           row_number() OVER (PARTITION BY journal_id ORDER BY place) = 1 AS is_first
    FROM merged
), parts AS (
    SELECT r.* EXCLUDE (trigger, duration_ms, without_owner_ms, without_owner_known_ms, partitions_moved, slowest_member, slowest_ms),
           cause AS trigger, ms AS duration_ms, is_first,
           without_owner_ms AS all_ms, without_owner_known_ms AS all_known_ms,
           without_owner_ms * ms // total AS share, without_owner_known_ms * ms // total AS known_share,
           CASE WHEN is_first THEN partitions_moved ELSE 0 END AS partitions_moved,
           CASE WHEN is_first THEN slowest_member END AS slowest_member,
           CASE WHEN is_first THEN slowest_ms END AS slowest_ms
    FROM shares JOIN rebalances r USING (journal_id)
)
SELECT *,
       CASE WHEN is_first THEN all_ms - coalesce(sum(share) FILTER (NOT is_first) OVER (PARTITION BY journal_id), 0)
            ELSE share END::BIGINT AS without_owner_ms,
       CASE WHEN is_first THEN all_known_ms - coalesce(sum(known_share) FILTER (NOT is_first) OVER (PARTITION BY journal_id), 0)
            ELSE known_share END::BIGINT AS without_owner_known_ms
FROM parts;

CREATE MACRO figures(source) AS TABLE
SELECT name AS period, group_id, what, count(*) AS rebalances, sum(duration_ms)::BIGINT AS duration_ms,
       max(duration_ms) AS longest_ms, quantile_disc(duration_ms, 0.5) AS p50_ms,
       quantile_disc(duration_ms, 0.95) AS p95_ms, quantile_disc(duration_ms, 0.99) AS p99_ms,
       coalesce(sum(slowest_ms), 0)::BIGINT AS waited_ms,
       arg_min(slowest_member, (-slowest_ms, slowest_member)) FILTER (slowest_ms IS NOT NULL) AS slowest_member,
       sum(partitions_moved)::BIGINT AS partitions_moved, sum(without_owner_ms)::BIGINT AS without_owner_ms,
       coalesce(sum(without_owner_known_ms), 0)::BIGINT AS without_owner_known_ms,
       count(*) FILTER (without_owner_known_ms IS NULL) AS unknown_rebalances,
       arg_min(journal_id, (-without_owner_ms, journal_id)) AS worst_journal_id
FROM query_table(source), period WHERE lies_in(completed_at, since, until)
GROUP BY ALL;

CREATE VIEW caused AS SELECT *, trigger AS what FROM by_cause;
CREATE TABLE cost AS SELECT * RENAME (what AS trigger) FROM figures('caused');
CREATE VIEW begun AS SELECT *, client_id AS what FROM rebalances WHERE client_id <> '';
CREATE TABLE clients AS SELECT * RENAME (what AS client_id) FROM figures('begun');

CREATE VIEW known AS
WITH of AS (
    SELECT group_id, member_id, arg_max({'software': software, 'client_host': client_host}, joined_at) AS what
    FROM member_lives GROUP BY ALL
)
SELECT r.*, what FROM rebalances r JOIN of USING (group_id, member_id);
CREATE TABLE software AS
SELECT * EXCLUDE (what), what.software AS software, what.client_host AS client_host FROM figures('known');

-- Members that join with at most two minutes between them, where half of those before them end.
CREATE TABLE deploys AS
WITH gaps AS (
    SELECT *, whole_ms(joined_at) - whole_ms(lag(joined_at) OVER in_order) AS gap FROM member_lives
    WINDOW in_order AS (PARTITION BY group_id ORDER BY joined_at, life)
), numbered AS (
    SELECT *, count(*) FILTER (gap IS NULL OR gap > 120000) OVER (PARTITION BY group_id ORDER BY joined_at, life) AS wave
    FROM gaps
), waves AS (
    SELECT group_id, min(joined_at) AS began_at, max(joined_at) AS ended_at, count(*) AS begun,
           arg_max(software, (joined_at, life)) AS software
    FROM numbered GROUP BY group_id, wave HAVING count(*) >= 2
), counted AS (
    SELECT w.*, count(*) AS members,
           count(*) FILTER (left_at <= ended_at + INTERVAL 2 MINUTE) AS replaced,
           count(*) FILTER (left_at <= ended_at + INTERVAL 2 MINUTE
                            AND coalesce(heard_at, left_at) <= began_at) AS at_once
    FROM waves w JOIN member_lives l ON l.group_id = w.group_id AND l.joined_at < began_at
        AND (left_at IS NULL OR left_at >= began_at - INTERVAL 2 MINUTE)
    GROUP BY ALL
)
SELECT name AS period, d.group_id, began_at, whole_ms(ended_at) - whole_ms(began_at) AS took_ms, d.members,
       replaced, begun, at_once, d.software, count(journal_id) AS rebalances,
       coalesce(sum(without_owner_ms), 0)::BIGINT AS without_owner_ms,
       coalesce(sum(partitions_moved), 0)::BIGINT AS partitions_moved,
       arg_min(journal_id, (-without_owner_ms, journal_id)) AS worst_journal_id
FROM counted d JOIN period ON lies_in(began_at, since, until)
LEFT JOIN rebalances r ON r.group_id = d.group_id
    AND completed_at BETWEEN began_at - INTERVAL 2 MINUTE AND ended_at + INTERVAL 2 MINUTE
WHERE 2 * replaced >= d.members AND replaced >= 2 AND 2 * begun >= replaced
GROUP BY ALL;

CREATE TABLE hours AS
SELECT 'all' AS period, date_trunc('hour', completed_at) AS hour, trigger, count(*) AS rebalances,
       count(DISTINCT group_id) AS groups, sum(partitions_moved)::BIGINT AS partitions_moved,
       sum(without_owner_ms)::BIGINT AS without_owner_ms
FROM by_cause GROUP BY ALL;

CREATE TABLE movement AS
WITH numbered AS (
    SELECT *, row_number() OVER (PARTITION BY group_id, topic, partition ORDER BY from_at, life) AS n FROM intervals
), pairs AS (
    SELECT now.*, was.life <> now.life AS moved, earlier.life = now.life AS returned,
           greatest(whole_ms(now.from_at) - whole_ms(was.until_at), 0) AS gap
    FROM numbered now
    JOIN numbered was ON (was.group_id, was.topic, was.partition, was.n) = (now.group_id, now.topic, now.partition, now.n - 1)
    LEFT JOIN numbered earlier
      ON (earlier.group_id, earlier.topic, earlier.partition, earlier.n) = (now.group_id, now.topic, now.partition, now.n - 2)
)
SELECT name AS period, group_id, topic, count(DISTINCT partition) FILTER (moved) AS partitions,
       count(*) FILTER (moved) AS moves, count(*) FILTER (moved AND returned) AS came_back,
       count(*) FILTER (gap > 0) AS gaps, coalesce(sum(gap), 0)::BIGINT AS without_owner_partition_ms,
       coalesce(max(gap), 0) AS longest_gap_ms
FROM pairs, period WHERE lies_in(from_at, since, until) GROUP BY ALL;

CREATE TABLE stability AS
WITH happened AS (
    SELECT 'begin' AS what, joined_at AS t, * FROM member_lives
    UNION ALL
    SELECT 'end', left_at, * FROM member_lives WHERE left_at IS NOT NULL
)
SELECT name AS period, group_id, client_id, count(*) FILTER (what = 'begin') AS begun,
       count(*) FILTER (what = 'end') AS ended,
       count(*) FILTER (what = 'end' AND departure = 'left') AS left,
       count(*) FILTER (what = 'end' AND departure = 'expired') AS expired,
       count(*) FILTER (what = 'end' AND departure = 'not-acknowledged') AS not_acknowledged,
       count(*) FILTER (what = 'end' AND departure NOT IN ('left', 'expired', 'not-acknowledged')) AS other_ends,
       count(*) FILTER (what = 'end' AND back_ms < 60000) AS restarts,
       count(*) FILTER (what = 'end' AND lived_ms < 60000) AS short_lives,
       quantile_disc(lived_ms, 0.5) FILTER (what = 'end') AS median_life_ms,
       count(DISTINCT client_host) FILTER (what = 'end') AS hosts
FROM happened, period WHERE lies_in(t, since, until) GROUP BY ALL;

CREATE VIEW ends AS
SELECT *, departure = 'expired' AND coalesce(back_ms <= session_timeout_ms, false) AS came_back,
       CASE WHEN came_back THEN whole_ms(left_at) - whole_ms(heard_at) + back_ms END AS away,
       coalesce(instance_id, client_id || ' at ' || client_host) AS client
FROM member_lives, period WHERE left_at IS NOT NULL AND lies_in(left_at, since, until);

CREATE TABLE silence AS
WITH heard AS (
    SELECT name AS period, s.group_id, session_timeout_ms, software,
           count(DISTINCT life) AS members, quantile_disc(longest_ms, 0.99)::BIGINT AS p99_silent_ms,
           max(longest_ms)::BIGINT AS longest_silent_ms, sum(near)::BIGINT AS near
    FROM silences s JOIN member_lives USING (life), period WHERE lies_in(hour, since, until) GROUP BY ALL
), ended AS (
    SELECT name AS period, group_id, session_timeout_ms, software, count(*) AS lives,
           count(*) FILTER (departure = 'expired') AS expired, count(*) FILTER (came_back) AS returned,
           quantile_disc(away, 0.5) AS p50_away_ms, quantile_disc(away, 0.99) AS p99_away_ms,
           max(away) AS longest_away_ms
    FROM ends GROUP BY ALL
)
SELECT * REPLACE (coalesce(members, 0) AS members, coalesce(near, 0) AS near, coalesce(lives, 0) AS lives,
                  coalesce(expired, 0) AS expired, coalesce(returned, 0) AS returned)
FROM heard FULL JOIN ended USING (period, group_id, session_timeout_ms, software);

CREATE TABLE progress AS
WITH each AS (
    SELECT name AS period, group_id, topic, partition, sum(commits) AS commits, count(*) AS hours,
           max(pause_ms) AS pause_ms, arg_max_null(life, hour) AS life, arg_max_null(end_offset, hour) AS "end",
           arg_max(last_offset, hour) AS last, last - arg_min(first_offset, hour) AS moved, greatest(moved, 0) AS records,
           CASE WHEN "end" IS NOT NULL THEN greatest("end" - last, 0) END AS behind
    FROM partition_hours, period WHERE lies_in(hour, since, until) GROUP BY ALL
), clients_behind AS (
    SELECT period, e.group_id, topic, life, coalesce(instance_id, client_id || ' at ' || client_host) AS client,
           sum(behind) AS behind
    FROM each e JOIN member_lives m USING (life) WHERE behind > 0 GROUP BY ALL
), slowest AS (
    SELECT period, group_id, topic, arg_min(client, (-behind, client)) AS slowest_member
    FROM clients_behind GROUP BY ALL
)
SELECT period, group_id, topic, count(*) AS partitions, sum(commits)::BIGINT AS commits,
       sum(records)::BIGINT AS records, (sum(records) // max(hours))::BIGINT AS records_per_hour,
       count(*) FILTER (moved = 0 AND behind > 0) AS stalled, max(pause_ms)::BIGINT AS longest_pause_ms,
       count("end") AS ends_known, coalesce(sum(behind), 0)::BIGINT AS lag,
       CASE WHEN sum(records) > 0
            THEN ceil(coalesce(sum(behind), 0)::DOUBLE * max(hours) * 3600000 / sum(records))::BIGINT END AS drain_ms,
       any_value(slowest_member) AS slowest_member
FROM each LEFT JOIN slowest USING (period, group_id, topic) GROUP BY period, group_id, topic;

-- Findings and proposals are sentences; the rest of each advice is compared.
CREATE MACRO newest(life) AS array_to_string(list(life ORDER BY life DESC)[:5], ',');
CREATE MACRO occasions(t) AS count(DISTINCT epoch_ms(t) // 300000);
CREATE TABLE advice AS
WITH within AS (
    SELECT r.*, name FROM rebalances r, period WHERE lies_in(completed_at, since, until)
), eager AS (
    SELECT group_id, (SELECT count(DISTINCT (topic, partition)) FROM intervals i WHERE i.group_id = m.group_id) AS has
    FROM member_lives m GROUP BY group_id HAVING arg_max(protocols, (joined_at, life))[1] <> 'cooperative-sticky'
), stops AS (
    SELECT name, group_id, count(*) AS n, occasions(completed_at) AS o, sum(without_owner_ms * (has - partitions_moved))::BIGINT AS saves
    FROM within JOIN eager USING (group_id)
    WHERE kind = 'classic' AND without_owner_ms >= 1000 AND partitions_moved * 2 < has GROUP BY ALL
), idle AS (
    SELECT m.group_id, count(*) AS n, newest(life) AS lives
    FROM member_lives m JOIN (SELECT group_id, max(from_at) AS t FROM intervals GROUP BY ALL) USING (group_id)
    WHERE left_at IS NULL AND joined_at < t
      AND life NOT IN (SELECT life FROM intervals WHERE until_at IS NULL)
      AND m.group_id IN (SELECT group_id FROM intervals WHERE until_at IS NULL)
    GROUP BY ALL
), hourly AS (
    SELECT name, group_id, date_trunc('hour', completed_at) AS h, count(*) AS n FROM within
    WHERE trigger = 'topics-changed' OR (trigger = 'metadata-changed' AND group_id IN (SELECT group_id FROM eager))
    GROUP BY ALL HAVING n >= 5
), found AS (
    SELECT 'session-timeout' AS rule, name, group_id, client AS subject, count(*) AS evidence, newest(life) AS lives,
           NULL::BIGINT AS stood
    FROM ends WHERE came_back GROUP BY ALL HAVING count(*) >= 3
    UNION ALL
    SELECT 'static-membership', name, group_id, group_id, count(*), newest(life), NULL FROM ends
    WHERE departure = 'left' AND back_ms < 60000 AND instance_id IS NULL GROUP BY ALL HAVING occasions(left_at) >= 3
    UNION ALL
    SELECT 'crash-loop', name, group_id, client, count(*), newest(life), NULL FROM ends
    WHERE lived_ms < 60000 AND departure IN ('expired', 'left') GROUP BY ALL HAVING count(*) >= 5
    UNION ALL
    SELECT 'no-acknowledgement', name, group_id, client, count(*), newest(life), NULL FROM ends
    WHERE departure = 'not-acknowledged' GROUP BY ALL HAVING count(*) >= 3
    UNION ALL
    SELECT 'slow-member', name, group_id, slowest_member, count(*) AS n, '', NULL FROM within w
    WHERE slowest_ms >= 6000 GROUP BY ALL
    HAVING occasions(completed_at) >= 3 AND 2 * n > (SELECT count(*) FROM within a WHERE (a.name, a.group_id) = (w.name, w.group_id))
    UNION ALL
    SELECT 'slow-leader', name, group_id, group_id, count(*), '', NULL FROM within
    WHERE sync_ms >= 1000 GROUP BY ALL HAVING occasions(completed_at) >= 3
    UNION ALL
    SELECT 'topic-growth', name, group_id, group_id, sum(n)::BIGINT, '', NULL FROM hourly GROUP BY ALL
    UNION ALL
    SELECT 'eager-assignor', name, group_id, group_id, n, '', saves FROM stops WHERE o >= 3
    UNION ALL
    SELECT 'deploy-at-once', period, group_id, group_id, count(*), '', NULL FROM deploys
    WHERE at_once >= 2 AND at_once * 2 >= members GROUP BY ALL HAVING count(*) >= 3
    UNION ALL
    SELECT 'idle-members', name, group_id, group_id, n, lives, NULL FROM idle, period
    WHERE n >= 3 AND name NOT LIKE '%before'
), explains AS (
    SELECT rule, unnest(triggers) AS trigger FROM (VALUES
        ('session-timeout', ['session-expired']),
        ('static-membership', ['member-left', 'member-joined']),
        ('crash-loop', ['member-joined', 'member-left', 'session-expired']),
        ('no-acknowledgement', ['not-acknowledged', 'rebalance-timeout', 'join-timed-out', 'sync-expired']),
        ('slow-member', ['member-joined', 'member-left', 'session-expired']),
        ('slow-leader', ['member-joined', 'member-left', 'session-expired']),
        ('topic-growth', ['topics-changed', 'metadata-changed']),
        ('eager-assignor', ['member-joined', 'member-left', 'session-expired']),
        ('deploy-at-once', ['member-joined', 'member-left', 'session-expired'])) AS t(rule, triggers)
), costs AS (
    SELECT rule, name, group_id, sum(without_owner_ms)::BIGINT AS cost_ms,
           sum(without_owner_ms * partitions_moved)::BIGINT AS saves,
           list(journal_id ORDER BY without_owner_ms DESC, journal_id)[:5] AS worst
    FROM within JOIN explains USING (trigger) GROUP BY ALL
)
SELECT name AS period, group_id, rule, subject, evidence,
       CASE WHEN evidence >= 20 THEN 'high' WHEN evidence >= 5 THEN 'medium' ELSE 'low' END AS confidence,
       coalesce(cost_ms, 0) AS cost_ms, coalesce(stood, saves, 0) AS saves_partition_ms,
       worst[1] AS worst_journal_id, coalesce(array_to_string(worst, ','), '') AS entries, lives
FROM found LEFT JOIN costs USING (rule, name, group_id);
