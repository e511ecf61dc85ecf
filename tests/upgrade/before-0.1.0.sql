--
-- PostgreSQL database dump
--


-- Dumped from database version 18.4
-- Dumped by pg_dump version 18.4

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET transaction_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: pgmq; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA pgmq;


--
-- Name: message_record; Type: TYPE; Schema: pgmq; Owner: -
--

CREATE TYPE pgmq.message_record AS (
	msg_id bigint,
	read_ct integer,
	enqueued_at timestamp with time zone,
	last_read_at timestamp with time zone,
	vt timestamp with time zone,
	message jsonb,
	headers jsonb
);


--
-- Name: metrics_result; Type: TYPE; Schema: pgmq; Owner: -
--

CREATE TYPE pgmq.metrics_result AS (
	queue_name text,
	queue_length bigint,
	newest_msg_age_sec integer,
	oldest_msg_age_sec integer,
	total_messages bigint,
	scrape_time timestamp with time zone,
	queue_visible_length bigint,
	default_partition_length bigint
);


--
-- Name: queue_record; Type: TYPE; Schema: pgmq; Owner: -
--

CREATE TYPE pgmq.queue_record AS (
	queue_name character varying,
	is_partitioned boolean,
	is_unlogged boolean,
	created_at timestamp with time zone
);


--
-- Name: _belongs_to_pgmq(text); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq._belongs_to_pgmq(table_name text) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
DECLARE
    sql TEXT;
    result BOOLEAN;
BEGIN
  SELECT EXISTS (
    SELECT 1
    FROM pg_depend
    WHERE refobjid = (SELECT oid FROM pg_extension WHERE extname = 'pgmq')
    AND objid = (
        SELECT oid
        FROM pg_class
        WHERE relname = table_name
    )
  ) INTO result;
  RETURN result;
END;
$$;


--
-- Name: _create_fifo_index_if_not_exists(text); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq._create_fifo_index_if_not_exists(queue_name text) RETURNS void
    LANGUAGE plpgsql
    AS $_$
DECLARE
    qtable TEXT := pgmq.format_table_name(queue_name, 'q');
    index_name TEXT := qtable || '_fifo_idx';
BEGIN
    -- Create GIN index on headers for efficient FIFO key lookups
    EXECUTE FORMAT(
        $QUERY$
        CREATE INDEX IF NOT EXISTS %I ON pgmq.%I USING GIN (headers);
        $QUERY$,
        index_name, qtable
    );
END;
$_$;


--
-- Name: _ensure_pg_partman_installed(); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq._ensure_pg_partman_installed() RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF NOT pgmq._extension_exists('pg_partman') THEN
    RAISE EXCEPTION 'pg_partman is required for partitioned queues';
  END IF;
END;
$$;


--
-- Name: _extension_exists(text); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq._extension_exists(extension_name text) RETURNS boolean
    LANGUAGE sql
    AS $$
SELECT EXISTS (
    SELECT 1
    FROM pg_extension
    WHERE extname = extension_name
)
$$;


--
-- Name: _get_partition_col(text); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq._get_partition_col(partition_interval text) RETURNS text
    LANGUAGE plpgsql
    AS $$
DECLARE
  num INTEGER;
BEGIN
    BEGIN
        num := partition_interval::INTEGER;
        RETURN 'msg_id';
    EXCEPTION
        WHEN others THEN
            RETURN 'enqueued_at';
    END;
END;
$$;


--
-- Name: _get_pg_partman_major_version(); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq._get_pg_partman_major_version() RETURNS integer
    LANGUAGE sql
    AS $$
  SELECT split_part(extversion, '.', 1)::INT
  FROM pg_extension
  WHERE extname = 'pg_partman'
$$;


--
-- Name: _get_pg_partman_schema(); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq._get_pg_partman_schema() RETURNS text
    LANGUAGE sql
    AS $$
  SELECT
    extnamespace::regnamespace::text
  FROM
    pg_extension
  WHERE
    extname = 'pg_partman';
$$;


--
-- Name: _send_batch(text, jsonb[], jsonb[], timestamp with time zone); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq._send_batch(queue_name text, msgs jsonb[], headers jsonb[], delay timestamp with time zone) RETURNS SETOF bigint
    LANGUAGE plpgsql
    AS $_$
DECLARE
    sql TEXT;
    qtable TEXT := pgmq.format_table_name(queue_name, 'q');
BEGIN
    sql := FORMAT(
            $QUERY$
        INSERT INTO pgmq.%I (vt, message, headers)
        SELECT $2, unnest($1), unnest(coalesce($3, ARRAY[]::jsonb[]))
        RETURNING msg_id;
        $QUERY$,
            qtable
           );
    RETURN QUERY EXECUTE sql USING msgs, delay, headers;
END;
$_$;


