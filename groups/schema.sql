-- What groups/migrations make of an empty database. Written by `make schema`.

CREATE TYPE public.rollcall_numbers AS (
	"least" bigint,
	small smallint[],
	medium integer[],
	wide bigint[]
);

COMMENT ON TYPE public.rollcall_numbers IS 'Numbers as differences to the least: of small ones 32768 less, of medium ones 2147483648.';

CREATE TYPE public.rollcall_packed_hour AS (
	at timestamp with time zone,
	era integer,
	xid bigint,
	id bigint,
	hour timestamp with time zone,
	topic text,
	partitions int4multirange,
	commits public.rollcall_numbers,
	advanced public.rollcall_numbers,
	last_offsets public.rollcall_numbers,
	pauses_ms public.rollcall_numbers,
	lives public.rollcall_numbers,
	lags public.rollcall_numbers
);

CREATE FUNCTION public.rollcall_audit_changed() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    old_rows jsonb[];
    new_rows jsonb[];
BEGIN
    IF TG_OP = 'TRUNCATE' THEN
        old_rows := ARRAY[jsonb_build_object('all of', TG_TABLE_NAME)];
    END IF;
    IF TG_OP IN ('UPDATE', 'DELETE') THEN
        SELECT array_agg(to_jsonb(o) - 'id') INTO old_rows FROM old_table o;
    END IF;
    IF TG_OP IN ('INSERT', 'UPDATE') THEN
        SELECT array_agg(to_jsonb(n) - 'id') INTO new_rows FROM new_table n;
    END IF;
    PERFORM rollcall_audit_rows(
        TG_ARGV[0], string_to_array(TG_ARGV[1], ','), old_rows, new_rows);
    RETURN NULL;
END $$;

CREATE FUNCTION public.rollcall_audit_journal() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    asker jsonb := NEW.details -> 'author';
BEGIN
    INSERT INTO rollcall_audit (
        kind, who, address, client_id, request_id, target, outcome, details, at, login)
    VALUES (
        NEW.kind,
        coalesce(asker ->> 'principal', asker ->> 'user', asker ->> 'program', 'somebody'),
        coalesce(asker ->> 'client_host', current_setting('rollcall.address', true), ''),
        coalesce(asker ->> 'client_id', ''),
        coalesce(current_setting('rollcall.request_id', true), ''),
        coalesce(nullif(NEW.group_id, ''), NEW.details ->> 'topic', ''), 'done',
        (NEW.details - 'author') || jsonb_build_object('journal', NEW.id),
        clock_timestamp(), session_user);
    RETURN NULL;
END $$;

CREATE FUNCTION public.rollcall_audit_operation() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    INSERT INTO rollcall_audit (
        kind, who, address, client_id, request_id, target, outcome, details, at, login)
    SELECT 'operation-' || NEW.verb, NEW.actor, address, client_id, request_id, NEW.group_id,
           'asked', jsonb_build_object('operation', NEW.id, 'member_id', NEW.member_id,
                              'reason', NEW.reason),
           clock_timestamp(), session_user
    FROM (SELECT coalesce(nullif(current_setting('rollcall.actor', true), ''), 'Login:' || session_user),
            coalesce(current_setting('rollcall.address', true), ''), '',
            coalesce(current_setting('rollcall.request_id', true), '')) AS said(who, address, client_id, request_id);
    RETURN NULL;
END $$;

CREATE FUNCTION public.rollcall_audit_refuse() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF current_setting('rollcall.prune_audit', true) IS DISTINCT FROM 'yes' THEN
        RAISE EXCEPTION 'the audit is only appended to' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION public.rollcall_audit_row() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    old_row jsonb := CASE WHEN TG_OP = 'INSERT' THEN '{}' ELSE to_jsonb(OLD) END;
    new_row jsonb := CASE WHEN TG_OP = 'DELETE' THEN '{}' ELSE to_jsonb(NEW) END;
    named text;
    changed text[];
BEGIN
    SELECT array_agg(key ORDER BY key) INTO changed
    FROM jsonb_object_keys(old_row || new_row) AS key
    WHERE old_row -> key IS DISTINCT FROM new_row -> key
      AND key <> ALL (string_to_array(TG_ARGV[3], ','));
    IF changed IS NULL THEN
        RETURN NULL;
    END IF;
    named := coalesce(new_row ->> TG_ARGV[1], old_row ->> TG_ARGV[1]);
    IF TG_ARGV[1] = 'user_id' THEN
        named := coalesce((SELECT username FROM auth_user WHERE id = named::int), named);
    ELSIF TG_ARGV[1] = 'group_id' THEN
        named := coalesce((SELECT name FROM auth_group WHERE id = named::int), named);
    END IF;
    INSERT INTO rollcall_audit (
        kind, who, address, client_id, request_id, target, outcome, details, at, login)
    SELECT TG_ARGV[0] || CASE TG_OP WHEN 'INSERT' THEN '-made' WHEN 'DELETE' THEN '-deleted'
                                    ELSE '-changed' END,
           coalesce(nullif(current_setting('rollcall.actor', true), ''), 'Login:' || session_user),
            coalesce(current_setting('rollcall.address', true), ''), '',
            coalesce(current_setting('rollcall.request_id', true), ''), coalesce(named, ''), 'done',
           jsonb_build_object(
               'changed', changed,
               'before', (SELECT coalesce(jsonb_object_agg(key, value), '{}')
                          FROM jsonb_each(old_row) WHERE key = ANY (changed)
                           AND key <> ALL (string_to_array(TG_ARGV[2], ','))),
               'after', (SELECT coalesce(jsonb_object_agg(key, value), '{}')
                         FROM jsonb_each(new_row) WHERE key = ANY (changed)
                          AND key <> ALL (string_to_array(TG_ARGV[2], ',')))),
           clock_timestamp(), session_user;
    RETURN NULL;
END $$;