--
-- Name: _validate_batch_params(jsonb[], jsonb[]); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq._validate_batch_params(msgs jsonb[], headers jsonb[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    -- Validate that msgs is not NULL or empty
    IF msgs IS NULL OR array_length(msgs, 1) IS NULL THEN
        RAISE EXCEPTION 'msgs cannot be NULL or empty';
    END IF;

    -- Validate that headers array length matches msgs array length if headers is provided
    -- Note: array_length returns NULL for empty arrays, so we use COALESCE to treat empty arrays as length 0
    IF headers IS NOT NULL AND COALESCE(array_length(headers, 1), 0) != COALESCE(array_length(msgs, 1), 0) THEN
        RAISE EXCEPTION 'headers array length (%) must match msgs array length (%)',
            COALESCE(array_length(headers, 1), 0), COALESCE(array_length(msgs, 1), 0);
    END IF;
END;
$$;


--
-- Name: acquire_queue_lock(text); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.acquire_queue_lock(queue_name text) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('pgmq.queue_' || queue_name));
END;
$$;


--
-- Name: archive(text, bigint[]); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.archive(queue_name text, msg_ids bigint[]) RETURNS SETOF bigint
    LANGUAGE plpgsql
    AS $_$
DECLARE
    sql TEXT;
    qtable TEXT := pgmq.format_table_name(queue_name, 'q');
    atable TEXT := pgmq.format_table_name(queue_name, 'a');
BEGIN
    sql := FORMAT(
        $QUERY$
        WITH archived AS (
            DELETE FROM pgmq.%I
            WHERE msg_id = ANY($1)
            RETURNING msg_id, vt, read_ct, enqueued_at, last_read_at, message, headers
        )
        INSERT INTO pgmq.%I (msg_id, vt, read_ct, enqueued_at, last_read_at, message, headers)
        SELECT msg_id, vt, read_ct, enqueued_at, last_read_at, message, headers
        FROM archived
        RETURNING msg_id;
        $QUERY$,
        qtable, atable
    );
    RETURN QUERY EXECUTE sql USING msg_ids;
END;
$_$;


--
-- Name: archive(text, bigint); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.archive(queue_name text, msg_id bigint) RETURNS boolean
    LANGUAGE plpgsql
    AS $_$
DECLARE
    sql TEXT;
    result BIGINT;
    qtable TEXT := pgmq.format_table_name(queue_name, 'q');
    atable TEXT := pgmq.format_table_name(queue_name, 'a');
BEGIN
    sql := FORMAT(
        $QUERY$
        WITH archived AS (
            DELETE FROM pgmq.%I
            WHERE msg_id = $1
            RETURNING msg_id, vt, read_ct, enqueued_at, last_read_at, message, headers
        )
        INSERT INTO pgmq.%I (msg_id, vt, read_ct, enqueued_at, last_read_at, message, headers)
        SELECT msg_id, vt, read_ct, enqueued_at, last_read_at, message, headers
        FROM archived
        RETURNING msg_id;
        $QUERY$,
        qtable, atable
    );
    EXECUTE sql USING msg_id INTO result;
    RETURN NOT (result IS NULL);
END;
$_$;


--
-- Name: bind_topic(text, text); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.bind_topic(pattern text, queue_name text) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM pgmq.validate_topic_pattern(pattern);
    IF queue_name IS NULL OR queue_name = '' THEN
        RAISE EXCEPTION 'queue_name cannot be NULL or empty';
    END IF;

    IF NOT EXISTS (SELECT 1 FROM pgmq.meta WHERE meta.queue_name = bind_topic.queue_name) THEN
        RAISE EXCEPTION 'Queue "%" does not exist. Create the queue first using pgmq.create()', queue_name;
    END IF;

    INSERT INTO pgmq.topic_bindings (pattern, queue_name)
    VALUES (pattern, queue_name)
    ON CONFLICT ON CONSTRAINT topic_bindings_unique_pattern_queue DO NOTHING;
END;
$$;


--
-- Name: convert_archive_partitioned(text, text, text, integer); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.convert_archive_partitioned(table_name text, partition_interval text DEFAULT '10000'::text, retention_interval text DEFAULT '100000'::text, leading_partition integer DEFAULT 10) RETURNS void
    LANGUAGE plpgsql
    AS $_$
DECLARE
  a_table_name TEXT := pgmq.format_table_name(table_name, 'a');
  a_table_name_old TEXT := pgmq.format_table_name(table_name, 'a') || '_old';
  qualified_a_table_name TEXT := format('pgmq.%I', a_table_name);
  partition_col TEXT;
  a_partition_col TEXT;
BEGIN

  PERFORM c.relkind
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relname = a_table_name
    AND c.relkind = 'p';

  IF FOUND THEN
    RAISE NOTICE 'Table %s is already partitioned', a_table_name;
    RETURN;
  END IF;

  PERFORM c.relkind
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relname = a_table_name
    AND c.relkind = 'r';

  IF NOT FOUND THEN
    RAISE NOTICE 'Table %s does not exists', a_table_name;
    RETURN;
  END IF;

  SELECT pgmq._get_partition_col(partition_interval) INTO partition_col;

  -- For archive tables, use archived_at for time-based partitioning
  IF partition_col = 'enqueued_at' THEN
    a_partition_col := 'archived_at';
  ELSE
    a_partition_col := partition_col;
  END IF;

  EXECUTE 'ALTER TABLE ' || qualified_a_table_name || ' RENAME TO ' || a_table_name_old;

  -- When partitioning by time (archived_at), we need to exclude constraints and indexes
  -- because the existing PRIMARY KEY on msg_id alone is incompatible with partitioning by archived_at.
  -- When partitioning by msg_id, we can keep all constraints including PRIMARY KEY.
  IF a_partition_col = 'archived_at' THEN
    EXECUTE format( 'CREATE TABLE pgmq.%I (LIKE pgmq.%I including defaults including generated including storage including comments) PARTITION BY RANGE (%I)', a_table_name, a_table_name_old, a_partition_col );
  ELSE
    EXECUTE format( 'CREATE TABLE pgmq.%I (LIKE pgmq.%I including all) PARTITION BY RANGE (%I)', a_table_name, a_table_name_old, a_partition_col );
  END IF;

  EXECUTE 'ALTER INDEX pgmq.archived_at_idx_' || table_name || ' RENAME TO archived_at_idx_' || table_name || '_old';
  EXECUTE 'CREATE INDEX archived_at_idx_'|| table_name || ' ON ' || qualified_a_table_name ||'(archived_at)';

  -- https://github.com/pgpartman/pg_partman/blob/master/doc/pg_partman.md
  -- p_parent_table - the existing parent table. MUST be schema qualified, even if in public schema.
  EXECUTE FORMAT(
    $QUERY$
    SELECT %I.create_parent(
      p_parent_table := %L,
      p_control := %L,
      p_interval := %L,
      p_type := case
        when pgmq._get_pg_partman_major_version() = 5 then 'range'
        else 'native'
      end
    )
    $QUERY$,
    pgmq._get_pg_partman_schema(),
    qualified_a_table_name,
    a_partition_col,
    partition_interval
  );

  EXECUTE FORMAT(
    $QUERY$
    UPDATE %I.part_config
    SET
      retention = %L,
      retention_keep_table = false,
      retention_keep_index = false,
      infinite_time_partitions = true
    WHERE
      parent_table = %L;
    $QUERY$,
    pgmq._get_pg_partman_schema(),
    retention_interval,
    qualified_a_table_name
  );
END;
$_$;


--
-- Name: create(text); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq."create"(queue_name text) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM pgmq.create_non_partitioned(queue_name);
END;
$$;


--
-- Name: create_fifo_index(text); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.create_fifo_index(queue_name text) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM pgmq._create_fifo_index_if_not_exists(queue_name);
END;
$$;


--
-- Name: create_fifo_indexes_all(); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.create_fifo_indexes_all() RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    queue_record RECORD;
BEGIN
    FOR queue_record IN SELECT queue_name FROM pgmq.meta LOOP
        PERFORM pgmq.create_fifo_index(queue_record.queue_name);
    END LOOP;
END;
$$;


--
-- Name: create_non_partitioned(text); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.create_non_partitioned(queue_name text) RETURNS void
    LANGUAGE plpgsql
    AS $_$
DECLARE
  qtable TEXT := pgmq.format_table_name(queue_name, 'q');
  qtable_seq TEXT := qtable || '_msg_id_seq';
  atable TEXT := pgmq.format_table_name(queue_name, 'a');
BEGIN
  PERFORM pgmq.validate_queue_name(queue_name);
  PERFORM pgmq.acquire_queue_lock(queue_name);

  EXECUTE FORMAT(
    $QUERY$
    CREATE TABLE IF NOT EXISTS pgmq.%I (
        msg_id BIGINT PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
        read_ct INT DEFAULT 0 NOT NULL,
        enqueued_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
        last_read_at TIMESTAMP WITH TIME ZONE,
        vt TIMESTAMP WITH TIME ZONE NOT NULL,
        message JSONB,
        headers JSONB
    )
    $QUERY$,
    qtable
  );

  EXECUTE FORMAT(
    $QUERY$
    CREATE TABLE IF NOT EXISTS pgmq.%I (
      msg_id BIGINT PRIMARY KEY,
      read_ct INT DEFAULT 0 NOT NULL,
      enqueued_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
      last_read_at TIMESTAMP WITH TIME ZONE,
      archived_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
      vt TIMESTAMP WITH TIME ZONE NOT NULL,
      message JSONB,
      headers JSONB
    );
    $QUERY$,
    atable
  );

  EXECUTE FORMAT(
    $QUERY$
    CREATE INDEX IF NOT EXISTS %I ON pgmq.%I (vt ASC);
    $QUERY$,
    qtable || '_vt_idx', qtable
  );

  EXECUTE FORMAT(
    $QUERY$
    CREATE INDEX IF NOT EXISTS %I ON pgmq.%I (archived_at);
    $QUERY$,
    'archived_at_idx_' || queue_name, atable
  );

  EXECUTE FORMAT(
    $QUERY$
    INSERT INTO pgmq.meta (queue_name, is_partitioned, is_unlogged)
    VALUES (%L, false, false)
    ON CONFLICT
    DO NOTHING;
    $QUERY$,
    queue_name
  );

END;
$_$;


--
-- Name: create_partitioned(text, text, text, integer); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.create_partitioned(queue_name text, partition_interval text DEFAULT '10000'::text, retention_interval text DEFAULT '100000'::text, premake integer DEFAULT 4) RETURNS void
    LANGUAGE plpgsql
    AS $_$
DECLARE
  partition_col TEXT;
  a_partition_col TEXT;
  qtable TEXT := pgmq.format_table_name(queue_name, 'q');
  qtable_seq TEXT := qtable || '_msg_id_seq';
  atable TEXT := pgmq.format_table_name(queue_name, 'a');
  fq_qtable TEXT := 'pgmq.' || qtable;
  fq_atable TEXT := 'pgmq.' || atable;
BEGIN
  PERFORM pgmq.validate_queue_name(queue_name);
  PERFORM pgmq.acquire_queue_lock(queue_name);
  PERFORM pgmq._ensure_pg_partman_installed();
  IF premake < 1 THEN
    RAISE EXCEPTION 'premake must be at least 1, got %', premake;
  END IF;
  SELECT pgmq._get_partition_col(partition_interval) INTO partition_col;

  EXECUTE FORMAT(
    $QUERY$
    CREATE TABLE IF NOT EXISTS pgmq.%I (
        msg_id BIGINT GENERATED BY DEFAULT AS IDENTITY,
        read_ct INT DEFAULT 0 NOT NULL,
        enqueued_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
        last_read_at TIMESTAMP WITH TIME ZONE,
        vt TIMESTAMP WITH TIME ZONE NOT NULL,
        message JSONB,
        headers JSONB
    ) PARTITION BY RANGE (%I)
    $QUERY$,
    qtable, partition_col
  );

  -- https://github.com/pgpartman/pg_partman/blob/master/doc/pg_partman.md
  -- p_parent_table - the existing parent table. MUST be schema qualified, even if in public schema.
  EXECUTE FORMAT(
    $QUERY$
    SELECT %I.create_parent(
      p_parent_table := %L,
      p_control := %L,
      p_interval := %L,
      p_premake := %s,
      p_type := case
        when pgmq._get_pg_partman_major_version() = 5 then 'range'
        else 'native'
      end
    )
    $QUERY$,
    pgmq._get_pg_partman_schema(),
    fq_qtable,
    partition_col,
    partition_interval,
    premake
  );

  EXECUTE FORMAT(
    $QUERY$
    CREATE INDEX IF NOT EXISTS %I ON pgmq.%I (%I);
    $QUERY$,
    qtable || '_part_idx', qtable, partition_col
  );

  EXECUTE FORMAT(
    $QUERY$
    UPDATE %I.part_config
    SET
        retention = %L,
        retention_keep_table = false,
        retention_keep_index = true,
        automatic_maintenance = 'on'
    WHERE parent_table = %L;
    $QUERY$,
    pgmq._get_pg_partman_schema(),
    retention_interval,
    'pgmq.' || qtable
  );

  EXECUTE FORMAT(
    $QUERY$
    INSERT INTO pgmq.meta (queue_name, is_partitioned, is_unlogged)
    VALUES (%L, true, false)
    ON CONFLICT
    DO NOTHING;
    $QUERY$,
    queue_name
  );

  IF partition_col = 'enqueued_at' THEN
    a_partition_col := 'archived_at';
  ELSE
    a_partition_col := partition_col;
  END IF;

  EXECUTE FORMAT(
    $QUERY$
    CREATE TABLE IF NOT EXISTS pgmq.%I (
      msg_id BIGINT NOT NULL,
      read_ct INT DEFAULT 0 NOT NULL,
      enqueued_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
      last_read_at TIMESTAMP WITH TIME ZONE,
      archived_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
      vt TIMESTAMP WITH TIME ZONE NOT NULL,
      message JSONB,
      headers JSONB
    ) PARTITION BY RANGE (%I);
    $QUERY$,
    atable, a_partition_col
  );

  -- https://github.com/pgpartman/pg_partman/blob/master/doc/pg_partman.md
  -- p_parent_table - the existing parent table. MUST be schema qualified, even if in public schema.
  EXECUTE FORMAT(
    $QUERY$
    SELECT %I.create_parent(
      p_parent_table := %L,
      p_control := %L,
      p_interval := %L,
      p_premake := %s,
      p_type := case
        when pgmq._get_pg_partman_major_version() = 5 then 'range'
        else 'native'
      end
    )
    $QUERY$,
    pgmq._get_pg_partman_schema(),
    fq_atable,
    a_partition_col,
    partition_interval,
    premake
  );

  EXECUTE FORMAT(
    $QUERY$
    UPDATE %I.part_config
    SET
        retention = %L,
        retention_keep_table = false,
        retention_keep_index = true,
        automatic_maintenance = 'on'
    WHERE parent_table = %L;
    $QUERY$,
    pgmq._get_pg_partman_schema(),
    retention_interval,
    'pgmq.' || atable
  );

  EXECUTE FORMAT(
    $QUERY$
    CREATE INDEX IF NOT EXISTS %I ON pgmq.%I (archived_at);
    $QUERY$,
    'archived_at_idx_' || queue_name, atable
  );

END;
$_$;


--
-- Name: create_unlogged(text); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.create_unlogged(queue_name text) RETURNS void
    LANGUAGE plpgsql
    AS $_$
DECLARE
  qtable TEXT := pgmq.format_table_name(queue_name, 'q');
  qtable_seq TEXT := qtable || '_msg_id_seq';
  atable TEXT := pgmq.format_table_name(queue_name, 'a');
BEGIN
  PERFORM pgmq.validate_queue_name(queue_name);
  PERFORM pgmq.acquire_queue_lock(queue_name);

  EXECUTE FORMAT(
    $QUERY$
    CREATE UNLOGGED TABLE IF NOT EXISTS pgmq.%I (
        msg_id BIGINT PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
        read_ct INT DEFAULT 0 NOT NULL,
        enqueued_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
        last_read_at TIMESTAMP WITH TIME ZONE,
        vt TIMESTAMP WITH TIME ZONE NOT NULL,
        message JSONB,
        headers JSONB
    )
    $QUERY$,
    qtable
  );

  EXECUTE FORMAT(
    $QUERY$
    CREATE TABLE IF NOT EXISTS pgmq.%I (
      msg_id BIGINT PRIMARY KEY,
      read_ct INT DEFAULT 0 NOT NULL,
      enqueued_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
      last_read_at TIMESTAMP WITH TIME ZONE,
      archived_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
      vt TIMESTAMP WITH TIME ZONE NOT NULL,
      message JSONB,
      headers JSONB
    );
    $QUERY$,
    atable
  );

  EXECUTE FORMAT(
    $QUERY$
    CREATE INDEX IF NOT EXISTS %I ON pgmq.%I (vt ASC);
    $QUERY$,
    qtable || '_vt_idx', qtable
  );

  EXECUTE FORMAT(
    $QUERY$
    CREATE INDEX IF NOT EXISTS %I ON pgmq.%I (archived_at);
    $QUERY$,
    'archived_at_idx_' || queue_name, atable
  );

  EXECUTE FORMAT(
    $QUERY$
    INSERT INTO pgmq.meta (queue_name, is_partitioned, is_unlogged)
    VALUES (%L, false, true)
    ON CONFLICT
    DO NOTHING;
    $QUERY$,
    queue_name
  );
END;
$_$;


--
-- Name: delete(text, bigint[]); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.delete(queue_name text, msg_ids bigint[]) RETURNS SETOF bigint
    LANGUAGE plpgsql
    AS $_$
DECLARE
    sql TEXT;
    qtable TEXT := pgmq.format_table_name(queue_name, 'q');
BEGIN
    sql := FORMAT(
        $QUERY$
        DELETE FROM pgmq.%I
        WHERE msg_id = ANY($1)
        RETURNING msg_id
        $QUERY$,
        qtable
    );
    RETURN QUERY EXECUTE sql USING msg_ids;
END;
$_$;


--
-- Name: delete(text, bigint); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.delete(queue_name text, msg_id bigint) RETURNS boolean
    LANGUAGE plpgsql
    AS $_$
DECLARE
    sql TEXT;
    result BIGINT;
    qtable TEXT := pgmq.format_table_name(queue_name, 'q');
BEGIN
    sql := FORMAT(
        $QUERY$
        DELETE FROM pgmq.%I
        WHERE msg_id = $1
        RETURNING msg_id
        $QUERY$,
        qtable
    );
    EXECUTE sql USING msg_id INTO result;
    RETURN NOT (result IS NULL);
END;
$_$;


--
-- Name: detach_archive(text); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.detach_archive(queue_name text) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
  atable TEXT := pgmq.format_table_name(queue_name, 'a');
BEGIN
  RAISE WARNING 'detach_archive(queue_name) is deprecated and is a no-op. It will be removed in PGMQ v2.0. Archive tables are no longer member objects.';
END
$$;


--
-- Name: disable_notify_insert(text); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.disable_notify_insert(queue_name text) RETURNS void
    LANGUAGE plpgsql
    AS $_$
DECLARE
  qtable TEXT := pgmq.format_table_name(queue_name, 'q');
  v_queue_name TEXT := queue_name;
BEGIN
  EXECUTE FORMAT(
    $QUERY$
    DROP TRIGGER IF EXISTS trigger_notify_queue_insert_listeners ON pgmq.%I;
    $QUERY$,
    qtable
  );

  DELETE FROM pgmq.notify_insert_throttle nit WHERE nit.queue_name = v_queue_name;
END;
$_$;


--
-- Name: drop_queue(text); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.drop_queue(queue_name text) RETURNS boolean
    LANGUAGE plpgsql
    AS $_$
DECLARE
    qtable TEXT := pgmq.format_table_name(queue_name, 'q');
    qtable_seq TEXT := qtable || '_msg_id_seq';
    fq_qtable TEXT := 'pgmq.' || qtable;
    atable TEXT := pgmq.format_table_name(queue_name, 'a');
    fq_atable TEXT := 'pgmq.' || atable;
    partitioned BOOLEAN;
BEGIN
    PERFORM pgmq.acquire_queue_lock(queue_name);
    EXECUTE FORMAT(
        $QUERY$
        SELECT is_partitioned FROM pgmq.meta WHERE queue_name = %L
        $QUERY$,
        queue_name
    ) INTO partitioned;

    -- check if the queue exists
    IF NOT EXISTS (
        SELECT 1
        FROM information_schema.tables
        WHERE table_name = qtable and table_schema = 'pgmq'
    ) THEN
        RAISE NOTICE 'pgmq queue `%` does not exist', queue_name;
        RETURN FALSE;
    END IF;

    EXECUTE FORMAT(
        $QUERY$
        DROP TABLE IF EXISTS pgmq.%I
        $QUERY$,
        qtable
    );

    EXECUTE FORMAT(
        $QUERY$
        DROP TABLE IF EXISTS pgmq.%I
        $QUERY$,
        atable
    );

     IF EXISTS (
          SELECT 1
          FROM information_schema.tables
          WHERE table_name = 'meta' and table_schema = 'pgmq'
     ) THEN
        EXECUTE FORMAT(
            $QUERY$
            DELETE FROM pgmq.meta WHERE queue_name = %L
            $QUERY$,
            queue_name
        );
     END IF;

     IF partitioned THEN
        EXECUTE FORMAT(
          $QUERY$
          DELETE FROM %I.part_config where parent_table in (%L, %L)
          $QUERY$,
          pgmq._get_pg_partman_schema(), fq_qtable, fq_atable
        );
     END IF;

    RETURN TRUE;
END;
$_$;


--
-- Name: drop_queue(text, boolean); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.drop_queue(queue_name text, partitioned boolean) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
DECLARE
    qtable TEXT := pgmq.format_table_name(queue_name, 'q');
    fq_qtable TEXT := 'pgmq.' || qtable;
    atable TEXT := pgmq.format_table_name(queue_name, 'a');
    fq_atable TEXT := 'pgmq.' || atable;
BEGIN
    RAISE WARNING 'drop_queue(queue_name, partitioned) is deprecated and will be removed in PGMQ v2.0. Use drop_queue(queue_name) instead';

    PERFORM pgmq.drop_queue(queue_name);

    RETURN TRUE;
END;
$$;


--
-- Name: enable_notify_insert(text, integer); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.enable_notify_insert(queue_name text, throttle_interval_ms integer DEFAULT 250) RETURNS void
    LANGUAGE plpgsql
    AS $_$
DECLARE
  qtable TEXT := pgmq.format_table_name(queue_name, 'q');
  v_queue_name TEXT := queue_name;
  v_throttle_interval_ms INTEGER := throttle_interval_ms;
BEGIN
  -- Validate that throttle_interval_ms is non-negative
  IF v_throttle_interval_ms < 0 THEN
    RAISE EXCEPTION 'throttle_interval_ms must be non-negative';
  END IF;

  -- Validate that the queue table exists
  IF NOT EXISTS (SELECT 1 FROM information_schema.tables WHERE table_schema = 'pgmq' AND table_name = qtable) THEN
    RAISE EXCEPTION 'Queue "%" does not exist. Create it first using pgmq.create()', v_queue_name;
  END IF;

  PERFORM pgmq.disable_notify_insert(v_queue_name);

  INSERT INTO pgmq.notify_insert_throttle (queue_name, throttle_interval_ms)
  VALUES (v_queue_name, v_throttle_interval_ms)
  ON CONFLICT ON CONSTRAINT notify_insert_throttle_queue_name_key DO UPDATE
      SET throttle_interval_ms = EXCLUDED.throttle_interval_ms,
          last_notified_at = to_timestamp(0);

  EXECUTE FORMAT(
    $QUERY$
    CREATE CONSTRAINT TRIGGER trigger_notify_queue_insert_listeners
    AFTER INSERT ON pgmq.%I
    DEFERRABLE FOR EACH ROW
    EXECUTE PROCEDURE pgmq.notify_queue_listeners()
    $QUERY$,
    qtable
  );
END;
$_$;


--
-- Name: format_table_name(text, text); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.format_table_name(queue_name text, prefix text) RETURNS text
    LANGUAGE plpgsql
    AS $_$
BEGIN
    IF queue_name ~ '\$|;|--|'''
    THEN
        RAISE EXCEPTION 'queue name contains invalid characters: $, ;, --, or \''';
    END IF;
    RETURN lower(prefix || '_' || queue_name);
END;
$_$;


--
-- Name: list_notify_insert_throttles(); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.list_notify_insert_throttles() RETURNS TABLE(queue_name text, throttle_interval_ms integer, last_notified_at timestamp with time zone)
    LANGUAGE sql STABLE
    AS $$
    SELECT queue_name, throttle_interval_ms, last_notified_at
    FROM pgmq.notify_insert_throttle
    ORDER BY queue_name;
$$;


--
-- Name: list_queues(); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.list_queues() RETURNS SETOF pgmq.queue_record
    LANGUAGE plpgsql
    AS $$
BEGIN
  RETURN QUERY SELECT * FROM pgmq.meta;
END
$$;


--
-- Name: list_topic_bindings(); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.list_topic_bindings() RETURNS TABLE(pattern text, queue_name text, bound_at timestamp with time zone, compiled_regex text)
    LANGUAGE sql STABLE
    AS $$
    SELECT pattern, queue_name, bound_at, compiled_regex
    FROM pgmq.topic_bindings
    ORDER BY bound_at DESC, pattern, queue_name;
$$;


--
-- Name: list_topic_bindings(text); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.list_topic_bindings(queue_name text) RETURNS TABLE(pattern text, queue_name text, bound_at timestamp with time zone, compiled_regex text)
    LANGUAGE sql STABLE
    AS $$
    SELECT pattern, tb.queue_name, bound_at, compiled_regex
    FROM pgmq.topic_bindings tb
    WHERE tb.queue_name = list_topic_bindings.queue_name
    ORDER BY bound_at DESC, pattern;
$$;


--
-- Name: metrics(text); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.metrics(queue_name text) RETURNS pgmq.metrics_result
    LANGUAGE plpgsql
    AS $_$
DECLARE
    result_row pgmq.metrics_result;
    query TEXT;
    qtable TEXT := pgmq.format_table_name(queue_name, 'q');
    q_default_partition TEXT := qtable || '_default';
    a_default_partition TEXT := pgmq.format_table_name(queue_name, 'a') || '_default';
    default_partition_length BIGINT;
BEGIN
    -- Only partitioned queues have default partitions. Messages in them have no
    -- partition of their own, which means pg_partman maintenance is failing for
    -- this queue; a non-zero value here is the signal to act on. The planner's
    -- estimate is used so that a large spill does not slow down every scrape.
    IF to_regclass(FORMAT('pgmq.%I', q_default_partition)) IS NOT NULL THEN
        SELECT COALESCE(SUM(GREATEST(c.reltuples, 0))::bigint, 0)
        INTO default_partition_length
        FROM pg_class c
        WHERE c.oid IN (
            to_regclass(FORMAT('pgmq.%I', q_default_partition)),
            to_regclass(FORMAT('pgmq.%I', a_default_partition))
        );
    END IF;

    query := FORMAT(
        $QUERY$
        WITH q_summary AS (
            SELECT
                count(*) as queue_length,
                count(CASE WHEN vt <= NOW() THEN 1 END) as queue_visible_length,
                EXTRACT(epoch FROM (NOW() - max(enqueued_at)))::int as newest_msg_age_sec,
                EXTRACT(epoch FROM (NOW() - min(enqueued_at)))::int as oldest_msg_age_sec,
                NOW() as scrape_time
            FROM pgmq.%I
        ),
        all_metrics AS (
            SELECT CASE
                WHEN is_called THEN last_value ELSE 0
                END as total_messages
            FROM pgmq.%I
        )
        SELECT
            %L as queue_name,
            q_summary.queue_length,
            q_summary.newest_msg_age_sec,
            q_summary.oldest_msg_age_sec,
            all_metrics.total_messages,
            q_summary.scrape_time,
            q_summary.queue_visible_length,
            %L::bigint as default_partition_length
        FROM q_summary, all_metrics
        $QUERY$,
        qtable, qtable || '_msg_id_seq', queue_name, default_partition_length
    );
    EXECUTE query INTO result_row;
    RETURN result_row;
END;
$_$;


--
-- Name: metrics_all(); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.metrics_all() RETURNS SETOF pgmq.metrics_result
    LANGUAGE plpgsql
    AS $$
DECLARE
    row_name RECORD;
    result_row pgmq.metrics_result;
BEGIN
    FOR row_name IN SELECT queue_name FROM pgmq.meta LOOP
        result_row := pgmq.metrics(row_name.queue_name);
        RETURN NEXT result_row;
    END LOOP;
END;
$$;


--
-- Name: notify_queue_listeners(); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.notify_queue_listeners() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
  queue_name_extracted TEXT; -- Queue name extracted from trigger table name
  updated_count        INTEGER; -- Number of rows updated (0 or 1)
BEGIN
  queue_name_extracted := substring(TG_TABLE_NAME from 3);

  UPDATE pgmq.notify_insert_throttle
  SET last_notified_at = clock_timestamp()
  WHERE queue_name = queue_name_extracted
    AND (
      throttle_interval_ms = 0 -- No throttling configured
          OR clock_timestamp() - last_notified_at >=
             (throttle_interval_ms * INTERVAL '1 millisecond') -- Throttle interval has elapsed
    );

  -- Check how many rows were updated (will be 0 or 1)
  GET DIAGNOSTICS updated_count = ROW_COUNT;

  IF updated_count > 0 THEN
    PERFORM PG_NOTIFY('pgmq.' || TG_TABLE_NAME || '.' || TG_OP, NULL);
  END IF;

RETURN NEW;
END;
$$;


--
-- Name: pop(text, integer); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.pop(queue_name text, qty integer DEFAULT 1) RETURNS SETOF pgmq.message_record
    LANGUAGE plpgsql
    AS $_$
DECLARE
    sql TEXT;
    result pgmq.message_record;
    qtable TEXT := pgmq.format_table_name(queue_name, 'q');
BEGIN
    sql := FORMAT(
        $QUERY$
        WITH cte AS
            (
                SELECT msg_id
                FROM pgmq.%I
                WHERE vt <= clock_timestamp()
                ORDER BY msg_id ASC
                LIMIT $1
                FOR UPDATE SKIP LOCKED
            )
        DELETE from pgmq.%I
        WHERE msg_id IN (select msg_id from cte)
        RETURNING msg_id, read_ct, enqueued_at, last_read_at, vt, message, headers;
        $QUERY$,
        qtable, qtable
    );
    RETURN QUERY EXECUTE sql USING qty;
END;
$_$;


--
-- Name: purge_queue(text); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.purge_queue(queue_name text) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
DECLARE
  deleted_count INTEGER;
  qtable TEXT := pgmq.format_table_name(queue_name, 'q');
BEGIN
  -- Get the row count before truncating
  EXECUTE format('SELECT count(*) FROM pgmq.%I', qtable) INTO deleted_count;

  -- Use TRUNCATE for better performance on large tables
  EXECUTE format('TRUNCATE TABLE pgmq.%I', qtable);

  -- Return the number of purged rows
  RETURN deleted_count;
END
$$;


--
-- Name: read(text, integer, integer, jsonb); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.read(queue_name text, vt integer, qty integer, conditional jsonb DEFAULT '{}'::jsonb) RETURNS SETOF pgmq.message_record
    LANGUAGE plpgsql
    AS $_$
DECLARE
    sql TEXT;
    qtable TEXT := pgmq.format_table_name(queue_name, 'q');
BEGIN
    sql := FORMAT(
        $QUERY$
        WITH cte AS
        (
            SELECT msg_id
            FROM pgmq.%I
            WHERE vt <= clock_timestamp() AND CASE
                WHEN %L != '{}'::jsonb THEN (message @> %2$L)::integer
                ELSE 1
            END = 1
            ORDER BY msg_id ASC
            LIMIT $1
            FOR UPDATE SKIP LOCKED
        )
        UPDATE pgmq.%I m
        SET
            last_read_at = clock_timestamp(),
            vt = clock_timestamp() + %L,
            read_ct = read_ct + 1
        FROM cte
        WHERE m.msg_id = cte.msg_id
        RETURNING m.msg_id, m.read_ct, m.enqueued_at, m.last_read_at, m.vt, m.message, m.headers;
        $QUERY$,
        qtable, conditional, qtable, make_interval(secs => vt)
    );
    RETURN QUERY EXECUTE sql USING qty;
END;
$_$;


--
-- Name: read_grouped(text, integer, integer); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.read_grouped(queue_name text, vt integer, qty integer) RETURNS SETOF pgmq.message_record
    LANGUAGE plpgsql
    AS $_$
DECLARE
    sql TEXT;
    qtable TEXT := pgmq.format_table_name(queue_name, 'q');
BEGIN
    sql := FORMAT(
        $QUERY$
        WITH fifo_groups AS (
            -- Find the minimum msg_id for each FIFO group that's ready to be processed
            SELECT
                COALESCE(headers->>'x-pgmq-group', '_default_fifo_group') as fifo_key,
                MIN(msg_id) as min_msg_id
            FROM pgmq.%I
            WHERE vt <= clock_timestamp()
            GROUP BY COALESCE(headers->>'x-pgmq-group', '_default_fifo_group')
        ),
        locked_groups AS (
            -- Lock the first available message in each FIFO group
            SELECT
                m.msg_id,
                fg.fifo_key
            FROM pgmq.%I m
            INNER JOIN fifo_groups fg ON
                COALESCE(m.headers->>'x-pgmq-group', '_default_fifo_group') = fg.fifo_key
                AND m.msg_id = fg.min_msg_id
            WHERE m.vt <= clock_timestamp()
            ORDER BY m.msg_id ASC
            FOR UPDATE SKIP LOCKED
        ),
        group_priorities AS (
            -- Assign priority to groups based on their oldest message
            SELECT
                fifo_key,
                msg_id as min_msg_id,
                ROW_NUMBER() OVER (ORDER BY msg_id) as group_priority
            FROM locked_groups
        ),
        filtered_groups as (
            SELECT * FROM group_priorities gp
            WHERE NOT EXISTS (
                -- Ensure no earlier message in this group is currently being processed
                SELECT 1
                FROM pgmq.%I m2
                WHERE COALESCE(m2.headers->>'x-pgmq-group', '_default_fifo_group') = gp.fifo_key
                AND m2.vt > clock_timestamp()
                AND m2.msg_id < gp.min_msg_id
            )
        ),
        available_messages as (
            SELECT gp.fifo_key, t.msg_id,gp.group_priority,
                ROW_NUMBER() OVER (PARTITION BY gp.fifo_key ORDER BY t.msg_id) as msg_rank_in_group
            FROM filtered_groups gp
            CROSS JOIN LATERAL (
                SELECT *
                FROM pgmq.%I t
                WHERE COALESCE(t.headers->>'x-pgmq-group', '_default_fifo_group') = gp.fifo_key
                AND t.vt <= clock_timestamp()
                ORDER BY msg_id
                LIMIT $1  -- tip to limit query impact, we know we need at most qty in each group
            ) t
            ORDER BY gp.group_priority
        ),
        batch_selection AS (
            -- Select messages to fill batch, prioritizing earliest group
            SELECT
                msg_id,
                ROW_NUMBER() OVER (ORDER BY group_priority, msg_rank_in_group) as overall_rank
            FROM available_messages
        ),
        selected_messages AS (
            -- Limit to requested quantity
            SELECT msg_id
            FROM batch_selection
            WHERE overall_rank <= $1
            ORDER BY msg_id
            FOR UPDATE SKIP LOCKED
        )
        UPDATE pgmq.%I m
        SET
            vt = clock_timestamp() + %L,
            read_ct = read_ct + 1,
            last_read_at = clock_timestamp()
        FROM selected_messages sm
        WHERE m.msg_id = sm.msg_id
        RETURNING m.msg_id, m.read_ct, m.enqueued_at, m.last_read_at, m.vt, m.message, m.headers;
        $QUERY$,
        qtable, qtable, qtable, qtable, qtable, make_interval(secs => vt)
    );
    RETURN QUERY EXECUTE sql USING qty;
END;
$_$;


--
-- Name: read_grouped_head(text, integer, integer); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.read_grouped_head(queue_name text, vt integer, qty integer) RETURNS SETOF pgmq.message_record
    LANGUAGE plpgsql
    AS $_$
DECLARE
    sql TEXT;
    qtable TEXT := pgmq.format_table_name(queue_name, 'q');
BEGIN
    sql := FORMAT(
        $QUERY$
        WITH fifo_groups AS (
            -- Determine the absolute head (oldest) message id per FIFO group, regardless of visibility
            SELECT
                COALESCE(headers->>'x-pgmq-group', '_default_fifo_group') AS fifo_key,
                MIN(msg_id) AS head_msg_id
            FROM pgmq.%1$I
            GROUP BY COALESCE(headers->>'x-pgmq-group', '_default_fifo_group')
        ),
        selected_messages AS (
            -- Take at most 1 message per group
            SELECT g.head_msg_id msg_id
            FROM fifo_groups g
            JOIN pgmq.%1$I q ON q.msg_id = g.head_msg_id
	        WHERE q.vt <= clock_timestamp()
            ORDER BY q.msg_id
            LIMIT $1
            FOR UPDATE SKIP LOCKED
        )
        UPDATE pgmq.%1$I m
        SET
            vt = clock_timestamp() + %2$L,
            read_ct = read_ct + 1,
            last_read_at = clock_timestamp()
        FROM selected_messages sm
        WHERE m.msg_id = sm.msg_id
        RETURNING m.msg_id, m.read_ct, m.enqueued_at, m.last_read_at, m.vt, m.message, m.headers;
        $QUERY$,
        qtable, make_interval(secs => vt)
    );
    RETURN QUERY EXECUTE sql USING qty;
END;
$_$;


--
-- Name: read_grouped_head_with_poll(text, integer, integer, integer, integer); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.read_grouped_head_with_poll(queue_name text, vt integer, qty integer, max_poll_seconds integer DEFAULT 5, poll_interval_ms integer DEFAULT 100) RETURNS SETOF pgmq.message_record
    LANGUAGE plpgsql
    AS $$
DECLARE
    r pgmq.message_record;
    stop_at TIMESTAMPTZ;
BEGIN
    stop_at := clock_timestamp() + make_interval(secs => max_poll_seconds);
    LOOP
      IF clock_timestamp() >= stop_at THEN
        RETURN;
      END IF;

      FOR r IN
        SELECT * FROM pgmq.read_grouped_head(queue_name, vt, qty)
      LOOP
        RETURN NEXT r;
      END LOOP;
      IF FOUND THEN
        RETURN;
      ELSE
        PERFORM pg_sleep(poll_interval_ms::numeric / 1000);
      END IF;
    END LOOP;
END;
$$;


--
-- Name: read_grouped_rr(text, integer, integer); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.read_grouped_rr(queue_name text, vt integer, qty integer) RETURNS SETOF pgmq.message_record
    LANGUAGE plpgsql
    AS $_$
DECLARE
    sql TEXT;
    qtable TEXT := pgmq.format_table_name(queue_name, 'q');
BEGIN
    sql := FORMAT(
        $QUERY$
        WITH fifo_groups AS (
            -- Determine the absolute head (oldest) message id per FIFO group, regardless of visibility
            SELECT
                COALESCE(headers->>'x-pgmq-group', '_default_fifo_group') AS fifo_key,
                MIN(msg_id) AS head_msg_id
            FROM pgmq.%1$I
            GROUP BY COALESCE(headers->>'x-pgmq-group', '_default_fifo_group')
        ),
        eligible_groups AS (
            -- Only groups whose head message is currently visible
            -- Acquire a transaction-level advisory lock per group to prevent concurrent selection
            SELECT
                g.fifo_key,
                g.head_msg_id,
                ROW_NUMBER() OVER (ORDER BY g.head_msg_id) AS group_priority
            FROM fifo_groups g
            JOIN pgmq.%2$I h ON h.msg_id = g.head_msg_id
            WHERE h.vt <= clock_timestamp()
              AND pg_try_advisory_xact_lock(pg_catalog.hashtextextended(g.fifo_key, 0))
        ),
        available_messages AS (
            -- All currently visible messages starting at the head for each eligible group
            SELECT
                m.msg_id,
                eg.group_priority,
                ROW_NUMBER() OVER (
                    PARTITION BY eg.fifo_key
                    ORDER BY m.msg_id
                ) AS msg_rank_in_group
            FROM pgmq.%3$I m
            JOIN eligible_groups eg
              ON COALESCE(m.headers->>'x-pgmq-group', '_default_fifo_group') = eg.fifo_key
            WHERE m.vt <= clock_timestamp()
              AND m.msg_id >= eg.head_msg_id
        ),
        ordered_messages AS (
            -- Layered round-robin: take rank 1 of all groups by group_priority, then rank 2, etc.
            -- Assign selection order before locking
            SELECT msg_id, ROW_NUMBER() OVER (ORDER BY msg_rank_in_group, group_priority) as selection_order
            FROM available_messages
        ),
        selected_messages AS (
            -- Lock the messages in the correct order, preserving selection_order
            SELECT om.msg_id, om.selection_order
            FROM ordered_messages om
            JOIN pgmq.%4$I m ON m.msg_id = om.msg_id
            WHERE om.selection_order <= $1
            ORDER BY om.selection_order
            FOR UPDATE OF m SKIP LOCKED
        ),
        updated_messages AS (
            UPDATE pgmq.%5$I m
            SET
                vt = clock_timestamp() + %6$L,
                read_ct = read_ct + 1,
                last_read_at = clock_timestamp()
            FROM selected_messages sm
            WHERE m.msg_id = sm.msg_id
              AND m.vt <= clock_timestamp() -- final guard to avoid duplicate reads under races
            RETURNING m.msg_id, m.read_ct, m.enqueued_at, m.last_read_at, m.vt, m.message, m.headers, sm.selection_order
        )
        SELECT msg_id, read_ct, enqueued_at, last_read_at, vt, message, headers
        FROM updated_messages
        ORDER BY selection_order;
        $QUERY$,
        qtable, qtable, qtable, qtable, qtable, make_interval(secs => vt)
    );
    RETURN QUERY EXECUTE sql USING qty;
END;
$_$;


--
-- Name: read_grouped_rr_with_poll(text, integer, integer, integer, integer); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.read_grouped_rr_with_poll(queue_name text, vt integer, qty integer, max_poll_seconds integer DEFAULT 5, poll_interval_ms integer DEFAULT 100) RETURNS SETOF pgmq.message_record
    LANGUAGE plpgsql
    AS $$
DECLARE
    r pgmq.message_record;
    stop_at TIMESTAMP;
BEGIN
    stop_at := clock_timestamp() + make_interval(secs => max_poll_seconds);
    LOOP
      IF (SELECT clock_timestamp() >= stop_at) THEN
        RETURN;
      END IF;

      FOR r IN
        SELECT * FROM pgmq.read_grouped_rr(queue_name, vt, qty)
      LOOP
        RETURN NEXT r;
      END LOOP;
      IF FOUND THEN
        RETURN;
      ELSE
        PERFORM pg_sleep(poll_interval_ms::numeric / 1000);
      END IF;
    END LOOP;
END;
$$;


--
-- Name: read_grouped_with_poll(text, integer, integer, integer, integer); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.read_grouped_with_poll(queue_name text, vt integer, qty integer, max_poll_seconds integer DEFAULT 5, poll_interval_ms integer DEFAULT 100) RETURNS SETOF pgmq.message_record
    LANGUAGE plpgsql
    AS $$
DECLARE
    r pgmq.message_record;
    stop_at TIMESTAMP;
BEGIN
    stop_at := clock_timestamp() + make_interval(secs => max_poll_seconds);
    LOOP
      IF (SELECT clock_timestamp() >= stop_at) THEN
        RETURN;
      END IF;

      FOR r IN
        SELECT * FROM pgmq.read_grouped(queue_name, vt, qty)
      LOOP
        RETURN NEXT r;
      END LOOP;
      IF FOUND THEN
        RETURN;
      ELSE
        PERFORM pg_sleep(poll_interval_ms::numeric / 1000);
      END IF;
    END LOOP;
END;
$$;


--
-- Name: read_with_poll(text, integer, integer, integer, integer, jsonb); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.read_with_poll(queue_name text, vt integer, qty integer, max_poll_seconds integer DEFAULT 5, poll_interval_ms integer DEFAULT 100, conditional jsonb DEFAULT '{}'::jsonb) RETURNS SETOF pgmq.message_record
    LANGUAGE plpgsql
    AS $_$
DECLARE
    r pgmq.message_record;
    stop_at TIMESTAMP;
    sql TEXT;
    qtable TEXT := pgmq.format_table_name(queue_name, 'q');
BEGIN
    stop_at := clock_timestamp() + make_interval(secs => max_poll_seconds);
    LOOP
      IF (SELECT clock_timestamp() >= stop_at) THEN
        RETURN;
      END IF;

      sql := FORMAT(
          $QUERY$
          WITH cte AS
          (
              SELECT msg_id
              FROM pgmq.%I
              WHERE vt <= clock_timestamp() AND CASE
                  WHEN %L != '{}'::jsonb THEN (message @> %2$L)::integer
                  ELSE 1
              END = 1
              ORDER BY msg_id ASC
              LIMIT $1
              FOR UPDATE SKIP LOCKED
          )
          UPDATE pgmq.%I m
          SET
              last_read_at = clock_timestamp(),
              vt = clock_timestamp() + %L,
              read_ct = read_ct + 1
          FROM cte
          WHERE m.msg_id = cte.msg_id
          RETURNING m.msg_id, m.read_ct, m.enqueued_at, m.last_read_at, m.vt, m.message, m.headers;
          $QUERY$,
          qtable, conditional, qtable, make_interval(secs => vt)
      );

      FOR r IN
        EXECUTE sql USING qty
      LOOP
        RETURN NEXT r;
      END LOOP;
      IF FOUND THEN
        RETURN;
      ELSE
        PERFORM pg_sleep(poll_interval_ms::numeric / 1000);
      END IF;
    END LOOP;
END;
$_$;


--
-- Name: send(text, jsonb); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.send(queue_name text, msg jsonb) RETURNS SETOF bigint
    LANGUAGE sql
    AS $$
    SELECT * FROM pgmq.send(queue_name, msg, NULL, clock_timestamp());
$$;


--
-- Name: send(text, jsonb, integer); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.send(queue_name text, msg jsonb, delay integer) RETURNS SETOF bigint
    LANGUAGE sql
    AS $$
    SELECT * FROM pgmq.send(queue_name, msg, NULL, clock_timestamp() + make_interval(secs => delay));
$$;


--
-- Name: send(text, jsonb, jsonb); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.send(queue_name text, msg jsonb, headers jsonb) RETURNS SETOF bigint
    LANGUAGE sql
    AS $$
    SELECT * FROM pgmq.send(queue_name, msg, headers, clock_timestamp());
$$;


--
-- Name: send(text, jsonb, timestamp with time zone); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.send(queue_name text, msg jsonb, delay timestamp with time zone) RETURNS SETOF bigint
    LANGUAGE sql
    AS $$
    SELECT * FROM pgmq.send(queue_name, msg, NULL, delay);
$$;


--
-- Name: send(text, jsonb, jsonb, integer); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.send(queue_name text, msg jsonb, headers jsonb, delay integer) RETURNS SETOF bigint
    LANGUAGE sql
    AS $$
    SELECT * FROM pgmq.send(queue_name, msg, headers, clock_timestamp() + make_interval(secs => delay));
$$;


--
-- Name: send(text, jsonb, jsonb, timestamp with time zone); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.send(queue_name text, msg jsonb, headers jsonb, delay timestamp with time zone) RETURNS SETOF bigint
    LANGUAGE plpgsql
    AS $_$
DECLARE
    sql TEXT;
    qtable TEXT := pgmq.format_table_name(queue_name, 'q');
BEGIN
    sql := FORMAT(
            $QUERY$
        INSERT INTO pgmq.%I (vt, message, headers)
        VALUES ($2, $1, $3)
        RETURNING msg_id;
        $QUERY$,
            qtable
           );
    RETURN QUERY EXECUTE sql USING msg, delay, headers;
END;
$_$;


--
-- Name: send_batch(text, jsonb[]); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.send_batch(queue_name text, msgs jsonb[]) RETURNS SETOF bigint
    LANGUAGE sql
    AS $$
    SELECT * FROM pgmq.send_batch(queue_name, msgs, NULL, clock_timestamp());
$$;


--
-- Name: send_batch(text, jsonb[], jsonb[]); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.send_batch(queue_name text, msgs jsonb[], headers jsonb[]) RETURNS SETOF bigint
    LANGUAGE sql
    AS $$
    SELECT * FROM pgmq.send_batch(queue_name, msgs, headers, clock_timestamp());
$$;


--
-- Name: send_batch(text, jsonb[], integer); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.send_batch(queue_name text, msgs jsonb[], delay integer) RETURNS SETOF bigint
    LANGUAGE sql
    AS $$
    SELECT * FROM pgmq.send_batch(queue_name, msgs, NULL, clock_timestamp() + make_interval(secs => delay));
$$;


--
-- Name: send_batch(text, jsonb[], timestamp with time zone); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.send_batch(queue_name text, msgs jsonb[], delay timestamp with time zone) RETURNS SETOF bigint
    LANGUAGE sql
    AS $$
    SELECT * FROM pgmq.send_batch(queue_name, msgs, NULL, delay);
$$;


--
-- Name: send_batch(text, jsonb[], jsonb[], integer); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.send_batch(queue_name text, msgs jsonb[], headers jsonb[], delay integer) RETURNS SETOF bigint
    LANGUAGE sql
    AS $$
    SELECT * FROM pgmq.send_batch(queue_name, msgs, headers, clock_timestamp() + make_interval(secs => delay));
$$;


--
-- Name: send_batch(text, jsonb[], jsonb[], timestamp with time zone); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.send_batch(queue_name text, msgs jsonb[], headers jsonb[], delay timestamp with time zone) RETURNS SETOF bigint
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM pgmq._validate_batch_params(msgs, headers);
    RETURN QUERY SELECT * FROM pgmq._send_batch(queue_name, msgs, headers, delay);
END;
$$;


--
-- Name: send_batch_topic(text, jsonb[]); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.send_batch_topic(routing_key text, msgs jsonb[]) RETURNS TABLE(queue_name text, msg_id bigint)
    LANGUAGE sql
    AS $$
    SELECT * FROM pgmq.send_batch_topic(routing_key, msgs, NULL, clock_timestamp());
$$;


--
-- Name: send_batch_topic(text, jsonb[], jsonb[]); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.send_batch_topic(routing_key text, msgs jsonb[], headers jsonb[]) RETURNS TABLE(queue_name text, msg_id bigint)
    LANGUAGE sql
    AS $$
    SELECT * FROM pgmq.send_batch_topic(routing_key, msgs, headers, clock_timestamp());
$$;


--
-- Name: send_batch_topic(text, jsonb[], integer); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.send_batch_topic(routing_key text, msgs jsonb[], delay integer) RETURNS TABLE(queue_name text, msg_id bigint)
    LANGUAGE sql
    AS $$
    SELECT * FROM pgmq.send_batch_topic(routing_key, msgs, NULL, clock_timestamp() + make_interval(secs => delay));
$$;


--
-- Name: send_batch_topic(text, jsonb[], timestamp with time zone); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.send_batch_topic(routing_key text, msgs jsonb[], delay timestamp with time zone) RETURNS TABLE(queue_name text, msg_id bigint)
    LANGUAGE sql
    AS $$
    SELECT * FROM pgmq.send_batch_topic(routing_key, msgs, NULL, delay);
$$;


--
-- Name: send_batch_topic(text, jsonb[], jsonb[], integer); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.send_batch_topic(routing_key text, msgs jsonb[], headers jsonb[], delay integer) RETURNS TABLE(queue_name text, msg_id bigint)
    LANGUAGE sql
    AS $$
    SELECT * FROM pgmq.send_batch_topic(routing_key, msgs, headers, clock_timestamp() + make_interval(secs => delay));
$$;


--
-- Name: send_batch_topic(text, jsonb[], jsonb[], timestamp with time zone); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.send_batch_topic(routing_key text, msgs jsonb[], headers jsonb[], delay timestamp with time zone) RETURNS TABLE(queue_name text, msg_id bigint)
    LANGUAGE plpgsql
    AS $$
DECLARE
    b RECORD;
BEGIN
    PERFORM pgmq.validate_routing_key(routing_key);

    -- Validate batch parameters once (not per queue)
    PERFORM pgmq._validate_batch_params(msgs, headers);

    -- Filter matching patterns in SQL for better performance (uses index)
    -- Any failure will rollback the entire transaction
    FOR b IN
        SELECT DISTINCT tb.queue_name
        FROM pgmq.topic_bindings tb
        WHERE routing_key ~ tb.compiled_regex
        ORDER BY tb.queue_name -- Deterministic ordering, deduplicated by queue_name
        LOOP
            -- Use private _send_batch to avoid redundant validation
            RETURN QUERY
            SELECT b.queue_name, batch_result.msg_id
            FROM pgmq._send_batch(b.queue_name, msgs, headers, delay) AS batch_result(msg_id);
        END LOOP;

    RETURN;
END;
$$;


--
-- Name: send_topic(text, jsonb); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.send_topic(routing_key text, msg jsonb) RETURNS integer
    LANGUAGE plpgsql
    AS $$
BEGIN
    RETURN pgmq.send_topic(routing_key, msg, NULL, 0);
END;
$$;


--
-- Name: send_topic(text, jsonb, integer); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.send_topic(routing_key text, msg jsonb, delay integer) RETURNS integer
    LANGUAGE plpgsql
    AS $$
BEGIN
    RETURN pgmq.send_topic(routing_key, msg, NULL, delay);
END;
$$;


--
-- Name: send_topic(text, jsonb, jsonb, integer); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.send_topic(routing_key text, msg jsonb, headers jsonb, delay integer) RETURNS integer
    LANGUAGE plpgsql
    AS $$
DECLARE
    b             RECORD;
    matched_count integer := 0;
BEGIN
    PERFORM pgmq.validate_routing_key(routing_key);

    IF msg IS NULL THEN
        RAISE EXCEPTION 'msg cannot be NULL';
    END IF;

    IF delay < 0 THEN
        RAISE EXCEPTION 'delay cannot be negative, got: %', delay;
    END IF;

    -- Filter matching patterns in SQL for better performance (uses index)
    -- Any failure will rollback the entire transaction
    FOR b IN
        SELECT DISTINCT tb.queue_name
        FROM pgmq.topic_bindings tb
        WHERE routing_key ~ tb.compiled_regex
        ORDER BY tb.queue_name -- Deterministic ordering, deduplicated by queue_name
        LOOP
            PERFORM pgmq.send(b.queue_name, msg, headers, delay);
            matched_count := matched_count + 1;
        END LOOP;

    RETURN matched_count;
END;
$$;


--
-- Name: set_vt(text, bigint[], integer); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.set_vt(queue_name text, msg_ids bigint[], vt integer) RETURNS SETOF pgmq.message_record
    LANGUAGE sql
    AS $$
    SELECT * FROM pgmq.set_vt(queue_name, msg_ids, clock_timestamp() + make_interval(secs => vt));
$$;


--
-- Name: set_vt(text, bigint[], timestamp with time zone); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.set_vt(queue_name text, msg_ids bigint[], vt timestamp with time zone) RETURNS SETOF pgmq.message_record
    LANGUAGE plpgsql
    AS $_$
DECLARE
    sql TEXT;
    qtable TEXT := pgmq.format_table_name(queue_name, 'q');
BEGIN
    sql := FORMAT(
        $QUERY$
        UPDATE pgmq.%I
        SET vt = $1
        WHERE msg_id = ANY($2)
        RETURNING msg_id, read_ct, enqueued_at, last_read_at, vt, message, headers;
        $QUERY$,
        qtable
    );
    RETURN QUERY EXECUTE sql USING vt, msg_ids;
END;
$_$;


--
-- Name: set_vt(text, bigint, integer); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.set_vt(queue_name text, msg_id bigint, vt integer) RETURNS SETOF pgmq.message_record
    LANGUAGE sql
    AS $$
    SELECT * FROM pgmq.set_vt(queue_name, msg_id, clock_timestamp() + make_interval(secs => vt));
$$;


--
-- Name: set_vt(text, bigint, timestamp with time zone); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.set_vt(queue_name text, msg_id bigint, vt timestamp with time zone) RETURNS SETOF pgmq.message_record
    LANGUAGE plpgsql
    AS $_$
DECLARE
    sql TEXT;
    result pgmq.message_record;
    qtable TEXT := pgmq.format_table_name(queue_name, 'q');
BEGIN
    sql := FORMAT(
        $QUERY$
        UPDATE pgmq.%I
        SET vt = $1
        WHERE msg_id = $2
        RETURNING msg_id, read_ct, enqueued_at, last_read_at, vt, message, headers;
        $QUERY$, 
        qtable
    );
    RETURN QUERY EXECUTE sql USING vt, msg_id;
END;
$_$;


--
-- Name: test_routing(text); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.test_routing(routing_key text) RETURNS TABLE(pattern text, queue_name text, compiled_regex text)
    LANGUAGE plpgsql STABLE
    AS $$
BEGIN
    PERFORM pgmq.validate_routing_key(routing_key);
    RETURN QUERY
        SELECT b.pattern,
               b.queue_name,
               b.compiled_regex
        FROM pgmq.topic_bindings b
        WHERE routing_key ~ b.compiled_regex
        ORDER BY b.pattern;
END;
$$;


--
-- Name: unbind_topic(text, text); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.unbind_topic(pattern text, queue_name text) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
DECLARE
    rows_deleted integer;
BEGIN
    IF pattern IS NULL OR pattern = '' THEN
        RAISE EXCEPTION 'pattern cannot be NULL or empty';
    END IF;

    IF queue_name IS NULL OR queue_name = '' THEN
        RAISE EXCEPTION 'queue_name cannot be NULL or empty';
    END IF;

    DELETE
    FROM pgmq.topic_bindings
    WHERE topic_bindings.pattern = unbind_topic.pattern
      AND topic_bindings.queue_name = unbind_topic.queue_name;

    GET DIAGNOSTICS rows_deleted = ROW_COUNT;

    IF rows_deleted > 0 THEN
        RETURN true;
    ELSE
        RETURN false;
    END IF;
END;
$$;


--
-- Name: update_notify_insert(text, integer); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.update_notify_insert(queue_name text, throttle_interval_ms integer) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF throttle_interval_ms < 0 THEN
        RAISE EXCEPTION 'throttle_interval_ms must be non-negative, got: %', throttle_interval_ms;
    END IF;

    IF NOT EXISTS (SELECT 1 FROM pgmq.meta WHERE meta.queue_name = update_notify_insert.queue_name) THEN
        RAISE EXCEPTION 'Queue "%" does not exist. Create the queue first using pgmq.create()', queue_name;
    END IF;

    IF NOT EXISTS (SELECT 1 FROM pgmq.notify_insert_throttle WHERE notify_insert_throttle.queue_name = update_notify_insert.queue_name) THEN
        RAISE EXCEPTION 'Queue "%" does not have notify_insert enabled. Enable it first using pgmq.enable_notify_insert()', queue_name;
    END IF;

    UPDATE pgmq.notify_insert_throttle
    SET throttle_interval_ms = update_notify_insert.throttle_interval_ms,
        last_notified_at = to_timestamp(0)
    WHERE notify_insert_throttle.queue_name = update_notify_insert.queue_name;
END;
$$;


--
-- Name: validate_queue_name(text); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.validate_queue_name(queue_name text) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF length(queue_name) > 47 THEN
    -- complete table identifier must be <= 63
    -- https://www.postgresql.org/docs/17/sql-syntax-lexical.html#SQL-SYNTAX-IDENTIFIERS
    -- e.g. template_pgmq_q_my_queue is an identifier for my_queue when partitioned
    -- template_pgmq_q_ (16) + <a max length queue name> (47) = 63 
    RAISE EXCEPTION 'queue name is too long, maximum length is 47 characters';
  END IF;
END;
$$;


--
-- Name: validate_routing_key(text); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.validate_routing_key(routing_key text) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE
    AS $_$
BEGIN
    -- Valid routing key examples:
    --   "logs.error"
    --   "app.user-service.auth"
    --   "system_events.db.connection_failed"
    --
    -- Invalid routing key examples:
    --   ""                     - empty
    --   ".logs.error"          - starts with dot
    --   "logs.error."          - ends with dot
    --   "logs..error"          - consecutive dots
    --   "logs.error!"          - invalid character
    --   "logs error"           - space not allowed
    --   "logs.*"               - wildcards not allowed in routing keys

    IF routing_key IS NULL OR routing_key = '' THEN
        RAISE EXCEPTION 'routing_key cannot be NULL or empty';
    END IF;

    IF length(routing_key) > 255 THEN
        RAISE EXCEPTION 'routing_key length cannot exceed 255 characters, got % characters', length(routing_key);
    END IF;

    IF routing_key !~ '^[a-zA-Z0-9._-]+$' THEN
        RAISE EXCEPTION 'routing_key contains invalid characters. Only alphanumeric, dots, hyphens, and underscores are allowed. Got: %', routing_key;
    END IF;

    IF routing_key ~ '^\.' THEN
        RAISE EXCEPTION 'routing_key cannot start with a dot. Got: %', routing_key;
    END IF;

    IF routing_key ~ '\.$' THEN
        RAISE EXCEPTION 'routing_key cannot end with a dot. Got: %', routing_key;
    END IF;

    IF routing_key ~ '\.\.' THEN
        RAISE EXCEPTION 'routing_key cannot contain consecutive dots. Got: %', routing_key;
    END IF;

    RETURN true;
END;
$_$;


--
-- Name: validate_topic_pattern(text); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.validate_topic_pattern(pattern text) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE
    AS $_$
BEGIN
    -- Valid pattern examples:
    --   "logs.*"           - matches one segment after logs. (e.g., logs.error, logs.info)
    --   "logs.#"           - matches one or more segments after logs. (e.g., logs.error, logs.api.error)
    --   "*.error"          - matches one segment before .error (e.g., app.error, db.error)
    --   "#.error"          - matches one or more segments before .error (e.g., app.error, x.y.error)
    --   "app.*.#"          - mixed wildcards (one segment then one or more)
    --   "#"                - catch-all pattern, matches any routing key
    --
    -- Invalid pattern examples:
    --   ".logs.*"          - starts with dot
    --   "logs.*."          - ends with dot
    --   "logs..error"      - consecutive dots
    --   "logs.**"          - consecutive stars
    --   "logs.##"          - consecutive hashes
    --   "logs.*#"          - adjacent wildcards
    --   "logs.error!"      - invalid character

    IF pattern IS NULL OR pattern = '' THEN
        RAISE EXCEPTION 'pattern cannot be NULL or empty';
    END IF;

    IF length(pattern) > 255 THEN
        RAISE EXCEPTION 'pattern length cannot exceed 255 characters, got % characters', length(pattern);
    END IF;

    IF pattern !~ '^[a-zA-Z0-9._\-*#]+$' THEN
        RAISE EXCEPTION 'pattern contains invalid characters. Only alphanumeric, dots, hyphens, underscores, *, and # are allowed. Got: %', pattern;
    END IF;

    IF pattern ~ '^\.' THEN
        RAISE EXCEPTION 'pattern cannot start with a dot. Got: %', pattern;
    END IF;

    IF pattern ~ '\.$' THEN
        RAISE EXCEPTION 'pattern cannot end with a dot. Got: %', pattern;
    END IF;

    IF pattern ~ '\.\.' THEN
        RAISE EXCEPTION 'pattern cannot contain consecutive dots. Got: %', pattern;
    END IF;

    IF pattern ~ '\*\*' THEN
        RAISE EXCEPTION 'pattern cannot contain consecutive stars (**). Use # for multi-segment matching. Got: %', pattern;
    END IF;

    IF pattern ~ '##' THEN
        RAISE EXCEPTION 'pattern cannot contain consecutive hashes (##). A single # already matches zero or more segments. Got: %', pattern;
    END IF;

    IF pattern ~ '\*#' OR pattern ~ '#\*' THEN
        RAISE EXCEPTION 'pattern cannot contain adjacent wildcards (*# or #*). Separate wildcards with dots. Got: %', pattern;
    END IF;

    RETURN true;
END;
$_$;


--
-- Name: rollcall_commit_offsets(text, integer, text, text[], integer[], bigint[], text[]); Type: FUNCTION; Schema: public; Owner: -
--

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
END $$;


--
-- Name: rollcall_committed_offsets(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.rollcall_committed_offsets(group_id text) RETURNS TABLE(topic text, partition integer, "offset" bigint, metadata text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
    SELECT o.topic, o.partition, o.committed_offset, o.metadata FROM rollcall_offset o
    WHERE o.group_id = rollcall_committed_offsets.group_id ORDER BY o.topic, o.partition
$$;


--
-- Name: rollcall_guard(smallint[], bigint[], text[], bigint[]); Type: FUNCTION; Schema: public; Owner: -
--

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


--
-- Name: rollcall_settle_offsets(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.rollcall_settle_offsets() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    g record;
    m record;
BEGIN
    DELETE FROM rollcall_noted_offsets WHERE id = NEW.id;
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
END $$;


--
-- Name: rollcall_turn_history(integer); Type: FUNCTION; Schema: public; Owner: -
--

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


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: a_rollcall; Type: TABLE; Schema: pgmq; Owner: -
--

CREATE TABLE pgmq.a_rollcall (
    msg_id bigint NOT NULL,
    read_ct integer DEFAULT 0 NOT NULL,
    enqueued_at timestamp with time zone DEFAULT now() NOT NULL,
    last_read_at timestamp with time zone,
    archived_at timestamp with time zone DEFAULT now() NOT NULL,
    vt timestamp with time zone NOT NULL,
    message jsonb,
    headers jsonb
);


--
-- Name: meta; Type: TABLE; Schema: pgmq; Owner: -
--

CREATE TABLE pgmq.meta (
    queue_name character varying NOT NULL,
    is_partitioned boolean NOT NULL,
    is_unlogged boolean NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: notify_insert_throttle; Type: TABLE; Schema: pgmq; Owner: -
--

CREATE UNLOGGED TABLE pgmq.notify_insert_throttle (
    queue_name character varying NOT NULL,
    throttle_interval_ms integer DEFAULT 0 NOT NULL,
    last_notified_at timestamp with time zone DEFAULT to_timestamp((0)::double precision) NOT NULL
);


--
-- Name: q_rollcall; Type: TABLE; Schema: pgmq; Owner: -
--

CREATE TABLE pgmq.q_rollcall (
    msg_id bigint NOT NULL,
    read_ct integer DEFAULT 0 NOT NULL,
    enqueued_at timestamp with time zone DEFAULT now() NOT NULL,
    last_read_at timestamp with time zone,
    vt timestamp with time zone NOT NULL,
    message jsonb,
    headers jsonb
);


--
-- Name: q_rollcall_msg_id_seq; Type: SEQUENCE; Schema: pgmq; Owner: -
--

ALTER TABLE pgmq.q_rollcall ALTER COLUMN msg_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME pgmq.q_rollcall_msg_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: topic_bindings; Type: TABLE; Schema: pgmq; Owner: -
--

CREATE TABLE pgmq.topic_bindings (
    pattern text NOT NULL,
    queue_name text NOT NULL,
    bound_at timestamp with time zone DEFAULT now() NOT NULL,
    compiled_regex text GENERATED ALWAYS AS ((('^'::text || replace(replace(regexp_replace(pattern, '([.+?{}()|\[\]\\^$])'::text, '\\\1'::text, 'g'::text), '*'::text, '[^.]+'::text), '#'::text, '.*'::text)) || '$'::text)) STORED
);


--
-- Name: auth_group; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.auth_group (
    id integer NOT NULL,
    name character varying(150) NOT NULL
);


--
-- Name: auth_group_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.auth_group ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_group_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: auth_group_permissions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.auth_group_permissions (
    id bigint NOT NULL,
    group_id integer NOT NULL,
    permission_id integer NOT NULL
);


--
-- Name: auth_group_permissions_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.auth_group_permissions ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_group_permissions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: auth_permission; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.auth_permission (
    id integer NOT NULL,
    name character varying(255) NOT NULL,
    content_type_id integer NOT NULL,
    codename character varying(100) NOT NULL
);


--
-- Name: auth_permission_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.auth_permission ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_permission_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: auth_user; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.auth_user (
    id integer NOT NULL,
    password character varying(128) NOT NULL,
    last_login timestamp with time zone,
    is_superuser boolean NOT NULL,
    username character varying(150) NOT NULL,
    first_name character varying(150) NOT NULL,
    last_name character varying(150) NOT NULL,
    email character varying(254) NOT NULL,
    is_staff boolean NOT NULL,
    is_active boolean NOT NULL,
    date_joined timestamp with time zone NOT NULL
);


--
-- Name: auth_user_groups; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.auth_user_groups (
    id bigint NOT NULL,
    user_id integer NOT NULL,
    group_id integer NOT NULL
);


--
-- Name: auth_user_groups_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.auth_user_groups ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_user_groups_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: auth_user_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.auth_user ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_user_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: auth_user_user_permissions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.auth_user_user_permissions (
    id bigint NOT NULL,
    user_id integer NOT NULL,
    permission_id integer NOT NULL
);


--
-- Name: auth_user_user_permissions_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.auth_user_user_permissions ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_user_user_permissions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: django_admin_log; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.django_admin_log (
    id integer NOT NULL,
    action_time timestamp with time zone NOT NULL,
    object_id text,
    object_repr character varying(200) NOT NULL,
    action_flag smallint NOT NULL,
    change_message text NOT NULL,
    content_type_id integer,
    user_id integer NOT NULL,
    CONSTRAINT django_admin_log_action_flag_check CHECK ((action_flag >= 0))
);


--
-- Name: django_admin_log_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.django_admin_log ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.django_admin_log_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: django_celery_beat_clockedschedule; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.django_celery_beat_clockedschedule (
    id integer NOT NULL,
    clocked_time timestamp with time zone NOT NULL
);


--
-- Name: django_celery_beat_clockedschedule_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.django_celery_beat_clockedschedule ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.django_celery_beat_clockedschedule_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: django_celery_beat_crontabschedule; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.django_celery_beat_crontabschedule (
    id integer NOT NULL,
    minute character varying(240) NOT NULL,
    hour character varying(96) NOT NULL,
    day_of_week character varying(64) NOT NULL,
    day_of_month character varying(124) NOT NULL,
    month_of_year character varying(64) NOT NULL,
    timezone character varying(63) NOT NULL
);


--
-- Name: django_celery_beat_crontabschedule_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.django_celery_beat_crontabschedule ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.django_celery_beat_crontabschedule_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: django_celery_beat_intervalschedule; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.django_celery_beat_intervalschedule (
    id integer NOT NULL,
    every integer NOT NULL,
    period character varying(24) NOT NULL
);


--
-- Name: django_celery_beat_intervalschedule_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.django_celery_beat_intervalschedule ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.django_celery_beat_intervalschedule_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: django_celery_beat_periodictask; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.django_celery_beat_periodictask (
    id integer NOT NULL,
    name character varying(200) NOT NULL,
    task character varying(200) NOT NULL,
    args text NOT NULL,
    kwargs text NOT NULL,
    queue character varying(200),
    exchange character varying(200),
    routing_key character varying(200),
    expires timestamp with time zone,
    enabled boolean NOT NULL,
    last_run_at timestamp with time zone,
    total_run_count integer NOT NULL,
    date_changed timestamp with time zone NOT NULL,
    description text NOT NULL,
    crontab_id integer,
    interval_id integer,
    solar_id integer,
    one_off boolean NOT NULL,
    start_time timestamp with time zone,
    priority integer,
    headers text NOT NULL,
    clocked_id integer,
    expire_seconds integer,
    CONSTRAINT django_celery_beat_periodictask_expire_seconds_check CHECK ((expire_seconds >= 0)),
    CONSTRAINT django_celery_beat_periodictask_priority_check CHECK ((priority >= 0)),
    CONSTRAINT django_celery_beat_periodictask_total_run_count_check CHECK ((total_run_count >= 0))
);


--
-- Name: django_celery_beat_periodictask_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.django_celery_beat_periodictask ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.django_celery_beat_periodictask_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: django_celery_beat_periodictasks; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.django_celery_beat_periodictasks (
    ident smallint NOT NULL,
    last_update timestamp with time zone NOT NULL
);


--
-- Name: django_celery_beat_solarschedule; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.django_celery_beat_solarschedule (
    id integer NOT NULL,
    event character varying(24) NOT NULL,
    latitude numeric(9,6) NOT NULL,
    longitude numeric(9,6) NOT NULL
);


--
-- Name: django_celery_beat_solarschedule_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.django_celery_beat_solarschedule ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.django_celery_beat_solarschedule_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: django_content_type; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.django_content_type (
    id integer NOT NULL,
    app_label character varying(100) NOT NULL,
    model character varying(100) NOT NULL
);


--
-- Name: django_content_type_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.django_content_type ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.django_content_type_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: django_migrations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.django_migrations (
    id bigint NOT NULL,
    app character varying(255) NOT NULL,
    name character varying(255) NOT NULL,
    applied timestamp with time zone NOT NULL
);


--
-- Name: django_migrations_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.django_migrations ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.django_migrations_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: django_session; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.django_session (
    session_key character varying(40) NOT NULL,
    session_data text NOT NULL,
    expire_date timestamp with time zone NOT NULL
);


--
-- Name: rollcall_api_token; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_api_token (
    id bigint NOT NULL,
    name character varying(100) NOT NULL,
    prefix character varying(16) NOT NULL,
    digest character varying(64) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone,
    used_at timestamp with time zone,
    user_id integer NOT NULL
);


--
-- Name: rollcall_api_token_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.rollcall_api_token ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.rollcall_api_token_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: rollcall_command; Type: TABLE; Schema: public; Owner: -
--

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


--
-- Name: COLUMN rollcall_command.ownership; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.rollcall_command.ownership IS 'Topic to partition to consumer thread; null: the command is about everything.';


--
-- Name: COLUMN rollcall_command.series; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.rollcall_command.series IS 'The first of several commands that say the same; 0 in that one itself.';


--
-- Name: rollcall_follower; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_follower (
    group_id text NOT NULL COLLATE pg_catalog."C",
    member_id text NOT NULL COLLATE pg_catalog."C",
    obeying bigint NOT NULL,
    at timestamp with time zone NOT NULL
);


--
-- Name: rollcall_group; Type: TABLE; Schema: public; Owner: -
--

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


--
-- Name: rollcall_group_config; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_group_config (
    group_id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    slot smallint NOT NULL,
    value text NOT NULL,
    updated_at timestamp with time zone NOT NULL
);


--
-- Name: rollcall_journal; Type: TABLE; Schema: public; Owner: -
--

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
    details jsonb NOT NULL
);


--
-- Name: rollcall_journal_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.rollcall_journal ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.rollcall_journal_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: rollcall_liveness; Type: TABLE; Schema: public; Owner: -
--

CREATE UNLOGGED TABLE public.rollcall_liveness (
    group_id text NOT NULL COLLATE pg_catalog."C",
    member_id text NOT NULL COLLATE pg_catalog."C",
    heard_at timestamp with time zone NOT NULL,
    deadline_at timestamp with time zone NOT NULL
);


--
-- Name: rollcall_member; Type: TABLE; Schema: public; Owner: -
--

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


--
-- Name: rollcall_node; Type: TABLE; Schema: public; Owner: -
--

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
    schema text DEFAULT ''::text NOT NULL
)
WITH (fillfactor='50');


--
-- Name: rollcall_noted_offsets; Type: TABLE; Schema: public; Owner: -
--

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


--
-- Name: rollcall_noted_offsets_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.rollcall_noted_offsets ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.rollcall_noted_offsets_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: rollcall_offset; Type: TABLE; Schema: public; Owner: -
--

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


--
-- Name: rollcall_offset_history; Type: TABLE; Schema: public; Owner: -
--

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
    client_host text NOT NULL
)
PARTITION BY RANGE (at);


--
-- Name: rollcall_offset_history_2026112213; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_offset_history_2026112213 (
    at timestamp with time zone CONSTRAINT rollcall_offset_history_at_not_null NOT NULL,
    group_id text CONSTRAINT rollcall_offset_history_group_id_not_null NOT NULL COLLATE pg_catalog."C",
    topic text CONSTRAINT rollcall_offset_history_topic_not_null NOT NULL COLLATE pg_catalog."C",
    partition integer CONSTRAINT rollcall_offset_history_partition_not_null NOT NULL,
    committed_offset bigint CONSTRAINT rollcall_offset_history_committed_offset_not_null NOT NULL,
    leader_epoch integer CONSTRAINT rollcall_offset_history_leader_epoch_not_null NOT NULL,
    metadata text CONSTRAINT rollcall_offset_history_metadata_not_null NOT NULL,
    member_id text CONSTRAINT rollcall_offset_history_member_id_not_null NOT NULL,
    client_id text CONSTRAINT rollcall_offset_history_client_id_not_null NOT NULL,
    client_host text CONSTRAINT rollcall_offset_history_client_host_not_null NOT NULL
);


--
-- Name: rollcall_offset_history_2026112214; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_offset_history_2026112214 (
    at timestamp with time zone CONSTRAINT rollcall_offset_history_at_not_null NOT NULL,
    group_id text CONSTRAINT rollcall_offset_history_group_id_not_null NOT NULL COLLATE pg_catalog."C",
    topic text CONSTRAINT rollcall_offset_history_topic_not_null NOT NULL COLLATE pg_catalog."C",
    partition integer CONSTRAINT rollcall_offset_history_partition_not_null NOT NULL,
    committed_offset bigint CONSTRAINT rollcall_offset_history_committed_offset_not_null NOT NULL,
    leader_epoch integer CONSTRAINT rollcall_offset_history_leader_epoch_not_null NOT NULL,
    metadata text CONSTRAINT rollcall_offset_history_metadata_not_null NOT NULL,
    member_id text CONSTRAINT rollcall_offset_history_member_id_not_null NOT NULL,
    client_id text CONSTRAINT rollcall_offset_history_client_id_not_null NOT NULL,
    client_host text CONSTRAINT rollcall_offset_history_client_host_not_null NOT NULL
);


--
-- Name: rollcall_offset_history_2026112215; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_offset_history_2026112215 (
    at timestamp with time zone CONSTRAINT rollcall_offset_history_at_not_null NOT NULL,
    group_id text CONSTRAINT rollcall_offset_history_group_id_not_null NOT NULL COLLATE pg_catalog."C",
    topic text CONSTRAINT rollcall_offset_history_topic_not_null NOT NULL COLLATE pg_catalog."C",
    partition integer CONSTRAINT rollcall_offset_history_partition_not_null NOT NULL,
    committed_offset bigint CONSTRAINT rollcall_offset_history_committed_offset_not_null NOT NULL,
    leader_epoch integer CONSTRAINT rollcall_offset_history_leader_epoch_not_null NOT NULL,
    metadata text CONSTRAINT rollcall_offset_history_metadata_not_null NOT NULL,
    member_id text CONSTRAINT rollcall_offset_history_member_id_not_null NOT NULL,
    client_id text CONSTRAINT rollcall_offset_history_client_id_not_null NOT NULL,
    client_host text CONSTRAINT rollcall_offset_history_client_host_not_null NOT NULL
);


--
-- Name: rollcall_offset_history_default; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_offset_history_default (
    at timestamp with time zone CONSTRAINT rollcall_offset_history_at_not_null NOT NULL,
    group_id text CONSTRAINT rollcall_offset_history_group_id_not_null NOT NULL COLLATE pg_catalog."C",
    topic text CONSTRAINT rollcall_offset_history_topic_not_null NOT NULL COLLATE pg_catalog."C",
    partition integer CONSTRAINT rollcall_offset_history_partition_not_null NOT NULL,
    committed_offset bigint CONSTRAINT rollcall_offset_history_committed_offset_not_null NOT NULL,
    leader_epoch integer CONSTRAINT rollcall_offset_history_leader_epoch_not_null NOT NULL,
    metadata text CONSTRAINT rollcall_offset_history_metadata_not_null NOT NULL,
    member_id text CONSTRAINT rollcall_offset_history_member_id_not_null NOT NULL,
    client_id text CONSTRAINT rollcall_offset_history_client_id_not_null NOT NULL,
    client_host text CONSTRAINT rollcall_offset_history_client_host_not_null NOT NULL
);


--
-- Name: rollcall_operation; Type: TABLE; Schema: public; Owner: -
--

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
    outcome text
);


--
-- Name: rollcall_operation_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.rollcall_operation ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.rollcall_operation_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: rollcall_pause; Type: TABLE; Schema: public; Owner: -
--

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


--
-- Name: rollcall_pending_offset; Type: TABLE; Schema: public; Owner: -
--

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
    client_host text
);


--
-- Name: COLUMN rollcall_pending_offset.superseded; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.rollcall_pending_offset.superseded IS 'Somebody wrote the partition since then: this is not applied even if committed.';


--
-- Name: COLUMN rollcall_pending_offset.place; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.rollcall_pending_offset.place IS 'Rises with each write: of two transactions the later write stands, whoever ends later.';


--
-- Name: rollcall_pending_offset_place_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.rollcall_pending_offset ALTER COLUMN place ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.rollcall_pending_offset_place_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: rollcall_producer; Type: TABLE; Schema: public; Owner: -
--

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


--
-- Name: COLUMN rollcall_producer.last_epoch; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.rollcall_producer.last_epoch IS 'The epoch before, whose owner may ask again if the answer was lost; -1: nobody may.';


--
-- Name: rollcall_producer_id; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.rollcall_producer_id
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: rollcall_rebalance_cost; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_rebalance_cost (
    id bigint NOT NULL,
    group_id text NOT NULL COLLATE pg_catalog."C",
    trigger text NOT NULL,
    rebalances bigint NOT NULL,
    duration_ms bigint NOT NULL,
    longest_ms bigint NOT NULL,
    waited_ms bigint NOT NULL,
    slowest_member text,
    partitions_moved bigint NOT NULL,
    without_owner_ms bigint NOT NULL,
    run_id bigint NOT NULL
);