CREATE FUNCTION public.rollcall_audit_rows(noun text, keys text[], old_rows jsonb[], new_rows jsonb[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
    WITH befores AS (
        SELECT r AS before, (SELECT jsonb_object_agg(key, value) FROM jsonb_each(r)
                             WHERE key = ANY (keys)) AS identity FROM unnest(old_rows) AS r
    ), afters AS (
        SELECT r AS after, (SELECT jsonb_object_agg(key, value) FROM jsonb_each(r)
                            WHERE key = ANY (keys)) AS identity FROM unnest(new_rows) AS r
    ), noted AS MATERIALIZED (
        SELECT (SELECT jsonb_object_agg(key, value) FROM jsonb_each(j.details -> noun)
                WHERE key = ANY (keys)) AS identity
        FROM rollcall_journal j
        WHERE j.id > (SELECT max(id) FROM rollcall_journal)
                     - 2 * greatest(cardinality(old_rows), cardinality(new_rows)) - 1000
          AND j.at >= statement_timestamp() AND j.details ? 'author' AND j.details ? noun
    )
    INSERT INTO rollcall_audit (
        kind, who, address, client_id, request_id, target, outcome, details, at, login)
    SELECT noun || CASE WHEN before IS NULL THEN '-made' WHEN after IS NULL THEN '-deleted'
                        ELSE '-changed' END,
           coalesce(nullif(current_setting('rollcall.actor', true), ''),
                    'Login:' || session_user),
           coalesce(current_setting('rollcall.address', true), ''), '',
           coalesce(current_setting('rollcall.request_id', true), ''),
           coalesce(identity ->> keys[1], ''), 'done',
           jsonb_strip_nulls(jsonb_build_object('before', before, 'after', after)),
           clock_timestamp(), session_user
    FROM befores FULL JOIN afters USING (identity)
    WHERE before IS DISTINCT FROM after
      AND NOT EXISTS (SELECT FROM noted WHERE noted.identity = coalesce(
          befores.identity, afters.identity))
$$;

CREATE FUNCTION public.rollcall_audit_stamp() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    NEW.at := clock_timestamp();
    NEW.login := session_user;
    RETURN NEW;
END $$;

CREATE FUNCTION public.rollcall_commit_offsets(group_id text, generation integer, member_id text, topics text[], partitions integer[], offsets bigint[], metadata text[] DEFAULT NULL::text[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
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
    PERFORM rollcall_demand_group(group_id);
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
    SET CONSTRAINTS rollcall_settle_offsets DEFERRED;
    INSERT INTO rollcall_noted_offsets
        (group_id, generation, member_id, topics, partitions, offsets, metadata)
    VALUES (group_id, generation, member_id, topics, partitions, offsets, notes);
END $$;

CREATE FUNCTION public.rollcall_committed_offsets(group_id text) RETURNS TABLE(topic text, partition integer, "offset" bigint, metadata text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    PERFORM rollcall_demand_group(rollcall_committed_offsets.group_id);
    RETURN QUERY SELECT o.topic, o.partition, o.committed_offset, o.metadata
    FROM rollcall_offset o
    WHERE o.group_id = rollcall_committed_offsets.group_id ORDER BY o.topic, o.partition;
END $$;

CREATE FUNCTION public.rollcall_create_acls(text[], text[], text[], text[], text[], text[], text[], jsonb) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $_$
DECLARE
    _row record;
    _is_changed boolean := false;
BEGIN
    FOR _row IN 
WITH changed AS (
    INSERT INTO rollcall_acl (resource_type, name, pattern, principal, host, operation, permission, created_at)
    SELECT resource_type, name, pattern, principal, host, operation, permission, clock_timestamp() FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[]) AS given(resource_type, name, pattern, principal, host, operation, permission)
    ON CONFLICT DO NOTHING
    RETURNING resource_type, name, pattern, principal, host, operation, permission
), noted AS (
    INSERT INTO rollcall_journal (
        at, group_id, revision, node_id, kind, trigger, reason, client_id, generation_before,
        generation_after, waited_for, joined, "left", details)
    SELECT clock_timestamp(), '', 0, -1, 'acl-created', 'request', '',
           coalesce($8::jsonb ->> 'client_id', ''), 0, 0, '{}', '[]', '[]',
           jsonb_build_object('author', $8::jsonb, 'acl', to_jsonb(changed))
    FROM changed
)
SELECT CASE WHEN pg_notification_queue_usage() < 0.5 THEN pg_notify('rollcall_acls', '') END FROM changed LIMIT 1
 LOOP
        _is_changed := true;
    END LOOP;
    RETURN _is_changed;
END $_$;

CREATE FUNCTION public.rollcall_create_topics(text[], uuid[], integer[], jsonb) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $_$
DECLARE
    _row record;
    _is_changed boolean := false;
BEGIN
    FOR _row IN 
WITH made AS (
    INSERT INTO rollcall_topic (name, topic_id, partitions, end_offsets, created_at)
    SELECT name, topic_id, partitions, '{}', clock_timestamp()
    FROM unnest($1::text[], $2::uuid[], $3::int[])
         AS new(name, topic_id, partitions)
    ORDER BY name
    ON CONFLICT (name) DO NOTHING
    RETURNING name, topic_id, partitions
), swept_pending AS (
    DELETE FROM rollcall_pending_offset WHERE topic = ANY(ARRAY(SELECT name FROM made))
), erased AS (
    DELETE FROM rollcall_offset WHERE topic = ANY(ARRAY(SELECT name FROM made))
    RETURNING group_id, topic, partition, committed_offset
), noted AS (
    INSERT INTO rollcall_journal (
        at, group_id, revision, node_id, kind, trigger, reason, client_id, generation_before,
        generation_after, waited_for, joined, "left", details)
    SELECT clock_timestamp(), '', 0, -1, 'topic-created', 'request', '',
           $4::jsonb ->> 'client_id', 0, 0, '{}', '[]', '[]',
           jsonb_build_object('author', $4::jsonb, 'topic', name) || jsonb_build_object('after', jsonb_build_object('partitions', partitions))
    FROM made
), noted_erased AS (
    INSERT INTO rollcall_journal (
        at, group_id, revision, node_id, kind, trigger, reason, client_id, generation_before,
        generation_after, waited_for, joined, "left", details)
    SELECT clock_timestamp(), group_id, coalesce(g.revision, 0), -1,
           'offsets-deleted', 'topic-created', '', $4::jsonb ->> 'client_id',
           coalesce(g.generation, 0), coalesce(g.generation, 0), '{}', '[]', '[]',
           jsonb_build_object('author', $4::jsonb, 'offsets', e.offsets,
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
), noted_gone AS (
    INSERT INTO rollcall_offset_history (
        at, group_id, topic, partition, committed_offset, leader_epoch, metadata, member_id,
        client_id, client_host, more_partitions, is_gone)
    SELECT clock_timestamp(), group_id, topic, partitions[1], -1, -1, '', '', '', '',
           nullif(partitions[2:], '{}'), true
    FROM (
        SELECT group_id, topic, array_agg(partition) AS partitions FROM erased
        GROUP BY group_id, topic OFFSET 0
    ) AS gone WHERE rollcall_has_history(group_id)
)
SELECT name, CASE WHEN pg_notification_queue_usage() < 0.5 THEN pg_notify('rollcall_topics', name) END FROM made
 LOOP
        _is_changed := true;
    END LOOP;
    RETURN _is_changed;
END $_$;

CREATE TABLE public.rollcall_era (
    era integer NOT NULL,
    jump uuid NOT NULL,
    since timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

COMMENT ON TABLE public.rollcall_era IS 'The histories of this database, in order: ids of transactions start again in each.';

CREATE FUNCTION public.rollcall_current_era() RETURNS integer
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    RETURN (SELECT max(rollcall_era.era) AS max FROM public.rollcall_era);

CREATE FUNCTION public.rollcall_delete_acls(text[], text[], text[], text[], text[], text[], text[], jsonb) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $_$
DECLARE
    _row record;
    _is_changed boolean := false;
BEGIN
    FOR _row IN 
WITH changed AS (
    DELETE FROM rollcall_acl WHERE (resource_type, name, pattern, principal, host, operation, permission) IN (SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[]))
    RETURNING resource_type, name, pattern, principal, host, operation, permission
), noted AS (
    INSERT INTO rollcall_journal (
        at, group_id, revision, node_id, kind, trigger, reason, client_id, generation_before,
        generation_after, waited_for, joined, "left", details)
    SELECT clock_timestamp(), '', 0, -1, 'acl-deleted', 'request', '',
           coalesce($8::jsonb ->> 'client_id', ''), 0, 0, '{}', '[]', '[]',
           jsonb_build_object('author', $8::jsonb, 'acl', to_jsonb(changed))
    FROM changed
)
SELECT CASE WHEN pg_notification_queue_usage() < 0.5 THEN pg_notify('rollcall_acls', '') END FROM changed LIMIT 1
 LOOP
        _is_changed := true;
    END LOOP;
    RETURN _is_changed;
END $_$;

CREATE FUNCTION public.rollcall_delete_credential(text, text, jsonb) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $_$
DECLARE
    _row record;
    _is_changed boolean := false;
BEGIN
    FOR _row IN 
WITH changed AS (DELETE FROM rollcall_credential WHERE name = $1 AND mechanism = $2 RETURNING name, mechanism), noted AS (
    INSERT INTO rollcall_journal (
        at, group_id, revision, node_id, kind, trigger, reason, client_id, generation_before,
        generation_after, waited_for, joined, "left", details)
    SELECT clock_timestamp(), '', 0, -1, 'credential-deleted', 'request', '',
           coalesce($3::jsonb ->> 'client_id', ''), 0, 0, '{}', '[]', '[]',
           jsonb_build_object('author', $3::jsonb, 'user', name, 'mechanism', mechanism)
    FROM changed)
SELECT CASE WHEN pg_notification_queue_usage() < 0.5 THEN pg_notify('rollcall_credentials', '') END FROM changed
 LOOP
        _is_changed := true;
    END LOOP;
    RETURN _is_changed;
END $_$;

CREATE FUNCTION public.rollcall_delete_topic(text, uuid, jsonb) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $_$
DECLARE
    _row record;
    _is_changed boolean := false;
BEGIN
    FOR _row IN 
WITH gone AS (
    DELETE FROM rollcall_topic
    WHERE name = $1 AND ($2::uuid IS NULL OR topic_id = $2)
    RETURNING name, topic_id AS was_id, partitions
), noted AS (
    INSERT INTO rollcall_journal (
        at, group_id, revision, node_id, kind, trigger, reason, client_id, generation_before,
        generation_after, waited_for, joined, "left", details)
    SELECT clock_timestamp(), '', 0, -1, 'topic-deleted', 'request', '',
           $3::jsonb ->> 'client_id', 0, 0, '{}', '[]', '[]',
           jsonb_build_object('author', $3::jsonb, 'topic', name) || jsonb_build_object('before', jsonb_build_object('partitions', partitions, 'topic_id', was_id))
    FROM gone
)
SELECT name, CASE WHEN pg_notification_queue_usage() < 0.5 THEN pg_notify('rollcall_topics', name) END FROM gone
 LOOP
        _is_changed := true;
    END LOOP;
    IF _is_changed THEN

WITH doomed AS (
    SELECT FROM rollcall_pending_offset WHERE topic = $1
    ORDER BY group_id, topic, partition, producer_id FOR UPDATE
)
DELETE FROM rollcall_pending_offset
WHERE topic = $1 AND (SELECT count(*) FROM doomed) > 0
;

WITH doomed AS (
    SELECT FROM rollcall_offset WHERE topic = $1
    ORDER BY group_id, topic, partition FOR UPDATE
), erased AS (
    DELETE FROM rollcall_offset WHERE topic = $1 AND (SELECT count(*) FROM doomed) > 0
    RETURNING group_id, topic, partition, committed_offset
), noted_gone AS (
    INSERT INTO rollcall_offset_history (
        at, group_id, topic, partition, committed_offset, leader_epoch, metadata, member_id,
        client_id, client_host, more_partitions, is_gone)
    SELECT clock_timestamp(), group_id, topic, partitions[1], -1, -1, '', '', '', '',
           nullif(partitions[2:], '{}'), true
    FROM (
        SELECT group_id, topic, array_agg(partition) AS partitions FROM erased
        GROUP BY group_id, topic OFFSET 0
    ) AS gone WHERE rollcall_has_history(group_id)
)

    INSERT INTO rollcall_journal (
        at, group_id, revision, node_id, kind, trigger, reason, client_id, generation_before,
        generation_after, waited_for, joined, "left", details)
    SELECT clock_timestamp(), group_id, coalesce(g.revision, 0), -1,
           'offsets-deleted', 'topic-deleted', '', $3::jsonb ->> 'client_id',
           coalesce(g.generation, 0), coalesce(g.generation, 0), '{}', '[]', '[]',
           jsonb_build_object('author', $3::jsonb, 'offsets', e.offsets,
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

;
    END IF;
    RETURN _is_changed;
END $_$;

CREATE FUNCTION public.rollcall_demand_group(group_id text) RETURNS void
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    IF pg_has_role(session_user, current_user, 'MEMBER') OR EXISTS (
        SELECT FROM rollcall_application_grant g
        WHERE g.login = session_user
          AND starts_with(rollcall_demand_group.group_id, g.prefix))
    THEN
        RETURN;
    END IF;
    RAISE EXCEPTION 'GROUP_AUTHORIZATION_FAILED: % has no grant for the group %',
        session_user, rollcall_demand_group.group_id USING ERRCODE = 'RK030';
END $$;

CREATE FUNCTION public.rollcall_differences(more bigint[], less bigint[]) RETURNS bigint[]
    LANGUAGE sql IMMUTABLE
    AS $$
    SELECT ARRAY(SELECT CASE
        WHEN m BETWEEN -4611686018427387904 AND 4611686018427387903
         AND l BETWEEN -4611686018427387904 AND 4611686018427387903 THEN m - l
        ELSE (mod(m::numeric - l + 27670116110564327424, 18446744073709551616)
              - 9223372036854775808)::bigint END
        FROM unnest(more, less) WITH ORDINALITY AS each(m, l, i) ORDER BY i)
$$;

CREATE FUNCTION public.rollcall_drain_node(integer, text, jsonb) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $_$
DECLARE
    _row record;
    _is_changed boolean := false;
BEGIN
    FOR _row IN 
WITH done AS (
    INSERT INTO rollcall_drain (node_id, actor, reason, since, seen_at)
    SELECT node_id, coalesce($3 ->> 'user', ''), $2, clock_timestamp(),
           clock_timestamp()
    FROM rollcall_node WHERE node_id = $1
    ON CONFLICT (node_id) DO NOTHING
    RETURNING node_id, reason, $3 AS author),
noted AS (
    INSERT INTO rollcall_journal (
        at, group_id, revision, node_id, kind, trigger, reason, generation_before,
        generation_after, waited_for, joined, "left", details)
    SELECT clock_timestamp(), '', 0, node_id, 'node-drained', 'operator', reason, 0, 0,
           '{}', '[]', '[]', jsonb_build_object('author', author, 'node', node_id)
    FROM done)
SELECT CASE WHEN pg_notification_queue_usage() < 0.5 THEN pg_notify('rollcall_slots', '') END FROM done
 LOOP
        _is_changed := true;
    END LOOP;
    RETURN _is_changed;
END $_$;

CREATE FUNCTION public.rollcall_end_holders(group_id text) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    ended integer;
BEGIN
    WITH holding AS MATERIALIZED (
        SELECT pid FROM pg_locks l JOIN pg_stat_activity a USING (pid)
        WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2 AND l.mode = 'ShareLock'
          AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
          AND l.classid = 5401703 AND l.objid = hashtext(rollcall_end_holders.group_id)::oid
          AND CASE WHEN a.state = 'active' THEN a.query_start < clock_timestamp() - interval '5 s'
                   ELSE a.state_change < clock_timestamp() - interval '1 s' END
    )
    SELECT count(*) INTO ended FROM holding WHERE pg_terminate_backend(pid);
    RETURN ended;
EXCEPTION WHEN insufficient_privilege THEN
    RETURN 0;
END $$;

CREATE FUNCTION public.rollcall_facts_tables() RETURNS text[]
    LANGUAGE sql IMMUTABLE
    RETURN ARRAY['rollcall_life'::text, 'rollcall_ownership'::text, 'rollcall_round'::text, 'rollcall_silence'::text, 'rollcall_progress'::text];

CREATE FUNCTION public.rollcall_facts_bytes() RETURNS bigint
    LANGUAGE sql STABLE
    SET search_path TO 'public', 'pg_temp'
    RETURN (SELECT (COALESCE(sum(pg_total_relation_size((i.inhrelid)::regclass)), (0)::numeric))::bigint AS "coalesce" FROM (pg_inherits i JOIN pg_class p ON ((p.oid = i.inhparent))) WHERE (p.relname = ANY ((public.rollcall_facts_tables() || 'rollcall_facts_packed'::text))));

CREATE FUNCTION public.rollcall_forget_node(integer, text, jsonb) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $_$
DECLARE
    _row record;
    _is_changed boolean := false;
BEGIN
    FOR _row IN 
WITH done AS (
    DELETE FROM rollcall_node n WHERE node_id = $1 AND beat_at < clock_timestamp() - interval '15 seconds'
      AND NOT EXISTS (SELECT FROM rollcall_slot s WHERE s.node_id = n.node_id)
      AND NOT EXISTS (
          SELECT FROM pg_locks
          WHERE locktype = 'advisory' AND granted AND objsubid = 2
            AND classid = 5401699::oid AND objid = n.node_id::oid
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
    RETURNING node_id, $2 AS reason, $3 AS author),
freed AS (DELETE FROM rollcall_node_lease WHERE node_id IN (SELECT node_id FROM done)),
noted AS (
    INSERT INTO rollcall_journal (
        at, group_id, revision, node_id, kind, trigger, reason, generation_before,
        generation_after, waited_for, joined, "left", details)
    SELECT clock_timestamp(), '', 0, node_id, 'node-forgotten', 'operator', reason, 0, 0,
           '{}', '[]', '[]', jsonb_build_object('author', author, 'node', node_id)
    FROM done)
SELECT CASE WHEN pg_notification_queue_usage() < 0.5 THEN pg_notify('rollcall_slots', '') END FROM done
 LOOP
        _is_changed := true;
    END LOOP;
    RETURN _is_changed;
END $_$;

CREATE FUNCTION public.rollcall_grow_topic(text, integer, jsonb) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $_$
DECLARE
    _row record;
    _is_changed boolean := false;
BEGIN
    FOR _row IN 
WITH held AS (
    SELECT name, partitions FROM rollcall_topic WHERE name = $1 FOR UPDATE
), grown AS (
    UPDATE rollcall_topic t SET partitions = $2
    FROM held WHERE t.name = held.name AND held.partitions < $2
    RETURNING t.name, held.partitions AS before, t.partitions AS after
), noted AS (
    INSERT INTO rollcall_journal (
        at, group_id, revision, node_id, kind, trigger, reason, client_id, generation_before,
        generation_after, waited_for, joined, "left", details)
    SELECT clock_timestamp(), '', 0, -1, 'topic-grown', 'request', '',
           $3::jsonb ->> 'client_id', 0, 0, '{}', '[]', '[]',
           jsonb_build_object('author', $3::jsonb, 'topic', name) || jsonb_build_object('before', jsonb_build_object('partitions', before),
                                'after', jsonb_build_object('partitions', after))
    FROM grown
)
SELECT name, CASE WHEN pg_notification_queue_usage() < 0.5 THEN pg_notify('rollcall_topics', name) END FROM grown
 LOOP
        _is_changed := true;
    END LOOP;
    RETURN _is_changed;
END $_$;

CREATE FUNCTION public.rollcall_guard(slots smallint[], epochs bigint[], group_ids text[], revisions bigint[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION public.rollcall_has_history(wanted text) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    RETURN EXISTS (SELECT FROM rollcall_offset_history h WHERE h.group_id = wanted COLLATE "C");
END $$;

CREATE FUNCTION public.rollcall_next_era() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    INSERT INTO rollcall_era (era, jump)
    SELECT coalesce(max(era) + 1, 0), NEW.jump FROM rollcall_era;
    IF TG_OP = 'UPDATE' THEN  -- lives of the lost time are not mistaken for later ones
        PERFORM setval('rollcall_life_seq', nextval('rollcall_life_seq') + 1000000000);
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION public.rollcall_note_floor(key text, parent text, name text, until timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    EXECUTE format(
        'INSERT INTO rollcall_facts_floor AS f (table_name, era, xid, dropped_until)'
        ' SELECT %L, era, xid, %L FROM %I ORDER BY era DESC, xid DESC LIMIT 1'
        ' ON CONFLICT (table_name) DO UPDATE SET era = excluded.era,'
        ' xid = excluded.xid, dropped_until = excluded.dropped_until'
        ' WHERE (excluded.era, excluded.xid) > (f.era, f.xid)', key, until, name);
END $$;

CREATE FUNCTION public.rollcall_note_mark() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    INSERT INTO rollcall_journal (
        at, group_id, revision, node_id, kind, trigger, reason, generation_before,
        generation_after, waited_for, joined, "left", details)
    SELECT clock_timestamp(), NEW.group_id, coalesce(max(g.revision), 0), 0, 'marked', 'request',
           NEW.text, coalesce(max(g.generation), 0), coalesce(max(g.generation), 0), '{}', '[]',
           '[]', jsonb_build_object('mark', NEW.id, 'at', NEW.at, 'author',
               jsonb_build_object('user', NEW.actor))
    FROM rollcall_group g WHERE g.group_id = NEW.group_id;
    RETURN NULL;
END $$;

CREATE FUNCTION public.rollcall_pack_facts(late interval) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    SET lock_timeout TO '50ms'
    SET "TimeZone" TO 'UTC'
    AS $_$
DECLARE
    parent text;
    name text;
    start timestamptz;
    began text;
    packed text;
    place text;
    until CONSTANT timestamptz := (
        SELECT least(clock_timestamp() - late, hour + interval '1 hour')
        FROM rollcall_fleet_hour ORDER BY hour DESC LIMIT 1);
BEGIN
    FOR parent, name, start IN
        SELECT p.relname, c.relname, to_timestamp(right(c.relname, 8), 'YYYYMMDD')
        FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        JOIN pg_class p ON p.oid = i.inhparent
        WHERE p.relname = ANY(rollcall_facts_tables()) AND c.relname ~ '_[0-9]{8}$'
        ORDER BY right(c.relname, 8), 1
    LOOP
        EXIT WHEN until IS NULL OR start + interval '1 day' > until;
        packed := 'rollcall_facts_packed_' || to_char(start, 'YYYYMMDD');
        began := CASE parent WHEN 'rollcall_life' THEN 'joined_at'
            WHEN 'rollcall_ownership' THEN 'from_at' WHEN 'rollcall_round' THEN 'started_at'
            ELSE 'hour' END;
        place := CASE parent WHEN 'rollcall_life' THEN 'life_rows'
            WHEN 'rollcall_ownership' THEN 'ownership_rows' WHEN 'rollcall_round' THEN 'round_rows'
            WHEN 'rollcall_silence' THEN 'silence_rows' ELSE 'hour_rows' END;
        BEGIN
            IF to_regclass(packed) IS NULL THEN
                -- By itself: it locks its parent, which readers shall not wait for meanwhile.
                EXECUTE format(
                    'CREATE TABLE %I PARTITION OF rollcall_facts_packed'
                    ' FOR VALUES FROM (%L) TO (%L)',
                    packed, start, start + interval '1 day');
                RETURN packed;
            END IF;
            EXECUTE format('LOCK TABLE %I IN SHARE MODE', name);
            EXECUTE format(
                'INSERT INTO rollcall_facts_packed (table_name, of_group, began, last_at, last_era,'
                ' last_xid, %1$I)'
                ' SELECT %2$L, group_id, min(began), max(at), max(era),'
                ' (array_agg(xid ORDER BY era DESC, xid DESC))[1],'
                ' array_agg(%3$s ORDER BY began, id)'
                ' FROM (SELECT r, r.group_id, r.at, r.era, r.xid, r.id, r.%4$I AS began,'
                ' sum(pg_column_size(r)) OVER (PARTITION BY r.group_id ORDER BY r.%4$I, r.id)'
                ' / 262144 AS chunk'
                ' FROM %2$I AS r WHERE r.at >= %5$L AND r.at < %6$L) AS each'
                ' GROUP BY group_id, chunk',
                place, parent,
                CASE parent WHEN 'rollcall_progress' THEN 'rollcall_pack_hour(r)' ELSE 'r' END,
                began, start, start + interval '1 day');
            PERFORM rollcall_note_floor(parent, parent, name, start + interval '1 day');
            EXECUTE format('DROP TABLE %I', name);
            RETURN name;
        EXCEPTION
            -- Somebody writes or reads for long, or the day has rows in a default partition.
            WHEN lock_not_available OR check_violation OR duplicate_table THEN NULL;
        END;
    END LOOP;
    RETURN NULL;
END $_$;

COMMENT ON FUNCTION public.rollcall_pack_facts(late interval) IS 'Pack a table of a day that is over, or prepare it; what was done, NULL if nothing is left.';

CREATE TABLE public.rollcall_progress (
    at timestamp with time zone NOT NULL,
    era integer NOT NULL,
    xid bigint NOT NULL,
    id bigint NOT NULL,
    hour timestamp with time zone NOT NULL,
    group_id text NOT NULL COLLATE pg_catalog."C",
    topic text NOT NULL COLLATE pg_catalog."C",
    partitions integer[] NOT NULL,
    commits integer[] NOT NULL,
    first_offsets bigint[] NOT NULL,
    last_offsets bigint[] NOT NULL,
    pauses_ms integer[] NOT NULL,
    lives bigint[] NOT NULL,
    end_offsets bigint[] NOT NULL
)
PARTITION BY RANGE (at);

CREATE FUNCTION public.rollcall_pack_hour(p public.rollcall_progress) RETURNS public.rollcall_packed_hour
    LANGUAGE sql IMMUTABLE
    AS $$
    SELECT ROW(p.at, p.era, p.xid, p.id, p.hour, p.topic,
        (SELECT range_agg(int4range(n, n, '[]')) FROM unnest(p.partitions) AS n),
        rollcall_packed_numbers(p.commits),
        rollcall_packed_numbers(rollcall_differences(p.last_offsets, p.first_offsets)),
        rollcall_packed_numbers(p.last_offsets),
        rollcall_packed_numbers(p.pauses_ms),
        rollcall_packed_numbers(p.lives),
        rollcall_packed_numbers(rollcall_differences(p.end_offsets, p.last_offsets))
    )::rollcall_packed_hour
$$;

CREATE FUNCTION public.rollcall_packed_numbers(numbers bigint[]) RETURNS public.rollcall_numbers
    LANGUAGE sql IMMUTABLE
    AS $$
    SELECT CASE
        WHEN spread < 65536 THEN ROW(low, ARRAY(
            SELECT (each.n - low - 32768)::smallint
            FROM unnest(numbers) WITH ORDINALITY AS each(n, i) ORDER BY i), NULL, NULL
        )::rollcall_numbers
        WHEN spread < 4294967296 THEN ROW(low, NULL, ARRAY(
            SELECT (each.n - low - 2147483648)::int
            FROM unnest(numbers) WITH ORDINALITY AS each(n, i) ORDER BY i), NULL
        )::rollcall_numbers
        ELSE ROW(NULL, NULL, NULL, numbers)::rollcall_numbers
    END
    FROM (SELECT min(n) AS low, coalesce(max(n)::numeric - min(n), 0) AS spread
          FROM unnest(numbers) AS n) AS bounds
$$;

CREATE FUNCTION public.rollcall_place_topic(text, jsonb, integer, jsonb) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $_$
DECLARE
    _row record;
    _is_changed boolean := false;
BEGIN
    FOR _row IN 
WITH held AS (
    SELECT name, racks FROM rollcall_topic
    WHERE name = $1 AND partitions >= $3 FOR UPDATE
), placed AS (
    UPDATE rollcall_topic t SET racks = $2::jsonb FROM held WHERE t.name = held.name
    RETURNING t.name, held.racks AS before, t.racks AS after
), noted AS (
    INSERT INTO rollcall_journal (
        at, group_id, revision, node_id, kind, trigger, reason, client_id, generation_before,
        generation_after, waited_for, joined, "left", details)
    SELECT clock_timestamp(), '', 0, -1, 'topic-placed', 'request', '',
           $4::jsonb ->> 'client_id', 0, 0, '{}', '[]', '[]',
           jsonb_build_object('author', $4::jsonb, 'topic', name) || jsonb_build_object('before', jsonb_build_object('racks', before),
                                'after', jsonb_build_object('racks', after))
    FROM placed
)
SELECT name, CASE WHEN pg_notification_queue_usage() < 0.5 THEN pg_notify('rollcall_topics', name) END FROM placed
 LOOP
        _is_changed := true;
    END LOOP;
    RETURN _is_changed;
END $_$;

CREATE FUNCTION public.rollcall_raise_ends(text, bigint[]) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $_$
DECLARE
    _row record;
    _is_changed boolean := false;
BEGIN
    FOR _row IN 
WITH raised AS (
    UPDATE rollcall_topic SET end_offsets = (
        SELECT array_agg(greatest(was, told, 0) ORDER BY n)
        FROM unnest(end_offsets, $2::bigint[]) WITH ORDINALITY AS both_(was, told, n)
    )
    WHERE name = $1 AND EXISTS (
        SELECT FROM unnest(end_offsets, $2::bigint[]) AS both_(was, told)
        WHERE told > coalesce(was, 0)
    )
    RETURNING name
)
SELECT name, CASE WHEN pg_notification_queue_usage() < 0.5 THEN pg_notify('rollcall_topics', name) END FROM raised
 LOOP
        _is_changed := true;
    END LOOP;
    RETURN _is_changed;
END $_$;

CREATE FUNCTION public.rollcall_raise_epochs(seen_jump uuid, seen_generations integer, node_id integer, reason text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $_$
DECLARE
    most CONSTANT int := 2147483647;
    step CONSTANT bigint := 1000000;
    was rollcall_timeline;
    server bigint := (SELECT system_identifier FROM pg_control_system());
    present bigint := rollcall_server_timeline();
    higher bigint;
    counter regclass;
BEGIN
    SELECT * INTO was FROM rollcall_timeline FOR UPDATE;
    IF was.jump IS DISTINCT FROM seen_jump THEN
        RETURN false;  -- another node has done it meanwhile
    END IF;
    -- One backup may be restored twice, and must not lead to the same numbers: a node remembers how
    -- high they were, and a recovery with an archive gives each restored server its own timeline.
    higher := greatest(
        step,
        step + seen_generations - was.generations_after,
        CASE WHEN server = was.system_identifier THEN (present - was.timeline) * step END);

    -- Slots, then groups, each in the order in which the guard locks them.
    PERFORM FROM rollcall_slot ORDER BY slot FOR UPDATE;
    UPDATE rollcall_slot SET epoch = epoch + higher, node_id = NULL, incarnation = NULL;
    DELETE FROM rollcall_node;  -- those that live register again

    -- All numbers of a group rise by the same, by half of what is left near the end of int32.
    PERFORM FROM rollcall_group ORDER BY group_id FOR UPDATE;
    UPDATE rollcall_member m SET details = m.details || jsonb_build_object(
        'epoch', rollcall_raised(m.details -> 'epoch', g.higher),
        'previous_epoch', rollcall_raised(m.details -> 'previous_epoch', g.higher),
        'since', (
            SELECT coalesce(jsonb_agg(jsonb_build_array(
                s -> 0, s -> 1, rollcall_raised(s -> 2, g.higher)) ORDER BY n), '[]')
            FROM jsonb_array_elements(m.details -> 'since') WITH ORDINALITY AS held(s, n)))
    FROM (SELECT group_id, least(higher, (most - generation) / 2)::int AS higher
          FROM rollcall_group WHERE kind = 'consumer') AS g
    WHERE m.group_id = g.group_id AND m.details ? 'epoch';
    UPDATE rollcall_command c
    SET generation = c.generation + least(higher, (most - g.generation) / 2)::int
    FROM rollcall_group g WHERE g.group_id = c.group_id AND c.generation > 0;
    UPDATE rollcall_group g SET
        generation = g.generation + least(higher, (most - g.generation) / 2)::int,
        revision = g.revision + higher,
        details = g.details || coalesce((
            SELECT jsonb_object_agg(named.key, rollcall_raised(
                named.value, least(higher, (most - g.generation) / 2)::int))
            FROM jsonb_each(g.details) AS named
            WHERE named.key IN ('target_epoch', 'settled_epoch', 'last_command')
              AND named.value <> 'null'), '{}');

    -- A transactional id's producer gets an id that nobody has had: its next request is refused.
    FOREACH counter IN ARRAY ARRAY[
        'rollcall_producer_id', pg_get_serial_sequence('rollcall_journal', 'id'),
        pg_get_serial_sequence('rollcall_operation', 'id')]::regclass[]
    LOOP
        EXECUTE format('SELECT setval(%L, last_value + $1) FROM %s', counter, counter)
            USING higher;
    END LOOP;
    WITH renamed AS MATERIALIZED (
        SELECT producer_id AS old, nextval('rollcall_producer_id') AS new
        FROM (SELECT producer_id FROM rollcall_producer
              ORDER BY transactional_id FOR UPDATE) AS producers
    ), waiting AS (
        UPDATE rollcall_pending_offset p SET producer_id = renamed.new
        FROM renamed WHERE p.producer_id = renamed.old
    )
    UPDATE rollcall_producer p
    SET producer_id = renamed.new, epoch = 0, last_epoch = -1, previous_id = -1
    FROM renamed WHERE p.producer_id = renamed.old;

    UPDATE rollcall_timeline SET
        system_identifier = server, timeline = present, jump = gen_random_uuid(),
        jumped_on = pg_postmaster_start_time(),
        generations_after = was.generations_after
            + least(higher, (most - was.generations_after) / 2)::int;
    INSERT INTO rollcall_journal (
        at, group_id, revision, node_id, kind, trigger, reason, generation_before,
        generation_after, waited_for, joined, "left", details)
    VALUES (clock_timestamp(), '', 0, node_id, 'time-went-back', '', reason, 0, 0, '{}', '[]',
            '[]', jsonb_build_object(
                'higher', higher,
                'from', jsonb_build_object(
                    'system_identifier', was.system_identifier::text, 'timeline', was.timeline),
                'to', jsonb_build_object(
                    'system_identifier', server::text, 'timeline', present,
                    'lsn', pg_current_wal_insert_lsn()::text)));
    RETURN true;
END $_$;

CREATE FUNCTION public.rollcall_raised(epoch jsonb, higher integer) RETURNS jsonb
    LANGUAGE sql IMMUTABLE STRICT
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    -- 0 and below are no epochs: not yet assigned, or away for now.
    SELECT CASE WHEN epoch::bigint > 0 THEN to_jsonb(epoch::bigint + higher) ELSE epoch END
$$;

CREATE FUNCTION public.rollcall_remove_quotas(text[], text[], text[], text[], text[], jsonb) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $_$
DECLARE
    _row record;
    _is_changed boolean := false;
BEGIN
    FOR _row IN 
WITH changed AS (
    DELETE FROM rollcall_quota WHERE (entity_type, user_name, client_id, ip, key) IN (SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]))
    RETURNING entity_type, user_name, client_id, ip, key, value AS before
), noted AS (
    INSERT INTO rollcall_journal (
        at, group_id, revision, node_id, kind, trigger, reason, client_id, generation_before,
        generation_after, waited_for, joined, "left", details)
    SELECT clock_timestamp(), '', 0, -1, 'quota-removed', 'request', '',
           coalesce($6::jsonb ->> 'client_id', ''), 0, 0, '{}', '[]', '[]',
           jsonb_build_object('author', $6::jsonb, 'quota', to_jsonb(changed))
    FROM changed
)
SELECT CASE WHEN pg_notification_queue_usage() < 0.5 THEN pg_notify('rollcall_quotas', '') END FROM changed LIMIT 1
 LOOP
        _is_changed := true;
    END LOOP;
    RETURN _is_changed;
END $_$;

CREATE FUNCTION public.rollcall_server_timeline() RETURNS bigint
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    -- The checkpoint in the control file lags behind a promotion; the name of a segment does not.
    SELECT ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint
$$;

CREATE FUNCTION public.rollcall_set_credential(text, text, bytea, integer, bytea, bytea, jsonb) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $_$
DECLARE
    _row record;
    _is_changed boolean := false;
BEGIN
    FOR _row IN 
WITH changed AS (INSERT INTO rollcall_credential (
    name, mechanism, salt, iterations, stored_key, server_key, updated_at, user_since)
VALUES ($1, $2, $3, $4, $5, $6, now(),
        coalesce((SELECT min(c.user_since) FROM rollcall_credential c WHERE c.name = $1),
                 clock_timestamp()))
ON CONFLICT (name, mechanism) DO UPDATE SET
    salt = excluded.salt, iterations = excluded.iterations, stored_key = excluded.stored_key,
    server_key = excluded.server_key, updated_at = excluded.updated_at RETURNING name, mechanism), noted AS (
    INSERT INTO rollcall_journal (
        at, group_id, revision, node_id, kind, trigger, reason, client_id, generation_before,
        generation_after, waited_for, joined, "left", details)
    SELECT clock_timestamp(), '', 0, -1, 'credential-set', 'request', '',
           coalesce($7::jsonb ->> 'client_id', ''), 0, 0, '{}', '[]', '[]',
           jsonb_build_object('author', $7::jsonb, 'user', name, 'mechanism', mechanism)
    FROM changed)
SELECT CASE WHEN pg_notification_queue_usage() < 0.5 THEN pg_notify('rollcall_credentials', '') END FROM changed
 LOOP
        _is_changed := true;
    END LOOP;
    RETURN _is_changed;
END $_$;

CREATE FUNCTION public.rollcall_set_group_config(text[], smallint, text[], text[], text[], text[], text, jsonb) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $_$
DECLARE
    _row record;
    _is_changed boolean := false;
BEGIN
    FOR _row IN 
WITH dropped AS (
    DELETE FROM rollcall_group_config
    WHERE (group_id, name) IN (
        SELECT group_id, key
        FROM unnest($1::text[], $6::text[]) AS asked(group_id, after),
             jsonb_each(asked.after::jsonb) WHERE value = 'null')
), put AS (
    INSERT INTO rollcall_group_config AS c (group_id, name, slot, value, updated_at)
    SELECT group_id, name, $2, value, clock_timestamp()
    FROM unnest($1::text[]) AS group_id,
         unnest($3::text[], $4::text[]) AS new(name, value)
    ON CONFLICT (group_id, name) DO UPDATE SET
        value = excluded.value, updated_at = excluded.updated_at, until = NULL
    WHERE c.value <> excluded.value
)
SELECT CASE WHEN pg_notification_queue_usage() < 0.5 THEN pg_notify('rollcall_configs', group_id) END
FROM unnest($1::text[]) AS group_id
 LOOP
        _is_changed := true;
    END LOOP;
    IF _is_changed THEN

INSERT INTO rollcall_journal (
    at, group_id, revision, node_id, kind, trigger, reason, client_id, generation_before,
    generation_after, waited_for, joined, "left", details)
SELECT clock_timestamp(), asked.group_id, coalesce(g.revision, 0), -1,
       'config-changed', 'request', $7,
       $8::jsonb ->> 'client_id',
       coalesce(g.generation, 0), coalesce(g.generation, 0), '{}', '[]', '[]',
       jsonb_build_object('author', $8::jsonb, 'before', asked.before::jsonb,
                          'after', asked.after::jsonb)
FROM unnest($1::text[], $5::text[], $6::text[])
     AS asked(group_id, before, after) LEFT JOIN rollcall_group g USING (group_id)
;
    END IF;
    RETURN _is_changed;
END $_$;

CREATE FUNCTION public.rollcall_set_quotas(text[], text[], text[], text[], text[], double precision[], jsonb) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $_$
DECLARE
    _row record;
    _is_changed boolean := false;
BEGIN
    FOR _row IN 
WITH given AS (SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::float8[]) AS given(entity_type, user_name, client_id, ip, key, value)
), known AS (
    SELECT entity_type, user_name, client_id, ip, key, value AS before FROM rollcall_quota WHERE (entity_type, user_name, client_id, ip, key) IN (
        SELECT entity_type, user_name, client_id, ip, key FROM given)
), written AS (
    INSERT INTO rollcall_quota (entity_type, user_name, client_id, ip, key, value, updated_at)
    SELECT entity_type, user_name, client_id, ip, key, value, clock_timestamp() FROM given
    ON CONFLICT (entity_type, user_name, client_id, ip, key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at
    RETURNING entity_type, user_name, client_id, ip, key, value
), changed AS (SELECT entity_type, user_name, client_id, ip, key, value, before FROM written LEFT JOIN known USING (entity_type, user_name, client_id, ip, key)
), noted AS (
    INSERT INTO rollcall_journal (
        at, group_id, revision, node_id, kind, trigger, reason, client_id, generation_before,
        generation_after, waited_for, joined, "left", details)
    SELECT clock_timestamp(), '', 0, -1, 'quota-set', 'request', '',
           coalesce($7::jsonb ->> 'client_id', ''), 0, 0, '{}', '[]', '[]',
           jsonb_build_object('author', $7::jsonb, 'quota', to_jsonb(changed))
    FROM changed
)
SELECT CASE WHEN pg_notification_queue_usage() < 0.5 THEN pg_notify('rollcall_quotas', '') END FROM changed LIMIT 1
 LOOP
        _is_changed := true;
    END LOOP;
    RETURN _is_changed;
END $_$;

CREATE FUNCTION public.rollcall_settle_offsets() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    g record;
    m record;
BEGIN
    DELETE FROM rollcall_noted_offsets WHERE id = NEW.id;
    -- Nothing follows at a COMMIT. Before one, whoever holds what comes next must not stand still.
    PERFORM set_config('idle_in_transaction_session_timeout', '1s', true),
            set_config('transaction_timeout', '0', true),
            set_config('transaction_timeout', '5s', true);
    -- The owner takes it exclusively before it changes generation or members; the queue is fair.
    PERFORM pg_advisory_xact_lock_shared(5401703, hashtext(NEW.group_id));
    -- FOR SHARE reads the row as it is now; a transaction with an older snapshot fails here.
    SELECT kind, state, generation INTO g
    FROM rollcall_group WHERE group_id = NEW.group_id FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'GROUP_ID_NOT_FOUND: there is no group %', NEW.group_id
            USING ERRCODE = 'RK069';
    END IF;
    SELECT details, client_id, client_host INTO m
    FROM rollcall_member WHERE group_id = NEW.group_id AND member_id = NEW.member_id;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'UNKNOWN_MEMBER_ID: % is no member of %', NEW.member_id, NEW.group_id
            USING ERRCODE = 'RK025';
    ELSIF g.kind = 'consumer' AND (m.details ->> 'epoch')::int IS DISTINCT FROM NEW.generation THEN
        RAISE EXCEPTION 'STALE_MEMBER_EPOCH: the member is in epoch %, not %',
            m.details ->> 'epoch', NEW.generation USING ERRCODE = 'RK113';
    ELSIF g.kind <> 'consumer' AND g.generation <> NEW.generation THEN
        RAISE EXCEPTION 'ILLEGAL_GENERATION: the group is in generation %, not %',
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
               NEW.member_id, m.client_id, m.client_host, 'Login:' || session_user FROM told
    )
    INSERT INTO rollcall_offset AS o (group_id, topic, partition, committed_offset, leader_epoch,
                                      metadata, committed_at, expires_at)
    SELECT NEW.group_id, topic, partition, at, -1, note, clock_timestamp(), NULL FROM told
    ON CONFLICT (group_id, topic, partition) DO UPDATE SET
        committed_offset = excluded.committed_offset, leader_epoch = excluded.leader_epoch,
        metadata = excluded.metadata, committed_at = excluded.committed_at,
        expires_at = excluded.expires_at;
    RETURN NULL;
END $$;

CREATE FUNCTION public.rollcall_timeline_here() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$ BEGIN
    NEW.database := (SELECT oid FROM pg_database WHERE datname = current_database());
    RETURN NEW;
END $$;

CREATE FUNCTION public.rollcall_turn_facts(hours integer, mebibytes integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    SET lock_timeout TO '50ms'
    SET "TimeZone" TO 'UTC'
    AS $_$
DECLARE
    parents CONSTANT text[] := rollcall_facts_tables();
    parent text;
    name text;
    start timestamptz;
    today CONSTANT timestamptz := date_trunc('day', clock_timestamp());
    oldest CONSTANT timestamptz := clock_timestamp() - hours * interval '1 hour';
    dropped int := 0;
BEGIN
    FOREACH parent IN ARRAY parents LOOP
        FOR ahead IN 0..2 LOOP
            start := today + ahead * interval '1 day';
            name := parent || '_' || to_char(start, 'YYYYMMDD');
            IF to_regclass(name) IS NULL THEN
                BEGIN
                    EXECUTE format(
                        'CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)',
                        name, parent, start, start + interval '1 day');
                EXCEPTION
                    -- Rows of this day are in the default partition already, or somebody is busy
                    -- with it: the next day's partition is made in time.
                    WHEN check_violation OR lock_not_available OR duplicate_table THEN NULL;
                END;
            END IF;
        END LOOP;
        EXECUTE format('DELETE FROM %I WHERE at < %L', parent || '_default', oldest);
    END LOOP;
    FOR parent, name, start IN
        SELECT p.relname, c.relname, to_timestamp(right(c.relname, 8), 'YYYYMMDD')
        FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        JOIN pg_class p ON p.oid = i.inhparent
        WHERE p.relname = ANY(parents) AND c.relname ~ '_[0-9]{8}$'
        ORDER BY right(c.relname, 8), 1
    LOOP
        EXIT WHEN start >= today;
        CONTINUE WHEN start + interval '1 day' >= oldest
            AND rollcall_facts_bytes() <= mebibytes * 1048576::bigint;
        BEGIN
            EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', name);
            PERFORM rollcall_note_floor(parent, parent, name, start + interval '1 day');
            PERFORM rollcall_note_floor(
                parent || ' packed', parent, name, start + interval '1 day');
            EXECUTE format('DROP TABLE %I', name);
            dropped := dropped + 1;
        EXCEPTION WHEN lock_not_available THEN NULL;  -- a long COPY: the next time
        END;
    END LOOP;
    RETURN dropped;
END $_$;

CREATE FUNCTION public.rollcall_turn_history(hours integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    SET lock_timeout TO '50ms'
    SET "TimeZone" TO 'UTC'
    AS $_$
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
END $_$;

CREATE FUNCTION public.rollcall_turn_packed(hours integer, mebibytes integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    SET lock_timeout TO '50ms'
    SET "TimeZone" TO 'UTC'
    AS $_$
DECLARE
    name text;
    start timestamptz;
    oldest CONSTANT timestamptz := clock_timestamp() - hours * interval '1 hour';
    dropped int := 0;
BEGIN
    DELETE FROM rollcall_facts_packed_default WHERE last_at < oldest;
    FOR name, start IN
        SELECT c.relname, to_timestamp(right(c.relname, 8), 'YYYYMMDD')
        FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'rollcall_facts_packed'::regclass AND c.relname ~ '_[0-9]{8}$'
        ORDER BY 1
    LOOP
        CONTINUE WHEN start + interval '1 day' >= oldest
            AND rollcall_facts_bytes() <= mebibytes * 1048576::bigint;
        BEGIN
            EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', name);
            EXECUTE format(
                'INSERT INTO rollcall_facts_floor AS f (table_name, era, xid, dropped_until)'
                ' SELECT DISTINCT ON (table_name) table_name || '' packed'', last_era, last_xid, %L'
                ' FROM %I ORDER BY table_name, last_era DESC, last_xid DESC'
                ' ON CONFLICT (table_name) DO UPDATE SET era = excluded.era,'
                ' xid = excluded.xid, dropped_until = excluded.dropped_until'
                ' WHERE (excluded.era, excluded.xid) > (f.era, f.xid)',
                start + interval '1 day', name);
            EXECUTE format('DROP TABLE %I', name);
            dropped := dropped + 1;
        EXCEPTION WHEN lock_not_available THEN NULL;  -- a long COPY: the next time
        END;
    END LOOP;
    RETURN dropped;
END $_$;

CREATE FUNCTION public.rollcall_undrain_node(integer, text, jsonb) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $_$
DECLARE
    _row record;
    _is_changed boolean := false;
BEGIN
    FOR _row IN 
WITH done AS (
    DELETE FROM rollcall_drain WHERE node_id = $1
    RETURNING node_id, $2 AS reason, $3 AS author),
noted AS (
    INSERT INTO rollcall_journal (
        at, group_id, revision, node_id, kind, trigger, reason, generation_before,
        generation_after, waited_for, joined, "left", details)
    SELECT clock_timestamp(), '', 0, node_id, 'node-undrained', 'operator', reason, 0, 0,
           '{}', '[]', '[]', jsonb_build_object('author', author, 'node', node_id)
    FROM done)
SELECT CASE WHEN pg_notification_queue_usage() < 0.5 THEN pg_notify('rollcall_slots', '') END FROM done
 LOOP
        _is_changed := true;
    END LOOP;
    RETURN _is_changed;
END $_$;

CREATE FUNCTION public.rollcall_unpacked_hours(group_id text, hours public.rollcall_packed_hour[]) RETURNS SETOF public.rollcall_progress
    LANGUAGE sql IMMUTABLE ROWS 24
    AS $$
    SELECT h.at, h.era, h.xid, h.id, h.hour, group_id, h.topic,
        ARRAY(SELECT generate_series(lower(r), upper(r) - 1) FROM unnest(h.partitions) AS r),
        rollcall_unpacked_numbers(h.commits)::int[],
        rollcall_differences(rollcall_unpacked_numbers(h.last_offsets),
                             rollcall_unpacked_numbers(h.advanced)),
        rollcall_unpacked_numbers(h.last_offsets),
        rollcall_unpacked_numbers(h.pauses_ms)::int[],
        rollcall_unpacked_numbers(h.lives),
        ARRAY(SELECT CASE
        WHEN last_offset BETWEEN -4611686018427387904 AND 4611686018427387903
         AND lag BETWEEN -4611686018427387904 AND 4611686018427387903 THEN last_offset + lag
        ELSE (mod(last_offset::numeric + lag + 27670116110564327424, 18446744073709551616)
              - 9223372036854775808)::bigint END FROM unnest(
                  rollcall_unpacked_numbers(h.last_offsets), rollcall_unpacked_numbers(h.lags))
              WITH ORDINALITY AS each(last_offset, lag, i) ORDER BY i)
    FROM unnest(hours) AS h
$$;

CREATE FUNCTION public.rollcall_unpacked_numbers(packed public.rollcall_numbers) RETURNS bigint[]
    LANGUAGE sql IMMUTABLE
    AS $$
    SELECT CASE
        WHEN packed.small IS NOT NULL THEN ARRAY(
            SELECT each.n + 32768 + packed.least
            FROM unnest(packed.small) WITH ORDINALITY AS each(n, i) ORDER BY i)
        WHEN packed.medium IS NOT NULL THEN ARRAY(
            SELECT each.n + 2147483648 + packed.least
            FROM unnest(packed.medium) WITH ORDINALITY AS each(n, i) ORDER BY i)
        ELSE packed.wide
    END
$$;

CREATE TABLE public.rollcall_acknowledgement (
    id bigint NOT NULL,
    rule text NOT NULL,
    subject text NOT NULL COLLATE pg_catalog."C",
    note text NOT NULL,
    actor text NOT NULL,
    at timestamp with time zone NOT NULL,
    until timestamp with time zone
);

ALTER TABLE public.rollcall_acknowledgement ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.rollcall_acknowledgement_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.rollcall_acl (
    id bigint NOT NULL,
    resource_type text NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    pattern text NOT NULL,
    principal text NOT NULL COLLATE pg_catalog."C",
    host text NOT NULL COLLATE pg_catalog."C",
    operation text NOT NULL,
    permission text NOT NULL,
    created_at timestamp with time zone NOT NULL
);

ALTER TABLE public.rollcall_acl ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.rollcall_acl_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.rollcall_advice_decision (
    id bigint NOT NULL,
    group_id text NOT NULL COLLATE pg_catalog."C",
    rule text NOT NULL,
    subject text NOT NULL COLLATE pg_catalog."C",
    verdict text NOT NULL,
    reason text NOT NULL,
    actor text NOT NULL,
    at timestamp with time zone NOT NULL,
    until timestamp with time zone
);

ALTER TABLE public.rollcall_advice_decision ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.rollcall_advice_decision_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.rollcall_api_token (
    id bigint NOT NULL,
    name character varying(100) NOT NULL,
    prefix character varying(16) NOT NULL,
    digest character varying(64) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone,
    used_at timestamp with time zone,
    user_id integer NOT NULL,
    made_by text DEFAULT ''::text NOT NULL,
    scopes jsonb DEFAULT '["read", "operate", "offsets", "catalogue", "admin"]'::jsonb NOT NULL,
    session_hash character varying(128) DEFAULT ''::character varying NOT NULL
);

ALTER TABLE public.rollcall_api_token ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.rollcall_api_token_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.rollcall_application_grant (
    login text NOT NULL,
    prefix text NOT NULL COLLATE pg_catalog."C",
    granted_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

COMMENT ON COLUMN public.rollcall_application_grant.prefix IS 'How the ids of the groups begin; empty: all groups.';

CREATE TABLE public.rollcall_attention_rule (
    id bigint NOT NULL,
    rule text NOT NULL,
    is_prefix boolean NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    threshold bigint,
    reason text NOT NULL,
    actor text NOT NULL,
    at timestamp with time zone NOT NULL,
    until timestamp with time zone,
    CONSTRAINT silence_ends CHECK (((threshold > 0) OR (until IS NOT NULL)))
);

ALTER TABLE public.rollcall_attention_rule ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.rollcall_attention_rule_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.rollcall_audit (
    id bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    login text NOT NULL,
    kind text NOT NULL,
    who text NOT NULL COLLATE pg_catalog."C",
    address text NOT NULL,
    client_id text NOT NULL,
    request_id text NOT NULL,
    target text NOT NULL,
    outcome text NOT NULL,
    details jsonb NOT NULL
);

ALTER TABLE public.rollcall_audit ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.rollcall_audit_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.rollcall_beat_lease (
    id smallint NOT NULL,
    holder uuid NOT NULL,
    until timestamp with time zone NOT NULL,
    CONSTRAINT beat_lease_is_one CHECK ((id = 1))
);

CREATE TABLE public.rollcall_command (
    group_id text NOT NULL COLLATE pg_catalog."C",
    member_id text NOT NULL COLLATE pg_catalog."C",
    command_id bigint NOT NULL,
    option text NOT NULL,
    generation integer NOT NULL,
    ownership jsonb,
    reason text NOT NULL,
    series bigint NOT NULL,
    sent_at timestamp with time zone NOT NULL,
    CONSTRAINT rollcall_command_check CHECK (((series >= 0) AND (series < command_id))),
    CONSTRAINT rollcall_command_command_id_check CHECK ((command_id > 0))
);

COMMENT ON COLUMN public.rollcall_command.ownership IS 'Topic to partition to consumer thread; null: the command is about everything.';

COMMENT ON COLUMN public.rollcall_command.series IS 'The first of several commands that say the same; 0 in that one itself.';

CREATE UNLOGGED TABLE public.rollcall_connection (
    node_id integer NOT NULL,
    number bigint NOT NULL,
    listener text NOT NULL,
    address text NOT NULL,
    principal text NOT NULL,
    client_id text NOT NULL,
    software text NOT NULL,
    software_version text NOT NULL,
    groups jsonb NOT NULL,
    connected_at timestamp with time zone NOT NULL
);

CREATE UNLOGGED TABLE public.rollcall_connections_noted (
    node_id integer NOT NULL,
    noted_at timestamp with time zone NOT NULL,
    connections integer NOT NULL
);

CREATE TABLE public.rollcall_credential (
    name text NOT NULL COLLATE pg_catalog."C",
    mechanism text NOT NULL COLLATE pg_catalog."C",
    salt bytea NOT NULL,
    iterations integer NOT NULL,
    stored_key bytea NOT NULL,
    server_key bytea NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    user_since timestamp with time zone DEFAULT statement_timestamp() NOT NULL
);

CREATE TABLE public.rollcall_drain (
    node_id integer NOT NULL,
    actor text NOT NULL,
    reason text NOT NULL,
    since timestamp with time zone NOT NULL,
    seen_at timestamp with time zone NOT NULL
);

CREATE TABLE public.rollcall_facts_floor (
    table_name text NOT NULL,
    era integer NOT NULL,
    xid bigint NOT NULL,
    dropped_until timestamp with time zone NOT NULL
);

COMMENT ON TABLE public.rollcall_facts_floor IS 'The last row of each table of facts that was dropped: a cursor below it has a gap.';

CREATE TABLE public.rollcall_life (
    at timestamp with time zone NOT NULL,
    era integer NOT NULL,
    xid bigint NOT NULL,
    id bigint NOT NULL,
    life bigint NOT NULL,
    group_id text NOT NULL COLLATE pg_catalog."C",
    member_id text NOT NULL COLLATE pg_catalog."C",
    instance_id text,
    client_id text NOT NULL,
    client_host text NOT NULL,
    principal text NOT NULL,
    rack_id text,
    software_name text NOT NULL,
    software_version text NOT NULL,
    kind text NOT NULL,
    api_version integer,
    session_timeout_ms integer NOT NULL,
    rebalance_timeout_ms integer NOT NULL,
    subscription text[],
    pattern text NOT NULL,
    protocols text[] NOT NULL,
    revision bigint NOT NULL,
    joined_generation integer NOT NULL,
    joined_at timestamp with time zone NOT NULL,
    origin text NOT NULL,
    left_generation integer,
    left_at timestamp with time zone,
    departure text,
    heard_at timestamp with time zone
)
PARTITION BY RANGE (at);

CREATE TABLE public.rollcall_ownership (
    at timestamp with time zone NOT NULL,
    era integer NOT NULL,
    xid bigint NOT NULL,
    id bigint NOT NULL,
    group_id text NOT NULL COLLATE pg_catalog."C",
    life bigint NOT NULL,
    topic text NOT NULL COLLATE pg_catalog."C",
    topic_id uuid,
    partitions int4multirange NOT NULL,
    from_generation integer NOT NULL,
    from_at timestamp with time zone NOT NULL,
    until_generation integer,
    until_at timestamp with time zone
)
PARTITION BY RANGE (at);

CREATE TABLE public.rollcall_round (
    at timestamp with time zone NOT NULL,
    era integer NOT NULL,
    xid bigint NOT NULL,
    id bigint NOT NULL,
    group_id text NOT NULL COLLATE pg_catalog."C",
    generation integer NOT NULL,
    kind text NOT NULL,
    outcome text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone NOT NULL,
    is_partial boolean NOT NULL,
    members integer NOT NULL,
    moved integer NOT NULL,
    stopped_ms bigint NOT NULL,
    silent_ms bigint NOT NULL,
    unowned_ms bigint NOT NULL,
    triggers text[] NOT NULL,
    cause_members integer[] NOT NULL,
    cause_ids text[] NOT NULL,
    cause_at_ms bigint[] NOT NULL,
    cause_ms bigint[] NOT NULL,
    acts text[] NOT NULL,
    ends text[] NOT NULL,
    counts integer[] NOT NULL,
    lives bigint[] NOT NULL,
    waited_ms integer[] NOT NULL
)
PARTITION BY RANGE (at);

COMMENT ON TABLE public.rollcall_round IS 'Rebalances. Waits stand in runs: counts[i] of them were for acts[i] and ended as ends[i].';

CREATE TABLE public.rollcall_silence (
    at timestamp with time zone NOT NULL,
    era integer NOT NULL,
    xid bigint NOT NULL,
    id bigint NOT NULL,
    hour timestamp with time zone NOT NULL,
    group_id text NOT NULL COLLATE pg_catalog."C",
    lives bigint[] NOT NULL,
    longest_ms integer[] NOT NULL,
    looks smallint[] NOT NULL
)
PARTITION BY RANGE (at);

CREATE TABLE public.rollcall_facts_packed (
    table_name text NOT NULL,
    of_group text NOT NULL COLLATE pg_catalog."C",
    began timestamp with time zone NOT NULL,
    last_at timestamp with time zone NOT NULL,
    last_era integer NOT NULL,
    last_xid bigint NOT NULL,
    life_rows public.rollcall_life[],
    ownership_rows public.rollcall_ownership[],
    round_rows public.rollcall_round[],
    silence_rows public.rollcall_silence[],
    hour_rows public.rollcall_packed_hour[]
)
PARTITION BY RANGE (last_at);

COMMENT ON TABLE public.rollcall_facts_packed IS 'Rows of table_name of days that are over, some of a group in each; began: the earliest.';

CREATE TABLE public.rollcall_first_password (
    user_id integer NOT NULL,
    digest character varying(64) NOT NULL
);

CREATE TABLE public.rollcall_fleet_hour (
    hour timestamp with time zone NOT NULL,
    members integer NOT NULL,
    commits bigint NOT NULL,
    longest_ms bigint NOT NULL,
    idle_ms bigint NOT NULL,
    triggers text[] NOT NULL,
    rebalances integer[] NOT NULL,
    group_ids text[] NOT NULL COLLATE pg_catalog."C",
    group_rebalances integer[] NOT NULL,
    group_idle_ms bigint[] NOT NULL
);

CREATE TABLE public.rollcall_follower (
    group_id text NOT NULL COLLATE pg_catalog."C",
    member_id text NOT NULL COLLATE pg_catalog."C",
    obeying bigint NOT NULL,
    at timestamp with time zone NOT NULL
);

CREATE TABLE public.rollcall_group (
    group_id text NOT NULL COLLATE pg_catalog."C",
    slot smallint NOT NULL,
    kind text NOT NULL,
    state text NOT NULL,
    generation integer NOT NULL,
    protocol_type text NOT NULL,
    protocol_name text,
    leader text,
    details jsonb NOT NULL,
    revision bigint NOT NULL,
    state_since timestamp with time zone NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT group_counts_up CHECK (((generation >= 0) AND (revision > 0)))
)
WITH (fillfactor='70');

CREATE TABLE public.rollcall_group_config (
    group_id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    slot smallint NOT NULL,
    value text NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    until timestamp with time zone
);

CREATE TABLE public.rollcall_group_counts (
    group_id text NOT NULL COLLATE pg_catalog."C",
    topics integer NOT NULL,
    partitions bigint NOT NULL,
    unowned bigint NOT NULL,
    members integer,
    last_rebalance bigint
);

CREATE TABLE public.rollcall_journal (
    id bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    group_id text NOT NULL COLLATE pg_catalog."C",
    revision bigint NOT NULL,
    node_id integer NOT NULL,
    kind text NOT NULL,
    trigger text NOT NULL,
    reason text NOT NULL,
    member_id text,
    client_id text,
    generation_before integer NOT NULL,
    generation_after integer NOT NULL,
    duration_ms bigint,
    waited_for jsonb NOT NULL,
    joined jsonb NOT NULL,
    "left" jsonb NOT NULL,
    details jsonb NOT NULL,
    client_reason text DEFAULT ''::text NOT NULL,
    era integer DEFAULT public.rollcall_current_era() NOT NULL,
    xid bigint DEFAULT ((pg_current_xact_id())::text)::bigint NOT NULL
);

ALTER TABLE public.rollcall_journal ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.rollcall_journal_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE VIEW public.rollcall_last_hour AS
 SELECT group_id,
    count(*) AS rebalances
   FROM public.rollcall_journal
  WHERE ((kind = 'rebalance-completed'::text) AND (at >= (now() - '01:00:00'::interval)) AND (id > ( SELECT (COALESCE(max(rollcall_journal_1.id), (0)::bigint) - 20000)
           FROM public.rollcall_journal rollcall_journal_1)))
  GROUP BY group_id;

CREATE SEQUENCE public.rollcall_life_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.rollcall_life_id_seq OWNED BY public.rollcall_life.id;

CREATE TABLE public.rollcall_life_open (
    life bigint NOT NULL,
    group_id text NOT NULL COLLATE pg_catalog."C",
    member_id text NOT NULL COLLATE pg_catalog."C",
    instance_id text,
    client_id text NOT NULL,
    client_host text NOT NULL,
    principal text NOT NULL,
    rack_id text,
    software_name text NOT NULL,
    software_version text NOT NULL,
    kind text NOT NULL,
    api_version integer,
    session_timeout_ms integer NOT NULL,
    rebalance_timeout_ms integer NOT NULL,
    subscription text[],
    pattern text NOT NULL,
    protocols text[] NOT NULL,
    revision bigint NOT NULL,
    joined_generation integer NOT NULL,
    joined_at timestamp with time zone NOT NULL,
    origin text NOT NULL
);

CREATE SEQUENCE public.rollcall_life_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE UNLOGGED TABLE public.rollcall_liveness (
    group_id text NOT NULL COLLATE pg_catalog."C",
    member_id text NOT NULL COLLATE pg_catalog."C",
    heard_at timestamp with time zone NOT NULL,
    deadline_at timestamp with time zone NOT NULL,
    since_ms bigint
);

CREATE TABLE public.rollcall_mark (
    id bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    text text NOT NULL,
    group_id text NOT NULL COLLATE pg_catalog."C",
    actor text NOT NULL,
    noted_at timestamp with time zone NOT NULL
);

ALTER TABLE public.rollcall_mark ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.rollcall_mark_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.rollcall_member (
    member_id text NOT NULL COLLATE pg_catalog."C",
    instance_id text,
    client_id text NOT NULL,
    client_host text NOT NULL,
    session_timeout_ms integer NOT NULL,
    rebalance_timeout_ms integer NOT NULL,
    "position" integer NOT NULL,
    subscription bytea NOT NULL,
    assignment bytea NOT NULL,
    details jsonb NOT NULL,
    joined_at timestamp with time zone NOT NULL,
    group_id text NOT NULL COLLATE pg_catalog."C"
);

CREATE TABLE public.rollcall_node (
    node_id integer NOT NULL,
    incarnation uuid NOT NULL,
    beat bigint NOT NULL,
    host text NOT NULL,
    port integer NOT NULL,
    started_at timestamp with time zone NOT NULL,
    beat_at timestamp with time zone NOT NULL,
    draft_port integer DEFAULT 0 NOT NULL,
    lease_ms integer DEFAULT 3000 NOT NULL,
    takes_slots boolean DEFAULT true NOT NULL,
    schema text DEFAULT ''::text NOT NULL,
    endpoints text[] DEFAULT '{}'::text[] NOT NULL,
    unclean_ends integer DEFAULT 0 NOT NULL,
    steady_since timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    clock_ms bigint
)
WITH (fillfactor='50');

CREATE TABLE public.rollcall_node_lease (
    node_id integer NOT NULL,
    host uuid NOT NULL,
    place smallint NOT NULL,
    starts bigint NOT NULL,
    hostname text NOT NULL,
    seen_at timestamp with time zone NOT NULL
);

CREATE TABLE public.rollcall_node_minute (
    at timestamp with time zone NOT NULL,
    node_id integer NOT NULL,
    seconds real NOT NULL,
    heartbeats bigint NOT NULL,
    commits bigint NOT NULL,
    lag_ms integer NOT NULL,
    slots smallint NOT NULL
);

COMMENT ON COLUMN public.rollcall_node_minute.seconds IS 'The time until at that the others are about.';

CREATE TABLE public.rollcall_node_settings (
    node_id integer NOT NULL,
    settings jsonb NOT NULL,
    since timestamp with time zone NOT NULL
);

COMMENT ON TABLE public.rollcall_node_settings IS 'Settings of the rules with which a node started last, by name. Kept when the node ends.';

CREATE TABLE public.rollcall_noted_offsets (
    id bigint NOT NULL,
    group_id text NOT NULL COLLATE pg_catalog."C",
    generation integer NOT NULL,
    member_id text NOT NULL COLLATE pg_catalog."C",
    topics text[] NOT NULL,
    partitions integer[] NOT NULL,
    offsets bigint[] NOT NULL,
    metadata text[] NOT NULL
);

ALTER TABLE public.rollcall_noted_offsets ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.rollcall_noted_offsets_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.rollcall_offset (
    group_id text NOT NULL COLLATE pg_catalog."C",
    topic text NOT NULL COLLATE pg_catalog."C",
    partition integer NOT NULL,
    committed_offset bigint NOT NULL,
    leader_epoch integer NOT NULL,
    metadata text NOT NULL,
    committed_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone
)
WITH (fillfactor='60');

CREATE TABLE public.rollcall_offset_history (
    at timestamp with time zone NOT NULL,
    group_id text NOT NULL COLLATE pg_catalog."C",
    topic text NOT NULL COLLATE pg_catalog."C",
    partition integer NOT NULL,
    committed_offset bigint NOT NULL,
    leader_epoch integer NOT NULL,
    metadata text NOT NULL,
    member_id text NOT NULL,
    client_id text NOT NULL,
    client_host text NOT NULL,
    principal text,
    more_partitions integer[],
    more_offsets bigint[],
    more_leader_epochs integer[],
    more_metadata text[],
    is_gone boolean
)
PARTITION BY RANGE (at);

CREATE TABLE public.rollcall_openid_user (
    user_id integer NOT NULL,
    issuer text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C"
);

CREATE TABLE public.rollcall_operation (
    id bigint NOT NULL,
    group_id text NOT NULL COLLATE pg_catalog."C",
    slot smallint NOT NULL,
    verb text NOT NULL,
    member_id text NOT NULL,
    reason text NOT NULL,
    actor text NOT NULL,
    expected_generation integer,
    idempotency_key text,
    state text NOT NULL,
    detail text NOT NULL,
    generation integer,
    created_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    restore_to timestamp with time zone,
    outcome text,
    offsets jsonb,
    until timestamp with time zone,
    traceparent text,
    prediction jsonb
);

ALTER TABLE public.rollcall_operation ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.rollcall_operation_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE SEQUENCE public.rollcall_ownership_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.rollcall_ownership_id_seq OWNED BY public.rollcall_ownership.id;

CREATE TABLE public.rollcall_ownership_open (
    group_id text NOT NULL COLLATE pg_catalog."C",
    life bigint NOT NULL,
    topic text NOT NULL COLLATE pg_catalog."C",
    topic_id uuid,
    partitions int4multirange NOT NULL,
    from_generation integer NOT NULL,
    from_at timestamp with time zone NOT NULL
)
WITH (fillfactor='80');

CREATE TABLE public.rollcall_pause (
    group_id text NOT NULL COLLATE pg_catalog."C",
    scope text NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    slot smallint NOT NULL,
    pause_id bigint NOT NULL,
    actor text NOT NULL,
    reason text NOT NULL,
    since timestamp with time zone NOT NULL
);

CREATE TABLE public.rollcall_pending_offset (
    producer_id bigint NOT NULL,
    group_id text NOT NULL COLLATE pg_catalog."C",
    topic text NOT NULL COLLATE pg_catalog."C",
    partition integer NOT NULL,
    committed_offset bigint NOT NULL,
    leader_epoch integer NOT NULL,
    metadata text NOT NULL,
    committed_at timestamp with time zone NOT NULL,
    superseded boolean NOT NULL,
    place bigint NOT NULL,
    member_id text,
    client_id text,
    client_host text,
    principal text
);

COMMENT ON COLUMN public.rollcall_pending_offset.superseded IS 'Somebody wrote the partition since then: this is not applied even if committed.';

COMMENT ON COLUMN public.rollcall_pending_offset.place IS 'Rises with each write: of two transactions the later write stands, whoever ends later.';

ALTER TABLE public.rollcall_pending_offset ALTER COLUMN place ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.rollcall_pending_offset_place_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.rollcall_producer (
    transactional_id text NOT NULL COLLATE pg_catalog."C",
    slot smallint NOT NULL,
    producer_id bigint NOT NULL,
    epoch smallint NOT NULL,
    timeout_ms integer NOT NULL,
    state text NOT NULL,
    last_epoch smallint NOT NULL,
    previous_id bigint NOT NULL,
    started_at timestamp with time zone,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT producer_started_while_ongoing CHECK (((started_at IS NOT NULL) = (state = 'Ongoing'::text))),
    CONSTRAINT rollcall_producer_state_check CHECK ((state = ANY (ARRAY['Empty'::text, 'Ongoing'::text, 'CompleteCommit'::text, 'CompleteAbort'::text])))
);

COMMENT ON COLUMN public.rollcall_producer.last_epoch IS 'The epoch before, whose owner may ask again if the answer was lost; -1: nobody may.';

CREATE SEQUENCE public.rollcall_producer_id
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE TABLE public.rollcall_progress_done (
    name text NOT NULL,
    hour timestamp with time zone NOT NULL,
    group_id text NOT NULL COLLATE pg_catalog."C"
);

COMMENT ON TABLE public.rollcall_progress_done IS 'The hour that is summarised next, and the last of its groups that was.';

CREATE SEQUENCE public.rollcall_progress_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.rollcall_progress_id_seq OWNED BY public.rollcall_progress.id;

CREATE TABLE public.rollcall_quota (
    entity_type text NOT NULL,
    user_name text NOT NULL COLLATE pg_catalog."C",
    client_id text NOT NULL COLLATE pg_catalog."C",
    ip text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL,
    value double precision NOT NULL,
    updated_at timestamp with time zone NOT NULL
);

CREATE VIEW public.rollcall_quota_entity AS
 SELECT md5((jsonb_build_array(entity_type, user_name, client_id, ip))::text) AS id,
    entity_type,
    user_name,
    client_id,
    ip,
    jsonb_object_agg(key, value) AS quotas,
    max(updated_at) AS updated_at
   FROM public.rollcall_quota
  GROUP BY entity_type, user_name, client_id, ip;

CREATE TABLE public.rollcall_report_row (
    id bigint NOT NULL,
    report text NOT NULL,
    period text NOT NULL,
    keys jsonb NOT NULL,
    figures jsonb NOT NULL,
    run_id bigint,
    kept_until timestamp with time zone,
    from_run bigint,
    until_run bigint,
    CONSTRAINT report_row_of_a_run_or_kept CHECK ((((kept_until IS NULL) AND (run_id IS NOT NULL)) OR ((kept_until IS NOT NULL) AND (run_id IS NULL))))
);

ALTER TABLE public.rollcall_report_row ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.rollcall_report_row_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.rollcall_report_run (
    id bigint NOT NULL,
    state text NOT NULL,
    requested_by text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    last_journal_id bigint,
    events bigint,
    detail text NOT NULL,
    stage text DEFAULT ''::text NOT NULL,
    percent smallint DEFAULT 0 NOT NULL,
    as_of timestamp with time zone,
    reports jsonb DEFAULT '[]'::jsonb NOT NULL,
    rows_of bigint
);

ALTER TABLE public.rollcall_report_run ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.rollcall_report_run_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE VIEW public.rollcall_report_run_row AS
 SELECT stored.id,
    run.id AS run_id,
    stored.report,
    stored.period,
    stored.keys,
    stored.figures
   FROM (public.rollcall_report_run run
     JOIN public.rollcall_report_row stored ON ((stored.run_id = COALESCE(run.rows_of, run.id))))
  WHERE (((stored.from_run IS NULL) OR (stored.from_run <= run.id)) AND ((stored.until_run IS NULL) OR (stored.until_run > run.id)))
UNION ALL
 SELECT stored.id,
    run.id AS run_id,
    stored.report,
    stored.period,
    stored.keys,
    stored.figures
   FROM (public.rollcall_report_run run
     CROSS JOIN public.rollcall_report_row stored)
  WHERE (stored.run_id IS NULL);

CREATE SEQUENCE public.rollcall_round_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.rollcall_round_id_seq OWNED BY public.rollcall_round.id;

CREATE TABLE public.rollcall_saved_view (
    id bigint NOT NULL,
    name character varying(60) NOT NULL,
    query character varying(2000) NOT NULL,
    is_shared boolean NOT NULL,
    user_id integer NOT NULL
);

ALTER TABLE public.rollcall_saved_view ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.rollcall_saved_view_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE SEQUENCE public.rollcall_silence_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.rollcall_silence_id_seq OWNED BY public.rollcall_silence.id;

CREATE TABLE public.rollcall_slot (
    slot smallint NOT NULL,
    node_id integer,
    incarnation uuid,
    epoch bigint NOT NULL,
    served_ms bigint DEFAULT 0 NOT NULL,
    shift_ms bigint,
    ended_at timestamp with time zone,
    is_noted boolean DEFAULT false NOT NULL,
    interruptions jsonb DEFAULT '[]'::jsonb NOT NULL
);

CREATE TABLE public.rollcall_sweep (
    name text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    took_ms integer NOT NULL,
    outcome text NOT NULL,
    failed boolean NOT NULL,
    runs bigint NOT NULL,
    failures bigint NOT NULL
);

CREATE TABLE public.rollcall_timeline (
    one boolean DEFAULT true NOT NULL,
    system_identifier bigint NOT NULL,
    timeline bigint NOT NULL,
    jump uuid NOT NULL,
    jumped_on timestamp with time zone,
    generations_after integer NOT NULL,
    database oid,
    CONSTRAINT rollcall_timeline_one_check CHECK (one)
);

COMMENT ON COLUMN public.rollcall_timeline.jump IS 'A new one each time all epochs are raised.';

COMMENT ON COLUMN public.rollcall_timeline.jumped_on IS 'Start of the server process that they were raised on last.';

COMMENT ON COLUMN public.rollcall_timeline.generations_after IS 'What a group without a row counts from, since a lost one of that name may have been below.';

COMMENT ON COLUMN public.rollcall_timeline.database IS 'The one in which epochs were raised last; a restored dump is in another one.';

CREATE TABLE public.rollcall_topic (
    name text NOT NULL COLLATE pg_catalog."C",
    topic_id uuid NOT NULL,
    partitions integer NOT NULL,
    end_offsets bigint[] NOT NULL,
    created_at timestamp with time zone NOT NULL,
    racks jsonb DEFAULT '[]'::jsonb NOT NULL,
    CONSTRAINT topic_has_work CHECK ((partitions >= 1))
);

CREATE TABLE public.rollcall_txn_group (
    transactional_id text NOT NULL COLLATE pg_catalog."C",
    group_id text NOT NULL COLLATE pg_catalog."C"
);

CREATE VIEW public.rollcall_user AS
 SELECT name,
    jsonb_object_agg(mechanism, iterations) AS mechanisms,
    max(updated_at) AS updated_at
   FROM public.rollcall_credential
  GROUP BY name;

CREATE UNLOGGED TABLE public.rollcall_waiting (
    group_id text NOT NULL COLLATE pg_catalog."C",
    node_id integer NOT NULL,
    revision bigint NOT NULL,
    details jsonb NOT NULL,
    told_at timestamp with time zone NOT NULL,
    waits jsonb DEFAULT '{}'::jsonb NOT NULL
);

CREATE TABLE public.rollcall_watch (
    slot smallint NOT NULL,
    probe bigint NOT NULL,
    probed_at timestamp with time zone,
    echo bigint NOT NULL,
    echoed_at timestamp with time zone
);

CREATE TABLE public.rollcall_webhook (
    id bigint NOT NULL,
    name character varying(100) NOT NULL,
    url character varying(2000) NOT NULL,
    events jsonb NOT NULL,
    group_prefix character varying(255) NOT NULL,
    enabled boolean NOT NULL,
    disabled_because text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    failures integer NOT NULL,
    failing_since timestamp with time zone,
    not_before timestamp with time zone,
    delivered_at timestamp with time zone
);

CREATE TABLE public.rollcall_webhook_cursor (
    name text NOT NULL,
    state jsonb NOT NULL
);

CREATE TABLE public.rollcall_webhook_delivery (
    id bigint NOT NULL,
    message_id uuid NOT NULL,
    key text NOT NULL,
    type text NOT NULL,
    body text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    state text NOT NULL,
    attempts integer NOT NULL,
    next_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    status integer,
    error text NOT NULL,
    answer text NOT NULL,
    took_ms integer,
    webhook_id bigint NOT NULL
);

ALTER TABLE public.rollcall_webhook_delivery ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.rollcall_webhook_delivery_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE public.rollcall_webhook ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.rollcall_webhook_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.rollcall_webhook_secret (
    id bigint NOT NULL,
    secret text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    webhook_id bigint NOT NULL
);

ALTER TABLE public.rollcall_webhook_secret ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.rollcall_webhook_secret_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE ONLY public.rollcall_life ALTER COLUMN id SET DEFAULT nextval('public.rollcall_life_id_seq'::regclass);

ALTER TABLE ONLY public.rollcall_ownership ALTER COLUMN id SET DEFAULT nextval('public.rollcall_ownership_id_seq'::regclass);

ALTER TABLE ONLY public.rollcall_progress ALTER COLUMN id SET DEFAULT nextval('public.rollcall_progress_id_seq'::regclass);

ALTER TABLE ONLY public.rollcall_round ALTER COLUMN id SET DEFAULT nextval('public.rollcall_round_id_seq'::regclass);

ALTER TABLE ONLY public.rollcall_silence ALTER COLUMN id SET DEFAULT nextval('public.rollcall_silence_id_seq'::regclass);

ALTER TABLE ONLY public.rollcall_acknowledgement
    ADD CONSTRAINT acknowledged_once UNIQUE (rule, subject);

ALTER TABLE ONLY public.rollcall_acl
    ADD CONSTRAINT acl_once UNIQUE (name, principal, resource_type, pattern, host, operation, permission);

ALTER TABLE ONLY public.rollcall_advice_decision
    ADD CONSTRAINT advice_decided_once UNIQUE (group_id, rule, subject);

ALTER TABLE ONLY public.rollcall_webhook_delivery
    ADD CONSTRAINT delivery_once UNIQUE (webhook_id, key);

ALTER TABLE ONLY public.rollcall_member
    ADD CONSTRAINT member_instance_once UNIQUE (group_id, instance_id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.rollcall_node_lease
    ADD CONSTRAINT node_lease_of_host UNIQUE (host, place);

ALTER TABLE ONLY public.rollcall_openid_user
    ADD CONSTRAINT openid_user_once UNIQUE (issuer, subject);

ALTER TABLE ONLY public.rollcall_acknowledgement
    ADD CONSTRAINT rollcall_acknowledgement_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.rollcall_acl
    ADD CONSTRAINT rollcall_acl_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.rollcall_advice_decision
    ADD CONSTRAINT rollcall_advice_decision_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.rollcall_api_token
    ADD CONSTRAINT rollcall_api_token_digest_key UNIQUE (digest);

ALTER TABLE ONLY public.rollcall_api_token
    ADD CONSTRAINT rollcall_api_token_name_key UNIQUE (name);

ALTER TABLE ONLY public.rollcall_api_token
    ADD CONSTRAINT rollcall_api_token_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.rollcall_application_grant
    ADD CONSTRAINT rollcall_application_grant_pkey PRIMARY KEY (login, prefix);

ALTER TABLE ONLY public.rollcall_attention_rule
    ADD CONSTRAINT rollcall_attention_rule_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.rollcall_audit
    ADD CONSTRAINT rollcall_audit_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.rollcall_beat_lease
    ADD CONSTRAINT rollcall_beat_lease_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.rollcall_command
    ADD CONSTRAINT rollcall_command_pkey PRIMARY KEY (group_id, member_id, command_id);

ALTER TABLE ONLY public.rollcall_connection
    ADD CONSTRAINT rollcall_connection_pkey PRIMARY KEY (node_id, number);

ALTER TABLE ONLY public.rollcall_connections_noted
    ADD CONSTRAINT rollcall_connections_noted_pkey PRIMARY KEY (node_id);

ALTER TABLE ONLY public.rollcall_credential
    ADD CONSTRAINT rollcall_credential_pkey PRIMARY KEY (name, mechanism);

ALTER TABLE ONLY public.rollcall_drain
    ADD CONSTRAINT rollcall_drain_pkey PRIMARY KEY (node_id);

ALTER TABLE ONLY public.rollcall_era
    ADD CONSTRAINT rollcall_era_pkey PRIMARY KEY (era);

ALTER TABLE ONLY public.rollcall_facts_floor
    ADD CONSTRAINT rollcall_facts_floor_pkey PRIMARY KEY (table_name);

ALTER TABLE ONLY public.rollcall_first_password
    ADD CONSTRAINT rollcall_first_password_pkey PRIMARY KEY (user_id);

ALTER TABLE ONLY public.rollcall_fleet_hour
    ADD CONSTRAINT rollcall_fleet_hour_pkey PRIMARY KEY (hour);

ALTER TABLE ONLY public.rollcall_follower
    ADD CONSTRAINT rollcall_follower_pkey PRIMARY KEY (group_id, member_id);

ALTER TABLE ONLY public.rollcall_group_config
    ADD CONSTRAINT rollcall_group_config_pkey PRIMARY KEY (group_id, name);

ALTER TABLE ONLY public.rollcall_group_counts
    ADD CONSTRAINT rollcall_group_counts_pkey PRIMARY KEY (group_id);

ALTER TABLE ONLY public.rollcall_group
    ADD CONSTRAINT rollcall_group_pkey PRIMARY KEY (group_id);

ALTER TABLE ONLY public.rollcall_journal
    ADD CONSTRAINT rollcall_journal_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.rollcall_life_open
    ADD CONSTRAINT rollcall_life_open_pkey PRIMARY KEY (life);

ALTER TABLE ONLY public.rollcall_liveness
    ADD CONSTRAINT rollcall_liveness_pkey PRIMARY KEY (group_id, member_id);

ALTER TABLE ONLY public.rollcall_mark
    ADD CONSTRAINT rollcall_mark_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.rollcall_member
    ADD CONSTRAINT rollcall_member_pkey PRIMARY KEY (group_id, member_id);

ALTER TABLE ONLY public.rollcall_node_lease
    ADD CONSTRAINT rollcall_node_lease_pkey PRIMARY KEY (node_id);

ALTER TABLE ONLY public.rollcall_node_minute
    ADD CONSTRAINT rollcall_node_minute_pkey PRIMARY KEY (at, node_id);

ALTER TABLE ONLY public.rollcall_node
    ADD CONSTRAINT rollcall_node_pkey PRIMARY KEY (node_id);

ALTER TABLE ONLY public.rollcall_node_settings
    ADD CONSTRAINT rollcall_node_settings_pkey PRIMARY KEY (node_id);

ALTER TABLE ONLY public.rollcall_noted_offsets
    ADD CONSTRAINT rollcall_noted_offsets_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.rollcall_offset
    ADD CONSTRAINT rollcall_offset_pkey PRIMARY KEY (group_id, topic, partition);

ALTER TABLE ONLY public.rollcall_openid_user
    ADD CONSTRAINT rollcall_openid_user_pkey PRIMARY KEY (user_id);

ALTER TABLE ONLY public.rollcall_operation
    ADD CONSTRAINT rollcall_operation_idempotency_key_key UNIQUE (idempotency_key);

ALTER TABLE ONLY public.rollcall_operation
    ADD CONSTRAINT rollcall_operation_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.rollcall_ownership_open
    ADD CONSTRAINT rollcall_ownership_open_pkey PRIMARY KEY (life, topic, from_at);

ALTER TABLE ONLY public.rollcall_pause
    ADD CONSTRAINT rollcall_pause_pkey PRIMARY KEY (group_id, scope, name);

ALTER TABLE ONLY public.rollcall_pending_offset
    ADD CONSTRAINT rollcall_pending_offset_pkey PRIMARY KEY (producer_id, group_id, topic, partition);

ALTER TABLE ONLY public.rollcall_producer
    ADD CONSTRAINT rollcall_producer_pkey PRIMARY KEY (transactional_id);

ALTER TABLE ONLY public.rollcall_producer
    ADD CONSTRAINT rollcall_producer_producer_id_key UNIQUE (producer_id);

ALTER TABLE ONLY public.rollcall_progress_done
    ADD CONSTRAINT rollcall_progress_done_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.rollcall_quota
    ADD CONSTRAINT rollcall_quota_pkey PRIMARY KEY (entity_type, user_name, client_id, ip, key);

ALTER TABLE ONLY public.rollcall_report_row
    ADD CONSTRAINT rollcall_report_row_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.rollcall_report_run
    ADD CONSTRAINT rollcall_report_run_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.rollcall_saved_view
    ADD CONSTRAINT rollcall_saved_view_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.rollcall_slot
    ADD CONSTRAINT rollcall_slot_pkey PRIMARY KEY (slot);

ALTER TABLE ONLY public.rollcall_sweep
    ADD CONSTRAINT rollcall_sweep_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.rollcall_timeline
    ADD CONSTRAINT rollcall_timeline_pkey PRIMARY KEY (one);

ALTER TABLE ONLY public.rollcall_topic
    ADD CONSTRAINT rollcall_topic_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.rollcall_topic
    ADD CONSTRAINT rollcall_topic_topic_id_key UNIQUE (topic_id);

ALTER TABLE ONLY public.rollcall_txn_group
    ADD CONSTRAINT rollcall_txn_group_pkey PRIMARY KEY (transactional_id, group_id);

ALTER TABLE ONLY public.rollcall_waiting
    ADD CONSTRAINT rollcall_waiting_pkey PRIMARY KEY (group_id);

ALTER TABLE ONLY public.rollcall_watch
    ADD CONSTRAINT rollcall_watch_pkey PRIMARY KEY (slot);

ALTER TABLE ONLY public.rollcall_webhook_cursor
    ADD CONSTRAINT rollcall_webhook_cursor_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.rollcall_webhook_delivery
    ADD CONSTRAINT rollcall_webhook_delivery_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.rollcall_webhook
    ADD CONSTRAINT rollcall_webhook_name_key UNIQUE (name);

ALTER TABLE ONLY public.rollcall_webhook
    ADD CONSTRAINT rollcall_webhook_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.rollcall_webhook_secret
    ADD CONSTRAINT rollcall_webhook_secret_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.rollcall_saved_view
    ADD CONSTRAINT saved_view_of_a_name UNIQUE (user_id, name);

CREATE INDEX audit_by_kind ON public.rollcall_audit USING btree (kind, id DESC);

CREATE INDEX audit_by_outcome ON public.rollcall_audit USING btree (outcome, id DESC);

CREATE INDEX audit_by_time ON public.rollcall_audit USING btree (at);

CREATE INDEX audit_by_who ON public.rollcall_audit USING btree (who, id DESC);

CREATE INDEX delivery_due ON public.rollcall_webhook_delivery USING btree (webhook_id, next_at, id) WHERE (state = 'pending'::text);

CREATE INDEX delivery_of_webhook ON public.rollcall_webhook_delivery USING btree (webhook_id, id DESC);

CREATE INDEX facts_packed_of_group ON ONLY public.rollcall_facts_packed USING btree (of_group, table_name, began);

CREATE INDEX group_by_slot ON public.rollcall_group USING btree (slot);

CREATE INDEX group_config_by_slot ON public.rollcall_group_config USING btree (slot);

CREATE INDEX group_config_ends ON public.rollcall_group_config USING btree (until) WHERE (until IS NOT NULL);

CREATE INDEX journal_in_order ON public.rollcall_journal USING brin (xid);

CREATE INDEX journal_of_group ON public.rollcall_journal USING btree (group_id, id DESC);

CREATE INDEX journal_of_topic ON public.rollcall_journal USING btree (((details ->> 'topic'::text)), id DESC) WHERE (kind ~~ 'topic-%'::text);

CREATE INDEX journal_rebalances ON public.rollcall_journal USING btree (group_id, id DESC) WHERE (kind = 'rebalance-completed'::text);

CREATE INDEX life_in_order ON ONLY public.rollcall_life USING brin (xid);

CREATE INDEX life_of_group ON ONLY public.rollcall_life USING btree (group_id, joined_at) WHERE (left_at IS NOT NULL);

CREATE UNIQUE INDEX life_open_of_member ON public.rollcall_life_open USING btree (group_id, member_id);

CREATE INDEX liveness_by_deadline ON public.rollcall_liveness USING btree (deadline_at);

CREATE INDEX mark_of_group ON public.rollcall_mark USING btree (group_id, at);

CREATE INDEX offset_by_partition ON public.rollcall_offset USING btree (topic, partition);

CREATE INDEX offset_history_of_group ON ONLY public.rollcall_offset_history USING btree (group_id, at);

CREATE UNIQUE INDEX one_silence ON public.rollcall_attention_rule USING btree (rule, is_prefix, name) WHERE (threshold IS NULL);

CREATE UNIQUE INDEX one_threshold ON public.rollcall_attention_rule USING btree (rule, is_prefix, name) WHERE (threshold IS NOT NULL);

CREATE INDEX operation_finished ON public.rollcall_operation USING btree (finished_at) WHERE (finished_at IS NOT NULL);

CREATE INDEX operation_of_group ON public.rollcall_operation USING btree (group_id, id DESC);

CREATE INDEX operation_pending ON public.rollcall_operation USING btree (slot) WHERE (state = 'pending'::text);

CREATE INDEX ownership_in_order ON ONLY public.rollcall_ownership USING brin (xid);

CREATE INDEX ownership_of_group ON ONLY public.rollcall_ownership USING btree (group_id, from_at) WHERE (until_at IS NOT NULL);

CREATE INDEX pause_by_slot ON public.rollcall_pause USING btree (slot);

CREATE INDEX pending_by_topic ON public.rollcall_pending_offset USING btree (topic);

CREATE INDEX pending_of_group ON public.rollcall_pending_offset USING btree (group_id, topic, partition);

CREATE INDEX producer_by_age ON public.rollcall_producer USING btree (updated_at) WHERE (state <> 'Ongoing'::text);

CREATE INDEX producer_by_slot ON public.rollcall_producer USING btree (slot);

CREATE INDEX producer_ongoing ON public.rollcall_producer USING btree (slot) WHERE (state = 'Ongoing'::text);

CREATE INDEX progress_in_order ON ONLY public.rollcall_progress USING brin (xid);

CREATE INDEX progress_of_group ON ONLY public.rollcall_progress USING btree (group_id, hour);

CREATE INDEX report_rows ON public.rollcall_report_row USING btree (run_id, report, period);

CREATE INDEX rollcall_api_token_digest_4afa45d2_like ON public.rollcall_api_token USING btree (digest varchar_pattern_ops);

CREATE INDEX rollcall_api_token_name_e3799f4d_like ON public.rollcall_api_token USING btree (name varchar_pattern_ops);

CREATE INDEX rollcall_api_token_user_id_6741e78d ON public.rollcall_api_token USING btree (user_id);

CREATE INDEX rollcall_group_counts_group_id_82eefb0e_like ON public.rollcall_group_counts USING btree (group_id text_pattern_ops);

CREATE INDEX rollcall_group_group_id_bb302ce1_like ON public.rollcall_group USING btree (group_id text_pattern_ops);

CREATE INDEX rollcall_member_group_id_048faef8 ON public.rollcall_member USING btree (group_id);

CREATE INDEX rollcall_member_group_id_048faef8_like ON public.rollcall_member USING btree (group_id text_pattern_ops);

CREATE INDEX rollcall_operation_idempotency_key_460fde44_like ON public.rollcall_operation USING btree (idempotency_key text_pattern_ops);

CREATE INDEX rollcall_saved_view_user_id_9ffc640f ON public.rollcall_saved_view USING btree (user_id);

CREATE INDEX rollcall_sweep_name_6ce9e61d_like ON public.rollcall_sweep USING btree (name text_pattern_ops);

CREATE INDEX rollcall_topic_name_563f2597_like ON public.rollcall_topic USING btree (name text_pattern_ops);

CREATE INDEX rollcall_waiting_group_id_84e9fd96_like ON public.rollcall_waiting USING btree (group_id text_pattern_ops);

CREATE INDEX rollcall_webhook_cursor_name_3f647f55_like ON public.rollcall_webhook_cursor USING btree (name text_pattern_ops);

CREATE INDEX rollcall_webhook_name_9c33e114_like ON public.rollcall_webhook USING btree (name varchar_pattern_ops);

CREATE INDEX rollcall_webhook_secret_webhook_id_790b8ff3 ON public.rollcall_webhook_secret USING btree (webhook_id);

CREATE INDEX round_in_order ON ONLY public.rollcall_round USING brin (xid);

CREATE INDEX round_of_group ON ONLY public.rollcall_round USING btree (group_id, ended_at);

CREATE INDEX silence_in_order ON ONLY public.rollcall_silence USING brin (xid);

CREATE INDEX silence_of_group ON ONLY public.rollcall_silence USING btree (group_id, hour);

CREATE TRIGGER rollcall_audit AFTER INSERT OR DELETE OR UPDATE ON public.auth_group FOR EACH ROW EXECUTE FUNCTION public.rollcall_audit_row('role', 'name', '', '');

CREATE TRIGGER rollcall_audit AFTER INSERT OR DELETE OR UPDATE ON public.auth_group_permissions FOR EACH ROW EXECUTE FUNCTION public.rollcall_audit_row('permission-of-role', 'group_id', '', '');

CREATE TRIGGER rollcall_audit AFTER INSERT OR DELETE OR UPDATE ON public.auth_user FOR EACH ROW EXECUTE FUNCTION public.rollcall_audit_row('user', 'username', 'password', 'last_login');

CREATE TRIGGER rollcall_audit AFTER INSERT OR DELETE OR UPDATE ON public.auth_user_groups FOR EACH ROW EXECUTE FUNCTION public.rollcall_audit_row('role-of-user', 'user_id', '', '');

CREATE TRIGGER rollcall_audit AFTER INSERT OR DELETE OR UPDATE ON public.auth_user_user_permissions FOR EACH ROW EXECUTE FUNCTION public.rollcall_audit_row('permission-of-user', 'user_id', '', '');

CREATE TRIGGER rollcall_audit AFTER INSERT OR DELETE OR UPDATE ON public.django_celery_beat_crontabschedule FOR EACH ROW EXECUTE FUNCTION public.rollcall_audit_row('crontab', 'id', '', '');

CREATE TRIGGER rollcall_audit AFTER INSERT OR DELETE OR UPDATE ON public.django_celery_beat_intervalschedule FOR EACH ROW EXECUTE FUNCTION public.rollcall_audit_row('interval', 'id', '', '');

CREATE TRIGGER rollcall_audit AFTER INSERT OR DELETE OR UPDATE ON public.django_celery_beat_periodictask FOR EACH ROW EXECUTE FUNCTION public.rollcall_audit_row('schedule', 'name', '', 'last_run_at,total_run_count,date_changed');

CREATE TRIGGER rollcall_audit AFTER INSERT OR DELETE OR UPDATE ON public.otp_static_staticdevice FOR EACH ROW EXECUTE FUNCTION public.rollcall_audit_row('recovery-codes', 'user_id', '', 'throttling_failure_count,throttling_failure_timestamp,last_used_at');

CREATE TRIGGER rollcall_audit AFTER INSERT OR DELETE OR UPDATE ON public.otp_totp_totpdevice FOR EACH ROW EXECUTE FUNCTION public.rollcall_audit_row('second-factor', 'user_id', 'key', 'throttling_failure_count,throttling_failure_timestamp,last_used_at,last_t,drift');

CREATE TRIGGER rollcall_audit AFTER INSERT OR DELETE OR UPDATE ON public.rollcall_acknowledgement FOR EACH ROW EXECUTE FUNCTION public.rollcall_audit_row('acknowledgement', 'rule', '', '');

CREATE TRIGGER rollcall_audit AFTER INSERT OR DELETE OR UPDATE ON public.rollcall_advice_decision FOR EACH ROW EXECUTE FUNCTION public.rollcall_audit_row('advice', 'rule', '', '');

CREATE TRIGGER rollcall_audit AFTER INSERT OR DELETE OR UPDATE ON public.rollcall_api_token FOR EACH ROW EXECUTE FUNCTION public.rollcall_audit_row('token', 'name', 'digest,session_hash', 'used_at');

CREATE TRIGGER rollcall_audit AFTER INSERT OR DELETE OR UPDATE ON public.rollcall_application_grant FOR EACH ROW EXECUTE FUNCTION public.rollcall_audit_row('grant', 'login', '', '');

CREATE TRIGGER rollcall_audit AFTER INSERT OR DELETE OR UPDATE ON public.rollcall_attention_rule FOR EACH ROW EXECUTE FUNCTION public.rollcall_audit_row('attention-rule', 'rule', '', '');

CREATE TRIGGER rollcall_audit AFTER INSERT OR DELETE OR UPDATE ON public.rollcall_credential FOR EACH ROW EXECUTE FUNCTION public.rollcall_audit_row('credential', 'name', 'salt,stored_key,server_key', 'updated_at');

CREATE TRIGGER rollcall_audit AFTER INSERT ON public.rollcall_journal FOR EACH ROW WHEN ((new.details ? 'author'::text)) EXECUTE FUNCTION public.rollcall_audit_journal();

CREATE TRIGGER rollcall_audit AFTER INSERT OR DELETE OR UPDATE ON public.rollcall_mark FOR EACH ROW EXECUTE FUNCTION public.rollcall_audit_row('mark', 'text', '', '');

CREATE TRIGGER rollcall_audit AFTER INSERT OR DELETE OR UPDATE ON public.rollcall_openid_user FOR EACH ROW EXECUTE FUNCTION public.rollcall_audit_row('provider-of-user', 'user_id', '', '');

CREATE TRIGGER rollcall_audit AFTER INSERT ON public.rollcall_operation FOR EACH ROW WHEN ((new.verb <> 'expire-offsets'::text)) EXECUTE FUNCTION public.rollcall_audit_operation();

CREATE TRIGGER rollcall_audit AFTER INSERT OR DELETE OR UPDATE ON public.rollcall_webhook FOR EACH ROW EXECUTE FUNCTION public.rollcall_audit_row('webhook', 'name', 'url', 'failures,failing_since,not_before,delivered_at');

CREATE TRIGGER rollcall_audit AFTER INSERT OR DELETE OR UPDATE ON public.rollcall_webhook_secret FOR EACH ROW EXECUTE FUNCTION public.rollcall_audit_row('webhook-secret', 'webhook_id', 'secret', '');

CREATE TRIGGER rollcall_audit_delete AFTER DELETE ON public.rollcall_acl REFERENCING OLD TABLE AS old_table FOR EACH STATEMENT EXECUTE FUNCTION public.rollcall_audit_changed('acl', 'name,resource_type,pattern,principal,host,operation,permission');

CREATE TRIGGER rollcall_audit_delete AFTER DELETE ON public.rollcall_quota REFERENCING OLD TABLE AS old_table FOR EACH STATEMENT EXECUTE FUNCTION public.rollcall_audit_changed('quota', 'user_name,entity_type,client_id,ip,key');

CREATE TRIGGER rollcall_audit_insert AFTER INSERT ON public.rollcall_acl REFERENCING NEW TABLE AS new_table FOR EACH STATEMENT EXECUTE FUNCTION public.rollcall_audit_changed('acl', 'name,resource_type,pattern,principal,host,operation,permission');

CREATE TRIGGER rollcall_audit_insert AFTER INSERT ON public.rollcall_quota REFERENCING NEW TABLE AS new_table FOR EACH STATEMENT EXECUTE FUNCTION public.rollcall_audit_changed('quota', 'user_name,entity_type,client_id,ip,key');

CREATE TRIGGER rollcall_audit_refuse BEFORE DELETE OR UPDATE OR TRUNCATE ON public.rollcall_audit FOR EACH STATEMENT EXECUTE FUNCTION public.rollcall_audit_refuse();

CREATE TRIGGER rollcall_audit_stamp BEFORE INSERT ON public.rollcall_audit FOR EACH ROW EXECUTE FUNCTION public.rollcall_audit_stamp();

CREATE TRIGGER rollcall_audit_truncate AFTER TRUNCATE ON public.rollcall_acl FOR EACH STATEMENT EXECUTE FUNCTION public.rollcall_audit_changed('acl', 'name,resource_type,pattern,principal,host,operation,permission');

CREATE TRIGGER rollcall_audit_truncate AFTER TRUNCATE ON public.rollcall_application_grant FOR EACH STATEMENT EXECUTE FUNCTION public.rollcall_audit_changed('grant', 'login');

CREATE TRIGGER rollcall_audit_truncate AFTER TRUNCATE ON public.rollcall_credential FOR EACH STATEMENT EXECUTE FUNCTION public.rollcall_audit_changed('credential', 'name');

CREATE TRIGGER rollcall_audit_truncate AFTER TRUNCATE ON public.rollcall_quota FOR EACH STATEMENT EXECUTE FUNCTION public.rollcall_audit_changed('quota', 'user_name,entity_type,client_id,ip,key');

CREATE TRIGGER rollcall_audit_update AFTER UPDATE ON public.rollcall_acl REFERENCING OLD TABLE AS old_table NEW TABLE AS new_table FOR EACH STATEMENT EXECUTE FUNCTION public.rollcall_audit_changed('acl', 'name,resource_type,pattern,principal,host,operation,permission');

CREATE TRIGGER rollcall_audit_update AFTER UPDATE ON public.rollcall_quota REFERENCING OLD TABLE AS old_table NEW TABLE AS new_table FOR EACH STATEMENT EXECUTE FUNCTION public.rollcall_audit_changed('quota', 'user_name,entity_type,client_id,ip,key');

CREATE TRIGGER rollcall_mark_noted AFTER INSERT ON public.rollcall_mark FOR EACH ROW EXECUTE FUNCTION public.rollcall_note_mark();

CREATE CONSTRAINT TRIGGER rollcall_settle_offsets AFTER INSERT ON public.rollcall_noted_offsets DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.rollcall_settle_offsets();

CREATE TRIGGER rollcall_timeline_here BEFORE UPDATE ON public.rollcall_timeline FOR EACH ROW EXECUTE FUNCTION public.rollcall_timeline_here();

CREATE TRIGGER timeline_jumps AFTER INSERT OR UPDATE OF jump ON public.rollcall_timeline FOR EACH ROW EXECUTE FUNCTION public.rollcall_next_era();

ALTER TABLE ONLY public.rollcall_webhook_delivery
    ADD CONSTRAINT delivery_of_webhook FOREIGN KEY (webhook_id) REFERENCES public.rollcall_webhook(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.rollcall_api_token
    ADD CONSTRAINT rollcall_api_token_user_id_6741e78d_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.rollcall_first_password
    ADD CONSTRAINT rollcall_first_password_user_id_3b8e49c9_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.rollcall_member
    ADD CONSTRAINT rollcall_member_group_id_048faef8_fk_rollcall_group_group_id FOREIGN KEY (group_id) REFERENCES public.rollcall_group(group_id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.rollcall_openid_user
    ADD CONSTRAINT rollcall_openid_user_user_id_c20a809e_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.rollcall_saved_view
    ADD CONSTRAINT rollcall_saved_view_user_id_9ffc640f_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.rollcall_webhook_secret
    ADD CONSTRAINT secret_of_webhook FOREIGN KEY (webhook_id) REFERENCES public.rollcall_webhook(id) ON DELETE CASCADE;