--
-- Name: rollcall_rebalance_cost_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.rollcall_rebalance_cost ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.rollcall_rebalance_cost_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: rollcall_report_run; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_report_run (
    id bigint NOT NULL,
    kind text NOT NULL,
    state text NOT NULL,
    requested_by text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    last_journal_id bigint,
    events bigint,
    detail text NOT NULL
);


--
-- Name: rollcall_report_run_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.rollcall_report_run ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.rollcall_report_run_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: rollcall_slot; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_slot (
    slot smallint NOT NULL,
    node_id integer,
    incarnation uuid,
    epoch bigint NOT NULL
);


--
-- Name: rollcall_sweep; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_sweep (
    name text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    took_ms integer NOT NULL,
    outcome text NOT NULL,
    failed boolean NOT NULL,
    runs bigint NOT NULL,
    failures bigint NOT NULL
);


--
-- Name: rollcall_topic; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_topic (
    name text NOT NULL COLLATE pg_catalog."C",
    topic_id uuid NOT NULL,
    partitions integer NOT NULL,
    end_offsets bigint[] NOT NULL,
    created_at timestamp with time zone NOT NULL,
    racks jsonb DEFAULT '[]'::jsonb NOT NULL,
    CONSTRAINT topic_has_work CHECK ((partitions >= 1))
);


--
-- Name: rollcall_txn_group; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_txn_group (
    transactional_id text NOT NULL COLLATE pg_catalog."C",
    group_id text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: rollcall_watch; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_watch (
    slot smallint NOT NULL,
    probe bigint NOT NULL,
    probed_at timestamp with time zone,
    echo bigint NOT NULL,
    echoed_at timestamp with time zone
);


--
-- Name: rollcall_offset_history_2026112213; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_offset_history ATTACH PARTITION public.rollcall_offset_history_2026112213 FOR VALUES FROM ('2026-11-22 13:00:00+00') TO ('2026-11-22 14:00:00+00');


--
-- Name: rollcall_offset_history_2026112214; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_offset_history ATTACH PARTITION public.rollcall_offset_history_2026112214 FOR VALUES FROM ('2026-11-22 14:00:00+00') TO ('2026-11-22 15:00:00+00');


--
-- Name: rollcall_offset_history_2026112215; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_offset_history ATTACH PARTITION public.rollcall_offset_history_2026112215 FOR VALUES FROM ('2026-11-22 15:00:00+00') TO ('2026-11-22 16:00:00+00');


--
-- Name: rollcall_offset_history_default; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_offset_history ATTACH PARTITION public.rollcall_offset_history_default DEFAULT;


--
-- Data for Name: a_rollcall; Type: TABLE DATA; Schema: pgmq; Owner: -
--

COPY pgmq.a_rollcall (msg_id, read_ct, enqueued_at, last_read_at, archived_at, vt, message, headers) FROM stdin;
\.


--
-- Data for Name: meta; Type: TABLE DATA; Schema: pgmq; Owner: -
--

COPY pgmq.meta (queue_name, is_partitioned, is_unlogged, created_at) FROM stdin;
rollcall	f	f	2026-11-22 13:17:05.41373+00
\.


--
-- Data for Name: notify_insert_throttle; Type: TABLE DATA; Schema: pgmq; Owner: -
--

COPY pgmq.notify_insert_throttle (queue_name, throttle_interval_ms, last_notified_at) FROM stdin;
rollcall	0	2026-11-22 13:17:08.098933+00
\.


--
-- Data for Name: q_rollcall; Type: TABLE DATA; Schema: pgmq; Owner: -
--

COPY pgmq.q_rollcall (msg_id, read_ct, enqueued_at, last_read_at, vt, message, headers) FROM stdin;
\.


--
-- Data for Name: topic_bindings; Type: TABLE DATA; Schema: pgmq; Owner: -
--

COPY pgmq.topic_bindings (pattern, queue_name, bound_at) FROM stdin;
\.


--
-- Data for Name: auth_group; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.auth_group (id, name) FROM stdin;
1	Viewer
2	Operator
3	Administrator
\.


--
-- Data for Name: auth_group_permissions; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.auth_group_permissions (id, group_id, permission_id) FROM stdin;
1	1	28
2	1	32
3	1	36
4	1	40
5	1	52
6	1	56
7	1	60
8	1	64
9	1	68
10	1	72
11	1	79
12	1	83
13	1	91
14	1	95
15	1	99
16	1	103
17	1	107
18	1	111
19	1	115
20	1	119
21	2	28
22	2	32
23	2	36
24	2	40
25	2	52
26	2	56
27	2	60
28	2	64
29	2	68
30	2	72
31	2	73
32	2	74
33	2	75
34	2	76
35	2	77
36	2	79
37	2	83
38	2	91
39	2	95
40	2	96
41	2	99
42	2	103
43	2	107
44	2	111
45	2	115
46	2	119
47	3	9
48	3	10
49	3	11
50	3	12
51	3	13
52	3	14
53	3	15
54	3	16
55	3	25
56	3	26
57	3	27
58	3	28
59	3	29
60	3	30
61	3	31
62	3	32
63	3	33
64	3	34
65	3	35
66	3	36
67	3	37
68	3	38
69	3	39
70	3	40
71	3	49
72	3	50
73	3	51
74	3	52
75	3	53
76	3	54
77	3	55
78	3	56
79	3	57
80	3	58
81	3	59
82	3	60
83	3	61
84	3	62
85	3	63
86	3	64
87	3	65
88	3	66
89	3	67
90	3	68
91	3	69
92	3	70
93	3	71
94	3	72
95	3	73
96	3	74
97	3	75
98	3	76
99	3	77
100	3	78
101	3	79
102	3	80
103	3	81
104	3	82
105	3	83
106	3	84
107	3	85
108	3	86
109	3	87
110	3	88
111	3	89
112	3	90
113	3	91
114	3	92
115	3	93
116	3	94
117	3	95
118	3	96
119	3	97
120	3	98
121	3	99
122	3	100
123	3	101
124	3	102
125	3	103
126	3	104
127	3	105
128	3	106
129	3	107
130	3	108
131	3	109
132	3	110
133	3	111
134	3	112
135	3	113
136	3	114
137	3	115
138	3	116
139	3	117
140	3	118
141	3	119
\.


--
-- Data for Name: auth_permission; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.auth_permission (id, name, content_type_id, codename) FROM stdin;
1	Can add log entry	1	add_logentry
2	Can change log entry	1	change_logentry
3	Can delete log entry	1	delete_logentry
4	Can view log entry	1	view_logentry
5	Can add permission	2	add_permission
6	Can change permission	2	change_permission
7	Can delete permission	2	delete_permission
8	Can view permission	2	view_permission
9	Can add group	3	add_group
10	Can change group	3	change_group
11	Can delete group	3	delete_group
12	Can view group	3	view_group
13	Can add user	4	add_user
14	Can change user	4	change_user
15	Can delete user	4	delete_user
16	Can view user	4	view_user
17	Can add content type	5	add_contenttype
18	Can change content type	5	change_contenttype
19	Can delete content type	5	delete_contenttype
20	Can view content type	5	view_contenttype
21	Can add session	6	add_session
22	Can change session	6	change_session
23	Can delete session	6	delete_session
24	Can view session	6	view_session
25	Can add crontab	7	add_crontabschedule
26	Can change crontab	7	change_crontabschedule
27	Can delete crontab	7	delete_crontabschedule
28	Can view crontab	7	view_crontabschedule
29	Can add interval	8	add_intervalschedule
30	Can change interval	8	change_intervalschedule
31	Can delete interval	8	delete_intervalschedule
32	Can view interval	8	view_intervalschedule
33	Can add periodic task	9	add_periodictask
34	Can change periodic task	9	change_periodictask
35	Can delete periodic task	9	delete_periodictask
36	Can view periodic task	9	view_periodictask
37	Can add periodic task track	10	add_periodictasks
38	Can change periodic task track	10	change_periodictasks
39	Can delete periodic task track	10	delete_periodictasks
40	Can view periodic task track	10	view_periodictasks
41	Can add solar event	11	add_solarschedule
42	Can change solar event	11	change_solarschedule
43	Can delete solar event	11	delete_solarschedule
44	Can view solar event	11	view_solarschedule
45	Can add clocked	12	add_clockedschedule
46	Can change clocked	12	change_clockedschedule
47	Can delete clocked	12	delete_clockedschedule
48	Can view clocked	12	view_clockedschedule
49	Can add node	13	add_node
50	Can change node	13	change_node
51	Can delete node	13	delete_node
52	Can view node	13	view_node
53	Can add slot	14	add_slot
54	Can change slot	14	change_slot
55	Can delete slot	14	delete_slot
56	Can view slot	14	view_slot
57	Can add group	15	add_group
58	Can change group	15	change_group
59	Can delete group	15	delete_group
60	Can view group	15	view_group
61	Can add journal	16	add_journal
62	Can change journal	16	change_journal
63	Can delete journal	16	delete_journal
64	Can view journal	16	view_journal
65	Can add offset	17	add_offset
66	Can change offset	17	change_offset
67	Can delete offset	17	delete_offset
68	Can view offset	17	view_offset
69	Can add operation	18	add_operation
70	Can change operation	18	change_operation
71	Can delete operation	18	delete_operation
72	Can view operation	18	view_operation
73	Can force a rebalance	18	rebalance_group
74	Can evict a member	18	evict_member
75	Can stop and start the work of a group or member	18	pause_group
76	Can add topic	19	add_topic
77	Can change topic	19	change_topic
78	Can delete topic	19	delete_topic
79	Can view topic	19	view_topic
80	Can add member	20	add_member
81	Can change member	20	change_member
82	Can delete member	20	delete_member
83	Can view member	20	view_member
84	Can add API token	21	add_apitoken
85	Can change API token	21	change_apitoken
86	Can delete API token	21	delete_apitoken
87	Can view API token	21	view_apitoken
88	Can add liveness	22	add_liveness
89	Can change liveness	22	change_liveness
90	Can delete liveness	22	delete_liveness
91	Can view liveness	22	view_liveness
92	Can add rebalance cost	23	add_rebalancecost
93	Can change rebalance cost	23	change_rebalancecost
94	Can delete rebalance cost	23	delete_rebalancecost
95	Can view rebalance cost	23	view_rebalancecost
96	Can add report run	24	add_reportrun
97	Can change report run	24	change_reportrun
98	Can delete report run	24	delete_reportrun
99	Can view report run	24	view_reportrun
100	Can add sweep	25	add_sweep
101	Can change sweep	25	change_sweep
102	Can delete sweep	25	delete_sweep
103	Can view sweep	25	view_sweep
104	Can add watch	26	add_watch
105	Can change watch	26	change_watch
106	Can delete watch	26	delete_watch
107	Can view watch	26	view_watch
108	Can add group config	27	add_groupconfig
109	Can change group config	27	change_groupconfig
110	Can delete group config	27	delete_groupconfig
111	Can view group config	27	view_groupconfig
112	Can add follower	28	add_follower
113	Can change follower	28	change_follower
114	Can delete follower	28	delete_follower
115	Can view follower	28	view_follower
116	Can add pause	29	add_pause
117	Can change pause	29	change_pause
118	Can delete pause	29	delete_pause
119	Can view pause	29	view_pause
\.


--
-- Data for Name: auth_user; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.auth_user (id, password, last_login, is_superuser, username, first_name, last_name, email, is_staff, is_active, date_joined) FROM stdin;
1	!	\N	t	admin				t	t	2026-11-22 13:17:04.609959+00
\.


--
-- Data for Name: auth_user_groups; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.auth_user_groups (id, user_id, group_id) FROM stdin;
\.


--
-- Data for Name: auth_user_user_permissions; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.auth_user_user_permissions (id, user_id, permission_id) FROM stdin;
\.


--
-- Data for Name: django_admin_log; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.django_admin_log (id, action_time, object_id, object_repr, action_flag, change_message, content_type_id, user_id) FROM stdin;
\.


--
-- Data for Name: django_celery_beat_clockedschedule; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.django_celery_beat_clockedschedule (id, clocked_time) FROM stdin;
\.


--
-- Data for Name: django_celery_beat_crontabschedule; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.django_celery_beat_crontabschedule (id, minute, hour, day_of_week, day_of_month, month_of_year, timezone) FROM stdin;
1	0	4	*	*	*	UTC
\.


--
-- Data for Name: django_celery_beat_intervalschedule; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.django_celery_beat_intervalschedule (id, every, period) FROM stdin;
1	1	seconds
2	600	seconds
3	60	seconds
\.


--
-- Data for Name: django_celery_beat_periodictask; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.django_celery_beat_periodictask (id, name, task, args, kwargs, queue, exchange, routing_key, expires, enabled, last_run_at, total_run_count, date_changed, description, crontab_id, interval_id, solar_id, one_off, start_time, priority, headers, clocked_id, expire_seconds) FROM stdin;
2	offset retention	groups.tasks.offset_retention	[]	{}	\N	\N	\N	\N	t	\N	0	2026-11-22 13:17:05.663929+00	Lets owners forget offsets older than offsets.retention.minutes. (By default every 600000 ms.)	\N	2	\N	f	\N	\N	{}	\N	600
3	clean-up	groups.tasks.cleaning	[]	{}	\N	\N	\N	\N	t	\N	0	2026-11-22 13:17:05.692462+00	Removes finished operations, old journal entries and notes about members long gone. (By default every 60000 ms.)	\N	3	\N	f	\N	\N	{}	\N	60
4	celery.backend_cleanup	celery.backend_cleanup	[]	{}	\N	\N	\N	\N	t	\N	0	2026-11-22 13:17:06.956284+00		1	\N	\N	f	\N	\N	{}	\N	43200
1	session sweep	groups.tasks.session_sweep	[]	{}	\N	\N	\N	\N	t	2026-11-22 13:17:06.981169+00	1	2026-11-22 13:17:07.084782+00	Asks the owners of overdue members for an echo; takes slots from owners who are dead. (By default every 1000 ms.)	\N	1	\N	f	\N	\N	{}	\N	1
\.


--
-- Data for Name: django_celery_beat_periodictasks; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.django_celery_beat_periodictasks (ident, last_update) FROM stdin;
1	2026-11-22 13:17:06.957401+00
\.


--
-- Data for Name: django_celery_beat_solarschedule; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.django_celery_beat_solarschedule (id, event, latitude, longitude) FROM stdin;
\.


--
-- Data for Name: django_content_type; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.django_content_type (id, app_label, model) FROM stdin;
1	admin	logentry
2	auth	permission
3	auth	group
4	auth	user
5	contenttypes	contenttype
6	sessions	session
7	django_celery_beat	crontabschedule
8	django_celery_beat	intervalschedule
9	django_celery_beat	periodictask
10	django_celery_beat	periodictasks
11	django_celery_beat	solarschedule
12	django_celery_beat	clockedschedule
13	groups	node
14	groups	slot
15	groups	group
16	groups	journal
17	groups	offset
18	groups	operation
19	groups	topic
20	groups	member
21	groups	apitoken
22	groups	liveness
23	groups	rebalancecost
24	groups	reportrun
25	groups	sweep
26	groups	watch
27	groups	groupconfig
28	groups	follower
29	groups	pause
\.


--
-- Data for Name: django_migrations; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.django_migrations (id, app, name, applied) FROM stdin;
1	contenttypes	0001_initial	2026-11-22 13:17:02.103849+00
2	auth	0001_initial	2026-11-22 13:17:02.309504+00
3	admin	0001_initial	2026-11-22 13:17:02.369306+00
4	admin	0002_logentry_remove_auto_add	2026-11-22 13:17:02.392429+00
5	admin	0003_logentry_add_action_flag_choices	2026-11-22 13:17:02.442791+00
6	contenttypes	0002_remove_content_type_name	2026-11-22 13:17:02.499406+00
7	auth	0002_alter_permission_name_max_length	2026-11-22 13:17:02.521302+00
8	auth	0003_alter_user_email_max_length	2026-11-22 13:17:02.542796+00
9	auth	0004_alter_user_username_opts	2026-11-22 13:17:02.561906+00
10	auth	0005_alter_user_last_login_null	2026-11-22 13:17:02.596766+00
11	auth	0006_require_contenttypes_0002	2026-11-22 13:17:02.602572+00
12	auth	0007_alter_validators_add_error_messages	2026-11-22 13:17:02.643307+00
13	auth	0008_alter_user_username_max_length	2026-11-22 13:17:02.672732+00
14	auth	0009_alter_user_last_name_max_length	2026-11-22 13:17:02.699525+00
15	auth	0010_alter_group_name_max_length	2026-11-22 13:17:02.74597+00
16	auth	0011_update_proxy_permissions	2026-11-22 13:17:02.758946+00
17	auth	0012_alter_user_first_name_max_length	2026-11-22 13:17:02.780465+00
18	django_celery_beat	0001_initial	2026-11-22 13:17:02.828144+00
19	django_celery_beat	0002_auto_20161118_0346	2026-11-22 13:17:02.84994+00
20	django_celery_beat	0003_auto_20161209_0049	2026-11-22 13:17:02.871189+00
21	django_celery_beat	0004_auto_20170221_0000	2026-11-22 13:17:02.876647+00
22	django_celery_beat	0005_add_solarschedule_events_choices	2026-11-22 13:17:02.887285+00
23	django_celery_beat	0006_auto_20180322_0932	2026-11-22 13:17:02.937053+00
24	django_celery_beat	0007_auto_20180521_0826	2026-11-22 13:17:02.962858+00
25	django_celery_beat	0008_auto_20180914_1922	2026-11-22 13:17:03.016982+00
26	django_celery_beat	0006_auto_20180210_1226	2026-11-22 13:17:03.066336+00
27	django_celery_beat	0006_periodictask_priority	2026-11-22 13:17:03.081077+00
28	django_celery_beat	0009_periodictask_headers	2026-11-22 13:17:03.10267+00
29	django_celery_beat	0010_auto_20190429_0326	2026-11-22 13:17:03.581524+00
30	django_celery_beat	0011_auto_20190508_0153	2026-11-22 13:17:03.628524+00
31	django_celery_beat	0012_periodictask_expire_seconds	2026-11-22 13:17:03.651417+00
32	django_celery_beat	0013_auto_20200609_0727	2026-11-22 13:17:03.675403+00
33	django_celery_beat	0014_remove_clockedschedule_enabled	2026-11-22 13:17:03.682634+00
34	django_celery_beat	0015_edit_solarschedule_events_choices	2026-11-22 13:17:03.693038+00
35	django_celery_beat	0016_alter_crontabschedule_timezone	2026-11-22 13:17:03.713017+00
36	django_celery_beat	0017_alter_crontabschedule_month_of_year	2026-11-22 13:17:03.741643+00
37	django_celery_beat	0018_improve_crontab_helptext	2026-11-22 13:17:03.765247+00
38	django_celery_beat	0019_alter_periodictasks_options	2026-11-22 13:17:03.772297+00
39	groups	0001_tables	2026-11-22 13:17:03.846809+00
40	groups	0002_guard	2026-11-22 13:17:03.870707+00
41	groups	0003_operators	2026-11-22 13:17:03.98455+00
42	groups	0004_offset_history	2026-11-22 13:17:04.01409+00
43	groups	0005_commit_offsets	2026-11-22 13:17:04.030405+00
44	groups	0006_transactions	2026-11-22 13:17:04.045397+00
45	groups	0007_group_config	2026-11-22 13:17:04.070882+00
46	groups	0008_assignors	2026-11-22 13:17:04.081667+00
47	groups	0009_offsets_of_transactions	2026-11-22 13:17:04.083264+00
48	groups	0010_draft	2026-11-22 13:17:04.093316+00
49	groups	0011_commanded	2026-11-22 13:17:04.104301+00
50	groups	0012_pauses	2026-11-22 13:17:04.128653+00
51	groups	0013_nodes	2026-11-22 13:17:04.144007+00
52	groups	0014_operation_outcome	2026-11-22 13:17:04.159169+00
53	groups	0015_journal_of_topics	2026-11-22 13:17:04.171789+00
54	sessions	0001_initial	2026-11-22 13:17:04.184071+00
\.


--
-- Data for Name: django_session; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.django_session (session_key, session_data, expire_date) FROM stdin;
\.


--
-- Data for Name: rollcall_api_token; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_api_token (id, name, prefix, digest, created_at, expires_at, used_at, user_id) FROM stdin;
\.


--
-- Data for Name: rollcall_command; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_command (group_id, member_id, command_id, option, generation, ownership, reason, series, sent_at) FROM stdin;
commanded	commanded-b1881e50-e058-4a7c-92b8-41008e0a9216	2	start-fetcher	1	{"orders": {"0": "commanded-b1881e50-e058-4a7c-92b8-41008e0a9216-0", "1": "commanded-b1881e50-e058-4a7c-92b8-41008e0a9216-0", "2": "commanded-b1881e50-e058-4a7c-92b8-41008e0a9216-0"}}	a consumer has registered	0	2026-11-22 13:17:08.13922+00
\.


--
-- Data for Name: rollcall_follower; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_follower (group_id, member_id, obeying, at) FROM stdin;
classic	rollcall-3f97a3ff-40b6-4c34-a148-b58c23e84ff3	0	2026-11-22 13:17:07.853105+00
consumer	a6e55d72-73ad-4261-85da-43d7df873a78	0	2026-11-22 13:17:08.011063+00
draft	draft-3f761bf3-e2a5-4b19-b3e2-c10187bd1b68	0	2026-11-22 13:17:08.076459+00
commanded	commanded-b1881e50-e058-4a7c-92b8-41008e0a9216	0	2026-11-22 13:17:08.214464+00
\.


--
-- Data for Name: rollcall_group; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_group (group_id, slot, kind, state, generation, protocol_type, protocol_name, leader, details, revision, state_since, created_at, updated_at) FROM stdin;
classic	45	classic	Stable	1	consumer	range	rollcall-3f97a3ff-40b6-4c34-a148-b58c23e84ff3	{"synced": true}	3	2026-11-22 13:17:07.764635+00	2026-11-22 13:17:07.202731+00	2026-11-22 13:17:07.764635+00
consumer	39	consumer	Stable	2	consumer	\N	\N	{"cause": ["member-joined", "a member's subscription is new", "a6e55d72-73ad-4261-85da-43d7df873a78", "rollcall"], "moved": 0, "topics": {"orders": ["608bd75107424d1bbd78378ebbf6386f", 3]}, "assignor": "uniform", "target_epoch": 2, "settled_epoch": 2}	1	2026-11-22 13:17:07.923776+00	2026-11-22 13:17:07.923776+00	2026-11-22 13:17:07.923776+00
draft	20	draft	Stable	1	consumer	range	\N	{"topics": {"orders": 3}}	1	2026-11-22 13:17:08.00966+00	2026-11-22 13:17:08.00966+00	2026-11-22 13:17:08.00966+00
commanded	43	commanded	CompletingRebalance	1	consumer	range	\N	{"cause": {"reason": "a consumer has registered", "trigger": "member-joined", "client_id": "rollcall", "member_id": "commanded-b1881e50-e058-4a7c-92b8-41008e0a9216"}, "round": {"moved": 0, "joined": ["commanded-b1881e50-e058-4a7c-92b8-41008e0a9216"]}, "topics": {"orders": 3}, "attempt": 1, "last_command": 2}	2	2026-11-22 13:17:08.134696+00	2026-11-22 13:17:08.091696+00	2026-11-22 13:17:08.134696+00
\.


--
-- Data for Name: rollcall_group_config; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_group_config (group_id, name, slot, value, updated_at) FROM stdin;
\.


--
-- Data for Name: rollcall_journal; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_journal (id, at, group_id, revision, node_id, kind, trigger, reason, member_id, client_id, generation_before, generation_after, duration_ms, waited_for, joined, "left", details) FROM stdin;
1	2026-11-22 13:17:06.305159+00		0	0	slots-claimed		64 slots of nobody	\N	\N	0	0	\N	{}	[]	[]	{"slots": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63]}
2	2026-11-22 13:17:07.12222+00		0	0	topic-created	request		\N	bench	0	0	\N	{}	[]	[]	{"after": {"partitions": 3}, "topic": "orders", "author": {"client_id": "bench", "client_host": "/127.0.0.1"}}
3	2026-11-22 13:17:07.204655+00	classic	1	0	group-created			\N	\N	0	0	\N	{}	[]	[]	{}
4	2026-11-22 13:17:07.204818+00	classic	1	0	rebalance-started	member-joined	a new member joined	rollcall-3f97a3ff-40b6-4c34-a148-b58c23e84ff3	rollcall	0	0	\N	{}	[]	[]	{"from": "Empty", "members": 1}
5	2026-11-22 13:17:07.714122+00	classic	2	0	rebalance-completed	member-joined	a new member joined	rollcall-3f97a3ff-40b6-4c34-a148-b58c23e84ff3	rollcall	0	1	524	{}	["rollcall-3f97a3ff-40b6-4c34-a148-b58c23e84ff3"]	[]	{"members": 1, "left_count": 0, "joined_count": 1, "waited_for_count": 0}
6	2026-11-22 13:17:07.764993+00	classic	3	0	stable			rollcall-3f97a3ff-40b6-4c34-a148-b58c23e84ff3	\N	1	1	51	{}	[]	[]	{"moved": 3, "members": 1, "assigned": 1, "unsynced": 0}
7	2026-11-22 13:17:07.925015+00	consumer	1	0	group-created			\N	\N	0	1	\N	{}	[]	[]	{}
8	2026-11-22 13:17:07.925041+00	consumer	1	0	rebalance-started	member-joined	a member's subscription is new	a6e55d72-73ad-4261-85da-43d7df873a78	rollcall	1	2	\N	{}	[]	[]	{"members": 1}
9	2026-11-22 13:17:07.925047+00	consumer	1	0	rebalance-completed	member-joined	a member's subscription is new	a6e55d72-73ad-4261-85da-43d7df873a78	rollcall	0	2	0	{}	[]	[]	{"moved": 3, "members": 1, "unowned": 0, "handed_over": [], "unowned_longest": [], "handed_over_pairs": 0, "unowned_longest_ms": 0}
10	2026-11-22 13:17:08.009973+00	draft	1	0	group-created			\N	\N	0	0	\N	{}	[]	[]	{}
11	2026-11-22 13:17:08.009998+00	draft	1	0	rebalance-started	member-joined	it has no id yet	\N	rollcall	0	0	\N	{}	[]	[]	{}
12	2026-11-22 13:17:08.010002+00	draft	1	0	rebalance-completed	member-joined	it has no id yet	\N	rollcall	0	1	0	{}	["draft-3f761bf3-e2a5-4b19-b3e2-c10187bd1b68"]	[]	{"left": 0, "moved": 0, "members": 1}
13	2026-11-22 13:17:08.101476+00	commanded	1	0	group-created			\N	\N	0	0	\N	{}	[]	[]	{}
14	2026-11-22 13:17:08.101513+00	commanded	1	0	rebalance-started	member-joined	a consumer has registered	commanded-b1881e50-e058-4a7c-92b8-41008e0a9216	rollcall	0	0	\N	{}	[]	[]	{"necessary": "3.1"}
\.


--
-- Data for Name: rollcall_liveness; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_liveness (group_id, member_id, heard_at, deadline_at) FROM stdin;
classic	rollcall-3f97a3ff-40b6-4c34-a148-b58c23e84ff3	2026-11-22 13:17:07.800686+00	2026-11-22 13:17:52.800687+00
commanded	commanded-b1881e50-e058-4a7c-92b8-41008e0a9216	2026-11-22 13:17:08.161874+00	2026-11-22 13:17:53.161874+00
consumer	a6e55d72-73ad-4261-85da-43d7df873a78	2026-11-22 13:17:07.964883+00	2026-11-22 13:17:52.964883+00
draft	draft-3f761bf3-e2a5-4b19-b3e2-c10187bd1b68	2026-11-22 13:17:08.005886+00	2026-11-22 13:17:38.005886+00
\.


--
-- Data for Name: rollcall_member; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_member (member_id, instance_id, client_id, client_host, session_timeout_ms, rebalance_timeout_ms, "position", subscription, assignment, details, joined_at, group_id) FROM stdin;
rollcall-3f97a3ff-40b6-4c34-a148-b58c23e84ff3	\N	rollcall	/127.0.0.1	45000	300000	0	\\x000000010000000572616e67650000001c00030000000100066f7264657273ffffffff00000000ffffffffffff	\\x00030000000100066f726465727300000003000000000000000100000002ffffffff	{}	2026-11-22 13:17:07.713729+00	classic
a6e55d72-73ad-4261-85da-43d7df873a78	\N	rollcall	/127.0.0.1	45000	300000	0	\\x	\\x	{"epoch": 2, "regex": "", "since": [["608bd75107424d1bbd78378ebbf6386f", 0, 2], ["608bd75107424d1bbd78378ebbf6386f", 1, 2], ["608bd75107424d1bbd78378ebbf6386f", 2, 2]], "state": "stable", "target": {"608bd75107424d1bbd78378ebbf6386f": [0, 1, 2]}, "topics": ["orders"], "rack_id": null, "assigned": {"608bd75107424d1bbd78378ebbf6386f": [0, 1, 2]}, "assignor": null, "revoking": {}, "previous_epoch": 0}	2026-11-22 13:17:07.9248+00	consumer
draft-3f761bf3-e2a5-4b19-b3e2-c10187bd1b68	\N	rollcall	/127.0.0.1	30000	30000	0	\\x000000010000000572616e67650000001200000000000100066f7264657273ffffffff	\\x00000000000100066f726465727300000003000000000000000100000002ffffffff	{}	2026-11-22 13:17:08.009814+00	draft
commanded-b1881e50-e058-4a7c-92b8-41008e0a9216	\N	rollcall	/127.0.0.1	45000	45000	0	\\x000000010000000572616e67650000001200000000000100066f7264657273ffffffff	\\x00000000000100066f726465727300000003000000000000000100000002ffffffff	{"owned": {"orders": [[0, 0], [1, 0], [2, 0]]}, "threads": {"orders": 1}}	2026-11-22 13:17:08.09187+00	commanded
\.


--
-- Data for Name: rollcall_node; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_node (node_id, incarnation, beat, host, port, started_at, beat_at, draft_port, lease_ms, takes_slots, schema) FROM stdin;
0	975d2553-1003-4a33-9d10-a57b29e7b57c	4	127.0.0.1	54997	2026-11-22 13:17:06.263454+00	2026-11-22 13:17:07.781915+00	34295	3000	t	0015_journal_of_topics
\.


--
-- Data for Name: rollcall_noted_offsets; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_noted_offsets (id, group_id, generation, member_id, topics, partitions, offsets, metadata) FROM stdin;
\.


--
-- Data for Name: rollcall_offset; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_offset (group_id, topic, partition, committed_offset, leader_epoch, metadata, committed_at, expires_at) FROM stdin;
classic	orders	0	100	-1		2026-11-22 13:17:07.838126+00	\N
classic	orders	1	101	-1		2026-11-22 13:17:07.838288+00	\N
classic	orders	2	102	-1		2026-11-22 13:17:07.838295+00	\N
consumer	orders	0	100	-1		2026-11-22 13:17:07.969364+00	\N
consumer	orders	1	101	-1		2026-11-22 13:17:07.969396+00	\N
consumer	orders	2	102	-1		2026-11-22 13:17:07.969401+00	\N
draft	orders	0	100	-1		2026-11-22 13:17:08.028085+00	\N
draft	orders	1	101	-1		2026-11-22 13:17:08.028126+00	\N
draft	orders	2	102	-1		2026-11-22 13:17:08.028134+00	\N
commanded	orders	0	100	-1		2026-11-22 13:17:08.17791+00	\N
commanded	orders	1	101	-1		2026-11-22 13:17:08.177937+00	\N
commanded	orders	2	102	-1		2026-11-22 13:17:08.177947+00	\N
\.


--
-- Data for Name: rollcall_offset_history_2026112213; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_offset_history_2026112213 (at, group_id, topic, partition, committed_offset, leader_epoch, metadata, member_id, client_id, client_host) FROM stdin;
2026-11-22 13:17:07.838126+00	classic	orders	0	100	-1		rollcall-3f97a3ff-40b6-4c34-a148-b58c23e84ff3	rollcall	/127.0.0.1
2026-11-22 13:17:07.838288+00	classic	orders	1	101	-1		rollcall-3f97a3ff-40b6-4c34-a148-b58c23e84ff3	rollcall	/127.0.0.1
2026-11-22 13:17:07.838295+00	classic	orders	2	102	-1		rollcall-3f97a3ff-40b6-4c34-a148-b58c23e84ff3	rollcall	/127.0.0.1
2026-11-22 13:17:07.969364+00	consumer	orders	0	100	-1		a6e55d72-73ad-4261-85da-43d7df873a78	rollcall	/127.0.0.1
2026-11-22 13:17:07.969396+00	consumer	orders	1	101	-1		a6e55d72-73ad-4261-85da-43d7df873a78	rollcall	/127.0.0.1
2026-11-22 13:17:07.969401+00	consumer	orders	2	102	-1		a6e55d72-73ad-4261-85da-43d7df873a78	rollcall	/127.0.0.1
2026-11-22 13:17:08.028085+00	draft	orders	0	100	-1		draft-3f761bf3-e2a5-4b19-b3e2-c10187bd1b68	rollcall	/127.0.0.1
2026-11-22 13:17:08.028126+00	draft	orders	1	101	-1		draft-3f761bf3-e2a5-4b19-b3e2-c10187bd1b68	rollcall	/127.0.0.1
2026-11-22 13:17:08.028134+00	draft	orders	2	102	-1		draft-3f761bf3-e2a5-4b19-b3e2-c10187bd1b68	rollcall	/127.0.0.1
2026-11-22 13:17:08.17791+00	commanded	orders	0	100	-1		commanded-b1881e50-e058-4a7c-92b8-41008e0a9216	rollcall	/127.0.0.1
2026-11-22 13:17:08.177937+00	commanded	orders	1	101	-1		commanded-b1881e50-e058-4a7c-92b8-41008e0a9216	rollcall	/127.0.0.1
2026-11-22 13:17:08.177947+00	commanded	orders	2	102	-1		commanded-b1881e50-e058-4a7c-92b8-41008e0a9216	rollcall	/127.0.0.1
\.


--
-- Data for Name: rollcall_offset_history_2026112214; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_offset_history_2026112214 (at, group_id, topic, partition, committed_offset, leader_epoch, metadata, member_id, client_id, client_host) FROM stdin;
\.


--
-- Data for Name: rollcall_offset_history_2026112215; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_offset_history_2026112215 (at, group_id, topic, partition, committed_offset, leader_epoch, metadata, member_id, client_id, client_host) FROM stdin;
\.


--
-- Data for Name: rollcall_offset_history_default; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_offset_history_default (at, group_id, topic, partition, committed_offset, leader_epoch, metadata, member_id, client_id, client_host) FROM stdin;
\.


--
-- Data for Name: rollcall_operation; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_operation (id, group_id, slot, verb, member_id, reason, actor, expected_generation, idempotency_key, state, detail, generation, created_at, finished_at, restore_to, outcome) FROM stdin;
\.


--
-- Data for Name: rollcall_pause; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_pause (group_id, scope, name, slot, pause_id, actor, reason, since) FROM stdin;
\.


--
-- Data for Name: rollcall_pending_offset; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_pending_offset (producer_id, group_id, topic, partition, committed_offset, leader_epoch, metadata, committed_at, superseded, place, member_id, client_id, client_host) FROM stdin;
\.


--
-- Data for Name: rollcall_producer; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_producer (transactional_id, slot, producer_id, epoch, timeout_ms, state, last_epoch, previous_id, started_at, updated_at) FROM stdin;
\.


--
-- Data for Name: rollcall_rebalance_cost; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_rebalance_cost (id, group_id, trigger, rebalances, duration_ms, longest_ms, waited_ms, slowest_member, partitions_moved, without_owner_ms, run_id) FROM stdin;
\.


--
-- Data for Name: rollcall_report_run; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_report_run (id, kind, state, requested_by, started_at, finished_at, last_journal_id, events, detail) FROM stdin;
\.


--
-- Data for Name: rollcall_slot; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_slot (slot, node_id, incarnation, epoch) FROM stdin;
0	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
1	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
2	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
3	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
4	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
5	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
6	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
7	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
8	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
9	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
10	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
11	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
12	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
13	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
14	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
15	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
16	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
17	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
18	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
19	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
20	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
21	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
22	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
23	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
24	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
25	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
26	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
27	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
28	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
29	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
30	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
31	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
32	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
33	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
34	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
35	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
36	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
37	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
38	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
39	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
40	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
41	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
42	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
43	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
44	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
45	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
46	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
47	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
48	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
49	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
50	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
51	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
52	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
53	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
54	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
55	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
56	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
57	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
58	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
59	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
60	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
61	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
62	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
63	0	975d2553-1003-4a33-9d10-a57b29e7b57c	1
\.


--
-- Data for Name: rollcall_sweep; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_sweep (name, started_at, took_ms, outcome, failed, runs, failures) FROM stdin;
session sweep	2026-11-22 13:17:08.121389+00	11	nobody is overdue	f	2	0
\.


--
-- Data for Name: rollcall_topic; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_topic (name, topic_id, partitions, end_offsets, created_at, racks) FROM stdin;
orders	608bd751-0742-4d1b-bd78-378ebbf6386f	3	{}	2026-11-22 13:17:07.122022+00	[]
\.


--
-- Data for Name: rollcall_txn_group; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_txn_group (transactional_id, group_id) FROM stdin;
\.


--
-- Data for Name: rollcall_watch; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_watch (slot, probe, probed_at, echo, echoed_at) FROM stdin;
0	0	\N	0	\N
1	0	\N	0	\N
2	0	\N	0	\N
3	0	\N	0	\N
4	0	\N	0	\N
5	0	\N	0	\N
6	0	\N	0	\N
7	0	\N	0	\N
8	0	\N	0	\N
9	0	\N	0	\N
10	0	\N	0	\N
11	0	\N	0	\N
12	0	\N	0	\N
13	0	\N	0	\N
14	0	\N	0	\N
15	0	\N	0	\N
16	0	\N	0	\N
17	0	\N	0	\N
18	0	\N	0	\N
19	0	\N	0	\N
20	0	\N	0	\N
21	0	\N	0	\N
22	0	\N	0	\N
23	0	\N	0	\N
24	0	\N	0	\N
25	0	\N	0	\N
26	0	\N	0	\N
27	0	\N	0	\N
28	0	\N	0	\N
29	0	\N	0	\N
30	0	\N	0	\N
31	0	\N	0	\N
32	0	\N	0	\N
33	0	\N	0	\N
34	0	\N	0	\N
35	0	\N	0	\N
36	0	\N	0	\N
37	0	\N	0	\N
38	0	\N	0	\N
39	0	\N	0	\N
40	0	\N	0	\N
41	0	\N	0	\N
42	0	\N	0	\N
43	0	\N	0	\N
44	0	\N	0	\N
45	0	\N	0	\N
46	0	\N	0	\N
47	0	\N	0	\N
48	0	\N	0	\N
49	0	\N	0	\N
50	0	\N	0	\N
51	0	\N	0	\N
52	0	\N	0	\N
53	0	\N	0	\N
54	0	\N	0	\N
55	0	\N	0	\N
56	0	\N	0	\N
57	0	\N	0	\N
58	0	\N	0	\N
59	0	\N	0	\N
60	0	\N	0	\N
61	0	\N	0	\N
62	0	\N	0	\N
63	0	\N	0	\N
\.


--
-- Name: q_rollcall_msg_id_seq; Type: SEQUENCE SET; Schema: pgmq; Owner: -
--

SELECT pg_catalog.setval('pgmq.q_rollcall_msg_id_seq', 2, true);


--
-- Name: auth_group_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.auth_group_id_seq', 3, true);


--
-- Name: auth_group_permissions_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.auth_group_permissions_id_seq', 141, true);


--
-- Name: auth_permission_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.auth_permission_id_seq', 119, true);


--
-- Name: auth_user_groups_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.auth_user_groups_id_seq', 1, false);


--
-- Name: auth_user_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.auth_user_id_seq', 1, true);


--
-- Name: auth_user_user_permissions_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.auth_user_user_permissions_id_seq', 1, false);


--
-- Name: django_admin_log_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.django_admin_log_id_seq', 1, false);


--
-- Name: django_celery_beat_clockedschedule_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.django_celery_beat_clockedschedule_id_seq', 1, false);


--
-- Name: django_celery_beat_crontabschedule_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.django_celery_beat_crontabschedule_id_seq', 1, true);


--
-- Name: django_celery_beat_intervalschedule_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.django_celery_beat_intervalschedule_id_seq', 3, true);


--
-- Name: django_celery_beat_periodictask_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.django_celery_beat_periodictask_id_seq', 4, true);


--
-- Name: django_celery_beat_solarschedule_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.django_celery_beat_solarschedule_id_seq', 1, false);


--
-- Name: django_content_type_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.django_content_type_id_seq', 29, true);


--
-- Name: django_migrations_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.django_migrations_id_seq', 54, true);


--
-- Name: rollcall_api_token_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.rollcall_api_token_id_seq', 1, false);


--
-- Name: rollcall_journal_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.rollcall_journal_id_seq', 14, true);


--
-- Name: rollcall_noted_offsets_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.rollcall_noted_offsets_id_seq', 1, false);


--
-- Name: rollcall_operation_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.rollcall_operation_id_seq', 1, false);


--
-- Name: rollcall_pending_offset_place_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.rollcall_pending_offset_place_seq', 1, false);


--
-- Name: rollcall_producer_id; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.rollcall_producer_id', 1, false);


--
-- Name: rollcall_rebalance_cost_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.rollcall_rebalance_cost_id_seq', 1, false);


--
-- Name: rollcall_report_run_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.rollcall_report_run_id_seq', 1, false);


--
-- Name: a_rollcall a_rollcall_pkey; Type: CONSTRAINT; Schema: pgmq; Owner: -
--

ALTER TABLE ONLY pgmq.a_rollcall
    ADD CONSTRAINT a_rollcall_pkey PRIMARY KEY (msg_id);


--
-- Name: meta meta_queue_name_key; Type: CONSTRAINT; Schema: pgmq; Owner: -
--

ALTER TABLE ONLY pgmq.meta
    ADD CONSTRAINT meta_queue_name_key UNIQUE (queue_name);


--
-- Name: notify_insert_throttle notify_insert_throttle_queue_name_key; Type: CONSTRAINT; Schema: pgmq; Owner: -
--

ALTER TABLE ONLY pgmq.notify_insert_throttle
    ADD CONSTRAINT notify_insert_throttle_queue_name_key UNIQUE (queue_name);


--
-- Name: q_rollcall q_rollcall_pkey; Type: CONSTRAINT; Schema: pgmq; Owner: -
--

ALTER TABLE ONLY pgmq.q_rollcall
    ADD CONSTRAINT q_rollcall_pkey PRIMARY KEY (msg_id);


--
-- Name: topic_bindings topic_bindings_unique_pattern_queue; Type: CONSTRAINT; Schema: pgmq; Owner: -
--

ALTER TABLE ONLY pgmq.topic_bindings
    ADD CONSTRAINT topic_bindings_unique_pattern_queue UNIQUE (pattern, queue_name);


--
-- Name: auth_group auth_group_name_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_group
    ADD CONSTRAINT auth_group_name_key UNIQUE (name);


--
-- Name: auth_group_permissions auth_group_permissions_group_id_permission_id_0cd325b0_uniq; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissions_group_id_permission_id_0cd325b0_uniq UNIQUE (group_id, permission_id);


--
-- Name: auth_group_permissions auth_group_permissions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissions_pkey PRIMARY KEY (id);


--
-- Name: auth_group auth_group_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_group
    ADD CONSTRAINT auth_group_pkey PRIMARY KEY (id);


--
-- Name: auth_permission auth_permission_content_type_id_codename_01ab375a_uniq; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_permission
    ADD CONSTRAINT auth_permission_content_type_id_codename_01ab375a_uniq UNIQUE (content_type_id, codename);


--
-- Name: auth_permission auth_permission_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_permission
    ADD CONSTRAINT auth_permission_pkey PRIMARY KEY (id);


--
-- Name: auth_user_groups auth_user_groups_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_user_groups
    ADD CONSTRAINT auth_user_groups_pkey PRIMARY KEY (id);


--
-- Name: auth_user_groups auth_user_groups_user_id_group_id_94350c0c_uniq; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_user_groups
    ADD CONSTRAINT auth_user_groups_user_id_group_id_94350c0c_uniq UNIQUE (user_id, group_id);


--
-- Name: auth_user auth_user_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_user
    ADD CONSTRAINT auth_user_pkey PRIMARY KEY (id);


--
-- Name: auth_user_user_permissions auth_user_user_permissions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_user_user_permissions
    ADD CONSTRAINT auth_user_user_permissions_pkey PRIMARY KEY (id);


--
-- Name: auth_user_user_permissions auth_user_user_permissions_user_id_permission_id_14a6b632_uniq; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_user_user_permissions
    ADD CONSTRAINT auth_user_user_permissions_user_id_permission_id_14a6b632_uniq UNIQUE (user_id, permission_id);


--
-- Name: auth_user auth_user_username_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_user
    ADD CONSTRAINT auth_user_username_key UNIQUE (username);


--
-- Name: django_admin_log django_admin_log_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_admin_log
    ADD CONSTRAINT django_admin_log_pkey PRIMARY KEY (id);


--
-- Name: django_celery_beat_clockedschedule django_celery_beat_clockedschedule_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_celery_beat_clockedschedule
    ADD CONSTRAINT django_celery_beat_clockedschedule_pkey PRIMARY KEY (id);


--
-- Name: django_celery_beat_crontabschedule django_celery_beat_crontabschedule_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_celery_beat_crontabschedule
    ADD CONSTRAINT django_celery_beat_crontabschedule_pkey PRIMARY KEY (id);


--
-- Name: django_celery_beat_intervalschedule django_celery_beat_intervalschedule_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_celery_beat_intervalschedule
    ADD CONSTRAINT django_celery_beat_intervalschedule_pkey PRIMARY KEY (id);


--
-- Name: django_celery_beat_periodictask django_celery_beat_periodictask_name_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_celery_beat_periodictask
    ADD CONSTRAINT django_celery_beat_periodictask_name_key UNIQUE (name);


--
-- Name: django_celery_beat_periodictask django_celery_beat_periodictask_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_celery_beat_periodictask
    ADD CONSTRAINT django_celery_beat_periodictask_pkey PRIMARY KEY (id);


--
-- Name: django_celery_beat_periodictasks django_celery_beat_periodictasks_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_celery_beat_periodictasks
    ADD CONSTRAINT django_celery_beat_periodictasks_pkey PRIMARY KEY (ident);


--
-- Name: django_celery_beat_solarschedule django_celery_beat_solar_event_latitude_longitude_ba64999a_uniq; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_celery_beat_solarschedule
    ADD CONSTRAINT django_celery_beat_solar_event_latitude_longitude_ba64999a_uniq UNIQUE (event, latitude, longitude);


--
-- Name: django_celery_beat_solarschedule django_celery_beat_solarschedule_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_celery_beat_solarschedule
    ADD CONSTRAINT django_celery_beat_solarschedule_pkey PRIMARY KEY (id);


--
-- Name: django_content_type django_content_type_app_label_model_76bd3d3b_uniq; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_content_type
    ADD CONSTRAINT django_content_type_app_label_model_76bd3d3b_uniq UNIQUE (app_label, model);


--
-- Name: django_content_type django_content_type_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_content_type
    ADD CONSTRAINT django_content_type_pkey PRIMARY KEY (id);


--
-- Name: django_migrations django_migrations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_migrations
    ADD CONSTRAINT django_migrations_pkey PRIMARY KEY (id);


--
-- Name: django_session django_session_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_session
    ADD CONSTRAINT django_session_pkey PRIMARY KEY (session_key);


--
-- Name: rollcall_member member_instance_once; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_member
    ADD CONSTRAINT member_instance_once UNIQUE (group_id, instance_id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: rollcall_rebalance_cost rebalance_cost_once; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_rebalance_cost
    ADD CONSTRAINT rebalance_cost_once UNIQUE (run_id, group_id, trigger);


--
-- Name: rollcall_api_token rollcall_api_token_digest_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_api_token
    ADD CONSTRAINT rollcall_api_token_digest_key UNIQUE (digest);


--
-- Name: rollcall_api_token rollcall_api_token_name_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_api_token
    ADD CONSTRAINT rollcall_api_token_name_key UNIQUE (name);


--
-- Name: rollcall_api_token rollcall_api_token_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_api_token
    ADD CONSTRAINT rollcall_api_token_pkey PRIMARY KEY (id);


--
-- Name: rollcall_command rollcall_command_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_command
    ADD CONSTRAINT rollcall_command_pkey PRIMARY KEY (group_id, member_id, command_id);


--
-- Name: rollcall_follower rollcall_follower_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_follower
    ADD CONSTRAINT rollcall_follower_pkey PRIMARY KEY (group_id, member_id);


--
-- Name: rollcall_group_config rollcall_group_config_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_group_config
    ADD CONSTRAINT rollcall_group_config_pkey PRIMARY KEY (group_id, name);


--
-- Name: rollcall_group rollcall_group_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_group
    ADD CONSTRAINT rollcall_group_pkey PRIMARY KEY (group_id);


--
-- Name: rollcall_journal rollcall_journal_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_journal
    ADD CONSTRAINT rollcall_journal_pkey PRIMARY KEY (id);


--
-- Name: rollcall_liveness rollcall_liveness_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_liveness
    ADD CONSTRAINT rollcall_liveness_pkey PRIMARY KEY (group_id, member_id);


--
-- Name: rollcall_member rollcall_member_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_member
    ADD CONSTRAINT rollcall_member_pkey PRIMARY KEY (group_id, member_id);


--
-- Name: rollcall_node rollcall_node_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_node
    ADD CONSTRAINT rollcall_node_pkey PRIMARY KEY (node_id);


--
-- Name: rollcall_noted_offsets rollcall_noted_offsets_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_noted_offsets
    ADD CONSTRAINT rollcall_noted_offsets_pkey PRIMARY KEY (id);


--
-- Name: rollcall_offset rollcall_offset_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_offset
    ADD CONSTRAINT rollcall_offset_pkey PRIMARY KEY (group_id, topic, partition);


--
-- Name: rollcall_operation rollcall_operation_idempotency_key_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_operation
    ADD CONSTRAINT rollcall_operation_idempotency_key_key UNIQUE (idempotency_key);


--
-- Name: rollcall_operation rollcall_operation_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_operation
    ADD CONSTRAINT rollcall_operation_pkey PRIMARY KEY (id);


--
-- Name: rollcall_pause rollcall_pause_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_pause
    ADD CONSTRAINT rollcall_pause_pkey PRIMARY KEY (group_id, scope, name);


--
-- Name: rollcall_pending_offset rollcall_pending_offset_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_pending_offset
    ADD CONSTRAINT rollcall_pending_offset_pkey PRIMARY KEY (producer_id, group_id, topic, partition);


--
-- Name: rollcall_producer rollcall_producer_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_producer
    ADD CONSTRAINT rollcall_producer_pkey PRIMARY KEY (transactional_id);


--
-- Name: rollcall_producer rollcall_producer_producer_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_producer
    ADD CONSTRAINT rollcall_producer_producer_id_key UNIQUE (producer_id);


--
-- Name: rollcall_rebalance_cost rollcall_rebalance_cost_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_rebalance_cost
    ADD CONSTRAINT rollcall_rebalance_cost_pkey PRIMARY KEY (id);


--
-- Name: rollcall_report_run rollcall_report_run_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_report_run
    ADD CONSTRAINT rollcall_report_run_pkey PRIMARY KEY (id);


--
-- Name: rollcall_slot rollcall_slot_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_slot
    ADD CONSTRAINT rollcall_slot_pkey PRIMARY KEY (slot);


--
-- Name: rollcall_sweep rollcall_sweep_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_sweep
    ADD CONSTRAINT rollcall_sweep_pkey PRIMARY KEY (name);


--
-- Name: rollcall_topic rollcall_topic_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_topic
    ADD CONSTRAINT rollcall_topic_pkey PRIMARY KEY (name);


--
-- Name: rollcall_topic rollcall_topic_topic_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_topic
    ADD CONSTRAINT rollcall_topic_topic_id_key UNIQUE (topic_id);


--
-- Name: rollcall_txn_group rollcall_txn_group_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_txn_group
    ADD CONSTRAINT rollcall_txn_group_pkey PRIMARY KEY (transactional_id, group_id);


--
-- Name: rollcall_watch rollcall_watch_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_watch
    ADD CONSTRAINT rollcall_watch_pkey PRIMARY KEY (slot);


--
-- Name: archived_at_idx_rollcall; Type: INDEX; Schema: pgmq; Owner: -
--

CREATE INDEX archived_at_idx_rollcall ON pgmq.a_rollcall USING btree (archived_at);


--
-- Name: idx_notify_throttle_active; Type: INDEX; Schema: pgmq; Owner: -
--

CREATE INDEX idx_notify_throttle_active ON pgmq.notify_insert_throttle USING btree (queue_name, last_notified_at) WHERE (throttle_interval_ms > 0);


--
-- Name: idx_topic_bindings_covering; Type: INDEX; Schema: pgmq; Owner: -
--

CREATE INDEX idx_topic_bindings_covering ON pgmq.topic_bindings USING btree (pattern) INCLUDE (queue_name, compiled_regex);


--
-- Name: q_rollcall_vt_idx; Type: INDEX; Schema: pgmq; Owner: -
--

CREATE INDEX q_rollcall_vt_idx ON pgmq.q_rollcall USING btree (vt);


--
-- Name: auth_group_name_a6ea08ec_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX auth_group_name_a6ea08ec_like ON public.auth_group USING btree (name varchar_pattern_ops);


--
-- Name: auth_group_permissions_group_id_b120cbf9; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX auth_group_permissions_group_id_b120cbf9 ON public.auth_group_permissions USING btree (group_id);


--
-- Name: auth_group_permissions_permission_id_84c5c92e; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX auth_group_permissions_permission_id_84c5c92e ON public.auth_group_permissions USING btree (permission_id);


--
-- Name: auth_permission_content_type_id_2f476e4b; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX auth_permission_content_type_id_2f476e4b ON public.auth_permission USING btree (content_type_id);


--
-- Name: auth_user_groups_group_id_97559544; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX auth_user_groups_group_id_97559544 ON public.auth_user_groups USING btree (group_id);


--
-- Name: auth_user_groups_user_id_6a12ed8b; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX auth_user_groups_user_id_6a12ed8b ON public.auth_user_groups USING btree (user_id);


--
-- Name: auth_user_user_permissions_permission_id_1fbb5f2c; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX auth_user_user_permissions_permission_id_1fbb5f2c ON public.auth_user_user_permissions USING btree (permission_id);


--
-- Name: auth_user_user_permissions_user_id_a95ead1b; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX auth_user_user_permissions_user_id_a95ead1b ON public.auth_user_user_permissions USING btree (user_id);


--
-- Name: auth_user_username_6821ab7c_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX auth_user_username_6821ab7c_like ON public.auth_user USING btree (username varchar_pattern_ops);


--
-- Name: django_admin_log_content_type_id_c4bce8eb; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX django_admin_log_content_type_id_c4bce8eb ON public.django_admin_log USING btree (content_type_id);


--
-- Name: django_admin_log_user_id_c564eba6; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX django_admin_log_user_id_c564eba6 ON public.django_admin_log USING btree (user_id);


--
-- Name: django_celery_beat_periodictask_clocked_id_47a69f82; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX django_celery_beat_periodictask_clocked_id_47a69f82 ON public.django_celery_beat_periodictask USING btree (clocked_id);


--
-- Name: django_celery_beat_periodictask_crontab_id_d3cba168; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX django_celery_beat_periodictask_crontab_id_d3cba168 ON public.django_celery_beat_periodictask USING btree (crontab_id);


--
-- Name: django_celery_beat_periodictask_interval_id_a8ca27da; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX django_celery_beat_periodictask_interval_id_a8ca27da ON public.django_celery_beat_periodictask USING btree (interval_id);


--
-- Name: django_celery_beat_periodictask_name_265a36b7_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX django_celery_beat_periodictask_name_265a36b7_like ON public.django_celery_beat_periodictask USING btree (name varchar_pattern_ops);


--
-- Name: django_celery_beat_periodictask_solar_id_a87ce72c; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX django_celery_beat_periodictask_solar_id_a87ce72c ON public.django_celery_beat_periodictask USING btree (solar_id);


--
-- Name: django_session_expire_date_a5c62663; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX django_session_expire_date_a5c62663 ON public.django_session USING btree (expire_date);


--
-- Name: django_session_session_key_c0390e0f_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX django_session_session_key_c0390e0f_like ON public.django_session USING btree (session_key varchar_pattern_ops);


--
-- Name: group_by_slot; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX group_by_slot ON public.rollcall_group USING btree (slot);


--
-- Name: group_config_by_slot; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX group_config_by_slot ON public.rollcall_group_config USING btree (slot);


--
-- Name: journal_of_group; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX journal_of_group ON public.rollcall_journal USING btree (group_id, id DESC);


--
-- Name: journal_of_topic; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX journal_of_topic ON public.rollcall_journal USING btree (((details ->> 'topic'::text)), id DESC) WHERE (kind ~~ 'topic-%'::text);


--
-- Name: journal_rebalances; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX journal_rebalances ON public.rollcall_journal USING btree (group_id, id DESC) WHERE (kind = 'rebalance-completed'::text);


--
-- Name: liveness_by_deadline; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX liveness_by_deadline ON public.rollcall_liveness USING btree (deadline_at);


--
-- Name: offset_by_partition; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX offset_by_partition ON public.rollcall_offset USING btree (topic, partition);


--
-- Name: offset_history_of_group; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX offset_history_of_group ON ONLY public.rollcall_offset_history USING btree (group_id, at);


--
-- Name: operation_finished; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX operation_finished ON public.rollcall_operation USING btree (finished_at) WHERE (finished_at IS NOT NULL);


--
-- Name: operation_of_group; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX operation_of_group ON public.rollcall_operation USING btree (group_id, id DESC);


--
-- Name: operation_pending; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX operation_pending ON public.rollcall_operation USING btree (slot) WHERE (state = 'pending'::text);


--
-- Name: pause_by_slot; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX pause_by_slot ON public.rollcall_pause USING btree (slot);


--
-- Name: pending_by_topic; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX pending_by_topic ON public.rollcall_pending_offset USING btree (topic);


--
-- Name: pending_of_group; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX pending_of_group ON public.rollcall_pending_offset USING btree (group_id, topic, partition);


--
-- Name: producer_by_age; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX producer_by_age ON public.rollcall_producer USING btree (updated_at) WHERE (state <> 'Ongoing'::text);


--
-- Name: producer_by_slot; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX producer_by_slot ON public.rollcall_producer USING btree (slot);


--
-- Name: producer_ongoing; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX producer_ongoing ON public.rollcall_producer USING btree (slot) WHERE (state = 'Ongoing'::text);


--
-- Name: report_run_newest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX report_run_newest ON public.rollcall_report_run USING btree (kind, id DESC);


--
-- Name: rollcall_api_token_digest_4afa45d2_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_api_token_digest_4afa45d2_like ON public.rollcall_api_token USING btree (digest varchar_pattern_ops);


--
-- Name: rollcall_api_token_name_e3799f4d_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_api_token_name_e3799f4d_like ON public.rollcall_api_token USING btree (name varchar_pattern_ops);


--
-- Name: rollcall_api_token_user_id_6741e78d; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_api_token_user_id_6741e78d ON public.rollcall_api_token USING btree (user_id);


--
-- Name: rollcall_group_group_id_bb302ce1_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_group_group_id_bb302ce1_like ON public.rollcall_group USING btree (group_id text_pattern_ops);


--
-- Name: rollcall_member_group_id_048faef8; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_member_group_id_048faef8 ON public.rollcall_member USING btree (group_id);


--
-- Name: rollcall_member_group_id_048faef8_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_member_group_id_048faef8_like ON public.rollcall_member USING btree (group_id text_pattern_ops);


--
-- Name: rollcall_offset_history_2026112213_group_id_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_offset_history_2026112213_group_id_at_idx ON public.rollcall_offset_history_2026112213 USING btree (group_id, at);


--
-- Name: rollcall_offset_history_2026112214_group_id_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_offset_history_2026112214_group_id_at_idx ON public.rollcall_offset_history_2026112214 USING btree (group_id, at);


--
-- Name: rollcall_offset_history_2026112215_group_id_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_offset_history_2026112215_group_id_at_idx ON public.rollcall_offset_history_2026112215 USING btree (group_id, at);


--
-- Name: rollcall_offset_history_default_group_id_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_offset_history_default_group_id_at_idx ON public.rollcall_offset_history_default USING btree (group_id, at);


--
-- Name: rollcall_operation_idempotency_key_460fde44_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_operation_idempotency_key_460fde44_like ON public.rollcall_operation USING btree (idempotency_key text_pattern_ops);


--
-- Name: rollcall_rebalance_cost_run_id_ffba9b16; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_rebalance_cost_run_id_ffba9b16 ON public.rollcall_rebalance_cost USING btree (run_id);


--
-- Name: rollcall_sweep_name_6ce9e61d_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_sweep_name_6ce9e61d_like ON public.rollcall_sweep USING btree (name text_pattern_ops);


--
-- Name: rollcall_topic_name_563f2597_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_topic_name_563f2597_like ON public.rollcall_topic USING btree (name text_pattern_ops);


--
-- Name: rollcall_offset_history_2026112213_group_id_at_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.offset_history_of_group ATTACH PARTITION public.rollcall_offset_history_2026112213_group_id_at_idx;


--
-- Name: rollcall_offset_history_2026112214_group_id_at_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.offset_history_of_group ATTACH PARTITION public.rollcall_offset_history_2026112214_group_id_at_idx;


--
-- Name: rollcall_offset_history_2026112215_group_id_at_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.offset_history_of_group ATTACH PARTITION public.rollcall_offset_history_2026112215_group_id_at_idx;


--
-- Name: rollcall_offset_history_default_group_id_at_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.offset_history_of_group ATTACH PARTITION public.rollcall_offset_history_default_group_id_at_idx;


--
-- Name: q_rollcall trigger_notify_queue_insert_listeners; Type: TRIGGER; Schema: pgmq; Owner: -
--

CREATE CONSTRAINT TRIGGER trigger_notify_queue_insert_listeners AFTER INSERT ON pgmq.q_rollcall DEFERRABLE INITIALLY IMMEDIATE FOR EACH ROW EXECUTE FUNCTION pgmq.notify_queue_listeners();


--
-- Name: rollcall_noted_offsets rollcall_settle_offsets; Type: TRIGGER; Schema: public; Owner: -
--

CREATE CONSTRAINT TRIGGER rollcall_settle_offsets AFTER INSERT ON public.rollcall_noted_offsets DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.rollcall_settle_offsets();


--
-- Name: notify_insert_throttle notify_insert_throttle_meta_queue_name_fk; Type: FK CONSTRAINT; Schema: pgmq; Owner: -
--

ALTER TABLE ONLY pgmq.notify_insert_throttle
    ADD CONSTRAINT notify_insert_throttle_meta_queue_name_fk FOREIGN KEY (queue_name) REFERENCES pgmq.meta(queue_name) ON DELETE CASCADE;


--
-- Name: topic_bindings topic_bindings_meta_queue_name_fk; Type: FK CONSTRAINT; Schema: pgmq; Owner: -
--

ALTER TABLE ONLY pgmq.topic_bindings
    ADD CONSTRAINT topic_bindings_meta_queue_name_fk FOREIGN KEY (queue_name) REFERENCES pgmq.meta(queue_name) ON DELETE CASCADE;


--
-- Name: auth_group_permissions auth_group_permissio_permission_id_84c5c92e_fk_auth_perm; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissio_permission_id_84c5c92e_fk_auth_perm FOREIGN KEY (permission_id) REFERENCES public.auth_permission(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: auth_group_permissions auth_group_permissions_group_id_b120cbf9_fk_auth_group_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissions_group_id_b120cbf9_fk_auth_group_id FOREIGN KEY (group_id) REFERENCES public.auth_group(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: auth_permission auth_permission_content_type_id_2f476e4b_fk_django_co; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_permission
    ADD CONSTRAINT auth_permission_content_type_id_2f476e4b_fk_django_co FOREIGN KEY (content_type_id) REFERENCES public.django_content_type(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: auth_user_groups auth_user_groups_group_id_97559544_fk_auth_group_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_user_groups
    ADD CONSTRAINT auth_user_groups_group_id_97559544_fk_auth_group_id FOREIGN KEY (group_id) REFERENCES public.auth_group(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: auth_user_groups auth_user_groups_user_id_6a12ed8b_fk_auth_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_user_groups
    ADD CONSTRAINT auth_user_groups_user_id_6a12ed8b_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: auth_user_user_permissions auth_user_user_permi_permission_id_1fbb5f2c_fk_auth_perm; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_user_user_permissions
    ADD CONSTRAINT auth_user_user_permi_permission_id_1fbb5f2c_fk_auth_perm FOREIGN KEY (permission_id) REFERENCES public.auth_permission(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: auth_user_user_permissions auth_user_user_permissions_user_id_a95ead1b_fk_auth_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_user_user_permissions
    ADD CONSTRAINT auth_user_user_permissions_user_id_a95ead1b_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: django_admin_log django_admin_log_content_type_id_c4bce8eb_fk_django_co; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_admin_log
    ADD CONSTRAINT django_admin_log_content_type_id_c4bce8eb_fk_django_co FOREIGN KEY (content_type_id) REFERENCES public.django_content_type(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: django_admin_log django_admin_log_user_id_c564eba6_fk_auth_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_admin_log
    ADD CONSTRAINT django_admin_log_user_id_c564eba6_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: django_celery_beat_periodictask django_celery_beat_p_clocked_id_47a69f82_fk_django_ce; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_celery_beat_periodictask
    ADD CONSTRAINT django_celery_beat_p_clocked_id_47a69f82_fk_django_ce FOREIGN KEY (clocked_id) REFERENCES public.django_celery_beat_clockedschedule(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: django_celery_beat_periodictask django_celery_beat_p_crontab_id_d3cba168_fk_django_ce; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_celery_beat_periodictask
    ADD CONSTRAINT django_celery_beat_p_crontab_id_d3cba168_fk_django_ce FOREIGN KEY (crontab_id) REFERENCES public.django_celery_beat_crontabschedule(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: django_celery_beat_periodictask django_celery_beat_p_interval_id_a8ca27da_fk_django_ce; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_celery_beat_periodictask
    ADD CONSTRAINT django_celery_beat_p_interval_id_a8ca27da_fk_django_ce FOREIGN KEY (interval_id) REFERENCES public.django_celery_beat_intervalschedule(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: django_celery_beat_periodictask django_celery_beat_p_solar_id_a87ce72c_fk_django_ce; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_celery_beat_periodictask
    ADD CONSTRAINT django_celery_beat_p_solar_id_a87ce72c_fk_django_ce FOREIGN KEY (solar_id) REFERENCES public.django_celery_beat_solarschedule(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: rollcall_api_token rollcall_api_token_user_id_6741e78d_fk_auth_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_api_token
    ADD CONSTRAINT rollcall_api_token_user_id_6741e78d_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: rollcall_member rollcall_member_group_id_048faef8_fk_rollcall_group_group_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_member
    ADD CONSTRAINT rollcall_member_group_id_048faef8_fk_rollcall_group_group_id FOREIGN KEY (group_id) REFERENCES public.rollcall_group(group_id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: rollcall_rebalance_cost rollcall_rebalance_c_run_id_ffba9b16_fk_rollcall_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_rebalance_cost
    ADD CONSTRAINT rollcall_rebalance_c_run_id_ffba9b16_fk_rollcall_ FOREIGN KEY (run_id) REFERENCES public.rollcall_report_run(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: SCHEMA pgmq; Type: ACL; Schema: -; Owner: -
--

GRANT USAGE ON SCHEMA pgmq TO pg_monitor;


--
-- Name: SCHEMA public; Type: ACL; Schema: -; Owner: -
--

GRANT USAGE ON SCHEMA public TO rollcall_node;
GRANT USAGE ON SCHEMA public TO rollcall_web;
GRANT USAGE ON SCHEMA public TO rollcall_worker;
GRANT USAGE ON SCHEMA public TO rollcall_analysis;
GRANT USAGE ON SCHEMA public TO rollcall_application;


--
-- Name: FUNCTION rollcall_commit_offsets(group_id text, generation integer, member_id text, topics text[], partitions integer[], offsets bigint[], metadata text[]); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.rollcall_commit_offsets(group_id text, generation integer, member_id text, topics text[], partitions integer[], offsets bigint[], metadata text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.rollcall_commit_offsets(group_id text, generation integer, member_id text, topics text[], partitions integer[], offsets bigint[], metadata text[]) TO rollcall_application;


--
-- Name: FUNCTION rollcall_committed_offsets(group_id text); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.rollcall_committed_offsets(group_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.rollcall_committed_offsets(group_id text) TO rollcall_application;


--
-- Name: FUNCTION rollcall_settle_offsets(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.rollcall_settle_offsets() FROM PUBLIC;


--
-- Name: FUNCTION rollcall_turn_history(hours integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.rollcall_turn_history(hours integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.rollcall_turn_history(hours integer) TO rollcall_worker;


--
-- Name: TABLE a_rollcall; Type: ACL; Schema: pgmq; Owner: -
--

GRANT SELECT ON TABLE pgmq.a_rollcall TO pg_monitor;


--
-- Name: TABLE meta; Type: ACL; Schema: pgmq; Owner: -
--

GRANT SELECT ON TABLE pgmq.meta TO pg_monitor;


--
-- Name: TABLE notify_insert_throttle; Type: ACL; Schema: pgmq; Owner: -
--

GRANT SELECT ON TABLE pgmq.notify_insert_throttle TO pg_monitor;


--
-- Name: TABLE q_rollcall; Type: ACL; Schema: pgmq; Owner: -
--

GRANT SELECT ON TABLE pgmq.q_rollcall TO pg_monitor;


--
-- Name: SEQUENCE q_rollcall_msg_id_seq; Type: ACL; Schema: pgmq; Owner: -
--

GRANT SELECT ON SEQUENCE pgmq.q_rollcall_msg_id_seq TO pg_monitor;


--
-- Name: TABLE topic_bindings; Type: ACL; Schema: pgmq; Owner: -
--

GRANT SELECT ON TABLE pgmq.topic_bindings TO pg_monitor;


--
-- Name: TABLE auth_group; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.auth_group TO rollcall_web;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.auth_group TO rollcall_worker;


--
-- Name: SEQUENCE auth_group_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.auth_group_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.auth_group_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.auth_group_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.auth_group_id_seq TO rollcall_analysis;


--
-- Name: TABLE auth_group_permissions; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.auth_group_permissions TO rollcall_web;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.auth_group_permissions TO rollcall_worker;


--
-- Name: SEQUENCE auth_group_permissions_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.auth_group_permissions_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.auth_group_permissions_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.auth_group_permissions_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.auth_group_permissions_id_seq TO rollcall_analysis;


--
-- Name: TABLE auth_permission; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.auth_permission TO rollcall_web;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.auth_permission TO rollcall_worker;


--
-- Name: SEQUENCE auth_permission_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.auth_permission_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.auth_permission_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.auth_permission_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.auth_permission_id_seq TO rollcall_analysis;


--
-- Name: TABLE auth_user; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.auth_user TO rollcall_web;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.auth_user TO rollcall_worker;


--
-- Name: TABLE auth_user_groups; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.auth_user_groups TO rollcall_web;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.auth_user_groups TO rollcall_worker;


--
-- Name: SEQUENCE auth_user_groups_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.auth_user_groups_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.auth_user_groups_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.auth_user_groups_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.auth_user_groups_id_seq TO rollcall_analysis;


--
-- Name: SEQUENCE auth_user_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.auth_user_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.auth_user_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.auth_user_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.auth_user_id_seq TO rollcall_analysis;


--
-- Name: TABLE auth_user_user_permissions; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.auth_user_user_permissions TO rollcall_web;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.auth_user_user_permissions TO rollcall_worker;


--
-- Name: SEQUENCE auth_user_user_permissions_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.auth_user_user_permissions_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.auth_user_user_permissions_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.auth_user_user_permissions_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.auth_user_user_permissions_id_seq TO rollcall_analysis;


--
-- Name: TABLE django_admin_log; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.django_admin_log TO rollcall_web;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.django_admin_log TO rollcall_worker;


--
-- Name: SEQUENCE django_admin_log_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.django_admin_log_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.django_admin_log_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.django_admin_log_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.django_admin_log_id_seq TO rollcall_analysis;


--
-- Name: TABLE django_celery_beat_clockedschedule; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.django_celery_beat_clockedschedule TO rollcall_web;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.django_celery_beat_clockedschedule TO rollcall_worker;


--
-- Name: SEQUENCE django_celery_beat_clockedschedule_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.django_celery_beat_clockedschedule_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.django_celery_beat_clockedschedule_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.django_celery_beat_clockedschedule_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.django_celery_beat_clockedschedule_id_seq TO rollcall_analysis;


--
-- Name: TABLE django_celery_beat_crontabschedule; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.django_celery_beat_crontabschedule TO rollcall_web;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.django_celery_beat_crontabschedule TO rollcall_worker;


--
-- Name: SEQUENCE django_celery_beat_crontabschedule_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.django_celery_beat_crontabschedule_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.django_celery_beat_crontabschedule_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.django_celery_beat_crontabschedule_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.django_celery_beat_crontabschedule_id_seq TO rollcall_analysis;


--
-- Name: TABLE django_celery_beat_intervalschedule; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.django_celery_beat_intervalschedule TO rollcall_web;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.django_celery_beat_intervalschedule TO rollcall_worker;


--
-- Name: SEQUENCE django_celery_beat_intervalschedule_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.django_celery_beat_intervalschedule_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.django_celery_beat_intervalschedule_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.django_celery_beat_intervalschedule_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.django_celery_beat_intervalschedule_id_seq TO rollcall_analysis;


--
-- Name: TABLE django_celery_beat_periodictask; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.django_celery_beat_periodictask TO rollcall_web;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.django_celery_beat_periodictask TO rollcall_worker;


--
-- Name: SEQUENCE django_celery_beat_periodictask_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.django_celery_beat_periodictask_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.django_celery_beat_periodictask_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.django_celery_beat_periodictask_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.django_celery_beat_periodictask_id_seq TO rollcall_analysis;


--
-- Name: TABLE django_celery_beat_periodictasks; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.django_celery_beat_periodictasks TO rollcall_web;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.django_celery_beat_periodictasks TO rollcall_worker;


--
-- Name: TABLE django_celery_beat_solarschedule; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.django_celery_beat_solarschedule TO rollcall_web;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.django_celery_beat_solarschedule TO rollcall_worker;


--
-- Name: SEQUENCE django_celery_beat_solarschedule_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.django_celery_beat_solarschedule_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.django_celery_beat_solarschedule_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.django_celery_beat_solarschedule_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.django_celery_beat_solarschedule_id_seq TO rollcall_analysis;


--
-- Name: TABLE django_content_type; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.django_content_type TO rollcall_web;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.django_content_type TO rollcall_worker;


--
-- Name: SEQUENCE django_content_type_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.django_content_type_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.django_content_type_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.django_content_type_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.django_content_type_id_seq TO rollcall_analysis;


--
-- Name: TABLE django_migrations; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.django_migrations TO rollcall_node;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.django_migrations TO rollcall_web;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.django_migrations TO rollcall_worker;


--
-- Name: SEQUENCE django_migrations_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.django_migrations_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.django_migrations_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.django_migrations_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.django_migrations_id_seq TO rollcall_analysis;


--
-- Name: TABLE django_session; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.django_session TO rollcall_web;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.django_session TO rollcall_worker;


--
-- Name: TABLE rollcall_api_token; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_api_token TO rollcall_web;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_api_token TO rollcall_worker;


--
-- Name: SEQUENCE rollcall_api_token_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.rollcall_api_token_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.rollcall_api_token_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.rollcall_api_token_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.rollcall_api_token_id_seq TO rollcall_analysis;


--
-- Name: TABLE rollcall_command; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_command TO rollcall_node;
GRANT SELECT ON TABLE public.rollcall_command TO rollcall_web;
GRANT SELECT ON TABLE public.rollcall_command TO rollcall_worker;


--
-- Name: TABLE rollcall_follower; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_follower TO rollcall_node;
GRANT SELECT ON TABLE public.rollcall_follower TO rollcall_web;
GRANT SELECT ON TABLE public.rollcall_follower TO rollcall_worker;


--
-- Name: TABLE rollcall_group; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_group TO rollcall_node;
GRANT SELECT ON TABLE public.rollcall_group TO rollcall_web;
GRANT SELECT ON TABLE public.rollcall_group TO rollcall_worker;
GRANT SELECT ON TABLE public.rollcall_group TO rollcall_analysis;


--
-- Name: TABLE rollcall_group_config; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_group_config TO rollcall_node;
GRANT SELECT ON TABLE public.rollcall_group_config TO rollcall_web;
GRANT SELECT ON TABLE public.rollcall_group_config TO rollcall_worker;


--
-- Name: TABLE rollcall_journal; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT ON TABLE public.rollcall_journal TO rollcall_node;
GRANT SELECT ON TABLE public.rollcall_journal TO rollcall_web;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_journal TO rollcall_worker;
GRANT SELECT ON TABLE public.rollcall_journal TO rollcall_analysis;


--
-- Name: SEQUENCE rollcall_journal_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.rollcall_journal_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.rollcall_journal_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.rollcall_journal_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.rollcall_journal_id_seq TO rollcall_analysis;


--
-- Name: TABLE rollcall_liveness; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE public.rollcall_liveness TO rollcall_node;
GRANT SELECT ON TABLE public.rollcall_liveness TO rollcall_web;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_liveness TO rollcall_worker;


--
-- Name: TABLE rollcall_member; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_member TO rollcall_node;
GRANT SELECT ON TABLE public.rollcall_member TO rollcall_web;
GRANT SELECT ON TABLE public.rollcall_member TO rollcall_worker;


--
-- Name: TABLE rollcall_node; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_node TO rollcall_node;
GRANT SELECT ON TABLE public.rollcall_node TO rollcall_web;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_node TO rollcall_worker;


--
-- Name: TABLE rollcall_noted_offsets; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_noted_offsets TO rollcall_web;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_noted_offsets TO rollcall_worker;


--
-- Name: SEQUENCE rollcall_noted_offsets_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.rollcall_noted_offsets_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.rollcall_noted_offsets_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.rollcall_noted_offsets_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.rollcall_noted_offsets_id_seq TO rollcall_analysis;


--
-- Name: TABLE rollcall_offset; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_offset TO rollcall_node;
GRANT SELECT ON TABLE public.rollcall_offset TO rollcall_web;
GRANT SELECT ON TABLE public.rollcall_offset TO rollcall_worker;
GRANT SELECT ON TABLE public.rollcall_offset TO rollcall_analysis;


--
-- Name: TABLE rollcall_offset_history; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT ON TABLE public.rollcall_offset_history TO rollcall_node;
GRANT SELECT ON TABLE public.rollcall_offset_history TO rollcall_web;
GRANT SELECT ON TABLE public.rollcall_offset_history TO rollcall_worker;
GRANT SELECT ON TABLE public.rollcall_offset_history TO rollcall_analysis;


--
-- Name: TABLE rollcall_operation; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,UPDATE ON TABLE public.rollcall_operation TO rollcall_node;
GRANT SELECT,INSERT ON TABLE public.rollcall_operation TO rollcall_web;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_operation TO rollcall_worker;


--
-- Name: SEQUENCE rollcall_operation_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.rollcall_operation_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.rollcall_operation_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.rollcall_operation_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.rollcall_operation_id_seq TO rollcall_analysis;


--
-- Name: TABLE rollcall_pause; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_pause TO rollcall_node;
GRANT SELECT ON TABLE public.rollcall_pause TO rollcall_web;
GRANT SELECT ON TABLE public.rollcall_pause TO rollcall_worker;


--
-- Name: TABLE rollcall_pending_offset; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_pending_offset TO rollcall_node;
GRANT SELECT ON TABLE public.rollcall_pending_offset TO rollcall_web;
GRANT SELECT ON TABLE public.rollcall_pending_offset TO rollcall_worker;


--
-- Name: SEQUENCE rollcall_pending_offset_place_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.rollcall_pending_offset_place_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.rollcall_pending_offset_place_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.rollcall_pending_offset_place_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.rollcall_pending_offset_place_seq TO rollcall_analysis;


--
-- Name: TABLE rollcall_producer; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_producer TO rollcall_node;
GRANT SELECT ON TABLE public.rollcall_producer TO rollcall_web;
GRANT SELECT,DELETE,UPDATE ON TABLE public.rollcall_producer TO rollcall_worker;


--
-- Name: SEQUENCE rollcall_producer_id; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.rollcall_producer_id TO rollcall_node;
GRANT USAGE ON SEQUENCE public.rollcall_producer_id TO rollcall_web;
GRANT USAGE ON SEQUENCE public.rollcall_producer_id TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.rollcall_producer_id TO rollcall_analysis;


--
-- Name: TABLE rollcall_rebalance_cost; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_rebalance_cost TO rollcall_web;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_rebalance_cost TO rollcall_worker;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_rebalance_cost TO rollcall_analysis;


--
-- Name: SEQUENCE rollcall_rebalance_cost_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.rollcall_rebalance_cost_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.rollcall_rebalance_cost_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.rollcall_rebalance_cost_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.rollcall_rebalance_cost_id_seq TO rollcall_analysis;


--
-- Name: TABLE rollcall_report_run; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_report_run TO rollcall_web;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_report_run TO rollcall_worker;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_report_run TO rollcall_analysis;


--
-- Name: SEQUENCE rollcall_report_run_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.rollcall_report_run_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.rollcall_report_run_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.rollcall_report_run_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.rollcall_report_run_id_seq TO rollcall_analysis;


--
-- Name: TABLE rollcall_slot; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_slot TO rollcall_node;
GRANT SELECT ON TABLE public.rollcall_slot TO rollcall_web;
GRANT SELECT,UPDATE ON TABLE public.rollcall_slot TO rollcall_worker;


--
-- Name: TABLE rollcall_sweep; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.rollcall_sweep TO rollcall_web;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_sweep TO rollcall_worker;


--
-- Name: TABLE rollcall_topic; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_topic TO rollcall_node;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_topic TO rollcall_web;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_topic TO rollcall_worker;


--
-- Name: TABLE rollcall_txn_group; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_txn_group TO rollcall_node;
GRANT SELECT ON TABLE public.rollcall_txn_group TO rollcall_web;
GRANT SELECT ON TABLE public.rollcall_txn_group TO rollcall_worker;


--
-- Name: TABLE rollcall_watch; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,UPDATE ON TABLE public.rollcall_watch TO rollcall_node;
GRANT SELECT ON TABLE public.rollcall_watch TO rollcall_web;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_watch TO rollcall_worker;


--
-- Name: DEFAULT PRIVILEGES FOR SEQUENCES; Type: DEFAULT ACL; Schema: pgmq; Owner: -
--

ALTER DEFAULT PRIVILEGES FOR ROLE rollcall_worker IN SCHEMA pgmq GRANT SELECT ON SEQUENCES TO pg_monitor;


--
-- Name: DEFAULT PRIVILEGES FOR TABLES; Type: DEFAULT ACL; Schema: pgmq; Owner: -
--

ALTER DEFAULT PRIVILEGES FOR ROLE rollcall_worker IN SCHEMA pgmq GRANT SELECT ON TABLES TO pg_monitor;


--
-- PostgreSQL database dump complete
--


