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
-- Name: rollcall_numbers; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.rollcall_numbers AS (
	"least" bigint,
	small smallint[],
	medium integer[],
	wide bigint[]
);


--
-- Name: TYPE rollcall_numbers; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TYPE public.rollcall_numbers IS 'Numbers as differences to the least: of small ones 32768 less, of medium ones 2147483648.';


--
-- Name: rollcall_packed_hour; Type: TYPE; Schema: public; Owner: -
--

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
-- Name: rollcall_notify(); Type: FUNCTION; Schema: pgmq; Owner: -
--

CREATE FUNCTION pgmq.rollcall_notify() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
    PERFORM CASE WHEN pg_notification_queue_usage() < 0.5 THEN pg_notify('pgmq.' || TG_TABLE_NAME || '.' || TG_OP, '') END;
    RETURN NULL;
END $$;


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
-- Name: rollcall_audit_changed(); Type: FUNCTION; Schema: public; Owner: -
--

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


--
-- Name: rollcall_audit_journal(); Type: FUNCTION; Schema: public; Owner: -
--

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


--
-- Name: rollcall_audit_operation(); Type: FUNCTION; Schema: public; Owner: -
--

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


--
-- Name: rollcall_audit_refuse(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.rollcall_audit_refuse() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF current_setting('rollcall.prune_audit', true) IS DISTINCT FROM 'yes' THEN
        RAISE EXCEPTION 'the audit is only appended to' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NULL;
END $$;


--
-- Name: rollcall_audit_row(); Type: FUNCTION; Schema: public; Owner: -
--

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


--
-- Name: rollcall_audit_rows(text, text[], jsonb[], jsonb[]); Type: FUNCTION; Schema: public; Owner: -
--

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


--
-- Name: rollcall_audit_stamp(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.rollcall_audit_stamp() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    NEW.at := clock_timestamp();
    NEW.login := session_user;
    RETURN NEW;
END $$;


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


--
-- Name: rollcall_committed_offsets(text); Type: FUNCTION; Schema: public; Owner: -
--

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


--
-- Name: rollcall_create_acls(text[], text[], text[], text[], text[], text[], text[], jsonb); Type: FUNCTION; Schema: public; Owner: -
--

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


--
-- Name: rollcall_create_topics(text[], uuid[], integer[], jsonb); Type: FUNCTION; Schema: public; Owner: -
--

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


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: rollcall_era; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_era (
    era integer NOT NULL,
    jump uuid NOT NULL,
    since timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);


--
-- Name: TABLE rollcall_era; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.rollcall_era IS 'The histories of this database, in order: ids of transactions start again in each.';


--
-- Name: rollcall_current_era(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.rollcall_current_era() RETURNS integer
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    RETURN (SELECT max(rollcall_era.era) AS max FROM public.rollcall_era);


--
-- Name: rollcall_delete_acls(text[], text[], text[], text[], text[], text[], text[], jsonb); Type: FUNCTION; Schema: public; Owner: -
--

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


--
-- Name: rollcall_delete_credential(text, text, jsonb); Type: FUNCTION; Schema: public; Owner: -
--

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


--
-- Name: rollcall_delete_topic(text, uuid, jsonb); Type: FUNCTION; Schema: public; Owner: -
--

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


--
-- Name: rollcall_demand_group(text); Type: FUNCTION; Schema: public; Owner: -
--

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


--
-- Name: rollcall_differences(bigint[], bigint[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.rollcall_differences(more bigint[], less bigint[]) RETURNS bigint[]
    LANGUAGE sql IMMUTABLE
    AS $$
    SELECT ARRAY(SELECT m - l FROM unnest(more, less) WITH ORDINALITY AS each(m, l, i) ORDER BY i)
$$;


--
-- Name: rollcall_drain_node(integer, text, jsonb); Type: FUNCTION; Schema: public; Owner: -
--

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


--
-- Name: rollcall_end_holders(text); Type: FUNCTION; Schema: public; Owner: -
--

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


--
-- Name: rollcall_facts_tables(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.rollcall_facts_tables() RETURNS text[]
    LANGUAGE sql IMMUTABLE
    RETURN ARRAY['rollcall_life'::text, 'rollcall_ownership'::text, 'rollcall_round'::text, 'rollcall_silence'::text, 'rollcall_progress'::text];


--
-- Name: rollcall_facts_bytes(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.rollcall_facts_bytes() RETURNS bigint
    LANGUAGE sql STABLE
    SET search_path TO 'public', 'pg_temp'
    RETURN (SELECT (COALESCE(sum(pg_total_relation_size((i.inhrelid)::regclass)), (0)::numeric))::bigint AS "coalesce" FROM (pg_inherits i JOIN pg_class p ON ((p.oid = i.inhparent))) WHERE (p.relname = ANY ((public.rollcall_facts_tables() || 'rollcall_facts_packed'::text))));


--
-- Name: rollcall_forget_node(integer, text, jsonb); Type: FUNCTION; Schema: public; Owner: -
--

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


--
-- Name: rollcall_grow_topic(text, integer, jsonb); Type: FUNCTION; Schema: public; Owner: -
--

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
-- Name: rollcall_has_history(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.rollcall_has_history(wanted text) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    RETURN EXISTS (SELECT FROM rollcall_offset_history h WHERE h.group_id = wanted COLLATE "C");
END $$;


--
-- Name: rollcall_next_era(); Type: FUNCTION; Schema: public; Owner: -
--

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


--
-- Name: rollcall_note_floor(text, text, text, timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

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


--
-- Name: rollcall_note_mark(); Type: FUNCTION; Schema: public; Owner: -
--

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


--
-- Name: rollcall_pack_facts(interval); Type: FUNCTION; Schema: public; Owner: -
--

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


--
-- Name: FUNCTION rollcall_pack_facts(late interval); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.rollcall_pack_facts(late interval) IS 'Pack a table of a day that is over, or prepare it; what was done, NULL if nothing is left.';


--
-- Name: rollcall_progress; Type: TABLE; Schema: public; Owner: -
--

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


--
-- Name: rollcall_pack_hour(public.rollcall_progress); Type: FUNCTION; Schema: public; Owner: -
--

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


--
-- Name: rollcall_packed_numbers(bigint[]); Type: FUNCTION; Schema: public; Owner: -
--

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


--
-- Name: rollcall_place_topic(text, jsonb, integer, jsonb); Type: FUNCTION; Schema: public; Owner: -
--

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


--
-- Name: rollcall_raise_ends(text, bigint[]); Type: FUNCTION; Schema: public; Owner: -
--

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


--
-- Name: rollcall_raise_epochs(uuid, integer, integer, text); Type: FUNCTION; Schema: public; Owner: -
--

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


--
-- Name: rollcall_raised(jsonb, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.rollcall_raised(epoch jsonb, higher integer) RETURNS jsonb
    LANGUAGE sql IMMUTABLE STRICT
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    -- 0 and below are no epochs: not yet assigned, or away for now.
    SELECT CASE WHEN epoch::bigint > 0 THEN to_jsonb(epoch::bigint + higher) ELSE epoch END
$$;


--
-- Name: rollcall_remove_quotas(text[], text[], text[], text[], text[], jsonb); Type: FUNCTION; Schema: public; Owner: -
--

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


--
-- Name: rollcall_server_timeline(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.rollcall_server_timeline() RETURNS bigint
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    -- The checkpoint in the control file lags behind a promotion; the name of a segment does not.
    SELECT ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint
$$;


--
-- Name: rollcall_set_credential(text, text, bytea, integer, bytea, bytea, jsonb); Type: FUNCTION; Schema: public; Owner: -
--

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


--
-- Name: rollcall_set_group_config(text[], smallint, text[], text[], text[], text[], text, jsonb); Type: FUNCTION; Schema: public; Owner: -
--

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


--
-- Name: rollcall_set_quotas(text[], text[], text[], text[], text[], double precision[], jsonb); Type: FUNCTION; Schema: public; Owner: -
--

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


--
-- Name: rollcall_timeline_here(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.rollcall_timeline_here() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$ BEGIN
    NEW.database := (SELECT oid FROM pg_database WHERE datname = current_database());
    RETURN NEW;
END $$;


--
-- Name: rollcall_turn_facts(integer, integer); Type: FUNCTION; Schema: public; Owner: -
--

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


--
-- Name: rollcall_turn_packed(integer, integer); Type: FUNCTION; Schema: public; Owner: -
--

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


--
-- Name: rollcall_undrain_node(integer, text, jsonb); Type: FUNCTION; Schema: public; Owner: -
--

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


--
-- Name: rollcall_unpacked_hours(text, public.rollcall_packed_hour[]); Type: FUNCTION; Schema: public; Owner: -
--

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
        ARRAY(SELECT last_offset + lag FROM unnest(
                  rollcall_unpacked_numbers(h.last_offsets), rollcall_unpacked_numbers(h.lags))
              WITH ORDINALITY AS each(last_offset, lag, i) ORDER BY i)
    FROM unnest(hours) AS h
$$;


--
-- Name: rollcall_unpacked_numbers(public.rollcall_numbers); Type: FUNCTION; Schema: public; Owner: -
--

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
-- Name: axes_accessattempt; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.axes_accessattempt (
    id integer NOT NULL,
    user_agent character varying(255) NOT NULL,
    ip_address inet,
    username character varying(255),
    http_accept character varying(1025) NOT NULL,
    path_info character varying(255) NOT NULL,
    attempt_time timestamp with time zone NOT NULL,
    get_data text NOT NULL,
    post_data text NOT NULL,
    failures_since_start integer NOT NULL,
    CONSTRAINT axes_accessattempt_failures_since_start_check CHECK ((failures_since_start >= 0))
);


--
-- Name: axes_accessattempt_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.axes_accessattempt ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.axes_accessattempt_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: axes_accessattemptexpiration; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.axes_accessattemptexpiration (
    access_attempt_id integer NOT NULL,
    expires_at timestamp with time zone NOT NULL
);


--
-- Name: axes_accessfailurelog; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.axes_accessfailurelog (
    id integer NOT NULL,
    user_agent character varying(255) NOT NULL,
    ip_address inet,
    username character varying(255),
    http_accept character varying(1025) NOT NULL,
    path_info character varying(255) NOT NULL,
    attempt_time timestamp with time zone NOT NULL,
    locked_out boolean NOT NULL
);


--
-- Name: axes_accessfailurelog_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.axes_accessfailurelog ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.axes_accessfailurelog_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: axes_accesslog; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.axes_accesslog (
    id integer NOT NULL,
    user_agent character varying(255) NOT NULL,
    ip_address inet,
    username character varying(255),
    http_accept character varying(1025) NOT NULL,
    path_info character varying(255) NOT NULL,
    attempt_time timestamp with time zone NOT NULL,
    logout_time timestamp with time zone,
    session_hash character varying(64) NOT NULL
);


--
-- Name: axes_accesslog_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.axes_accesslog ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.axes_accesslog_id_seq
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
-- Name: TABLE django_migrations; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.django_migrations IS 'rollcall: migrated (6733499856f957696180cbb1f58e642ae5de23a98a49ffd694b8f396f1ea672c)';


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
-- Name: otp_static_staticdevice; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.otp_static_staticdevice (
    id integer NOT NULL,
    name character varying(64) NOT NULL,
    confirmed boolean NOT NULL,
    user_id integer NOT NULL,
    throttling_failure_count integer NOT NULL,
    throttling_failure_timestamp timestamp with time zone,
    created_at timestamp with time zone,
    last_used_at timestamp with time zone,
    CONSTRAINT otp_static_staticdevice_throttling_failure_count_check CHECK ((throttling_failure_count >= 0))
);


--
-- Name: otp_static_staticdevice_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.otp_static_staticdevice ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.otp_static_staticdevice_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: otp_static_statictoken; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.otp_static_statictoken (
    id integer NOT NULL,
    token character varying(16) NOT NULL,
    device_id integer NOT NULL
);


--
-- Name: otp_static_statictoken_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.otp_static_statictoken ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.otp_static_statictoken_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: otp_totp_totpdevice; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.otp_totp_totpdevice (
    id integer NOT NULL,
    name character varying(64) NOT NULL,
    confirmed boolean NOT NULL,
    key character varying(80) NOT NULL,
    step smallint NOT NULL,
    t0 bigint NOT NULL,
    digits smallint NOT NULL,
    tolerance smallint NOT NULL,
    drift smallint NOT NULL,
    last_t bigint NOT NULL,
    user_id integer NOT NULL,
    throttling_failure_count integer NOT NULL,
    throttling_failure_timestamp timestamp with time zone,
    created_at timestamp with time zone,
    last_used_at timestamp with time zone,
    CONSTRAINT otp_totp_totpdevice_digits_check CHECK ((digits >= 0)),
    CONSTRAINT otp_totp_totpdevice_step_check CHECK ((step >= 0)),
    CONSTRAINT otp_totp_totpdevice_throttling_failure_count_check CHECK ((throttling_failure_count >= 0)),
    CONSTRAINT otp_totp_totpdevice_tolerance_check CHECK ((tolerance >= 0))
);


--
-- Name: otp_totp_totpdevice_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.otp_totp_totpdevice ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.otp_totp_totpdevice_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: rollcall_acknowledgement; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_acknowledgement (
    id bigint NOT NULL,
    rule text NOT NULL,
    subject text NOT NULL COLLATE pg_catalog."C",
    note text NOT NULL,
    actor text NOT NULL,
    at timestamp with time zone NOT NULL,
    until timestamp with time zone
);


--
-- Name: rollcall_acknowledgement_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.rollcall_acknowledgement ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.rollcall_acknowledgement_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: rollcall_acl; Type: TABLE; Schema: public; Owner: -
--

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


--
-- Name: rollcall_acl_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.rollcall_acl ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.rollcall_acl_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: rollcall_advice_decision; Type: TABLE; Schema: public; Owner: -
--

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


--
-- Name: rollcall_advice_decision_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.rollcall_advice_decision ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.rollcall_advice_decision_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
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
    user_id integer NOT NULL,
    made_by text DEFAULT ''::text NOT NULL,
    scopes jsonb DEFAULT '["read", "operate", "offsets", "catalogue", "admin"]'::jsonb NOT NULL,
    session_hash character varying(128) DEFAULT ''::character varying NOT NULL
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
-- Name: rollcall_application_grant; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_application_grant (
    login text NOT NULL,
    prefix text NOT NULL COLLATE pg_catalog."C",
    granted_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);


--
-- Name: COLUMN rollcall_application_grant.prefix; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.rollcall_application_grant.prefix IS 'How the ids of the groups begin; empty: all groups.';


--
-- Name: rollcall_audit; Type: TABLE; Schema: public; Owner: -
--

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


--
-- Name: rollcall_audit_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.rollcall_audit ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.rollcall_audit_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: rollcall_beat_lease; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_beat_lease (
    id smallint NOT NULL,
    holder uuid NOT NULL,
    until timestamp with time zone NOT NULL,
    CONSTRAINT beat_lease_is_one CHECK ((id = 1))
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
-- Name: rollcall_connection; Type: TABLE; Schema: public; Owner: -
--

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


--
-- Name: rollcall_connections_noted; Type: TABLE; Schema: public; Owner: -
--

CREATE UNLOGGED TABLE public.rollcall_connections_noted (
    node_id integer NOT NULL,
    noted_at timestamp with time zone NOT NULL,
    connections integer NOT NULL
);


--
-- Name: rollcall_credential; Type: TABLE; Schema: public; Owner: -
--

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


--
-- Name: rollcall_drain; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_drain (
    node_id integer NOT NULL,
    actor text NOT NULL,
    reason text NOT NULL,
    since timestamp with time zone NOT NULL,
    seen_at timestamp with time zone NOT NULL
);


--
-- Name: rollcall_facts_floor; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_facts_floor (
    table_name text NOT NULL,
    era integer NOT NULL,
    xid bigint NOT NULL,
    dropped_until timestamp with time zone NOT NULL
);


--
-- Name: TABLE rollcall_facts_floor; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.rollcall_facts_floor IS 'The last row of each table of facts that was dropped: a cursor below it has a gap.';


--
-- Name: rollcall_life; Type: TABLE; Schema: public; Owner: -
--

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


--
-- Name: rollcall_ownership; Type: TABLE; Schema: public; Owner: -
--

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


--
-- Name: rollcall_round; Type: TABLE; Schema: public; Owner: -
--

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


--
-- Name: TABLE rollcall_round; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.rollcall_round IS 'Rebalances. Waits stand in runs: counts[i] of them were for acts[i] and ended as ends[i].';


--
-- Name: rollcall_silence; Type: TABLE; Schema: public; Owner: -
--

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


--
-- Name: rollcall_facts_packed; Type: TABLE; Schema: public; Owner: -
--

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


--
-- Name: TABLE rollcall_facts_packed; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.rollcall_facts_packed IS 'Rows of table_name of days that are over, some of a group in each; began: the earliest.';


--
-- Name: rollcall_facts_packed_default; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_facts_packed_default (
    table_name text CONSTRAINT rollcall_facts_packed_table_name_not_null NOT NULL,
    of_group text CONSTRAINT rollcall_facts_packed_of_group_not_null NOT NULL COLLATE pg_catalog."C",
    began timestamp with time zone CONSTRAINT rollcall_facts_packed_began_not_null NOT NULL,
    last_at timestamp with time zone CONSTRAINT rollcall_facts_packed_last_at_not_null NOT NULL,
    last_era integer CONSTRAINT rollcall_facts_packed_last_era_not_null NOT NULL,
    last_xid bigint CONSTRAINT rollcall_facts_packed_last_xid_not_null NOT NULL,
    life_rows public.rollcall_life[],
    ownership_rows public.rollcall_ownership[],
    round_rows public.rollcall_round[],
    silence_rows public.rollcall_silence[],
    hour_rows public.rollcall_packed_hour[]
);


--
-- Name: rollcall_first_password; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_first_password (
    user_id integer NOT NULL,
    digest character varying(64) NOT NULL
);


--
-- Name: rollcall_fleet_hour; Type: TABLE; Schema: public; Owner: -
--

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
    updated_at timestamp with time zone NOT NULL,
    until timestamp with time zone
);


--
-- Name: rollcall_group_counts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_group_counts (
    group_id text NOT NULL COLLATE pg_catalog."C",
    topics integer NOT NULL,
    partitions bigint NOT NULL,
    unowned bigint NOT NULL,
    members integer,
    last_rebalance bigint
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
    details jsonb NOT NULL,
    client_reason text DEFAULT ''::text NOT NULL,
    era integer DEFAULT public.rollcall_current_era() NOT NULL,
    xid bigint DEFAULT ((pg_current_xact_id())::text)::bigint NOT NULL
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
-- Name: rollcall_last_hour; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.rollcall_last_hour AS
 SELECT group_id,
    count(*) AS rebalances
   FROM public.rollcall_journal
  WHERE ((kind = 'rebalance-completed'::text) AND (at >= (now() - '01:00:00'::interval)) AND (id > ( SELECT (COALESCE(max(rollcall_journal_1.id), (0)::bigint) - 20000)
           FROM public.rollcall_journal rollcall_journal_1)))
  GROUP BY group_id;


--
-- Name: rollcall_life_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.rollcall_life_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: rollcall_life_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.rollcall_life_id_seq OWNED BY public.rollcall_life.id;


--
-- Name: rollcall_life_20261128; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_life_20261128 (
    at timestamp with time zone CONSTRAINT rollcall_life_at_not_null NOT NULL,
    era integer CONSTRAINT rollcall_life_era_not_null NOT NULL,
    xid bigint CONSTRAINT rollcall_life_xid_not_null NOT NULL,
    id bigint DEFAULT nextval('public.rollcall_life_id_seq'::regclass) CONSTRAINT rollcall_life_id_not_null NOT NULL,
    life bigint CONSTRAINT rollcall_life_life_not_null NOT NULL,
    group_id text CONSTRAINT rollcall_life_group_id_not_null NOT NULL COLLATE pg_catalog."C",
    member_id text CONSTRAINT rollcall_life_member_id_not_null NOT NULL COLLATE pg_catalog."C",
    instance_id text,
    client_id text CONSTRAINT rollcall_life_client_id_not_null NOT NULL,
    client_host text CONSTRAINT rollcall_life_client_host_not_null NOT NULL,
    principal text CONSTRAINT rollcall_life_principal_not_null NOT NULL,
    rack_id text,
    software_name text CONSTRAINT rollcall_life_software_name_not_null NOT NULL,
    software_version text CONSTRAINT rollcall_life_software_version_not_null NOT NULL,
    kind text CONSTRAINT rollcall_life_kind_not_null NOT NULL,
    api_version integer,
    session_timeout_ms integer CONSTRAINT rollcall_life_session_timeout_ms_not_null NOT NULL,
    rebalance_timeout_ms integer CONSTRAINT rollcall_life_rebalance_timeout_ms_not_null NOT NULL,
    subscription text[],
    pattern text CONSTRAINT rollcall_life_pattern_not_null NOT NULL,
    protocols text[] CONSTRAINT rollcall_life_protocols_not_null NOT NULL,
    revision bigint CONSTRAINT rollcall_life_revision_not_null NOT NULL,
    joined_generation integer CONSTRAINT rollcall_life_joined_generation_not_null NOT NULL,
    joined_at timestamp with time zone CONSTRAINT rollcall_life_joined_at_not_null NOT NULL,
    origin text CONSTRAINT rollcall_life_origin_not_null NOT NULL,
    left_generation integer,
    left_at timestamp with time zone,
    departure text,
    heard_at timestamp with time zone
);


--
-- Name: rollcall_life_20261129; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_life_20261129 (
    at timestamp with time zone CONSTRAINT rollcall_life_at_not_null NOT NULL,
    era integer CONSTRAINT rollcall_life_era_not_null NOT NULL,
    xid bigint CONSTRAINT rollcall_life_xid_not_null NOT NULL,
    id bigint DEFAULT nextval('public.rollcall_life_id_seq'::regclass) CONSTRAINT rollcall_life_id_not_null NOT NULL,
    life bigint CONSTRAINT rollcall_life_life_not_null NOT NULL,
    group_id text CONSTRAINT rollcall_life_group_id_not_null NOT NULL COLLATE pg_catalog."C",
    member_id text CONSTRAINT rollcall_life_member_id_not_null NOT NULL COLLATE pg_catalog."C",
    instance_id text,
    client_id text CONSTRAINT rollcall_life_client_id_not_null NOT NULL,
    client_host text CONSTRAINT rollcall_life_client_host_not_null NOT NULL,
    principal text CONSTRAINT rollcall_life_principal_not_null NOT NULL,
    rack_id text,
    software_name text CONSTRAINT rollcall_life_software_name_not_null NOT NULL,
    software_version text CONSTRAINT rollcall_life_software_version_not_null NOT NULL,
    kind text CONSTRAINT rollcall_life_kind_not_null NOT NULL,
    api_version integer,
    session_timeout_ms integer CONSTRAINT rollcall_life_session_timeout_ms_not_null NOT NULL,
    rebalance_timeout_ms integer CONSTRAINT rollcall_life_rebalance_timeout_ms_not_null NOT NULL,
    subscription text[],
    pattern text CONSTRAINT rollcall_life_pattern_not_null NOT NULL,
    protocols text[] CONSTRAINT rollcall_life_protocols_not_null NOT NULL,
    revision bigint CONSTRAINT rollcall_life_revision_not_null NOT NULL,
    joined_generation integer CONSTRAINT rollcall_life_joined_generation_not_null NOT NULL,
    joined_at timestamp with time zone CONSTRAINT rollcall_life_joined_at_not_null NOT NULL,
    origin text CONSTRAINT rollcall_life_origin_not_null NOT NULL,
    left_generation integer,
    left_at timestamp with time zone,
    departure text,
    heard_at timestamp with time zone
);


--
-- Name: rollcall_life_20261130; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_life_20261130 (
    at timestamp with time zone CONSTRAINT rollcall_life_at_not_null NOT NULL,
    era integer CONSTRAINT rollcall_life_era_not_null NOT NULL,
    xid bigint CONSTRAINT rollcall_life_xid_not_null NOT NULL,
    id bigint DEFAULT nextval('public.rollcall_life_id_seq'::regclass) CONSTRAINT rollcall_life_id_not_null NOT NULL,
    life bigint CONSTRAINT rollcall_life_life_not_null NOT NULL,
    group_id text CONSTRAINT rollcall_life_group_id_not_null NOT NULL COLLATE pg_catalog."C",
    member_id text CONSTRAINT rollcall_life_member_id_not_null NOT NULL COLLATE pg_catalog."C",
    instance_id text,
    client_id text CONSTRAINT rollcall_life_client_id_not_null NOT NULL,
    client_host text CONSTRAINT rollcall_life_client_host_not_null NOT NULL,
    principal text CONSTRAINT rollcall_life_principal_not_null NOT NULL,
    rack_id text,
    software_name text CONSTRAINT rollcall_life_software_name_not_null NOT NULL,
    software_version text CONSTRAINT rollcall_life_software_version_not_null NOT NULL,
    kind text CONSTRAINT rollcall_life_kind_not_null NOT NULL,
    api_version integer,
    session_timeout_ms integer CONSTRAINT rollcall_life_session_timeout_ms_not_null NOT NULL,
    rebalance_timeout_ms integer CONSTRAINT rollcall_life_rebalance_timeout_ms_not_null NOT NULL,
    subscription text[],
    pattern text CONSTRAINT rollcall_life_pattern_not_null NOT NULL,
    protocols text[] CONSTRAINT rollcall_life_protocols_not_null NOT NULL,
    revision bigint CONSTRAINT rollcall_life_revision_not_null NOT NULL,
    joined_generation integer CONSTRAINT rollcall_life_joined_generation_not_null NOT NULL,
    joined_at timestamp with time zone CONSTRAINT rollcall_life_joined_at_not_null NOT NULL,
    origin text CONSTRAINT rollcall_life_origin_not_null NOT NULL,
    left_generation integer,
    left_at timestamp with time zone,
    departure text,
    heard_at timestamp with time zone
);


--
-- Name: rollcall_life_default; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_life_default (
    at timestamp with time zone CONSTRAINT rollcall_life_at_not_null NOT NULL,
    era integer CONSTRAINT rollcall_life_era_not_null NOT NULL,
    xid bigint CONSTRAINT rollcall_life_xid_not_null NOT NULL,
    id bigint DEFAULT nextval('public.rollcall_life_id_seq'::regclass) CONSTRAINT rollcall_life_id_not_null NOT NULL,
    life bigint CONSTRAINT rollcall_life_life_not_null NOT NULL,
    group_id text CONSTRAINT rollcall_life_group_id_not_null NOT NULL COLLATE pg_catalog."C",
    member_id text CONSTRAINT rollcall_life_member_id_not_null NOT NULL COLLATE pg_catalog."C",
    instance_id text,
    client_id text CONSTRAINT rollcall_life_client_id_not_null NOT NULL,
    client_host text CONSTRAINT rollcall_life_client_host_not_null NOT NULL,
    principal text CONSTRAINT rollcall_life_principal_not_null NOT NULL,
    rack_id text,
    software_name text CONSTRAINT rollcall_life_software_name_not_null NOT NULL,
    software_version text CONSTRAINT rollcall_life_software_version_not_null NOT NULL,
    kind text CONSTRAINT rollcall_life_kind_not_null NOT NULL,
    api_version integer,
    session_timeout_ms integer CONSTRAINT rollcall_life_session_timeout_ms_not_null NOT NULL,
    rebalance_timeout_ms integer CONSTRAINT rollcall_life_rebalance_timeout_ms_not_null NOT NULL,
    subscription text[],
    pattern text CONSTRAINT rollcall_life_pattern_not_null NOT NULL,
    protocols text[] CONSTRAINT rollcall_life_protocols_not_null NOT NULL,
    revision bigint CONSTRAINT rollcall_life_revision_not_null NOT NULL,
    joined_generation integer CONSTRAINT rollcall_life_joined_generation_not_null NOT NULL,
    joined_at timestamp with time zone CONSTRAINT rollcall_life_joined_at_not_null NOT NULL,
    origin text CONSTRAINT rollcall_life_origin_not_null NOT NULL,
    left_generation integer,
    left_at timestamp with time zone,
    departure text,
    heard_at timestamp with time zone
);


--
-- Name: rollcall_life_open; Type: TABLE; Schema: public; Owner: -
--

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


--
-- Name: rollcall_life_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.rollcall_life_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: rollcall_liveness; Type: TABLE; Schema: public; Owner: -
--

CREATE UNLOGGED TABLE public.rollcall_liveness (
    group_id text NOT NULL COLLATE pg_catalog."C",
    member_id text NOT NULL COLLATE pg_catalog."C",
    heard_at timestamp with time zone NOT NULL,
    deadline_at timestamp with time zone NOT NULL,
    since_ms bigint
);


--
-- Name: rollcall_mark; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_mark (
    id bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    text text NOT NULL,
    group_id text NOT NULL COLLATE pg_catalog."C",
    actor text NOT NULL,
    noted_at timestamp with time zone NOT NULL
);


--
-- Name: rollcall_mark_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.rollcall_mark ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.rollcall_mark_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
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
    schema text DEFAULT ''::text NOT NULL,
    endpoints text[] DEFAULT '{}'::text[] NOT NULL,
    unclean_ends integer DEFAULT 0 NOT NULL,
    steady_since timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    clock_ms bigint
)
WITH (fillfactor='50');


--
-- Name: rollcall_node_lease; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_node_lease (
    node_id integer NOT NULL,
    host uuid NOT NULL,
    place smallint NOT NULL,
    starts bigint NOT NULL,
    hostname text NOT NULL,
    seen_at timestamp with time zone NOT NULL
);


--
-- Name: rollcall_node_settings; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_node_settings (
    node_id integer NOT NULL,
    settings jsonb NOT NULL,
    since timestamp with time zone NOT NULL
);


--
-- Name: TABLE rollcall_node_settings; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.rollcall_node_settings IS 'Settings of the rules with which a node started last, by name. Kept when the node ends.';


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
    client_host text NOT NULL,
    principal text,
    more_partitions integer[],
    more_offsets bigint[],
    more_leader_epochs integer[],
    more_metadata text[],
    is_gone boolean
)
PARTITION BY RANGE (at);


--
-- Name: rollcall_offset_history_2026112820; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_offset_history_2026112820 (
    at timestamp with time zone CONSTRAINT rollcall_offset_history_at_not_null NOT NULL,
    group_id text CONSTRAINT rollcall_offset_history_group_id_not_null NOT NULL COLLATE pg_catalog."C",
    topic text CONSTRAINT rollcall_offset_history_topic_not_null NOT NULL COLLATE pg_catalog."C",
    partition integer CONSTRAINT rollcall_offset_history_partition_not_null NOT NULL,
    committed_offset bigint CONSTRAINT rollcall_offset_history_committed_offset_not_null NOT NULL,
    leader_epoch integer CONSTRAINT rollcall_offset_history_leader_epoch_not_null NOT NULL,
    metadata text CONSTRAINT rollcall_offset_history_metadata_not_null NOT NULL,
    member_id text CONSTRAINT rollcall_offset_history_member_id_not_null NOT NULL,
    client_id text CONSTRAINT rollcall_offset_history_client_id_not_null NOT NULL,
    client_host text CONSTRAINT rollcall_offset_history_client_host_not_null NOT NULL,
    principal text,
    more_partitions integer[],
    more_offsets bigint[],
    more_leader_epochs integer[],
    more_metadata text[],
    is_gone boolean
);


--
-- Name: rollcall_offset_history_2026112821; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_offset_history_2026112821 (
    at timestamp with time zone CONSTRAINT rollcall_offset_history_at_not_null NOT NULL,
    group_id text CONSTRAINT rollcall_offset_history_group_id_not_null NOT NULL COLLATE pg_catalog."C",
    topic text CONSTRAINT rollcall_offset_history_topic_not_null NOT NULL COLLATE pg_catalog."C",
    partition integer CONSTRAINT rollcall_offset_history_partition_not_null NOT NULL,
    committed_offset bigint CONSTRAINT rollcall_offset_history_committed_offset_not_null NOT NULL,
    leader_epoch integer CONSTRAINT rollcall_offset_history_leader_epoch_not_null NOT NULL,
    metadata text CONSTRAINT rollcall_offset_history_metadata_not_null NOT NULL,
    member_id text CONSTRAINT rollcall_offset_history_member_id_not_null NOT NULL,
    client_id text CONSTRAINT rollcall_offset_history_client_id_not_null NOT NULL,
    client_host text CONSTRAINT rollcall_offset_history_client_host_not_null NOT NULL,
    principal text,
    more_partitions integer[],
    more_offsets bigint[],
    more_leader_epochs integer[],
    more_metadata text[],
    is_gone boolean
);


--
-- Name: rollcall_offset_history_2026112822; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_offset_history_2026112822 (
    at timestamp with time zone CONSTRAINT rollcall_offset_history_at_not_null NOT NULL,
    group_id text CONSTRAINT rollcall_offset_history_group_id_not_null NOT NULL COLLATE pg_catalog."C",
    topic text CONSTRAINT rollcall_offset_history_topic_not_null NOT NULL COLLATE pg_catalog."C",
    partition integer CONSTRAINT rollcall_offset_history_partition_not_null NOT NULL,
    committed_offset bigint CONSTRAINT rollcall_offset_history_committed_offset_not_null NOT NULL,
    leader_epoch integer CONSTRAINT rollcall_offset_history_leader_epoch_not_null NOT NULL,
    metadata text CONSTRAINT rollcall_offset_history_metadata_not_null NOT NULL,
    member_id text CONSTRAINT rollcall_offset_history_member_id_not_null NOT NULL,
    client_id text CONSTRAINT rollcall_offset_history_client_id_not_null NOT NULL,
    client_host text CONSTRAINT rollcall_offset_history_client_host_not_null NOT NULL,
    principal text,
    more_partitions integer[],
    more_offsets bigint[],
    more_leader_epochs integer[],
    more_metadata text[],
    is_gone boolean
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
    client_host text CONSTRAINT rollcall_offset_history_client_host_not_null NOT NULL,
    principal text,
    more_partitions integer[],
    more_offsets bigint[],
    more_leader_epochs integer[],
    more_metadata text[],
    is_gone boolean
);


--
-- Name: rollcall_openid_user; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_openid_user (
    user_id integer NOT NULL,
    issuer text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C"
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
    outcome text,
    offsets jsonb,
    until timestamp with time zone,
    traceparent text,
    prediction jsonb
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
-- Name: rollcall_ownership_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.rollcall_ownership_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: rollcall_ownership_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.rollcall_ownership_id_seq OWNED BY public.rollcall_ownership.id;


--
-- Name: rollcall_ownership_20261128; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_ownership_20261128 (
    at timestamp with time zone CONSTRAINT rollcall_ownership_at_not_null NOT NULL,
    era integer CONSTRAINT rollcall_ownership_era_not_null NOT NULL,
    xid bigint CONSTRAINT rollcall_ownership_xid_not_null NOT NULL,
    id bigint DEFAULT nextval('public.rollcall_ownership_id_seq'::regclass) CONSTRAINT rollcall_ownership_id_not_null NOT NULL,
    group_id text CONSTRAINT rollcall_ownership_group_id_not_null NOT NULL COLLATE pg_catalog."C",
    life bigint CONSTRAINT rollcall_ownership_life_not_null NOT NULL,
    topic text CONSTRAINT rollcall_ownership_topic_not_null NOT NULL COLLATE pg_catalog."C",
    topic_id uuid,
    partitions int4multirange CONSTRAINT rollcall_ownership_partitions_not_null NOT NULL,
    from_generation integer CONSTRAINT rollcall_ownership_from_generation_not_null NOT NULL,
    from_at timestamp with time zone CONSTRAINT rollcall_ownership_from_at_not_null NOT NULL,
    until_generation integer,
    until_at timestamp with time zone
);


--
-- Name: rollcall_ownership_20261129; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_ownership_20261129 (
    at timestamp with time zone CONSTRAINT rollcall_ownership_at_not_null NOT NULL,
    era integer CONSTRAINT rollcall_ownership_era_not_null NOT NULL,
    xid bigint CONSTRAINT rollcall_ownership_xid_not_null NOT NULL,
    id bigint DEFAULT nextval('public.rollcall_ownership_id_seq'::regclass) CONSTRAINT rollcall_ownership_id_not_null NOT NULL,
    group_id text CONSTRAINT rollcall_ownership_group_id_not_null NOT NULL COLLATE pg_catalog."C",
    life bigint CONSTRAINT rollcall_ownership_life_not_null NOT NULL,
    topic text CONSTRAINT rollcall_ownership_topic_not_null NOT NULL COLLATE pg_catalog."C",
    topic_id uuid,
    partitions int4multirange CONSTRAINT rollcall_ownership_partitions_not_null NOT NULL,
    from_generation integer CONSTRAINT rollcall_ownership_from_generation_not_null NOT NULL,
    from_at timestamp with time zone CONSTRAINT rollcall_ownership_from_at_not_null NOT NULL,
    until_generation integer,
    until_at timestamp with time zone
);


--
-- Name: rollcall_ownership_20261130; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_ownership_20261130 (
    at timestamp with time zone CONSTRAINT rollcall_ownership_at_not_null NOT NULL,
    era integer CONSTRAINT rollcall_ownership_era_not_null NOT NULL,
    xid bigint CONSTRAINT rollcall_ownership_xid_not_null NOT NULL,
    id bigint DEFAULT nextval('public.rollcall_ownership_id_seq'::regclass) CONSTRAINT rollcall_ownership_id_not_null NOT NULL,
    group_id text CONSTRAINT rollcall_ownership_group_id_not_null NOT NULL COLLATE pg_catalog."C",
    life bigint CONSTRAINT rollcall_ownership_life_not_null NOT NULL,
    topic text CONSTRAINT rollcall_ownership_topic_not_null NOT NULL COLLATE pg_catalog."C",
    topic_id uuid,
    partitions int4multirange CONSTRAINT rollcall_ownership_partitions_not_null NOT NULL,
    from_generation integer CONSTRAINT rollcall_ownership_from_generation_not_null NOT NULL,
    from_at timestamp with time zone CONSTRAINT rollcall_ownership_from_at_not_null NOT NULL,
    until_generation integer,
    until_at timestamp with time zone
);


--
-- Name: rollcall_ownership_default; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_ownership_default (
    at timestamp with time zone CONSTRAINT rollcall_ownership_at_not_null NOT NULL,
    era integer CONSTRAINT rollcall_ownership_era_not_null NOT NULL,
    xid bigint CONSTRAINT rollcall_ownership_xid_not_null NOT NULL,
    id bigint DEFAULT nextval('public.rollcall_ownership_id_seq'::regclass) CONSTRAINT rollcall_ownership_id_not_null NOT NULL,
    group_id text CONSTRAINT rollcall_ownership_group_id_not_null NOT NULL COLLATE pg_catalog."C",
    life bigint CONSTRAINT rollcall_ownership_life_not_null NOT NULL,
    topic text CONSTRAINT rollcall_ownership_topic_not_null NOT NULL COLLATE pg_catalog."C",
    topic_id uuid,
    partitions int4multirange CONSTRAINT rollcall_ownership_partitions_not_null NOT NULL,
    from_generation integer CONSTRAINT rollcall_ownership_from_generation_not_null NOT NULL,
    from_at timestamp with time zone CONSTRAINT rollcall_ownership_from_at_not_null NOT NULL,
    until_generation integer,
    until_at timestamp with time zone
);


--
-- Name: rollcall_ownership_open; Type: TABLE; Schema: public; Owner: -
--

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
    client_host text,
    principal text
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
-- Name: rollcall_progress_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.rollcall_progress_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: rollcall_progress_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.rollcall_progress_id_seq OWNED BY public.rollcall_progress.id;


--
-- Name: rollcall_progress_20261128; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_progress_20261128 (
    at timestamp with time zone CONSTRAINT rollcall_progress_at_not_null NOT NULL,
    era integer CONSTRAINT rollcall_progress_era_not_null NOT NULL,
    xid bigint CONSTRAINT rollcall_progress_xid_not_null NOT NULL,
    id bigint DEFAULT nextval('public.rollcall_progress_id_seq'::regclass) CONSTRAINT rollcall_progress_id_not_null NOT NULL,
    hour timestamp with time zone CONSTRAINT rollcall_progress_hour_not_null NOT NULL,
    group_id text CONSTRAINT rollcall_progress_group_id_not_null NOT NULL COLLATE pg_catalog."C",
    topic text CONSTRAINT rollcall_progress_topic_not_null NOT NULL COLLATE pg_catalog."C",
    partitions integer[] CONSTRAINT rollcall_progress_partitions_not_null NOT NULL,
    commits integer[] CONSTRAINT rollcall_progress_commits_not_null NOT NULL,
    first_offsets bigint[] CONSTRAINT rollcall_progress_first_offsets_not_null NOT NULL,
    last_offsets bigint[] CONSTRAINT rollcall_progress_last_offsets_not_null NOT NULL,
    pauses_ms integer[] CONSTRAINT rollcall_progress_pauses_ms_not_null NOT NULL,
    lives bigint[] CONSTRAINT rollcall_progress_lives_not_null NOT NULL,
    end_offsets bigint[] CONSTRAINT rollcall_progress_end_offsets_not_null NOT NULL
);


--
-- Name: rollcall_progress_20261129; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_progress_20261129 (
    at timestamp with time zone CONSTRAINT rollcall_progress_at_not_null NOT NULL,
    era integer CONSTRAINT rollcall_progress_era_not_null NOT NULL,
    xid bigint CONSTRAINT rollcall_progress_xid_not_null NOT NULL,
    id bigint DEFAULT nextval('public.rollcall_progress_id_seq'::regclass) CONSTRAINT rollcall_progress_id_not_null NOT NULL,
    hour timestamp with time zone CONSTRAINT rollcall_progress_hour_not_null NOT NULL,
    group_id text CONSTRAINT rollcall_progress_group_id_not_null NOT NULL COLLATE pg_catalog."C",
    topic text CONSTRAINT rollcall_progress_topic_not_null NOT NULL COLLATE pg_catalog."C",
    partitions integer[] CONSTRAINT rollcall_progress_partitions_not_null NOT NULL,
    commits integer[] CONSTRAINT rollcall_progress_commits_not_null NOT NULL,
    first_offsets bigint[] CONSTRAINT rollcall_progress_first_offsets_not_null NOT NULL,
    last_offsets bigint[] CONSTRAINT rollcall_progress_last_offsets_not_null NOT NULL,
    pauses_ms integer[] CONSTRAINT rollcall_progress_pauses_ms_not_null NOT NULL,
    lives bigint[] CONSTRAINT rollcall_progress_lives_not_null NOT NULL,
    end_offsets bigint[] CONSTRAINT rollcall_progress_end_offsets_not_null NOT NULL
);


--
-- Name: rollcall_progress_20261130; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_progress_20261130 (
    at timestamp with time zone CONSTRAINT rollcall_progress_at_not_null NOT NULL,
    era integer CONSTRAINT rollcall_progress_era_not_null NOT NULL,
    xid bigint CONSTRAINT rollcall_progress_xid_not_null NOT NULL,
    id bigint DEFAULT nextval('public.rollcall_progress_id_seq'::regclass) CONSTRAINT rollcall_progress_id_not_null NOT NULL,
    hour timestamp with time zone CONSTRAINT rollcall_progress_hour_not_null NOT NULL,
    group_id text CONSTRAINT rollcall_progress_group_id_not_null NOT NULL COLLATE pg_catalog."C",
    topic text CONSTRAINT rollcall_progress_topic_not_null NOT NULL COLLATE pg_catalog."C",
    partitions integer[] CONSTRAINT rollcall_progress_partitions_not_null NOT NULL,
    commits integer[] CONSTRAINT rollcall_progress_commits_not_null NOT NULL,
    first_offsets bigint[] CONSTRAINT rollcall_progress_first_offsets_not_null NOT NULL,
    last_offsets bigint[] CONSTRAINT rollcall_progress_last_offsets_not_null NOT NULL,
    pauses_ms integer[] CONSTRAINT rollcall_progress_pauses_ms_not_null NOT NULL,
    lives bigint[] CONSTRAINT rollcall_progress_lives_not_null NOT NULL,
    end_offsets bigint[] CONSTRAINT rollcall_progress_end_offsets_not_null NOT NULL
);


--
-- Name: rollcall_progress_default; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_progress_default (
    at timestamp with time zone CONSTRAINT rollcall_progress_at_not_null NOT NULL,
    era integer CONSTRAINT rollcall_progress_era_not_null NOT NULL,
    xid bigint CONSTRAINT rollcall_progress_xid_not_null NOT NULL,
    id bigint DEFAULT nextval('public.rollcall_progress_id_seq'::regclass) CONSTRAINT rollcall_progress_id_not_null NOT NULL,
    hour timestamp with time zone CONSTRAINT rollcall_progress_hour_not_null NOT NULL,
    group_id text CONSTRAINT rollcall_progress_group_id_not_null NOT NULL COLLATE pg_catalog."C",
    topic text CONSTRAINT rollcall_progress_topic_not_null NOT NULL COLLATE pg_catalog."C",
    partitions integer[] CONSTRAINT rollcall_progress_partitions_not_null NOT NULL,
    commits integer[] CONSTRAINT rollcall_progress_commits_not_null NOT NULL,
    first_offsets bigint[] CONSTRAINT rollcall_progress_first_offsets_not_null NOT NULL,
    last_offsets bigint[] CONSTRAINT rollcall_progress_last_offsets_not_null NOT NULL,
    pauses_ms integer[] CONSTRAINT rollcall_progress_pauses_ms_not_null NOT NULL,
    lives bigint[] CONSTRAINT rollcall_progress_lives_not_null NOT NULL,
    end_offsets bigint[] CONSTRAINT rollcall_progress_end_offsets_not_null NOT NULL
);


--
-- Name: rollcall_progress_done; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_progress_done (
    name text NOT NULL,
    hour timestamp with time zone NOT NULL,
    group_id text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: TABLE rollcall_progress_done; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.rollcall_progress_done IS 'The hour that is summarised next, and the last of its groups that was.';


--
-- Name: rollcall_quota; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_quota (
    entity_type text NOT NULL,
    user_name text NOT NULL COLLATE pg_catalog."C",
    client_id text NOT NULL COLLATE pg_catalog."C",
    ip text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL,
    value double precision NOT NULL,
    updated_at timestamp with time zone NOT NULL
);


--
-- Name: rollcall_quota_entity; Type: VIEW; Schema: public; Owner: -
--

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


--
-- Name: rollcall_report_row; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_report_row (
    id bigint NOT NULL,
    report text NOT NULL,
    period text NOT NULL,
    keys jsonb NOT NULL,
    figures jsonb NOT NULL,
    run_id bigint,
    kept_until timestamp with time zone,
    CONSTRAINT report_row_of_a_run_or_kept CHECK ((((kept_until IS NULL) AND (run_id IS NOT NULL)) OR ((kept_until IS NOT NULL) AND (run_id IS NULL))))
);


--
-- Name: rollcall_report_row_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.rollcall_report_row ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.rollcall_report_row_id_seq
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
    reports jsonb DEFAULT '[]'::jsonb NOT NULL
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
-- Name: rollcall_round_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.rollcall_round_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: rollcall_round_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.rollcall_round_id_seq OWNED BY public.rollcall_round.id;


--
-- Name: rollcall_round_20261128; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_round_20261128 (
    at timestamp with time zone CONSTRAINT rollcall_round_at_not_null NOT NULL,
    era integer CONSTRAINT rollcall_round_era_not_null NOT NULL,
    xid bigint CONSTRAINT rollcall_round_xid_not_null NOT NULL,
    id bigint DEFAULT nextval('public.rollcall_round_id_seq'::regclass) CONSTRAINT rollcall_round_id_not_null NOT NULL,
    group_id text CONSTRAINT rollcall_round_group_id_not_null NOT NULL COLLATE pg_catalog."C",
    generation integer CONSTRAINT rollcall_round_generation_not_null NOT NULL,
    kind text CONSTRAINT rollcall_round_kind_not_null NOT NULL,
    outcome text CONSTRAINT rollcall_round_outcome_not_null NOT NULL,
    started_at timestamp with time zone CONSTRAINT rollcall_round_started_at_not_null NOT NULL,
    ended_at timestamp with time zone CONSTRAINT rollcall_round_ended_at_not_null NOT NULL,
    is_partial boolean CONSTRAINT rollcall_round_is_partial_not_null NOT NULL,
    members integer CONSTRAINT rollcall_round_members_not_null NOT NULL,
    moved integer CONSTRAINT rollcall_round_moved_not_null NOT NULL,
    stopped_ms bigint CONSTRAINT rollcall_round_stopped_ms_not_null NOT NULL,
    silent_ms bigint CONSTRAINT rollcall_round_silent_ms_not_null NOT NULL,
    unowned_ms bigint CONSTRAINT rollcall_round_unowned_ms_not_null NOT NULL,
    triggers text[] CONSTRAINT rollcall_round_triggers_not_null NOT NULL,
    cause_members integer[] CONSTRAINT rollcall_round_cause_members_not_null NOT NULL,
    cause_ids text[] CONSTRAINT rollcall_round_cause_ids_not_null NOT NULL,
    cause_at_ms bigint[] CONSTRAINT rollcall_round_cause_at_ms_not_null NOT NULL,
    cause_ms bigint[] CONSTRAINT rollcall_round_cause_ms_not_null NOT NULL,
    acts text[] CONSTRAINT rollcall_round_acts_not_null NOT NULL,
    ends text[] CONSTRAINT rollcall_round_ends_not_null NOT NULL,
    counts integer[] CONSTRAINT rollcall_round_counts_not_null NOT NULL,
    lives bigint[] CONSTRAINT rollcall_round_lives_not_null NOT NULL,
    waited_ms integer[] CONSTRAINT rollcall_round_waited_ms_not_null NOT NULL
);


--
-- Name: rollcall_round_20261129; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_round_20261129 (
    at timestamp with time zone CONSTRAINT rollcall_round_at_not_null NOT NULL,
    era integer CONSTRAINT rollcall_round_era_not_null NOT NULL,
    xid bigint CONSTRAINT rollcall_round_xid_not_null NOT NULL,
    id bigint DEFAULT nextval('public.rollcall_round_id_seq'::regclass) CONSTRAINT rollcall_round_id_not_null NOT NULL,
    group_id text CONSTRAINT rollcall_round_group_id_not_null NOT NULL COLLATE pg_catalog."C",
    generation integer CONSTRAINT rollcall_round_generation_not_null NOT NULL,
    kind text CONSTRAINT rollcall_round_kind_not_null NOT NULL,
    outcome text CONSTRAINT rollcall_round_outcome_not_null NOT NULL,
    started_at timestamp with time zone CONSTRAINT rollcall_round_started_at_not_null NOT NULL,
    ended_at timestamp with time zone CONSTRAINT rollcall_round_ended_at_not_null NOT NULL,
    is_partial boolean CONSTRAINT rollcall_round_is_partial_not_null NOT NULL,
    members integer CONSTRAINT rollcall_round_members_not_null NOT NULL,
    moved integer CONSTRAINT rollcall_round_moved_not_null NOT NULL,
    stopped_ms bigint CONSTRAINT rollcall_round_stopped_ms_not_null NOT NULL,
    silent_ms bigint CONSTRAINT rollcall_round_silent_ms_not_null NOT NULL,
    unowned_ms bigint CONSTRAINT rollcall_round_unowned_ms_not_null NOT NULL,
    triggers text[] CONSTRAINT rollcall_round_triggers_not_null NOT NULL,
    cause_members integer[] CONSTRAINT rollcall_round_cause_members_not_null NOT NULL,
    cause_ids text[] CONSTRAINT rollcall_round_cause_ids_not_null NOT NULL,
    cause_at_ms bigint[] CONSTRAINT rollcall_round_cause_at_ms_not_null NOT NULL,
    cause_ms bigint[] CONSTRAINT rollcall_round_cause_ms_not_null NOT NULL,
    acts text[] CONSTRAINT rollcall_round_acts_not_null NOT NULL,
    ends text[] CONSTRAINT rollcall_round_ends_not_null NOT NULL,
    counts integer[] CONSTRAINT rollcall_round_counts_not_null NOT NULL,
    lives bigint[] CONSTRAINT rollcall_round_lives_not_null NOT NULL,
    waited_ms integer[] CONSTRAINT rollcall_round_waited_ms_not_null NOT NULL
);


--
-- Name: rollcall_round_20261130; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_round_20261130 (
    at timestamp with time zone CONSTRAINT rollcall_round_at_not_null NOT NULL,
    era integer CONSTRAINT rollcall_round_era_not_null NOT NULL,
    xid bigint CONSTRAINT rollcall_round_xid_not_null NOT NULL,
    id bigint DEFAULT nextval('public.rollcall_round_id_seq'::regclass) CONSTRAINT rollcall_round_id_not_null NOT NULL,
    group_id text CONSTRAINT rollcall_round_group_id_not_null NOT NULL COLLATE pg_catalog."C",
    generation integer CONSTRAINT rollcall_round_generation_not_null NOT NULL,
    kind text CONSTRAINT rollcall_round_kind_not_null NOT NULL,
    outcome text CONSTRAINT rollcall_round_outcome_not_null NOT NULL,
    started_at timestamp with time zone CONSTRAINT rollcall_round_started_at_not_null NOT NULL,
    ended_at timestamp with time zone CONSTRAINT rollcall_round_ended_at_not_null NOT NULL,
    is_partial boolean CONSTRAINT rollcall_round_is_partial_not_null NOT NULL,
    members integer CONSTRAINT rollcall_round_members_not_null NOT NULL,
    moved integer CONSTRAINT rollcall_round_moved_not_null NOT NULL,
    stopped_ms bigint CONSTRAINT rollcall_round_stopped_ms_not_null NOT NULL,
    silent_ms bigint CONSTRAINT rollcall_round_silent_ms_not_null NOT NULL,
    unowned_ms bigint CONSTRAINT rollcall_round_unowned_ms_not_null NOT NULL,
    triggers text[] CONSTRAINT rollcall_round_triggers_not_null NOT NULL,
    cause_members integer[] CONSTRAINT rollcall_round_cause_members_not_null NOT NULL,
    cause_ids text[] CONSTRAINT rollcall_round_cause_ids_not_null NOT NULL,
    cause_at_ms bigint[] CONSTRAINT rollcall_round_cause_at_ms_not_null NOT NULL,
    cause_ms bigint[] CONSTRAINT rollcall_round_cause_ms_not_null NOT NULL,
    acts text[] CONSTRAINT rollcall_round_acts_not_null NOT NULL,
    ends text[] CONSTRAINT rollcall_round_ends_not_null NOT NULL,
    counts integer[] CONSTRAINT rollcall_round_counts_not_null NOT NULL,
    lives bigint[] CONSTRAINT rollcall_round_lives_not_null NOT NULL,
    waited_ms integer[] CONSTRAINT rollcall_round_waited_ms_not_null NOT NULL
);


--
-- Name: rollcall_round_default; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_round_default (
    at timestamp with time zone CONSTRAINT rollcall_round_at_not_null NOT NULL,
    era integer CONSTRAINT rollcall_round_era_not_null NOT NULL,
    xid bigint CONSTRAINT rollcall_round_xid_not_null NOT NULL,
    id bigint DEFAULT nextval('public.rollcall_round_id_seq'::regclass) CONSTRAINT rollcall_round_id_not_null NOT NULL,
    group_id text CONSTRAINT rollcall_round_group_id_not_null NOT NULL COLLATE pg_catalog."C",
    generation integer CONSTRAINT rollcall_round_generation_not_null NOT NULL,
    kind text CONSTRAINT rollcall_round_kind_not_null NOT NULL,
    outcome text CONSTRAINT rollcall_round_outcome_not_null NOT NULL,
    started_at timestamp with time zone CONSTRAINT rollcall_round_started_at_not_null NOT NULL,
    ended_at timestamp with time zone CONSTRAINT rollcall_round_ended_at_not_null NOT NULL,
    is_partial boolean CONSTRAINT rollcall_round_is_partial_not_null NOT NULL,
    members integer CONSTRAINT rollcall_round_members_not_null NOT NULL,
    moved integer CONSTRAINT rollcall_round_moved_not_null NOT NULL,
    stopped_ms bigint CONSTRAINT rollcall_round_stopped_ms_not_null NOT NULL,
    silent_ms bigint CONSTRAINT rollcall_round_silent_ms_not_null NOT NULL,
    unowned_ms bigint CONSTRAINT rollcall_round_unowned_ms_not_null NOT NULL,
    triggers text[] CONSTRAINT rollcall_round_triggers_not_null NOT NULL,
    cause_members integer[] CONSTRAINT rollcall_round_cause_members_not_null NOT NULL,
    cause_ids text[] CONSTRAINT rollcall_round_cause_ids_not_null NOT NULL,
    cause_at_ms bigint[] CONSTRAINT rollcall_round_cause_at_ms_not_null NOT NULL,
    cause_ms bigint[] CONSTRAINT rollcall_round_cause_ms_not_null NOT NULL,
    acts text[] CONSTRAINT rollcall_round_acts_not_null NOT NULL,
    ends text[] CONSTRAINT rollcall_round_ends_not_null NOT NULL,
    counts integer[] CONSTRAINT rollcall_round_counts_not_null NOT NULL,
    lives bigint[] CONSTRAINT rollcall_round_lives_not_null NOT NULL,
    waited_ms integer[] CONSTRAINT rollcall_round_waited_ms_not_null NOT NULL
);


--
-- Name: rollcall_saved_view; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_saved_view (
    id bigint NOT NULL,
    name character varying(60) NOT NULL,
    query character varying(2000) NOT NULL,
    is_shared boolean NOT NULL,
    user_id integer NOT NULL
);


--
-- Name: rollcall_saved_view_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.rollcall_saved_view ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.rollcall_saved_view_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: rollcall_silence_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.rollcall_silence_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: rollcall_silence_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.rollcall_silence_id_seq OWNED BY public.rollcall_silence.id;


--
-- Name: rollcall_silence_20261128; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_silence_20261128 (
    at timestamp with time zone CONSTRAINT rollcall_silence_at_not_null NOT NULL,
    era integer CONSTRAINT rollcall_silence_era_not_null NOT NULL,
    xid bigint CONSTRAINT rollcall_silence_xid_not_null NOT NULL,
    id bigint DEFAULT nextval('public.rollcall_silence_id_seq'::regclass) CONSTRAINT rollcall_silence_id_not_null NOT NULL,
    hour timestamp with time zone CONSTRAINT rollcall_silence_hour_not_null NOT NULL,
    group_id text CONSTRAINT rollcall_silence_group_id_not_null NOT NULL COLLATE pg_catalog."C",
    lives bigint[] CONSTRAINT rollcall_silence_lives_not_null NOT NULL,
    longest_ms integer[] CONSTRAINT rollcall_silence_longest_ms_not_null NOT NULL,
    looks smallint[] CONSTRAINT rollcall_silence_looks_not_null NOT NULL
);


--
-- Name: rollcall_silence_20261129; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_silence_20261129 (
    at timestamp with time zone CONSTRAINT rollcall_silence_at_not_null NOT NULL,
    era integer CONSTRAINT rollcall_silence_era_not_null NOT NULL,
    xid bigint CONSTRAINT rollcall_silence_xid_not_null NOT NULL,
    id bigint DEFAULT nextval('public.rollcall_silence_id_seq'::regclass) CONSTRAINT rollcall_silence_id_not_null NOT NULL,
    hour timestamp with time zone CONSTRAINT rollcall_silence_hour_not_null NOT NULL,
    group_id text CONSTRAINT rollcall_silence_group_id_not_null NOT NULL COLLATE pg_catalog."C",
    lives bigint[] CONSTRAINT rollcall_silence_lives_not_null NOT NULL,
    longest_ms integer[] CONSTRAINT rollcall_silence_longest_ms_not_null NOT NULL,
    looks smallint[] CONSTRAINT rollcall_silence_looks_not_null NOT NULL
);


--
-- Name: rollcall_silence_20261130; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_silence_20261130 (
    at timestamp with time zone CONSTRAINT rollcall_silence_at_not_null NOT NULL,
    era integer CONSTRAINT rollcall_silence_era_not_null NOT NULL,
    xid bigint CONSTRAINT rollcall_silence_xid_not_null NOT NULL,
    id bigint DEFAULT nextval('public.rollcall_silence_id_seq'::regclass) CONSTRAINT rollcall_silence_id_not_null NOT NULL,
    hour timestamp with time zone CONSTRAINT rollcall_silence_hour_not_null NOT NULL,
    group_id text CONSTRAINT rollcall_silence_group_id_not_null NOT NULL COLLATE pg_catalog."C",
    lives bigint[] CONSTRAINT rollcall_silence_lives_not_null NOT NULL,
    longest_ms integer[] CONSTRAINT rollcall_silence_longest_ms_not_null NOT NULL,
    looks smallint[] CONSTRAINT rollcall_silence_looks_not_null NOT NULL
);


--
-- Name: rollcall_silence_default; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_silence_default (
    at timestamp with time zone CONSTRAINT rollcall_silence_at_not_null NOT NULL,
    era integer CONSTRAINT rollcall_silence_era_not_null NOT NULL,
    xid bigint CONSTRAINT rollcall_silence_xid_not_null NOT NULL,
    id bigint DEFAULT nextval('public.rollcall_silence_id_seq'::regclass) CONSTRAINT rollcall_silence_id_not_null NOT NULL,
    hour timestamp with time zone CONSTRAINT rollcall_silence_hour_not_null NOT NULL,
    group_id text CONSTRAINT rollcall_silence_group_id_not_null NOT NULL COLLATE pg_catalog."C",
    lives bigint[] CONSTRAINT rollcall_silence_lives_not_null NOT NULL,
    longest_ms integer[] CONSTRAINT rollcall_silence_longest_ms_not_null NOT NULL,
    looks smallint[] CONSTRAINT rollcall_silence_looks_not_null NOT NULL
);


--
-- Name: rollcall_slot; Type: TABLE; Schema: public; Owner: -
--

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
-- Name: rollcall_timeline; Type: TABLE; Schema: public; Owner: -
--

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


--
-- Name: COLUMN rollcall_timeline.jump; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.rollcall_timeline.jump IS 'A new one each time all epochs are raised.';


--
-- Name: COLUMN rollcall_timeline.jumped_on; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.rollcall_timeline.jumped_on IS 'Start of the server process that they were raised on last.';


--
-- Name: COLUMN rollcall_timeline.generations_after; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.rollcall_timeline.generations_after IS 'What a group without a row counts from, since a lost one of that name may have been below.';


--
-- Name: COLUMN rollcall_timeline.database; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.rollcall_timeline.database IS 'The one in which epochs were raised last; a restored dump is in another one.';


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
-- Name: rollcall_user; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.rollcall_user AS
 SELECT name,
    jsonb_object_agg(mechanism, iterations) AS mechanisms,
    max(updated_at) AS updated_at
   FROM public.rollcall_credential
  GROUP BY name;


--
-- Name: rollcall_waiting; Type: TABLE; Schema: public; Owner: -
--

CREATE UNLOGGED TABLE public.rollcall_waiting (
    group_id text NOT NULL COLLATE pg_catalog."C",
    node_id integer NOT NULL,
    revision bigint NOT NULL,
    details jsonb NOT NULL,
    told_at timestamp with time zone NOT NULL,
    waits jsonb DEFAULT '{}'::jsonb NOT NULL
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
-- Name: rollcall_webhook; Type: TABLE; Schema: public; Owner: -
--

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


--
-- Name: rollcall_webhook_cursor; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_webhook_cursor (
    name text NOT NULL,
    state jsonb NOT NULL
);


--
-- Name: rollcall_webhook_delivery; Type: TABLE; Schema: public; Owner: -
--

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


--
-- Name: rollcall_webhook_delivery_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.rollcall_webhook_delivery ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.rollcall_webhook_delivery_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: rollcall_webhook_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.rollcall_webhook ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.rollcall_webhook_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: rollcall_webhook_secret; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rollcall_webhook_secret (
    id bigint NOT NULL,
    secret text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    webhook_id bigint NOT NULL
);


--
-- Name: rollcall_webhook_secret_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.rollcall_webhook_secret ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.rollcall_webhook_secret_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: rollcall_facts_packed_default; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_facts_packed ATTACH PARTITION public.rollcall_facts_packed_default DEFAULT;


--
-- Name: rollcall_life_20261128; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_life ATTACH PARTITION public.rollcall_life_20261128 FOR VALUES FROM ('2026-11-28 00:00:00+00') TO ('2026-11-29 00:00:00+00');


--
-- Name: rollcall_life_20261129; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_life ATTACH PARTITION public.rollcall_life_20261129 FOR VALUES FROM ('2026-11-29 00:00:00+00') TO ('2026-11-30 00:00:00+00');


--
-- Name: rollcall_life_20261130; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_life ATTACH PARTITION public.rollcall_life_20261130 FOR VALUES FROM ('2026-11-30 00:00:00+00') TO ('2026-12-01 00:00:00+00');


--
-- Name: rollcall_life_default; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_life ATTACH PARTITION public.rollcall_life_default DEFAULT;


--
-- Name: rollcall_offset_history_2026112820; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_offset_history ATTACH PARTITION public.rollcall_offset_history_2026112820 FOR VALUES FROM ('2026-11-28 20:00:00+00') TO ('2026-11-28 21:00:00+00');


--
-- Name: rollcall_offset_history_2026112821; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_offset_history ATTACH PARTITION public.rollcall_offset_history_2026112821 FOR VALUES FROM ('2026-11-28 21:00:00+00') TO ('2026-11-28 22:00:00+00');


--
-- Name: rollcall_offset_history_2026112822; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_offset_history ATTACH PARTITION public.rollcall_offset_history_2026112822 FOR VALUES FROM ('2026-11-28 22:00:00+00') TO ('2026-11-28 23:00:00+00');


--
-- Name: rollcall_offset_history_default; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_offset_history ATTACH PARTITION public.rollcall_offset_history_default DEFAULT;


--
-- Name: rollcall_ownership_20261128; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_ownership ATTACH PARTITION public.rollcall_ownership_20261128 FOR VALUES FROM ('2026-11-28 00:00:00+00') TO ('2026-11-29 00:00:00+00');


--
-- Name: rollcall_ownership_20261129; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_ownership ATTACH PARTITION public.rollcall_ownership_20261129 FOR VALUES FROM ('2026-11-29 00:00:00+00') TO ('2026-11-30 00:00:00+00');


--
-- Name: rollcall_ownership_20261130; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_ownership ATTACH PARTITION public.rollcall_ownership_20261130 FOR VALUES FROM ('2026-11-30 00:00:00+00') TO ('2026-12-01 00:00:00+00');


--
-- Name: rollcall_ownership_default; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_ownership ATTACH PARTITION public.rollcall_ownership_default DEFAULT;


--
-- Name: rollcall_progress_20261128; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_progress ATTACH PARTITION public.rollcall_progress_20261128 FOR VALUES FROM ('2026-11-28 00:00:00+00') TO ('2026-11-29 00:00:00+00');


--
-- Name: rollcall_progress_20261129; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_progress ATTACH PARTITION public.rollcall_progress_20261129 FOR VALUES FROM ('2026-11-29 00:00:00+00') TO ('2026-11-30 00:00:00+00');


--
-- Name: rollcall_progress_20261130; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_progress ATTACH PARTITION public.rollcall_progress_20261130 FOR VALUES FROM ('2026-11-30 00:00:00+00') TO ('2026-12-01 00:00:00+00');


--
-- Name: rollcall_progress_default; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_progress ATTACH PARTITION public.rollcall_progress_default DEFAULT;


--
-- Name: rollcall_round_20261128; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_round ATTACH PARTITION public.rollcall_round_20261128 FOR VALUES FROM ('2026-11-28 00:00:00+00') TO ('2026-11-29 00:00:00+00');


--
-- Name: rollcall_round_20261129; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_round ATTACH PARTITION public.rollcall_round_20261129 FOR VALUES FROM ('2026-11-29 00:00:00+00') TO ('2026-11-30 00:00:00+00');


--
-- Name: rollcall_round_20261130; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_round ATTACH PARTITION public.rollcall_round_20261130 FOR VALUES FROM ('2026-11-30 00:00:00+00') TO ('2026-12-01 00:00:00+00');


--
-- Name: rollcall_round_default; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_round ATTACH PARTITION public.rollcall_round_default DEFAULT;


--
-- Name: rollcall_silence_20261128; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_silence ATTACH PARTITION public.rollcall_silence_20261128 FOR VALUES FROM ('2026-11-28 00:00:00+00') TO ('2026-11-29 00:00:00+00');


--
-- Name: rollcall_silence_20261129; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_silence ATTACH PARTITION public.rollcall_silence_20261129 FOR VALUES FROM ('2026-11-29 00:00:00+00') TO ('2026-11-30 00:00:00+00');


--
-- Name: rollcall_silence_20261130; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_silence ATTACH PARTITION public.rollcall_silence_20261130 FOR VALUES FROM ('2026-11-30 00:00:00+00') TO ('2026-12-01 00:00:00+00');


--
-- Name: rollcall_silence_default; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_silence ATTACH PARTITION public.rollcall_silence_default DEFAULT;


--
-- Name: rollcall_life id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_life ALTER COLUMN id SET DEFAULT nextval('public.rollcall_life_id_seq'::regclass);


--
-- Name: rollcall_ownership id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_ownership ALTER COLUMN id SET DEFAULT nextval('public.rollcall_ownership_id_seq'::regclass);


--
-- Name: rollcall_progress id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_progress ALTER COLUMN id SET DEFAULT nextval('public.rollcall_progress_id_seq'::regclass);


--
-- Name: rollcall_round id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_round ALTER COLUMN id SET DEFAULT nextval('public.rollcall_round_id_seq'::regclass);


--
-- Name: rollcall_silence id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_silence ALTER COLUMN id SET DEFAULT nextval('public.rollcall_silence_id_seq'::regclass);


--
-- Data for Name: a_rollcall; Type: TABLE DATA; Schema: pgmq; Owner: -
--

COPY pgmq.a_rollcall (msg_id, read_ct, enqueued_at, last_read_at, archived_at, vt, message, headers) FROM stdin;
\.


--
-- Data for Name: meta; Type: TABLE DATA; Schema: pgmq; Owner: -
--

COPY pgmq.meta (queue_name, is_partitioned, is_unlogged, created_at) FROM stdin;
rollcall	f	f	2026-11-28 20:07:27.931246+00
\.


--
-- Data for Name: notify_insert_throttle; Type: TABLE DATA; Schema: pgmq; Owner: -
--

COPY pgmq.notify_insert_throttle (queue_name, throttle_interval_ms, last_notified_at) FROM stdin;
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
1	1	129
2	1	133
3	1	137
4	1	141
5	1	145
6	1	153
7	1	44
8	1	173
9	1	48
10	1	177
11	1	52
12	1	56
13	1	186
14	1	191
15	1	195
16	1	203
17	1	207
18	1	80
19	1	211
20	1	84
21	1	215
22	1	88
23	1	219
24	1	92
25	1	96
26	1	100
27	1	109
28	1	113
29	1	121
30	1	125
31	2	129
32	2	133
33	2	135
34	2	137
35	2	141
36	2	145
37	2	153
38	2	44
39	2	173
40	2	174
41	2	48
42	2	177
43	2	52
44	2	56
45	2	186
46	2	187
47	2	191
48	2	195
49	2	199
50	2	203
51	2	204
52	2	207
53	2	208
54	2	80
55	2	211
56	2	84
57	2	215
58	2	88
59	2	219
60	2	92
61	2	96
62	2	100
63	2	101
64	2	102
65	2	103
66	2	104
67	2	105
68	2	106
69	2	107
70	2	109
71	2	113
72	2	121
73	2	122
74	2	125
75	3	9
76	3	10
77	3	11
78	3	12
79	3	13
80	3	14
81	3	15
82	3	16
83	3	41
84	3	42
85	3	43
86	3	44
87	3	45
88	3	46
89	3	47
90	3	48
91	3	49
92	3	50
93	3	51
94	3	52
95	3	53
96	3	54
97	3	55
98	3	56
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
142	3	120
143	3	121
144	3	122
145	3	123
146	3	124
147	3	125
148	3	126
149	3	127
150	3	128
151	3	129
152	3	130
153	3	131
154	3	132
155	3	133
156	3	134
157	3	135
158	3	136
159	3	137
160	3	138
161	3	139
162	3	140
163	3	141
164	3	142
165	3	143
166	3	144
167	3	145
168	3	146
169	3	147
170	3	148
171	3	149
172	3	150
173	3	151
174	3	152
175	3	153
176	3	154
177	3	155
178	3	156
179	3	157
180	3	158
181	3	159
182	3	160
183	3	161
184	3	162
185	3	163
186	3	164
187	3	165
188	3	166
189	3	167
190	3	168
191	3	169
192	3	170
193	3	171
194	3	172
195	3	173
196	3	174
197	3	175
198	3	176
199	3	177
200	3	178
201	3	179
202	3	180
203	3	181
204	3	182
205	3	183
206	3	184
207	3	185
208	3	186
209	3	187
210	3	188
211	3	189
212	3	190
213	3	191
214	3	192
215	3	193
216	3	194
217	3	195
218	3	196
219	3	197
220	3	198
221	3	199
222	3	200
223	3	201
224	3	202
225	3	203
226	3	204
227	3	205
228	3	206
229	3	207
230	3	208
231	3	209
232	3	210
233	3	211
234	3	212
235	3	213
236	3	214
237	3	215
238	3	216
239	3	217
240	3	218
241	3	219
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
25	Can add access attempt	7	add_accessattempt
26	Can change access attempt	7	change_accessattempt
27	Can delete access attempt	7	delete_accessattempt
28	Can view access attempt	7	view_accessattempt
29	Can add access log	8	add_accesslog
30	Can change access log	8	change_accesslog
31	Can delete access log	8	delete_accesslog
32	Can view access log	8	view_accesslog
33	Can add access failure	9	add_accessfailurelog
34	Can change access failure	9	change_accessfailurelog
35	Can delete access failure	9	delete_accessfailurelog
36	Can view access failure	9	view_accessfailurelog
37	Can add access attempt expiration	10	add_accessattemptexpiration
38	Can change access attempt expiration	10	change_accessattemptexpiration
39	Can delete access attempt expiration	10	delete_accessattemptexpiration
40	Can view access attempt expiration	10	view_accessattemptexpiration
41	Can add crontab	11	add_crontabschedule
42	Can change crontab	11	change_crontabschedule
43	Can delete crontab	11	delete_crontabschedule
44	Can view crontab	11	view_crontabschedule
45	Can add interval	12	add_intervalschedule
46	Can change interval	12	change_intervalschedule
47	Can delete interval	12	delete_intervalschedule
48	Can view interval	12	view_intervalschedule
49	Can add periodic task	13	add_periodictask
50	Can change periodic task	13	change_periodictask
51	Can delete periodic task	13	delete_periodictask
52	Can view periodic task	13	view_periodictask
53	Can add periodic task track	14	add_periodictasks
54	Can change periodic task track	14	change_periodictasks
55	Can delete periodic task track	14	delete_periodictasks
56	Can view periodic task track	14	view_periodictasks
57	Can add solar event	15	add_solarschedule
58	Can change solar event	15	change_solarschedule
59	Can delete solar event	15	delete_solarschedule
60	Can view solar event	15	view_solarschedule
61	Can add clocked	16	add_clockedschedule
62	Can change clocked	16	change_clockedschedule
63	Can delete clocked	16	delete_clockedschedule
64	Can view clocked	16	view_clockedschedule
65	Can add static device	17	add_staticdevice
66	Can change static device	17	change_staticdevice
67	Can delete static device	17	delete_staticdevice
68	Can view static device	17	view_staticdevice
69	Can add static token	18	add_statictoken
70	Can change static token	18	change_statictoken
71	Can delete static token	18	delete_statictoken
72	Can view static token	18	view_statictoken
73	Can add TOTP device	19	add_totpdevice
74	Can change TOTP device	19	change_totpdevice
75	Can delete TOTP device	19	delete_totpdevice
76	Can view TOTP device	19	view_totpdevice
77	Can add node	20	add_node
78	Can change node	20	change_node
79	Can delete node	20	delete_node
80	Can view node	20	view_node
81	Can add slot	21	add_slot
82	Can change slot	21	change_slot
83	Can delete slot	21	delete_slot
84	Can view slot	21	view_slot
85	Can add group	22	add_group
86	Can change group	22	change_group
87	Can delete group	22	delete_group
88	Can view group	22	view_group
89	Can add journal	23	add_journal
90	Can change journal	23	change_journal
91	Can delete journal	23	delete_journal
92	Can view journal	23	view_journal
93	Can add offset	24	add_offset
94	Can change offset	24	change_offset
95	Can delete offset	24	delete_offset
96	Can view offset	24	view_offset
97	Can add operation	25	add_operation
98	Can change operation	25	change_operation
99	Can delete operation	25	delete_operation
100	Can view operation	25	view_operation
101	Can force a rebalance	25	rebalance_group
102	Can evict a member	25	evict_member
103	Can stop and start the work of a group or member	25	pause_group
104	Can freeze and thaw a group	25	freeze_group
105	Can rewind a group's offsets to an earlier time	25	restore_offsets
106	Can add topic	26	add_topic
107	Can change topic	26	change_topic
108	Can delete topic	26	delete_topic
109	Can view topic	26	view_topic
110	Can add member	27	add_member
111	Can change member	27	change_member
112	Can delete member	27	delete_member
113	Can view member	27	view_member
114	Can add API token	28	add_apitoken
115	Can change API token	28	change_apitoken
116	Can delete API token	28	delete_apitoken
117	Can view API token	28	view_apitoken
118	Can add liveness	29	add_liveness
119	Can change liveness	29	change_liveness
120	Can delete liveness	29	delete_liveness
121	Can view liveness	29	view_liveness
122	Can add report run	30	add_reportrun
123	Can change report run	30	change_reportrun
124	Can delete report run	30	delete_reportrun
125	Can view report run	30	view_reportrun
126	Can add sweep	31	add_sweep
127	Can change sweep	31	change_sweep
128	Can delete sweep	31	delete_sweep
129	Can view sweep	31	view_sweep
130	Can add watch	32	add_watch
131	Can change watch	32	change_watch
132	Can delete watch	32	delete_watch
133	Can view watch	32	view_watch
134	Can add group config	33	add_groupconfig
135	Can change group config	33	change_groupconfig
136	Can delete group config	33	delete_groupconfig
137	Can view group config	33	view_groupconfig
138	Can add follower	34	add_follower
139	Can change follower	34	change_follower
140	Can delete follower	34	delete_follower
141	Can view follower	34	view_follower
142	Can add pause	35	add_pause
143	Can change pause	35	change_pause
144	Can delete pause	35	delete_pause
145	Can view pause	35	view_pause
146	Can add scram credential	36	add_scramcredential
147	Can change scram credential	36	change_scramcredential
148	Can delete scram credential	36	delete_scramcredential
149	Can view scram credential	36	view_scramcredential
150	Can add waiting	37	add_waiting
151	Can change waiting	37	change_waiting
152	Can delete waiting	37	delete_waiting
153	Can view waiting	37	view_waiting
154	Can add ACL	38	add_acl
155	Can change ACL	38	change_acl
156	Can delete ACL	38	delete_acl
157	Can view ACL	38	view_acl
158	Can add audit entry	39	add_auditentry
159	Can change audit entry	39	change_auditentry
160	Can delete audit entry	39	delete_auditentry
161	Can view audit entry	39	view_auditentry
162	Can add user of the Kafka port	40	add_kafkauser
163	Can change user of the Kafka port	40	change_kafkauser
164	Can delete user of the Kafka port	40	delete_kafkauser
165	Can view user of the Kafka port	40	view_kafkauser
166	Can add client quota	41	add_clientquota
167	Can change client quota	41	change_clientquota
168	Can delete client quota	41	delete_clientquota
169	Can view client quota	41	view_clientquota
170	Can add first password	42	add_firstpassword
171	Can change first password	42	change_firstpassword
172	Can delete first password	42	delete_firstpassword
173	Can view first password	42	view_firstpassword
174	Can add acknowledgement	43	add_acknowledgement
175	Can change acknowledgement	43	change_acknowledgement
176	Can delete acknowledgement	43	delete_acknowledgement
177	Can view acknowledgement	43	view_acknowledgement
178	Can add webhook	44	add_webhook
179	Can change webhook	44	change_webhook
180	Can delete webhook	44	delete_webhook
181	Can view webhook	44	view_webhook
182	Can view webhook delivery	47	view_webhookdelivery
183	Can add drain	48	add_drain
184	Can change drain	48	change_drain
185	Can delete drain	48	delete_drain
186	Can view drain	48	view_drain
187	Can drain a node, and withdraw that	48	drain_node
188	Can add saved view	50	add_savedview
189	Can change saved view	50	change_savedview
190	Can delete saved view	50	delete_savedview
191	Can view saved view	50	view_savedview
192	Can add open id user	51	add_openiduser
193	Can change open id user	51	change_openiduser
194	Can delete open id user	51	delete_openiduser
195	Can view open id user	51	view_openiduser
196	Can add client connection	52	add_clientconnection
197	Can change client connection	52	change_clientconnection
198	Can delete client connection	52	delete_clientconnection
199	Can view client connection	52	view_clientconnection
200	Can add report row	56	add_reportrow
201	Can change report row	56	change_reportrow
202	Can delete report row	56	delete_reportrow
203	Can view report row	56	view_reportrow
204	Can add advice decision	57	add_advicedecision
205	Can change advice decision	57	change_advicedecision
206	Can delete advice decision	57	delete_advicedecision
207	Can view advice decision	57	view_advicedecision
208	Can add mark	58	add_mark
209	Can change mark	58	change_mark
210	Can delete mark	58	delete_mark
211	Can view mark	58	view_mark
212	Can add beat lease	59	add_beatlease
213	Can change beat lease	59	change_beatlease
214	Can delete beat lease	59	delete_beatlease
215	Can view beat lease	59	view_beatlease
216	Can add node lease	60	add_nodelease
217	Can change node lease	60	change_nodelease
218	Can delete node lease	60	delete_nodelease
219	Can view node lease	60	view_nodelease
\.


--
-- Data for Name: auth_user; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.auth_user (id, password, last_login, is_superuser, username, first_name, last_name, email, is_staff, is_active, date_joined) FROM stdin;
1	!	\N	t	admin				t	t	2026-11-28 20:07:27.742952+00
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
-- Data for Name: axes_accessattempt; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.axes_accessattempt (id, user_agent, ip_address, username, http_accept, path_info, attempt_time, get_data, post_data, failures_since_start) FROM stdin;
\.


--
-- Data for Name: axes_accessattemptexpiration; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.axes_accessattemptexpiration (access_attempt_id, expires_at) FROM stdin;
\.


--
-- Data for Name: axes_accessfailurelog; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.axes_accessfailurelog (id, user_agent, ip_address, username, http_accept, path_info, attempt_time, locked_out) FROM stdin;
\.


--
-- Data for Name: axes_accesslog; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.axes_accesslog (id, user_agent, ip_address, username, http_accept, path_info, attempt_time, logout_time, session_hash) FROM stdin;
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
1	0	3	*	*	*	UTC
2	0	4	*	*	*	UTC
\.


--
-- Data for Name: django_celery_beat_intervalschedule; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.django_celery_beat_intervalschedule (id, every, period) FROM stdin;
1	1	seconds
2	600	seconds
3	60	seconds
4	5	seconds
5	2	seconds
\.


--
-- Data for Name: django_celery_beat_periodictask; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.django_celery_beat_periodictask (id, name, task, args, kwargs, queue, exchange, routing_key, expires, enabled, last_run_at, total_run_count, date_changed, description, crontab_id, interval_id, solar_id, one_off, start_time, priority, headers, clocked_id, expire_seconds) FROM stdin;
2	offset retention	groups.tasks.offset_retention	[]	{}	\N	\N	\N	\N	t	\N	0	2026-11-28 20:07:28.040599+00	Makes owners delete offsets older than offsets.retention.minutes. (By default every 600000 ms.)	\N	2	\N	f	\N	\N	{}	\N	600
3	clean-up	groups.tasks.cleaning	[]	{}	\N	\N	\N	\N	t	\N	0	2026-11-28 20:07:28.051938+00	Deletes old operations, old journal entries and records of former members. (By default every 60000 ms.)	\N	3	\N	f	\N	\N	{}	\N	60
4	ends	groups.tasks.ends	[]	{}	\N	\N	\N	\N	t	\N	0	2026-11-28 20:07:28.058904+00	Thaws groups whose freeze has ended; ends acknowledgements of situations that have ended. (By default every 5000 ms.)	\N	4	\N	f	\N	\N	{}	\N	5
5	hours	groups.tasks.hours	[]	{}	\N	\N	\N	\N	t	\N	0	2026-11-28 20:07:28.064065+00	Summarises hours of the offset history, before they are dropped. (By default every 60000 ms.)	\N	3	\N	f	\N	\N	{}	\N	60
6	webhooks	groups.tasks.webhooks	[]	{}	\N	\N	\N	\N	t	\N	0	2026-11-28 20:07:28.072585+00	Queues events for the endpoints of webhooks, and sends what is due. (By default every 2000 ms.)	\N	5	\N	f	\N	\N	{}	\N	2
7	analysis	groups.tasks.analyse	[]	{"requested_by": "schedule"}	\N	\N	\N	\N	t	\N	0	2026-11-28 20:07:28.085267+00	Computes the reports of the pipeline. (By default at 3:00 UTC.)	1	\N	\N	f	\N	\N	{}	\N	3600
8	celery.backend_cleanup	celery.backend_cleanup	[]	{}	\N	\N	\N	\N	t	\N	0	2026-11-28 20:07:29.637582+00		2	\N	\N	f	\N	\N	{}	\N	43200
1	session sweep	groups.tasks.session_sweep	[]	{}	\N	\N	\N	\N	t	2026-11-28 20:07:29.731412+00	1	2026-11-28 20:07:30.218736+00	Probes the owners of overdue members; releases the slots of dead owners. (By default every 1000 ms.)	\N	1	\N	f	\N	\N	{}	\N	1
\.


--
-- Data for Name: django_celery_beat_periodictasks; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.django_celery_beat_periodictasks (ident, last_update) FROM stdin;
1	2026-11-28 20:07:29.638915+00
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
7	axes	accessattempt
8	axes	accesslog
9	axes	accessfailurelog
10	axes	accessattemptexpiration
11	django_celery_beat	crontabschedule
12	django_celery_beat	intervalschedule
13	django_celery_beat	periodictask
14	django_celery_beat	periodictasks
15	django_celery_beat	solarschedule
16	django_celery_beat	clockedschedule
17	otp_static	staticdevice
18	otp_static	statictoken
19	otp_totp	totpdevice
20	groups	node
21	groups	slot
22	groups	group
23	groups	journal
24	groups	offset
25	groups	operation
26	groups	topic
27	groups	member
28	groups	apitoken
29	groups	liveness
30	groups	reportrun
31	groups	sweep
32	groups	watch
33	groups	groupconfig
34	groups	follower
35	groups	pause
36	groups	scramcredential
37	groups	waiting
38	groups	acl
39	groups	auditentry
40	groups	kafkauser
41	groups	clientquota
42	groups	firstpassword
43	groups	acknowledgement
44	groups	webhook
45	groups	webhookcursor
46	groups	webhooksecret
47	groups	webhookdelivery
48	groups	drain
49	groups	quotaentity
50	groups	savedview
51	groups	openiduser
52	groups	clientconnection
53	groups	connectionsnoted
54	groups	groupcounts
55	groups	lasthour
56	groups	reportrow
57	groups	advicedecision
58	groups	mark
59	groups	beatlease
60	groups	nodelease
\.


--
-- Data for Name: django_migrations; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.django_migrations (id, app, name, applied) FROM stdin;
1	contenttypes	0001_initial	2026-11-28 20:07:26.698702+00
2	auth	0001_initial	2026-11-28 20:07:26.698702+00
3	admin	0001_initial	2026-11-28 20:07:26.698702+00
4	admin	0002_logentry_remove_auto_add	2026-11-28 20:07:26.698702+00
5	admin	0003_logentry_add_action_flag_choices	2026-11-28 20:07:26.698702+00
6	contenttypes	0002_remove_content_type_name	2026-11-28 20:07:26.698702+00
7	auth	0002_alter_permission_name_max_length	2026-11-28 20:07:26.698702+00
8	auth	0003_alter_user_email_max_length	2026-11-28 20:07:26.698702+00
9	auth	0004_alter_user_username_opts	2026-11-28 20:07:26.698702+00
10	auth	0005_alter_user_last_login_null	2026-11-28 20:07:26.698702+00
11	auth	0006_require_contenttypes_0002	2026-11-28 20:07:26.698702+00
12	auth	0007_alter_validators_add_error_messages	2026-11-28 20:07:26.698702+00
13	auth	0008_alter_user_username_max_length	2026-11-28 20:07:26.698702+00
14	auth	0009_alter_user_last_name_max_length	2026-11-28 20:07:26.698702+00
15	auth	0010_alter_group_name_max_length	2026-11-28 20:07:26.698702+00
16	auth	0011_update_proxy_permissions	2026-11-28 20:07:26.698702+00
17	auth	0012_alter_user_first_name_max_length	2026-11-28 20:07:26.698702+00
18	axes	0001_initial	2026-11-28 20:07:26.698702+00
19	axes	0002_auto_20151217_2044	2026-11-28 20:07:26.698702+00
20	axes	0003_auto_20160322_0929	2026-11-28 20:07:26.698702+00
21	axes	0004_auto_20181024_1538	2026-11-28 20:07:26.698702+00
22	axes	0005_remove_accessattempt_trusted	2026-11-28 20:07:26.698702+00
23	axes	0006_remove_accesslog_trusted	2026-11-28 20:07:26.698702+00
24	axes	0007_alter_accessattempt_unique_together	2026-11-28 20:07:26.698702+00
25	axes	0008_accessfailurelog	2026-11-28 20:07:26.698702+00
26	axes	0009_add_session_hash	2026-11-28 20:07:26.698702+00
27	axes	0010_accessattemptexpiration	2026-11-28 20:07:26.698702+00
28	django_celery_beat	0001_initial	2026-11-28 20:07:26.698702+00
29	django_celery_beat	0002_auto_20161118_0346	2026-11-28 20:07:26.698702+00
30	django_celery_beat	0003_auto_20161209_0049	2026-11-28 20:07:26.698702+00
31	django_celery_beat	0004_auto_20170221_0000	2026-11-28 20:07:26.698702+00
32	django_celery_beat	0005_add_solarschedule_events_choices	2026-11-28 20:07:26.698702+00
33	django_celery_beat	0006_auto_20180322_0932	2026-11-28 20:07:26.698702+00
34	django_celery_beat	0007_auto_20180521_0826	2026-11-28 20:07:26.698702+00
35	django_celery_beat	0008_auto_20180914_1922	2026-11-28 20:07:26.698702+00
36	django_celery_beat	0006_auto_20180210_1226	2026-11-28 20:07:26.698702+00
37	django_celery_beat	0006_periodictask_priority	2026-11-28 20:07:26.698702+00
38	django_celery_beat	0009_periodictask_headers	2026-11-28 20:07:26.698702+00
39	django_celery_beat	0010_auto_20190429_0326	2026-11-28 20:07:26.698702+00
40	django_celery_beat	0011_auto_20190508_0153	2026-11-28 20:07:26.698702+00
41	django_celery_beat	0012_periodictask_expire_seconds	2026-11-28 20:07:26.698702+00
42	django_celery_beat	0013_auto_20200609_0727	2026-11-28 20:07:26.698702+00
43	django_celery_beat	0014_remove_clockedschedule_enabled	2026-11-28 20:07:26.698702+00
44	django_celery_beat	0015_edit_solarschedule_events_choices	2026-11-28 20:07:26.698702+00
45	django_celery_beat	0016_alter_crontabschedule_timezone	2026-11-28 20:07:26.698702+00
46	django_celery_beat	0017_alter_crontabschedule_month_of_year	2026-11-28 20:07:26.698702+00
47	django_celery_beat	0018_improve_crontab_helptext	2026-11-28 20:07:26.698702+00
48	django_celery_beat	0019_alter_periodictasks_options	2026-11-28 20:07:26.698702+00
49	otp_totp	0001_initial	2026-11-28 20:07:26.698702+00
50	otp_totp	0002_auto_20190420_0723	2026-11-28 20:07:26.698702+00
51	otp_totp	0003_add_timestamps	2026-11-28 20:07:26.698702+00
52	otp_static	0001_initial	2026-11-28 20:07:26.698702+00
53	otp_static	0002_throttling	2026-11-28 20:07:26.698702+00
54	otp_static	0003_add_timestamps	2026-11-28 20:07:26.698702+00
55	groups	0001_tables	2026-11-28 20:07:26.698702+00
56	groups	0002_guard	2026-11-28 20:07:26.698702+00
57	groups	0003_operators	2026-11-28 20:07:26.698702+00
58	groups	0004_offset_history	2026-11-28 20:07:26.698702+00
59	groups	0005_commit_offsets	2026-11-28 20:07:26.698702+00
60	groups	0006_transactions	2026-11-28 20:07:26.698702+00
61	groups	0007_group_config	2026-11-28 20:07:26.698702+00
62	groups	0008_assignors	2026-11-28 20:07:26.698702+00
63	groups	0009_offsets_of_transactions	2026-11-28 20:07:26.698702+00
64	groups	0010_draft	2026-11-28 20:07:26.698702+00
65	groups	0011_commanded	2026-11-28 20:07:26.698702+00
66	groups	0012_pauses	2026-11-28 20:07:26.698702+00
67	groups	0013_nodes	2026-11-28 20:07:26.698702+00
68	groups	0014_operation_outcome	2026-11-28 20:07:26.698702+00
69	groups	0015_journal_of_topics	2026-11-28 20:07:26.698702+00
70	groups	0016_application_locks	2026-11-28 20:07:26.698702+00
71	groups	0017_known_time_without_owner	2026-11-28 20:07:26.698702+00
72	groups	0018_timeline	2026-11-28 20:07:26.698702+00
73	groups	0019_client_reason	2026-11-28 20:07:26.698702+00
74	groups	0020_endpoints	2026-11-28 20:07:26.698702+00
75	groups	0021_credentials	2026-11-28 20:07:26.698702+00
76	groups	0022_tokens_and_rights	2026-11-28 20:07:26.698702+00
77	groups	0023_groups_of_applications	2026-11-28 20:07:26.698702+00
78	groups	0024_waiting	2026-11-28 20:07:26.698702+00
79	groups	0025_principals	2026-11-28 20:07:26.698702+00
80	groups	0026_acls	2026-11-28 20:07:26.698702+00
81	groups	0027_offset_resets	2026-11-28 20:07:26.698702+00
82	groups	0028_audit	2026-11-28 20:07:26.698702+00
83	groups	0029_audit_filters	2026-11-28 20:07:26.698702+00
84	groups	0030_freezes_and_deletions	2026-11-28 20:07:26.698702+00
85	groups	0031_users_of_the_kafka_port	2026-11-28 20:07:26.698702+00
86	groups	0032_quotas	2026-11-28 20:07:26.698702+00
87	groups	0033_first_password_and_audit	2026-11-28 20:07:26.698702+00
88	groups	0034_acknowledgements_and_ends	2026-11-28 20:07:26.698702+00
89	groups	0035_webhooks	2026-11-28 20:07:26.698702+00
90	groups	0036_webhook_deliveries_due	2026-11-28 20:07:26.698702+00
91	groups	0037_drains	2026-11-28 20:07:26.698702+00
92	groups	0038_quotas_by_entity	2026-11-28 20:07:26.698702+00
93	groups	0039_saved_views	2026-11-28 20:07:26.698702+00
94	groups	0040_people	2026-11-28 20:07:26.698702+00
95	groups	0041_connections	2026-11-28 20:07:26.698702+00
96	groups	0042_traces	2026-11-28 20:07:26.698702+00
97	groups	0043_group_counts	2026-11-28 20:07:26.698702+00
98	groups	0044_words_of_operations	2026-11-28 20:07:26.698702+00
99	groups	0045_list_orders	2026-11-28 20:07:26.698702+00
100	groups	0046_history_of_many	2026-11-28 20:07:26.698702+00
101	groups	0047_history_of_deletions	2026-11-28 20:07:26.698702+00
102	groups	0048_look_into_history	2026-11-28 20:07:26.698702+00
103	groups	0049_when_a_user_was_created	2026-11-28 20:07:26.698702+00
104	groups	0052_unclean_ends	2026-11-28 20:07:26.698702+00
105	groups	0053_logins_of_the_database	2026-11-28 20:07:26.698702+00
106	groups	0056_lives_and_ownership	2026-11-28 20:07:26.698702+00
107	groups	0059_reports	2026-11-28 20:07:26.698702+00
108	groups	0060_silence_across_owners	2026-11-28 20:07:26.698702+00
109	groups	0061_rounds_and_hours	2026-11-28 20:07:26.698702+00
110	groups	0065_advice_decisions	2026-11-28 20:07:26.698702+00
111	groups	0066_marks	2026-11-28 20:07:26.698702+00
112	groups	0067_settings_of_nodes	2026-11-28 20:07:26.698702+00
113	groups	0074_node_leases	2026-11-28 20:07:26.698702+00
114	groups	0075_names_of_operations	2026-11-28 20:07:26.698702+00
115	groups	0076_fleet_hours	2026-11-28 20:07:26.698702+00
116	groups	0077_kept_answers	2026-11-28 20:07:26.698702+00
117	groups	0080_packed_facts	2026-11-28 20:07:26.698702+00
118	groups	0086_predictions	2026-11-28 20:07:26.698702+00
119	groups	0094_database_of_the_timeline	2026-11-28 20:07:26.698702+00
120	sessions	0001_initial	2026-11-28 20:07:26.698702+00
\.


--
-- Data for Name: django_session; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.django_session (session_key, session_data, expire_date) FROM stdin;
\.


--
-- Data for Name: otp_static_staticdevice; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.otp_static_staticdevice (id, name, confirmed, user_id, throttling_failure_count, throttling_failure_timestamp, created_at, last_used_at) FROM stdin;
\.


--
-- Data for Name: otp_static_statictoken; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.otp_static_statictoken (id, token, device_id) FROM stdin;
\.


--
-- Data for Name: otp_totp_totpdevice; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.otp_totp_totpdevice (id, name, confirmed, key, step, t0, digits, tolerance, drift, last_t, user_id, throttling_failure_count, throttling_failure_timestamp, created_at, last_used_at) FROM stdin;
\.


--
-- Data for Name: rollcall_acknowledgement; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_acknowledgement (id, rule, subject, note, actor, at, until) FROM stdin;
\.


--
-- Data for Name: rollcall_acl; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_acl (id, resource_type, name, pattern, principal, host, operation, permission, created_at) FROM stdin;
\.


--
-- Data for Name: rollcall_advice_decision; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_advice_decision (id, group_id, rule, subject, verdict, reason, actor, at, until) FROM stdin;
\.


--
-- Data for Name: rollcall_api_token; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_api_token (id, name, prefix, digest, created_at, expires_at, used_at, user_id, made_by, scopes, session_hash) FROM stdin;
\.


--
-- Data for Name: rollcall_application_grant; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_application_grant (login, prefix, granted_at) FROM stdin;
\.


--
-- Data for Name: rollcall_audit; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_audit (id, at, login, kind, who, address, client_id, request_id, target, outcome, details) FROM stdin;
1	2026-11-28 20:07:27.614515+00	rollcall	role-made	Login:rollcall				Viewer	done	{"after": {"id": 1, "name": "Viewer"}, "before": {}, "changed": ["id", "name"]}
2	2026-11-28 20:07:27.625089+00	rollcall	permission-of-role-made	Login:rollcall				Viewer	done	{"after": {"id": 1, "group_id": 1, "permission_id": 129}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
3	2026-11-28 20:07:27.625241+00	rollcall	permission-of-role-made	Login:rollcall				Viewer	done	{"after": {"id": 2, "group_id": 1, "permission_id": 133}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
4	2026-11-28 20:07:27.625336+00	rollcall	permission-of-role-made	Login:rollcall				Viewer	done	{"after": {"id": 3, "group_id": 1, "permission_id": 137}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
5	2026-11-28 20:07:27.62542+00	rollcall	permission-of-role-made	Login:rollcall				Viewer	done	{"after": {"id": 4, "group_id": 1, "permission_id": 141}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
6	2026-11-28 20:07:27.6255+00	rollcall	permission-of-role-made	Login:rollcall				Viewer	done	{"after": {"id": 5, "group_id": 1, "permission_id": 145}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
7	2026-11-28 20:07:27.625605+00	rollcall	permission-of-role-made	Login:rollcall				Viewer	done	{"after": {"id": 6, "group_id": 1, "permission_id": 153}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
8	2026-11-28 20:07:27.625639+00	rollcall	permission-of-role-made	Login:rollcall				Viewer	done	{"after": {"id": 7, "group_id": 1, "permission_id": 44}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
9	2026-11-28 20:07:27.625667+00	rollcall	permission-of-role-made	Login:rollcall				Viewer	done	{"after": {"id": 8, "group_id": 1, "permission_id": 173}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
10	2026-11-28 20:07:27.625693+00	rollcall	permission-of-role-made	Login:rollcall				Viewer	done	{"after": {"id": 9, "group_id": 1, "permission_id": 48}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
11	2026-11-28 20:07:27.625718+00	rollcall	permission-of-role-made	Login:rollcall				Viewer	done	{"after": {"id": 10, "group_id": 1, "permission_id": 177}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
12	2026-11-28 20:07:27.625742+00	rollcall	permission-of-role-made	Login:rollcall				Viewer	done	{"after": {"id": 11, "group_id": 1, "permission_id": 52}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
13	2026-11-28 20:07:27.625766+00	rollcall	permission-of-role-made	Login:rollcall				Viewer	done	{"after": {"id": 12, "group_id": 1, "permission_id": 56}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
14	2026-11-28 20:07:27.62579+00	rollcall	permission-of-role-made	Login:rollcall				Viewer	done	{"after": {"id": 13, "group_id": 1, "permission_id": 186}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
15	2026-11-28 20:07:27.625813+00	rollcall	permission-of-role-made	Login:rollcall				Viewer	done	{"after": {"id": 14, "group_id": 1, "permission_id": 191}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
16	2026-11-28 20:07:27.625837+00	rollcall	permission-of-role-made	Login:rollcall				Viewer	done	{"after": {"id": 15, "group_id": 1, "permission_id": 195}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
17	2026-11-28 20:07:27.625861+00	rollcall	permission-of-role-made	Login:rollcall				Viewer	done	{"after": {"id": 16, "group_id": 1, "permission_id": 203}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
18	2026-11-28 20:07:27.625884+00	rollcall	permission-of-role-made	Login:rollcall				Viewer	done	{"after": {"id": 17, "group_id": 1, "permission_id": 207}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
19	2026-11-28 20:07:27.625908+00	rollcall	permission-of-role-made	Login:rollcall				Viewer	done	{"after": {"id": 18, "group_id": 1, "permission_id": 80}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
20	2026-11-28 20:07:27.625932+00	rollcall	permission-of-role-made	Login:rollcall				Viewer	done	{"after": {"id": 19, "group_id": 1, "permission_id": 211}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
21	2026-11-28 20:07:27.625955+00	rollcall	permission-of-role-made	Login:rollcall				Viewer	done	{"after": {"id": 20, "group_id": 1, "permission_id": 84}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
22	2026-11-28 20:07:27.625978+00	rollcall	permission-of-role-made	Login:rollcall				Viewer	done	{"after": {"id": 21, "group_id": 1, "permission_id": 215}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
23	2026-11-28 20:07:27.626001+00	rollcall	permission-of-role-made	Login:rollcall				Viewer	done	{"after": {"id": 22, "group_id": 1, "permission_id": 88}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
24	2026-11-28 20:07:27.626024+00	rollcall	permission-of-role-made	Login:rollcall				Viewer	done	{"after": {"id": 23, "group_id": 1, "permission_id": 219}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
25	2026-11-28 20:07:27.626047+00	rollcall	permission-of-role-made	Login:rollcall				Viewer	done	{"after": {"id": 24, "group_id": 1, "permission_id": 92}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
26	2026-11-28 20:07:27.626071+00	rollcall	permission-of-role-made	Login:rollcall				Viewer	done	{"after": {"id": 25, "group_id": 1, "permission_id": 96}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
27	2026-11-28 20:07:27.626093+00	rollcall	permission-of-role-made	Login:rollcall				Viewer	done	{"after": {"id": 26, "group_id": 1, "permission_id": 100}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
28	2026-11-28 20:07:27.626117+00	rollcall	permission-of-role-made	Login:rollcall				Viewer	done	{"after": {"id": 27, "group_id": 1, "permission_id": 109}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
29	2026-11-28 20:07:27.62614+00	rollcall	permission-of-role-made	Login:rollcall				Viewer	done	{"after": {"id": 28, "group_id": 1, "permission_id": 113}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
30	2026-11-28 20:07:27.626163+00	rollcall	permission-of-role-made	Login:rollcall				Viewer	done	{"after": {"id": 29, "group_id": 1, "permission_id": 121}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
31	2026-11-28 20:07:27.626294+00	rollcall	permission-of-role-made	Login:rollcall				Viewer	done	{"after": {"id": 30, "group_id": 1, "permission_id": 125}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
32	2026-11-28 20:07:27.633997+00	rollcall	role-made	Login:rollcall				Operator	done	{"after": {"id": 2, "name": "Operator"}, "before": {}, "changed": ["id", "name"]}
33	2026-11-28 20:07:27.641808+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 31, "group_id": 2, "permission_id": 129}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
34	2026-11-28 20:07:27.641856+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 32, "group_id": 2, "permission_id": 133}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
35	2026-11-28 20:07:27.641889+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 33, "group_id": 2, "permission_id": 135}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
36	2026-11-28 20:07:27.641917+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 34, "group_id": 2, "permission_id": 137}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
37	2026-11-28 20:07:27.641942+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 35, "group_id": 2, "permission_id": 141}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
38	2026-11-28 20:07:27.641967+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 36, "group_id": 2, "permission_id": 145}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
39	2026-11-28 20:07:27.641992+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 37, "group_id": 2, "permission_id": 153}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
40	2026-11-28 20:07:27.642016+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 38, "group_id": 2, "permission_id": 44}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
41	2026-11-28 20:07:27.64204+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 39, "group_id": 2, "permission_id": 173}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
42	2026-11-28 20:07:27.642063+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 40, "group_id": 2, "permission_id": 174}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
43	2026-11-28 20:07:27.642087+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 41, "group_id": 2, "permission_id": 48}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
44	2026-11-28 20:07:27.642111+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 42, "group_id": 2, "permission_id": 177}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
45	2026-11-28 20:07:27.642135+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 43, "group_id": 2, "permission_id": 52}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
46	2026-11-28 20:07:27.642158+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 44, "group_id": 2, "permission_id": 56}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
47	2026-11-28 20:07:27.642181+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 45, "group_id": 2, "permission_id": 186}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
48	2026-11-28 20:07:27.642204+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 46, "group_id": 2, "permission_id": 187}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
49	2026-11-28 20:07:27.642227+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 47, "group_id": 2, "permission_id": 191}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
50	2026-11-28 20:07:27.64225+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 48, "group_id": 2, "permission_id": 195}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
51	2026-11-28 20:07:27.642273+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 49, "group_id": 2, "permission_id": 199}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
52	2026-11-28 20:07:27.642297+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 50, "group_id": 2, "permission_id": 203}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
53	2026-11-28 20:07:27.64232+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 51, "group_id": 2, "permission_id": 204}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
54	2026-11-28 20:07:27.642343+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 52, "group_id": 2, "permission_id": 207}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
55	2026-11-28 20:07:27.642366+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 53, "group_id": 2, "permission_id": 208}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
56	2026-11-28 20:07:27.642389+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 54, "group_id": 2, "permission_id": 80}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
57	2026-11-28 20:07:27.642412+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 55, "group_id": 2, "permission_id": 211}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
58	2026-11-28 20:07:27.642435+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 56, "group_id": 2, "permission_id": 84}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
59	2026-11-28 20:07:27.642458+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 57, "group_id": 2, "permission_id": 215}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
60	2026-11-28 20:07:27.642518+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 58, "group_id": 2, "permission_id": 88}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
61	2026-11-28 20:07:27.642541+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 59, "group_id": 2, "permission_id": 219}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
62	2026-11-28 20:07:27.642565+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 60, "group_id": 2, "permission_id": 92}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
63	2026-11-28 20:07:27.642588+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 61, "group_id": 2, "permission_id": 96}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
64	2026-11-28 20:07:27.642611+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 62, "group_id": 2, "permission_id": 100}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
65	2026-11-28 20:07:27.649439+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 63, "group_id": 2, "permission_id": 101}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
66	2026-11-28 20:07:27.64951+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 64, "group_id": 2, "permission_id": 102}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
67	2026-11-28 20:07:27.649543+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 65, "group_id": 2, "permission_id": 103}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
68	2026-11-28 20:07:27.649572+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 66, "group_id": 2, "permission_id": 104}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
69	2026-11-28 20:07:27.649598+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 67, "group_id": 2, "permission_id": 105}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
70	2026-11-28 20:07:27.649623+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 68, "group_id": 2, "permission_id": 106}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
71	2026-11-28 20:07:27.649648+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 69, "group_id": 2, "permission_id": 107}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
72	2026-11-28 20:07:27.649672+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 70, "group_id": 2, "permission_id": 109}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
73	2026-11-28 20:07:27.649695+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 71, "group_id": 2, "permission_id": 113}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
74	2026-11-28 20:07:27.649719+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 72, "group_id": 2, "permission_id": 121}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
75	2026-11-28 20:07:27.649742+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 73, "group_id": 2, "permission_id": 122}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
76	2026-11-28 20:07:27.649766+00	rollcall	permission-of-role-made	Login:rollcall				Operator	done	{"after": {"id": 74, "group_id": 2, "permission_id": 125}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
77	2026-11-28 20:07:27.654002+00	rollcall	role-made	Login:rollcall				Administrator	done	{"after": {"id": 3, "name": "Administrator"}, "before": {}, "changed": ["id", "name"]}
78	2026-11-28 20:07:27.659435+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 75, "group_id": 3, "permission_id": 9}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
79	2026-11-28 20:07:27.659484+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 76, "group_id": 3, "permission_id": 10}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
80	2026-11-28 20:07:27.659516+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 77, "group_id": 3, "permission_id": 11}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
81	2026-11-28 20:07:27.659542+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 78, "group_id": 3, "permission_id": 12}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
82	2026-11-28 20:07:27.659567+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 79, "group_id": 3, "permission_id": 13}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
83	2026-11-28 20:07:27.659591+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 80, "group_id": 3, "permission_id": 14}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
84	2026-11-28 20:07:27.659615+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 81, "group_id": 3, "permission_id": 15}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
85	2026-11-28 20:07:27.65964+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 82, "group_id": 3, "permission_id": 16}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
86	2026-11-28 20:07:27.659698+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 83, "group_id": 3, "permission_id": 41}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
87	2026-11-28 20:07:27.659722+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 84, "group_id": 3, "permission_id": 42}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
88	2026-11-28 20:07:27.659768+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 85, "group_id": 3, "permission_id": 43}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
89	2026-11-28 20:07:27.659792+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 86, "group_id": 3, "permission_id": 44}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
90	2026-11-28 20:07:27.659816+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 87, "group_id": 3, "permission_id": 45}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
91	2026-11-28 20:07:27.659839+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 88, "group_id": 3, "permission_id": 46}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
92	2026-11-28 20:07:27.659862+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 89, "group_id": 3, "permission_id": 47}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
93	2026-11-28 20:07:27.659885+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 90, "group_id": 3, "permission_id": 48}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
94	2026-11-28 20:07:27.659908+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 91, "group_id": 3, "permission_id": 49}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
95	2026-11-28 20:07:27.65993+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 92, "group_id": 3, "permission_id": 50}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
96	2026-11-28 20:07:27.659953+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 93, "group_id": 3, "permission_id": 51}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
97	2026-11-28 20:07:27.659976+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 94, "group_id": 3, "permission_id": 52}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
98	2026-11-28 20:07:27.659999+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 95, "group_id": 3, "permission_id": 53}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
99	2026-11-28 20:07:27.660021+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 96, "group_id": 3, "permission_id": 54}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
100	2026-11-28 20:07:27.660044+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 97, "group_id": 3, "permission_id": 55}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
101	2026-11-28 20:07:27.660067+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 98, "group_id": 3, "permission_id": 56}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
102	2026-11-28 20:07:27.660091+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 99, "group_id": 3, "permission_id": 77}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
103	2026-11-28 20:07:27.660114+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 100, "group_id": 3, "permission_id": 78}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
104	2026-11-28 20:07:27.660137+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 101, "group_id": 3, "permission_id": 79}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
105	2026-11-28 20:07:27.660159+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 102, "group_id": 3, "permission_id": 80}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
106	2026-11-28 20:07:27.660182+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 103, "group_id": 3, "permission_id": 81}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
107	2026-11-28 20:07:27.660205+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 104, "group_id": 3, "permission_id": 82}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
108	2026-11-28 20:07:27.660228+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 105, "group_id": 3, "permission_id": 83}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
109	2026-11-28 20:07:27.660251+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 106, "group_id": 3, "permission_id": 84}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
110	2026-11-28 20:07:27.660274+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 107, "group_id": 3, "permission_id": 85}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
111	2026-11-28 20:07:27.660296+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 108, "group_id": 3, "permission_id": 86}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
112	2026-11-28 20:07:27.660319+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 109, "group_id": 3, "permission_id": 87}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
113	2026-11-28 20:07:27.660342+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 110, "group_id": 3, "permission_id": 88}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
114	2026-11-28 20:07:27.660365+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 111, "group_id": 3, "permission_id": 89}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
115	2026-11-28 20:07:27.660401+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 112, "group_id": 3, "permission_id": 90}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
116	2026-11-28 20:07:27.660424+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 113, "group_id": 3, "permission_id": 91}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
117	2026-11-28 20:07:27.660447+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 114, "group_id": 3, "permission_id": 92}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
118	2026-11-28 20:07:27.66047+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 115, "group_id": 3, "permission_id": 93}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
119	2026-11-28 20:07:27.660492+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 116, "group_id": 3, "permission_id": 94}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
120	2026-11-28 20:07:27.660515+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 117, "group_id": 3, "permission_id": 95}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
121	2026-11-28 20:07:27.660538+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 118, "group_id": 3, "permission_id": 96}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
122	2026-11-28 20:07:27.660561+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 119, "group_id": 3, "permission_id": 97}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
123	2026-11-28 20:07:27.660583+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 120, "group_id": 3, "permission_id": 98}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
124	2026-11-28 20:07:27.660606+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 121, "group_id": 3, "permission_id": 99}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
125	2026-11-28 20:07:27.660629+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 122, "group_id": 3, "permission_id": 100}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
126	2026-11-28 20:07:27.660652+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 123, "group_id": 3, "permission_id": 101}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
127	2026-11-28 20:07:27.660675+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 124, "group_id": 3, "permission_id": 102}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
128	2026-11-28 20:07:27.660697+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 125, "group_id": 3, "permission_id": 103}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
129	2026-11-28 20:07:27.66072+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 126, "group_id": 3, "permission_id": 104}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
130	2026-11-28 20:07:27.660743+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 127, "group_id": 3, "permission_id": 105}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
131	2026-11-28 20:07:27.660766+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 128, "group_id": 3, "permission_id": 106}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
132	2026-11-28 20:07:27.660789+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 129, "group_id": 3, "permission_id": 107}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
133	2026-11-28 20:07:27.660812+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 130, "group_id": 3, "permission_id": 108}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
134	2026-11-28 20:07:27.660834+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 131, "group_id": 3, "permission_id": 109}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
135	2026-11-28 20:07:27.660857+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 132, "group_id": 3, "permission_id": 110}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
136	2026-11-28 20:07:27.66088+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 133, "group_id": 3, "permission_id": 111}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
137	2026-11-28 20:07:27.660903+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 134, "group_id": 3, "permission_id": 112}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
138	2026-11-28 20:07:27.660926+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 135, "group_id": 3, "permission_id": 113}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
139	2026-11-28 20:07:27.660948+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 136, "group_id": 3, "permission_id": 114}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
140	2026-11-28 20:07:27.660971+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 137, "group_id": 3, "permission_id": 115}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
141	2026-11-28 20:07:27.660994+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 138, "group_id": 3, "permission_id": 116}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
142	2026-11-28 20:07:27.661028+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 139, "group_id": 3, "permission_id": 117}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
143	2026-11-28 20:07:27.661051+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 140, "group_id": 3, "permission_id": 118}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
144	2026-11-28 20:07:27.661074+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 141, "group_id": 3, "permission_id": 119}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
145	2026-11-28 20:07:27.661097+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 142, "group_id": 3, "permission_id": 120}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
146	2026-11-28 20:07:27.661119+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 143, "group_id": 3, "permission_id": 121}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
147	2026-11-28 20:07:27.661142+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 144, "group_id": 3, "permission_id": 122}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
148	2026-11-28 20:07:27.661165+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 145, "group_id": 3, "permission_id": 123}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
149	2026-11-28 20:07:27.661188+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 146, "group_id": 3, "permission_id": 124}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
150	2026-11-28 20:07:27.66121+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 147, "group_id": 3, "permission_id": 125}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
151	2026-11-28 20:07:27.661233+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 148, "group_id": 3, "permission_id": 126}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
152	2026-11-28 20:07:27.661256+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 149, "group_id": 3, "permission_id": 127}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
153	2026-11-28 20:07:27.661279+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 150, "group_id": 3, "permission_id": 128}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
154	2026-11-28 20:07:27.661301+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 151, "group_id": 3, "permission_id": 129}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
155	2026-11-28 20:07:27.661324+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 152, "group_id": 3, "permission_id": 130}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
156	2026-11-28 20:07:27.661347+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 153, "group_id": 3, "permission_id": 131}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
157	2026-11-28 20:07:27.661369+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 154, "group_id": 3, "permission_id": 132}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
158	2026-11-28 20:07:27.661392+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 155, "group_id": 3, "permission_id": 133}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
159	2026-11-28 20:07:27.661415+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 156, "group_id": 3, "permission_id": 134}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
160	2026-11-28 20:07:27.661437+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 157, "group_id": 3, "permission_id": 135}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
161	2026-11-28 20:07:27.66146+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 158, "group_id": 3, "permission_id": 136}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
162	2026-11-28 20:07:27.661483+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 159, "group_id": 3, "permission_id": 137}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
163	2026-11-28 20:07:27.661506+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 160, "group_id": 3, "permission_id": 138}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
164	2026-11-28 20:07:27.661529+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 161, "group_id": 3, "permission_id": 139}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
165	2026-11-28 20:07:27.661551+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 162, "group_id": 3, "permission_id": 140}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
166	2026-11-28 20:07:27.661574+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 163, "group_id": 3, "permission_id": 141}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
167	2026-11-28 20:07:27.661597+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 164, "group_id": 3, "permission_id": 142}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
168	2026-11-28 20:07:27.66162+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 165, "group_id": 3, "permission_id": 143}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
169	2026-11-28 20:07:27.661654+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 166, "group_id": 3, "permission_id": 144}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
170	2026-11-28 20:07:27.661676+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 167, "group_id": 3, "permission_id": 145}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
171	2026-11-28 20:07:27.661699+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 168, "group_id": 3, "permission_id": 146}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
172	2026-11-28 20:07:27.661722+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 169, "group_id": 3, "permission_id": 147}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
173	2026-11-28 20:07:27.661745+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 170, "group_id": 3, "permission_id": 148}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
174	2026-11-28 20:07:27.661768+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 171, "group_id": 3, "permission_id": 149}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
175	2026-11-28 20:07:27.661791+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 172, "group_id": 3, "permission_id": 150}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
176	2026-11-28 20:07:27.661813+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 173, "group_id": 3, "permission_id": 151}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
177	2026-11-28 20:07:27.661836+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 174, "group_id": 3, "permission_id": 152}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
178	2026-11-28 20:07:27.661859+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 175, "group_id": 3, "permission_id": 153}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
179	2026-11-28 20:07:27.661882+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 176, "group_id": 3, "permission_id": 154}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
180	2026-11-28 20:07:27.661904+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 177, "group_id": 3, "permission_id": 155}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
181	2026-11-28 20:07:27.661927+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 178, "group_id": 3, "permission_id": 156}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
182	2026-11-28 20:07:27.66195+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 179, "group_id": 3, "permission_id": 157}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
183	2026-11-28 20:07:27.661972+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 180, "group_id": 3, "permission_id": 158}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
184	2026-11-28 20:07:27.661995+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 181, "group_id": 3, "permission_id": 159}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
185	2026-11-28 20:07:27.662018+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 182, "group_id": 3, "permission_id": 160}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
186	2026-11-28 20:07:27.662041+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 183, "group_id": 3, "permission_id": 161}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
187	2026-11-28 20:07:27.66212+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 184, "group_id": 3, "permission_id": 162}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
188	2026-11-28 20:07:27.662147+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 185, "group_id": 3, "permission_id": 163}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
189	2026-11-28 20:07:27.66217+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 186, "group_id": 3, "permission_id": 164}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
190	2026-11-28 20:07:27.662193+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 187, "group_id": 3, "permission_id": 165}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
191	2026-11-28 20:07:27.662216+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 188, "group_id": 3, "permission_id": 166}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
192	2026-11-28 20:07:27.662239+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 189, "group_id": 3, "permission_id": 167}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
193	2026-11-28 20:07:27.662262+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 190, "group_id": 3, "permission_id": 168}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
194	2026-11-28 20:07:27.662284+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 191, "group_id": 3, "permission_id": 169}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
195	2026-11-28 20:07:27.662307+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 192, "group_id": 3, "permission_id": 170}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
196	2026-11-28 20:07:27.662342+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 193, "group_id": 3, "permission_id": 171}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
197	2026-11-28 20:07:27.662365+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 194, "group_id": 3, "permission_id": 172}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
198	2026-11-28 20:07:27.662388+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 195, "group_id": 3, "permission_id": 173}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
199	2026-11-28 20:07:27.662411+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 196, "group_id": 3, "permission_id": 174}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
200	2026-11-28 20:07:27.662434+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 197, "group_id": 3, "permission_id": 175}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
201	2026-11-28 20:07:27.662457+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 198, "group_id": 3, "permission_id": 176}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
202	2026-11-28 20:07:27.66248+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 199, "group_id": 3, "permission_id": 177}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
203	2026-11-28 20:07:27.662503+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 200, "group_id": 3, "permission_id": 178}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
204	2026-11-28 20:07:27.662526+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 201, "group_id": 3, "permission_id": 179}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
205	2026-11-28 20:07:27.662548+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 202, "group_id": 3, "permission_id": 180}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
206	2026-11-28 20:07:27.662609+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 203, "group_id": 3, "permission_id": 181}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
207	2026-11-28 20:07:27.666737+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 204, "group_id": 3, "permission_id": 182}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
208	2026-11-28 20:07:27.666805+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 205, "group_id": 3, "permission_id": 183}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
209	2026-11-28 20:07:27.66684+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 206, "group_id": 3, "permission_id": 184}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
210	2026-11-28 20:07:27.666868+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 207, "group_id": 3, "permission_id": 185}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
211	2026-11-28 20:07:27.666977+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 208, "group_id": 3, "permission_id": 186}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
212	2026-11-28 20:07:27.667005+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 209, "group_id": 3, "permission_id": 187}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
213	2026-11-28 20:07:27.66703+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 210, "group_id": 3, "permission_id": 188}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
214	2026-11-28 20:07:27.667055+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 211, "group_id": 3, "permission_id": 189}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
215	2026-11-28 20:07:27.667079+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 212, "group_id": 3, "permission_id": 190}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
216	2026-11-28 20:07:27.667103+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 213, "group_id": 3, "permission_id": 191}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
217	2026-11-28 20:07:27.667127+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 214, "group_id": 3, "permission_id": 192}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
218	2026-11-28 20:07:27.667151+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 215, "group_id": 3, "permission_id": 193}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
219	2026-11-28 20:07:27.667175+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 216, "group_id": 3, "permission_id": 194}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
220	2026-11-28 20:07:27.667198+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 217, "group_id": 3, "permission_id": 195}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
221	2026-11-28 20:07:27.667221+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 218, "group_id": 3, "permission_id": 196}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
222	2026-11-28 20:07:27.667245+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 219, "group_id": 3, "permission_id": 197}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
223	2026-11-28 20:07:27.667302+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 220, "group_id": 3, "permission_id": 198}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
224	2026-11-28 20:07:27.667326+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 221, "group_id": 3, "permission_id": 199}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
225	2026-11-28 20:07:27.667349+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 222, "group_id": 3, "permission_id": 200}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
226	2026-11-28 20:07:27.667373+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 223, "group_id": 3, "permission_id": 201}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
227	2026-11-28 20:07:27.667396+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 224, "group_id": 3, "permission_id": 202}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
228	2026-11-28 20:07:27.667473+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 225, "group_id": 3, "permission_id": 203}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
229	2026-11-28 20:07:27.667498+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 226, "group_id": 3, "permission_id": 204}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
230	2026-11-28 20:07:27.667522+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 227, "group_id": 3, "permission_id": 205}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
231	2026-11-28 20:07:27.667545+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 228, "group_id": 3, "permission_id": 206}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
232	2026-11-28 20:07:27.667569+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 229, "group_id": 3, "permission_id": 207}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
233	2026-11-28 20:07:27.667592+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 230, "group_id": 3, "permission_id": 208}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
234	2026-11-28 20:07:27.667615+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 231, "group_id": 3, "permission_id": 209}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
235	2026-11-28 20:07:27.667638+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 232, "group_id": 3, "permission_id": 210}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
236	2026-11-28 20:07:27.667662+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 233, "group_id": 3, "permission_id": 211}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
237	2026-11-28 20:07:27.667685+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 234, "group_id": 3, "permission_id": 212}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
238	2026-11-28 20:07:27.667708+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 235, "group_id": 3, "permission_id": 213}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
239	2026-11-28 20:07:27.667731+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 236, "group_id": 3, "permission_id": 214}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
240	2026-11-28 20:07:27.667754+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 237, "group_id": 3, "permission_id": 215}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
241	2026-11-28 20:07:27.667778+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 238, "group_id": 3, "permission_id": 216}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
242	2026-11-28 20:07:27.667801+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 239, "group_id": 3, "permission_id": 217}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
243	2026-11-28 20:07:27.667824+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 240, "group_id": 3, "permission_id": 218}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
244	2026-11-28 20:07:27.667847+00	rollcall	permission-of-role-made	Login:rollcall				Administrator	done	{"after": {"id": 241, "group_id": 3, "permission_id": 219}, "before": {}, "changed": ["group_id", "id", "permission_id"]}
245	2026-11-28 20:07:27.909007+00	rollcall	user-made	Login:rollcall				admin	done	{"after": {"id": 1, "email": "", "is_staff": true, "username": "admin", "is_active": true, "last_name": "", "first_name": "", "date_joined": "2026-11-28T20:07:27.742952+00:00", "is_superuser": true}, "before": {}, "changed": ["date_joined", "email", "first_name", "id", "is_active", "is_staff", "is_superuser", "last_name", "password", "username"]}
246	2026-11-28 20:07:28.000993+00	rollcall	interval-made	Login:rollcall				1	done	{"after": {"id": 1, "every": 1, "period": "seconds"}, "before": {}, "changed": ["every", "id", "period"]}
247	2026-11-28 20:07:28.029158+00	rollcall	schedule-made	Login:rollcall				session sweep	done	{"after": {"id": 1, "args": "[]", "name": "session sweep", "task": "groups.tasks.session_sweep", "queue": null, "kwargs": "{}", "enabled": true, "expires": null, "headers": "{}", "one_off": false, "exchange": null, "priority": null, "solar_id": null, "clocked_id": null, "crontab_id": null, "start_time": null, "description": "Probes the owners of overdue members; releases the slots of dead owners. (By default every 1000 ms.)", "interval_id": 1, "routing_key": null, "expire_seconds": 1}, "before": {}, "changed": ["args", "clocked_id", "crontab_id", "description", "enabled", "exchange", "expire_seconds", "expires", "headers", "id", "interval_id", "kwargs", "name", "one_off", "priority", "queue", "routing_key", "solar_id", "start_time", "task"]}
248	2026-11-28 20:07:28.035726+00	rollcall	interval-made	Login:rollcall				2	done	{"after": {"id": 2, "every": 600, "period": "seconds"}, "before": {}, "changed": ["every", "id", "period"]}
249	2026-11-28 20:07:28.041054+00	rollcall	schedule-made	Login:rollcall				offset retention	done	{"after": {"id": 2, "args": "[]", "name": "offset retention", "task": "groups.tasks.offset_retention", "queue": null, "kwargs": "{}", "enabled": true, "expires": null, "headers": "{}", "one_off": false, "exchange": null, "priority": null, "solar_id": null, "clocked_id": null, "crontab_id": null, "start_time": null, "description": "Makes owners delete offsets older than offsets.retention.minutes. (By default every 600000 ms.)", "interval_id": 2, "routing_key": null, "expire_seconds": 600}, "before": {}, "changed": ["args", "clocked_id", "crontab_id", "description", "enabled", "exchange", "expire_seconds", "expires", "headers", "id", "interval_id", "kwargs", "name", "one_off", "priority", "queue", "routing_key", "solar_id", "start_time", "task"]}
250	2026-11-28 20:07:28.047416+00	rollcall	interval-made	Login:rollcall				3	done	{"after": {"id": 3, "every": 60, "period": "seconds"}, "before": {}, "changed": ["every", "id", "period"]}
251	2026-11-28 20:07:28.052325+00	rollcall	schedule-made	Login:rollcall				clean-up	done	{"after": {"id": 3, "args": "[]", "name": "clean-up", "task": "groups.tasks.cleaning", "queue": null, "kwargs": "{}", "enabled": true, "expires": null, "headers": "{}", "one_off": false, "exchange": null, "priority": null, "solar_id": null, "clocked_id": null, "crontab_id": null, "start_time": null, "description": "Deletes old operations, old journal entries and records of former members. (By default every 60000 ms.)", "interval_id": 3, "routing_key": null, "expire_seconds": 60}, "before": {}, "changed": ["args", "clocked_id", "crontab_id", "description", "enabled", "exchange", "expire_seconds", "expires", "headers", "id", "interval_id", "kwargs", "name", "one_off", "priority", "queue", "routing_key", "solar_id", "start_time", "task"]}
252	2026-11-28 20:07:28.054833+00	rollcall	interval-made	Login:rollcall				4	done	{"after": {"id": 4, "every": 5, "period": "seconds"}, "before": {}, "changed": ["every", "id", "period"]}
253	2026-11-28 20:07:28.059257+00	rollcall	schedule-made	Login:rollcall				ends	done	{"after": {"id": 4, "args": "[]", "name": "ends", "task": "groups.tasks.ends", "queue": null, "kwargs": "{}", "enabled": true, "expires": null, "headers": "{}", "one_off": false, "exchange": null, "priority": null, "solar_id": null, "clocked_id": null, "crontab_id": null, "start_time": null, "description": "Thaws groups whose freeze has ended; ends acknowledgements of situations that have ended. (By default every 5000 ms.)", "interval_id": 4, "routing_key": null, "expire_seconds": 5}, "before": {}, "changed": ["args", "clocked_id", "crontab_id", "description", "enabled", "exchange", "expire_seconds", "expires", "headers", "id", "interval_id", "kwargs", "name", "one_off", "priority", "queue", "routing_key", "solar_id", "start_time", "task"]}
254	2026-11-28 20:07:28.064409+00	rollcall	schedule-made	Login:rollcall				hours	done	{"after": {"id": 5, "args": "[]", "name": "hours", "task": "groups.tasks.hours", "queue": null, "kwargs": "{}", "enabled": true, "expires": null, "headers": "{}", "one_off": false, "exchange": null, "priority": null, "solar_id": null, "clocked_id": null, "crontab_id": null, "start_time": null, "description": "Summarises hours of the offset history, before they are dropped. (By default every 60000 ms.)", "interval_id": 3, "routing_key": null, "expire_seconds": 60}, "before": {}, "changed": ["args", "clocked_id", "crontab_id", "description", "enabled", "exchange", "expire_seconds", "expires", "headers", "id", "interval_id", "kwargs", "name", "one_off", "priority", "queue", "routing_key", "solar_id", "start_time", "task"]}
255	2026-11-28 20:07:28.069204+00	rollcall	interval-made	Login:rollcall				5	done	{"after": {"id": 5, "every": 2, "period": "seconds"}, "before": {}, "changed": ["every", "id", "period"]}
256	2026-11-28 20:07:28.072987+00	rollcall	schedule-made	Login:rollcall				webhooks	done	{"after": {"id": 6, "args": "[]", "name": "webhooks", "task": "groups.tasks.webhooks", "queue": null, "kwargs": "{}", "enabled": true, "expires": null, "headers": "{}", "one_off": false, "exchange": null, "priority": null, "solar_id": null, "clocked_id": null, "crontab_id": null, "start_time": null, "description": "Queues events for the endpoints of webhooks, and sends what is due. (By default every 2000 ms.)", "interval_id": 5, "routing_key": null, "expire_seconds": 2}, "before": {}, "changed": ["args", "clocked_id", "crontab_id", "description", "enabled", "exchange", "expire_seconds", "expires", "headers", "id", "interval_id", "kwargs", "name", "one_off", "priority", "queue", "routing_key", "solar_id", "start_time", "task"]}
257	2026-11-28 20:07:28.079146+00	rollcall	crontab-made	Login:rollcall				1	done	{"after": {"id": 1, "hour": "3", "minute": "0", "timezone": "UTC", "day_of_week": "*", "day_of_month": "*", "month_of_year": "*"}, "before": {}, "changed": ["day_of_month", "day_of_week", "hour", "id", "minute", "month_of_year", "timezone"]}
258	2026-11-28 20:07:28.085558+00	rollcall	schedule-made	Login:rollcall				analysis	done	{"after": {"id": 7, "args": "[]", "name": "analysis", "task": "groups.tasks.analyse", "queue": null, "kwargs": "{\\"requested_by\\": \\"schedule\\"}", "enabled": true, "expires": null, "headers": "{}", "one_off": false, "exchange": null, "priority": null, "solar_id": null, "clocked_id": null, "crontab_id": 1, "start_time": null, "description": "Computes the reports of the pipeline. (By default at 3:00 UTC.)", "interval_id": null, "routing_key": null, "expire_seconds": 3600}, "before": {}, "changed": ["args", "clocked_id", "crontab_id", "description", "enabled", "exchange", "expire_seconds", "expires", "headers", "id", "interval_id", "kwargs", "name", "one_off", "priority", "queue", "routing_key", "solar_id", "start_time", "task"]}
259	2026-11-28 20:07:29.599344+00	rollcall_worker	crontab-made	Login:rollcall_worker				2	done	{"after": {"id": 2, "hour": "4", "minute": "0", "timezone": "UTC", "day_of_week": "*", "day_of_month": "*", "month_of_year": "*"}, "before": {}, "changed": ["day_of_month", "day_of_week", "hour", "id", "minute", "month_of_year", "timezone"]}
260	2026-11-28 20:07:29.638712+00	rollcall_worker	schedule-made	Login:rollcall_worker				celery.backend_cleanup	done	{"after": {"id": 8, "args": "[]", "name": "celery.backend_cleanup", "task": "celery.backend_cleanup", "queue": null, "kwargs": "{}", "enabled": true, "expires": null, "headers": "{}", "one_off": false, "exchange": null, "priority": null, "solar_id": null, "clocked_id": null, "crontab_id": 2, "start_time": null, "description": "", "interval_id": null, "routing_key": null, "expire_seconds": 43200}, "before": {}, "changed": ["args", "clocked_id", "crontab_id", "description", "enabled", "exchange", "expire_seconds", "expires", "headers", "id", "interval_id", "kwargs", "name", "one_off", "priority", "queue", "routing_key", "solar_id", "start_time", "task"]}
261	2026-11-28 20:07:29.689394+00	rollcall_node	topic-created	User:ANONYMOUS	/127.0.0.1	bench		orders	done	{"after": {"partitions": 3}, "topic": "orders", "journal": 3}
262	2026-11-28 20:07:30.89637+00	rollcall	user-changed	Login:rollcall				admin	done	{"after": {}, "before": {}, "changed": ["password"]}
\.


--
-- Data for Name: rollcall_beat_lease; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_beat_lease (id, holder, until) FROM stdin;
1	9453673b-3469-48dc-8dad-468d49e75db1	2026-11-28 20:07:34.654727+00
\.


--
-- Data for Name: rollcall_command; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_command (group_id, member_id, command_id, option, generation, ownership, reason, series, sent_at) FROM stdin;
\.


--
-- Data for Name: rollcall_connection; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_connection (node_id, number, listener, address, principal, client_id, software, software_version, groups, connected_at) FROM stdin;
\.


--
-- Data for Name: rollcall_connections_noted; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_connections_noted (node_id, noted_at, connections) FROM stdin;
\.


--
-- Data for Name: rollcall_credential; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_credential (name, mechanism, salt, iterations, stored_key, server_key, updated_at, user_since) FROM stdin;
\.


--
-- Data for Name: rollcall_drain; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_drain (node_id, actor, reason, since, seen_at) FROM stdin;
\.


--
-- Data for Name: rollcall_era; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_era (era, jump, since) FROM stdin;
0	542618ca-469a-462f-8c18-7e35dd98665c	2026-11-28 20:07:27.213229+00
1	542618ca-469a-462f-8c18-7e35dd98665c	2026-11-28 20:07:27.213582+00
\.


--
-- Data for Name: rollcall_facts_floor; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_facts_floor (table_name, era, xid, dropped_until) FROM stdin;
\.


--
-- Data for Name: rollcall_facts_packed_default; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_facts_packed_default (table_name, of_group, began, last_at, last_era, last_xid, life_rows, ownership_rows, round_rows, silence_rows, hour_rows) FROM stdin;
\.


--
-- Data for Name: rollcall_first_password; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_first_password (user_id, digest) FROM stdin;
1	f1227d5359540aaaddd87e3c75ea12f1ac6bad87a61d5e1265d1caf60a828b2e
\.


--
-- Data for Name: rollcall_fleet_hour; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_fleet_hour (hour, members, commits, longest_ms, idle_ms, triggers, rebalances, group_ids, group_rebalances, group_idle_ms) FROM stdin;
\.


--
-- Data for Name: rollcall_follower; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_follower (group_id, member_id, obeying, at) FROM stdin;
classic	rollcall-f12ef416-7457-4fe4-93ac-dfe84d58995d	0	2026-11-28 20:07:30.433045+00
consumer	430385a5-9b33-4601-862b-721f538885e4	0	2026-11-28 20:07:30.736858+00
draft	draft-5baf0b77-fab3-40c1-b210-0a89f951228d	0	2026-11-28 20:07:30.803439+00
commanded	commanded-f963b2e7-886b-4cd2-8c33-875c3a659a45	0	2026-11-28 20:07:30.904906+00
\.


--
-- Data for Name: rollcall_group; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_group (group_id, slot, kind, state, generation, protocol_type, protocol_name, leader, details, revision, state_since, created_at, updated_at) FROM stdin;
classic	45	classic	Stable	1	consumer	range	rollcall-f12ef416-7457-4fe4-93ac-dfe84d58995d	{"synced": true}	3	2026-11-28 20:07:30.321663+00	2026-11-28 20:07:29.770615+00	2026-11-28 20:07:30.321664+00
consumer	39	consumer	Stable	2	consumer	\N	\N	{"cause": ["member-joined", "a member's subscription is new", "430385a5-9b33-4601-862b-721f538885e4", "rollcall"], "moved": 0, "topics": {"orders": ["c145181df386496c89a2ded6072b0e90", 3]}, "assignor": "uniform", "target_epoch": 2, "settled_epoch": 2}	1	2026-11-28 20:07:30.547497+00	2026-11-28 20:07:30.547497+00	2026-11-28 20:07:30.547497+00
draft	20	draft	Stable	1	consumer	range	\N	{"topics": {"orders": 3}}	1	2026-11-28 20:07:30.721428+00	2026-11-28 20:07:30.721428+00	2026-11-28 20:07:30.721428+00
commanded	43	commanded	Stable	1	consumer	range	\N	{"topics": {"orders": 3}, "last_command": 2}	3	2026-11-28 20:07:30.856152+00	2026-11-28 20:07:30.809852+00	2026-11-28 20:07:30.856152+00
\.


--
-- Data for Name: rollcall_group_config; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_group_config (group_id, name, slot, value, updated_at, until) FROM stdin;
\.


--
-- Data for Name: rollcall_group_counts; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_group_counts (group_id, topics, partitions, unowned, members, last_rebalance) FROM stdin;
classic	1	3	0	1	6
consumer	1	3	0	1	10
\.


--
-- Data for Name: rollcall_journal; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_journal (id, at, group_id, revision, node_id, kind, trigger, reason, member_id, client_id, generation_before, generation_after, duration_ms, waited_for, joined, "left", details, client_reason, era, xid) FROM stdin;
1	2026-11-28 20:07:28.654461+00		0	0	node-configured			\N	\N	0	0	\N	{}	[]	[]	{"node": 0, "after": {"strategies": "", "group.max.size": "10000", "rebalance.backoff.ms": "2000", "group.quiet.window.ms": "500", "rebalance.max.retries": "4", "group.consumer.max.size": "10000", "group.consumer.assignors": "uniform,range", "group.metadata.max.bytes": "4194304", "offsets.retention.minutes": "10080", "group.max.session.timeout.ms": "1800000", "group.min.session.timeout.ms": "6000", "consumer.max.session.timeout.ms": "30000", "consumer.min.session.timeout.ms": "6000", "group.consumer.migration.policy": "bidirectional", "group.initial.rebalance.delay.ms": "3000", "group.consumer.metadata.max.bytes": "67108864", "group.consumer.session.timeout.ms": "45000", "group.consumer.assignment.timeout.ms": "5000", "group.consumer.heartbeat.interval.ms": "5000", "group.consumer.assignment.interval.ms": "200", "group.consumer.assignor.offload.enable": "True", "group.consumer.pending.heartbeat.interval.ms": "500"}, "before": {}}		1	833
2	2026-11-28 20:07:28.697058+00		0	0	slots-claimed		64 free slots	\N	\N	0	0	\N	{}	[]	[]	{"slots": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63]}		1	834
3	2026-11-28 20:07:29.682531+00		0	0	topic-created	request		\N	bench	0	0	\N	{}	[]	[]	{"after": {"partitions": 3}, "topic": "orders", "author": {"client_id": "bench", "principal": "User:ANONYMOUS", "client_host": "/127.0.0.1"}}		1	852
4	2026-11-28 20:07:29.847611+00	classic	1	0	group-created			\N	\N	0	0	\N	{}	[]	[]	{}		1	853
5	2026-11-28 20:07:29.848116+00	classic	1	0	rebalance-started	member-joined	a new member joined	rollcall-f12ef416-7457-4fe4-93ac-dfe84d58995d	rollcall	0	0	\N	{}	[]	[]	{"from": "Empty", "members": 1}		1	853
6	2026-11-28 20:07:30.226563+00	classic	2	0	rebalance-completed	member-joined	a new member joined	rollcall-f12ef416-7457-4fe4-93ac-dfe84d58995d	rollcall	0	1	501	{}	["rollcall-f12ef416-7457-4fe4-93ac-dfe84d58995d"]	[]	{"why": {"ms": 501, "waits": [], "causes": [{"ms": 501, "at_ms": 0, "named": [["rollcall-f12ef416-7457-4fe4-93ac-dfe84d58995d", "rollcall"]], "reason": "a new member joined", "members": 1, "trigger": "member-joined", "client_reason": ""}]}, "members": 1, "left_count": 0, "joined_count": 1, "waited_for_count": 0}		1	859
7	2026-11-28 20:07:30.321942+00	classic	3	0	stable			rollcall-f12ef416-7457-4fe4-93ac-dfe84d58995d	\N	1	1	92	{}	[]	[]	{"why": {"ms": 92, "waits": [{"act": "sync", "end": "synced", "members": {"rollcall-f12ef416-7457-4fe4-93ac-dfe84d58995d": 92}}], "causes": [{"ms": 92, "at_ms": 0, "named": [["rollcall-f12ef416-7457-4fe4-93ac-dfe84d58995d", "rollcall"]], "reason": "a new member joined", "members": 1, "trigger": "member-joined", "client_reason": ""}]}, "moved": 3, "members": 1, "assigned": 1, "unsynced": 0}		1	863
8	2026-11-28 20:07:30.547798+00	consumer	1	0	group-created			\N	\N	0	1	\N	{}	[]	[]	{}		1	872
9	2026-11-28 20:07:30.547877+00	consumer	1	0	rebalance-started	member-joined	a member's subscription is new	430385a5-9b33-4601-862b-721f538885e4	rollcall	1	2	\N	{}	[]	[]	{"members": 1}		1	872
10	2026-11-28 20:07:30.547887+00	consumer	1	0	rebalance-completed	member-joined	a member's subscription is new	430385a5-9b33-4601-862b-721f538885e4	rollcall	0	2	0	{}	[]	[]	{"why": {"ms": 0, "waits": [], "causes": [{"ms": 0, "at_ms": 0, "named": [["430385a5-9b33-4601-862b-721f538885e4", "rollcall"]], "reason": "a member's subscription is new", "members": 1, "trigger": "member-joined", "client_reason": ""}]}, "moved": 3, "members": 1, "unowned": 0, "handed_over": [], "unowned_longest": [], "handed_over_pairs": 0, "unowned_longest_ms": 0}		1	872
11	2026-11-28 20:07:30.723033+00	draft	1	0	group-created			\N	\N	0	0	\N	{}	[]	[]	{}		1	877
12	2026-11-28 20:07:30.72311+00	draft	1	0	rebalance-started	member-joined	it has no id yet	\N	rollcall	0	0	\N	{}	[]	[]	{}		1	877
13	2026-11-28 20:07:30.72312+00	draft	1	0	rebalance-completed	member-joined	it has no id yet	\N	rollcall	0	1	0	{}	["draft-5baf0b77-fab3-40c1-b210-0a89f951228d"]	[]	{"why": {"ms": 0, "waits": [], "causes": [{"ms": 0, "at_ms": 0, "named": [[null, "rollcall"]], "reason": "it has no id yet", "members": 1, "trigger": "member-joined", "client_reason": ""}]}, "left": 0, "moved": 0, "members": 1}		1	877
14	2026-11-28 20:07:30.810495+00	commanded	1	0	group-created			\N	\N	0	0	\N	{}	[]	[]	{}		1	884
15	2026-11-28 20:07:30.810567+00	commanded	1	0	rebalance-started	member-joined	a consumer has registered	commanded-f963b2e7-886b-4cd2-8c33-875c3a659a45	rollcall	0	0	\N	{}	[]	[]	{"necessary": "3.1"}		1	884
16	2026-11-28 20:07:30.856475+00	commanded	3	0	rebalance-completed	member-joined	a consumer has registered	commanded-f963b2e7-886b-4cd2-8c33-875c3a659a45	rollcall	0	1	48	{"commanded-f963b2e7-886b-4cd2-8c33-875c3a659a45": 48}	["commanded-f963b2e7-886b-4cd2-8c33-875c3a659a45"]	[]	{"why": {"ms": 48, "waits": [{"act": "acknowledge", "end": "acknowledged", "members": {"commanded-f963b2e7-886b-4cd2-8c33-875c3a659a45": 48}}], "causes": [{"ms": 48, "at_ms": 0, "named": [["commanded-f963b2e7-886b-4cd2-8c33-875c3a659a45", "rollcall"]], "reason": "a consumer has registered", "members": 1, "trigger": "member-joined", "client_reason": ""}]}, "left": 0, "moved": 0, "members": 1}		1	887
\.


--
-- Data for Name: rollcall_life_20261128; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_life_20261128 (at, era, xid, id, life, group_id, member_id, instance_id, client_id, client_host, principal, rack_id, software_name, software_version, kind, api_version, session_timeout_ms, rebalance_timeout_ms, subscription, pattern, protocols, revision, joined_generation, joined_at, origin, left_generation, left_at, departure, heard_at) FROM stdin;
2026-11-28 20:07:30.232475+00	1	859	1	2000000003	classic	rollcall-f12ef416-7457-4fe4-93ac-dfe84d58995d	\N	rollcall	/127.0.0.1	User:ANONYMOUS	\N			classic	9	45000	300000	{orders}		{range}	2	1	2026-11-28 20:07:29.731475+00	joined	\N	\N	\N	\N
2026-11-28 20:07:30.548515+00	1	872	2	2000000004	consumer	430385a5-9b33-4601-862b-721f538885e4	\N	rollcall	/127.0.0.1	User:ANONYMOUS	\N			consumer	1	45000	300000	{orders}		{}	1	1	2026-11-28 20:07:30.548515+00	joined	\N	\N	\N	\N
2026-11-28 20:07:30.726404+00	1	877	3	2000000005	draft	draft-5baf0b77-fab3-40c1-b210-0a89f951228d	\N	rollcall	/127.0.0.1	User:ANONYMOUS	\N			draft	0	30000	30000	{orders}		{range}	1	1	2026-11-28 20:07:30.726404+00	joined	\N	\N	\N	\N
2026-11-28 20:07:30.811262+00	1	884	4	2000000006	commanded	commanded-f963b2e7-886b-4cd2-8c33-875c3a659a45	\N	rollcall	/127.0.0.1	User:ANONYMOUS	\N			commanded	0	45000	45000	{orders}		{range}	1	0	2026-11-28 20:07:30.811262+00	joined	\N	\N	\N	\N
\.


--
-- Data for Name: rollcall_life_20261129; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_life_20261129 (at, era, xid, id, life, group_id, member_id, instance_id, client_id, client_host, principal, rack_id, software_name, software_version, kind, api_version, session_timeout_ms, rebalance_timeout_ms, subscription, pattern, protocols, revision, joined_generation, joined_at, origin, left_generation, left_at, departure, heard_at) FROM stdin;
\.


--
-- Data for Name: rollcall_life_20261130; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_life_20261130 (at, era, xid, id, life, group_id, member_id, instance_id, client_id, client_host, principal, rack_id, software_name, software_version, kind, api_version, session_timeout_ms, rebalance_timeout_ms, subscription, pattern, protocols, revision, joined_generation, joined_at, origin, left_generation, left_at, departure, heard_at) FROM stdin;
\.


--
-- Data for Name: rollcall_life_default; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_life_default (at, era, xid, id, life, group_id, member_id, instance_id, client_id, client_host, principal, rack_id, software_name, software_version, kind, api_version, session_timeout_ms, rebalance_timeout_ms, subscription, pattern, protocols, revision, joined_generation, joined_at, origin, left_generation, left_at, departure, heard_at) FROM stdin;
\.


--
-- Data for Name: rollcall_life_open; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_life_open (life, group_id, member_id, instance_id, client_id, client_host, principal, rack_id, software_name, software_version, kind, api_version, session_timeout_ms, rebalance_timeout_ms, subscription, pattern, protocols, revision, joined_generation, joined_at, origin) FROM stdin;
2000000003	classic	rollcall-f12ef416-7457-4fe4-93ac-dfe84d58995d	\N	rollcall	/127.0.0.1	User:ANONYMOUS	\N			classic	9	45000	300000	{orders}		{range}	2	1	2026-11-28 20:07:29.731475+00	joined
2000000004	consumer	430385a5-9b33-4601-862b-721f538885e4	\N	rollcall	/127.0.0.1	User:ANONYMOUS	\N			consumer	1	45000	300000	{orders}		{}	1	1	2026-11-28 20:07:30.548515+00	joined
2000000005	draft	draft-5baf0b77-fab3-40c1-b210-0a89f951228d	\N	rollcall	/127.0.0.1	User:ANONYMOUS	\N			draft	0	30000	30000	{orders}		{range}	1	1	2026-11-28 20:07:30.726404+00	joined
2000000006	commanded	commanded-f963b2e7-886b-4cd2-8c33-875c3a659a45	\N	rollcall	/127.0.0.1	User:ANONYMOUS	\N			commanded	0	45000	45000	{orders}		{range}	1	0	2026-11-28 20:07:30.811262+00	joined
\.


--
-- Data for Name: rollcall_liveness; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_liveness (group_id, member_id, heard_at, deadline_at, since_ms) FROM stdin;
classic	rollcall-f12ef416-7457-4fe4-93ac-dfe84d58995d	2026-11-28 20:07:30.514136+00	2026-11-28 20:08:15.514138+00	1645
consumer	430385a5-9b33-4601-862b-721f538885e4	2026-11-28 20:07:30.552266+00	2026-11-28 20:08:15.552266+00	1703
\.


--
-- Data for Name: rollcall_mark; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_mark (id, at, text, group_id, actor, noted_at) FROM stdin;
\.


--
-- Data for Name: rollcall_member; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_member (member_id, instance_id, client_id, client_host, session_timeout_ms, rebalance_timeout_ms, "position", subscription, assignment, details, joined_at, group_id) FROM stdin;
rollcall-f12ef416-7457-4fe4-93ac-dfe84d58995d	\N	rollcall	/127.0.0.1	45000	300000	0	\\x000000010000000572616e67650000001c00030000000100066f7264657273ffffffff00000000ffffffffffff	\\x00030000000100066f726465727300000003000000000000000100000002ffffffff	{}	2026-11-28 20:07:30.226198+00	classic
430385a5-9b33-4601-862b-721f538885e4	\N	rollcall	/127.0.0.1	45000	300000	0	\\x	\\x	{"epoch": 2, "regex": "", "since": [["c145181df386496c89a2ded6072b0e90", 0, 2], ["c145181df386496c89a2ded6072b0e90", 1, 2], ["c145181df386496c89a2ded6072b0e90", 2, 2]], "state": "stable", "target": {"c145181df386496c89a2ded6072b0e90": [0, 1, 2]}, "topics": ["orders"], "rack_id": null, "assigned": {"c145181df386496c89a2ded6072b0e90": [0, 1, 2]}, "assignor": null, "revoking": {}, "previous_epoch": 0}	2026-11-28 20:07:30.547647+00	consumer
draft-5baf0b77-fab3-40c1-b210-0a89f951228d	\N	rollcall	/127.0.0.1	30000	30000	0	\\x000000010000000572616e67650000001200000000000100066f7264657273ffffffff	\\x00000000000100066f726465727300000003000000000000000100000002ffffffff	{}	2026-11-28 20:07:30.722866+00	draft
commanded-f963b2e7-886b-4cd2-8c33-875c3a659a45	\N	rollcall	/127.0.0.1	45000	45000	0	\\x000000010000000572616e67650000001200000000000100066f7264657273ffffffff	\\x00000000000100066f726465727300000003000000000000000100000002ffffffff	{"owned": {"orders": [[0, 0], [1, 0], [2, 0]]}, "threads": {"orders": 1}}	2026-11-28 20:07:30.810012+00	commanded
\.


--
-- Data for Name: rollcall_node; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_node (node_id, incarnation, beat, host, port, started_at, beat_at, draft_port, lease_ms, takes_slots, schema, endpoints, unclean_ends, steady_since, clock_ms) FROM stdin;
0	601efac4-e4ed-4dec-9262-571a09273c3f	4	127.0.0.1	55715	2026-11-28 20:07:28.642376+00	2026-11-28 20:07:30.222085+00	38363	3000	t	0094_database_of_the_timeline	{PLAINTEXT://127.0.0.1:55715,DRAFT://127.0.0.1:38363}	0	2026-11-28 20:07:28.642355+00	46853470
\.


--
-- Data for Name: rollcall_node_lease; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_node_lease (node_id, host, place, starts, hostname, seen_at) FROM stdin;
\.


--
-- Data for Name: rollcall_node_settings; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_node_settings (node_id, settings, since) FROM stdin;
0	{"strategies": "", "group.max.size": "10000", "rebalance.backoff.ms": "2000", "group.quiet.window.ms": "500", "rebalance.max.retries": "4", "group.consumer.max.size": "10000", "group.consumer.assignors": "uniform,range", "group.metadata.max.bytes": "4194304", "offsets.retention.minutes": "10080", "group.max.session.timeout.ms": "1800000", "group.min.session.timeout.ms": "6000", "consumer.max.session.timeout.ms": "30000", "consumer.min.session.timeout.ms": "6000", "group.consumer.migration.policy": "bidirectional", "group.initial.rebalance.delay.ms": "3000", "group.consumer.metadata.max.bytes": "67108864", "group.consumer.session.timeout.ms": "45000", "group.consumer.assignment.timeout.ms": "5000", "group.consumer.heartbeat.interval.ms": "5000", "group.consumer.assignment.interval.ms": "200", "group.consumer.assignor.offload.enable": "True", "group.consumer.pending.heartbeat.interval.ms": "500"}	2026-11-28 20:07:28.654353+00
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
classic	orders	0	100	-1		2026-11-28 20:07:30.500295+00	\N
classic	orders	1	101	-1		2026-11-28 20:07:30.500295+00	\N
classic	orders	2	102	-1		2026-11-28 20:07:30.500295+00	\N
consumer	orders	0	100	-1		2026-11-28 20:07:30.684964+00	\N
consumer	orders	1	101	-1		2026-11-28 20:07:30.684964+00	\N
consumer	orders	2	102	-1		2026-11-28 20:07:30.684964+00	\N
draft	orders	0	100	-1		2026-11-28 20:07:30.754873+00	\N
draft	orders	1	101	-1		2026-11-28 20:07:30.754873+00	\N
draft	orders	2	102	-1		2026-11-28 20:07:30.754873+00	\N
commanded	orders	0	100	-1		2026-11-28 20:07:30.87155+00	\N
commanded	orders	1	101	-1		2026-11-28 20:07:30.87155+00	\N
commanded	orders	2	102	-1		2026-11-28 20:07:30.87155+00	\N
\.


--
-- Data for Name: rollcall_offset_history_2026112820; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_offset_history_2026112820 (at, group_id, topic, partition, committed_offset, leader_epoch, metadata, member_id, client_id, client_host, principal, more_partitions, more_offsets, more_leader_epochs, more_metadata, is_gone) FROM stdin;
2026-11-28 20:07:30.500295+00	classic	orders	0	100	-1		rollcall-f12ef416-7457-4fe4-93ac-dfe84d58995d	rollcall	/127.0.0.1	User:ANONYMOUS	{1,2}	{101,102}	\N	\N	\N
2026-11-28 20:07:30.684964+00	consumer	orders	0	100	-1		430385a5-9b33-4601-862b-721f538885e4	rollcall	/127.0.0.1	User:ANONYMOUS	{1,2}	{101,102}	\N	\N	\N
2026-11-28 20:07:30.754873+00	draft	orders	0	100	-1		draft-5baf0b77-fab3-40c1-b210-0a89f951228d	rollcall	/127.0.0.1	User:ANONYMOUS	{1,2}	{101,102}	\N	\N	\N
2026-11-28 20:07:30.87155+00	commanded	orders	0	100	-1		commanded-f963b2e7-886b-4cd2-8c33-875c3a659a45	rollcall	/127.0.0.1	User:ANONYMOUS	{1,2}	{101,102}	\N	\N	\N
\.


--
-- Data for Name: rollcall_offset_history_2026112821; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_offset_history_2026112821 (at, group_id, topic, partition, committed_offset, leader_epoch, metadata, member_id, client_id, client_host, principal, more_partitions, more_offsets, more_leader_epochs, more_metadata, is_gone) FROM stdin;
\.


--
-- Data for Name: rollcall_offset_history_2026112822; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_offset_history_2026112822 (at, group_id, topic, partition, committed_offset, leader_epoch, metadata, member_id, client_id, client_host, principal, more_partitions, more_offsets, more_leader_epochs, more_metadata, is_gone) FROM stdin;
\.


--
-- Data for Name: rollcall_offset_history_default; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_offset_history_default (at, group_id, topic, partition, committed_offset, leader_epoch, metadata, member_id, client_id, client_host, principal, more_partitions, more_offsets, more_leader_epochs, more_metadata, is_gone) FROM stdin;
\.


--
-- Data for Name: rollcall_openid_user; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_openid_user (user_id, issuer, subject) FROM stdin;
\.


--
-- Data for Name: rollcall_operation; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_operation (id, group_id, slot, verb, member_id, reason, actor, expected_generation, idempotency_key, state, detail, generation, created_at, finished_at, restore_to, outcome, offsets, until, traceparent, prediction) FROM stdin;
\.


--
-- Data for Name: rollcall_ownership_20261128; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_ownership_20261128 (at, era, xid, id, group_id, life, topic, topic_id, partitions, from_generation, from_at, until_generation, until_at) FROM stdin;
2026-11-28 20:07:30.324282+00	1	863	1	classic	2000000003	orders	c145181d-f386-496c-89a2-ded6072b0e90	{[0,3)}	1	2026-11-28 20:07:30.324282+00	\N	\N
2026-11-28 20:07:30.549756+00	1	872	2	consumer	2000000004	orders	c145181d-f386-496c-89a2-ded6072b0e90	{[0,3)}	2	2026-11-28 20:07:30.549756+00	\N	\N
2026-11-28 20:07:30.729379+00	1	877	3	draft	2000000005	orders	c145181d-f386-496c-89a2-ded6072b0e90	{[0,3)}	1	2026-11-28 20:07:30.729379+00	\N	\N
2026-11-28 20:07:30.828068+00	1	886	4	commanded	2000000006	orders	c145181d-f386-496c-89a2-ded6072b0e90	{[0,3)}	1	2026-11-28 20:07:30.828068+00	\N	\N
\.


--
-- Data for Name: rollcall_ownership_20261129; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_ownership_20261129 (at, era, xid, id, group_id, life, topic, topic_id, partitions, from_generation, from_at, until_generation, until_at) FROM stdin;
\.


--
-- Data for Name: rollcall_ownership_20261130; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_ownership_20261130 (at, era, xid, id, group_id, life, topic, topic_id, partitions, from_generation, from_at, until_generation, until_at) FROM stdin;
\.


--
-- Data for Name: rollcall_ownership_default; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_ownership_default (at, era, xid, id, group_id, life, topic, topic_id, partitions, from_generation, from_at, until_generation, until_at) FROM stdin;
\.


--
-- Data for Name: rollcall_ownership_open; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_ownership_open (group_id, life, topic, topic_id, partitions, from_generation, from_at) FROM stdin;
classic	2000000003	orders	c145181d-f386-496c-89a2-ded6072b0e90	{[0,3)}	1	2026-11-28 20:07:30.324282+00
consumer	2000000004	orders	c145181d-f386-496c-89a2-ded6072b0e90	{[0,3)}	2	2026-11-28 20:07:30.549756+00
draft	2000000005	orders	c145181d-f386-496c-89a2-ded6072b0e90	{[0,3)}	1	2026-11-28 20:07:30.729379+00
commanded	2000000006	orders	c145181d-f386-496c-89a2-ded6072b0e90	{[0,3)}	1	2026-11-28 20:07:30.828068+00
\.


--
-- Data for Name: rollcall_pause; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_pause (group_id, scope, name, slot, pause_id, actor, reason, since) FROM stdin;
\.


--
-- Data for Name: rollcall_pending_offset; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_pending_offset (producer_id, group_id, topic, partition, committed_offset, leader_epoch, metadata, committed_at, superseded, place, member_id, client_id, client_host, principal) FROM stdin;
\.


--
-- Data for Name: rollcall_producer; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_producer (transactional_id, slot, producer_id, epoch, timeout_ms, state, last_epoch, previous_id, started_at, updated_at) FROM stdin;
\.


--
-- Data for Name: rollcall_progress_20261128; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_progress_20261128 (at, era, xid, id, hour, group_id, topic, partitions, commits, first_offsets, last_offsets, pauses_ms, lives, end_offsets) FROM stdin;
\.


--
-- Data for Name: rollcall_progress_20261129; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_progress_20261129 (at, era, xid, id, hour, group_id, topic, partitions, commits, first_offsets, last_offsets, pauses_ms, lives, end_offsets) FROM stdin;
\.


--
-- Data for Name: rollcall_progress_20261130; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_progress_20261130 (at, era, xid, id, hour, group_id, topic, partitions, commits, first_offsets, last_offsets, pauses_ms, lives, end_offsets) FROM stdin;
\.


--
-- Data for Name: rollcall_progress_default; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_progress_default (at, era, xid, id, hour, group_id, topic, partitions, commits, first_offsets, last_offsets, pauses_ms, lives, end_offsets) FROM stdin;
\.


--
-- Data for Name: rollcall_progress_done; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_progress_done (name, hour, group_id) FROM stdin;
\.


--
-- Data for Name: rollcall_quota; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_quota (entity_type, user_name, client_id, ip, key, value, updated_at) FROM stdin;
\.


--
-- Data for Name: rollcall_report_row; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_report_row (id, report, period, keys, figures, run_id, kept_until) FROM stdin;
\.


--
-- Data for Name: rollcall_report_run; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_report_run (id, state, requested_by, started_at, finished_at, last_journal_id, events, detail, stage, percent, as_of, reports) FROM stdin;
\.


--
-- Data for Name: rollcall_round_20261128; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_round_20261128 (at, era, xid, id, group_id, generation, kind, outcome, started_at, ended_at, is_partial, members, moved, stopped_ms, silent_ms, unowned_ms, triggers, cause_members, cause_ids, cause_at_ms, cause_ms, acts, ends, counts, lives, waited_ms) FROM stdin;
2026-11-28 20:07:30.325772+00	1	863	1	classic	1	classic	assigned	2026-11-28 20:07:29.732772+00	2026-11-28 20:07:30.325772+00	f	1	3	0	0	0	{member-joined}	{1}	{rollcall-f12ef416-7457-4fe4-93ac-dfe84d58995d}	{0}	{593}	{sync}	{synced}	{1}	{2000000003}	{92}
2026-11-28 20:07:30.550364+00	1	872	2	consumer	2	consumer	assigned	2026-11-28 20:07:30.550364+00	2026-11-28 20:07:30.550364+00	f	1	3	0	0	0	{member-joined}	{1}	{430385a5-9b33-4601-862b-721f538885e4}	{0}	{0}	{}	{}	{}	{}	{}
2026-11-28 20:07:30.730013+00	1	877	3	draft	1	draft	assigned	2026-11-28 20:07:30.730013+00	2026-11-28 20:07:30.730013+00	f	1	0	0	0	0	{member-joined}	{1}	{NULL}	{0}	{0}	{}	{}	{}	{}	{}
2026-11-28 20:07:30.85889+00	1	887	4	commanded	1	commanded	assigned	2026-11-28 20:07:30.81089+00	2026-11-28 20:07:30.85889+00	f	1	0	93	0	0	{member-joined}	{1}	{commanded-f963b2e7-886b-4cd2-8c33-875c3a659a45}	{0}	{48}	{acknowledge}	{acknowledged}	{1}	{2000000006}	{48}
\.


--
-- Data for Name: rollcall_round_20261129; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_round_20261129 (at, era, xid, id, group_id, generation, kind, outcome, started_at, ended_at, is_partial, members, moved, stopped_ms, silent_ms, unowned_ms, triggers, cause_members, cause_ids, cause_at_ms, cause_ms, acts, ends, counts, lives, waited_ms) FROM stdin;
\.


--
-- Data for Name: rollcall_round_20261130; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_round_20261130 (at, era, xid, id, group_id, generation, kind, outcome, started_at, ended_at, is_partial, members, moved, stopped_ms, silent_ms, unowned_ms, triggers, cause_members, cause_ids, cause_at_ms, cause_ms, acts, ends, counts, lives, waited_ms) FROM stdin;
\.


--
-- Data for Name: rollcall_round_default; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_round_default (at, era, xid, id, group_id, generation, kind, outcome, started_at, ended_at, is_partial, members, moved, stopped_ms, silent_ms, unowned_ms, triggers, cause_members, cause_ids, cause_at_ms, cause_ms, acts, ends, counts, lives, waited_ms) FROM stdin;
\.


--
-- Data for Name: rollcall_saved_view; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_saved_view (id, name, query, is_shared, user_id) FROM stdin;
\.


--
-- Data for Name: rollcall_silence_20261128; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_silence_20261128 (at, era, xid, id, hour, group_id, lives, longest_ms, looks) FROM stdin;
\.


--
-- Data for Name: rollcall_silence_20261129; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_silence_20261129 (at, era, xid, id, hour, group_id, lives, longest_ms, looks) FROM stdin;
\.


--
-- Data for Name: rollcall_silence_20261130; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_silence_20261130 (at, era, xid, id, hour, group_id, lives, longest_ms, looks) FROM stdin;
\.


--
-- Data for Name: rollcall_silence_default; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_silence_default (at, era, xid, id, hour, group_id, lives, longest_ms, looks) FROM stdin;
\.


--
-- Data for Name: rollcall_slot; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_slot (slot, node_id, incarnation, epoch, served_ms, shift_ms, ended_at, is_noted, interruptions) FROM stdin;
32	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852073	\N	f	[[0, 40000, false]]
33	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852073	\N	f	[[0, 40000, false]]
34	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852073	\N	f	[[0, 40000, false]]
35	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852073	\N	f	[[0, 40000, false]]
36	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852073	\N	f	[[0, 40000, false]]
37	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852073	\N	f	[[0, 40000, false]]
38	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852073	\N	f	[[0, 40000, false]]
39	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852073	\N	f	[[0, 40000, false]]
40	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852093	\N	f	[[0, 40000, false]]
41	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852093	\N	f	[[0, 40000, false]]
42	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852093	\N	f	[[0, 40000, false]]
43	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852093	\N	f	[[0, 40000, false]]
44	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852093	\N	f	[[0, 40000, false]]
0	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852020	\N	f	[[0, 40000, false]]
1	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852020	\N	f	[[0, 40000, false]]
2	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852020	\N	f	[[0, 40000, false]]
3	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852020	\N	f	[[0, 40000, false]]
4	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852020	\N	f	[[0, 40000, false]]
5	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852020	\N	f	[[0, 40000, false]]
6	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852020	\N	f	[[0, 40000, false]]
7	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852020	\N	f	[[0, 40000, false]]
8	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852025	\N	f	[[0, 40000, false]]
9	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852025	\N	f	[[0, 40000, false]]
10	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852025	\N	f	[[0, 40000, false]]
11	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852025	\N	f	[[0, 40000, false]]
12	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852025	\N	f	[[0, 40000, false]]
13	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852025	\N	f	[[0, 40000, false]]
14	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852025	\N	f	[[0, 40000, false]]
15	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852025	\N	f	[[0, 40000, false]]
16	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852030	\N	f	[[0, 40000, false]]
17	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852030	\N	f	[[0, 40000, false]]
18	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852030	\N	f	[[0, 40000, false]]
19	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852030	\N	f	[[0, 40000, false]]
20	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852030	\N	f	[[0, 40000, false]]
21	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852030	\N	f	[[0, 40000, false]]
22	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852030	\N	f	[[0, 40000, false]]
23	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852030	\N	f	[[0, 40000, false]]
24	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852041	\N	f	[[0, 40000, false]]
25	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852041	\N	f	[[0, 40000, false]]
26	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852041	\N	f	[[0, 40000, false]]
27	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852041	\N	f	[[0, 40000, false]]
28	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852041	\N	f	[[0, 40000, false]]
29	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852041	\N	f	[[0, 40000, false]]
30	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852041	\N	f	[[0, 40000, false]]
31	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852041	\N	f	[[0, 40000, false]]
45	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852093	\N	f	[[0, 40000, false]]
46	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852093	\N	f	[[0, 40000, false]]
47	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852093	\N	f	[[0, 40000, false]]
48	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852099	\N	f	[[0, 40000, false]]
49	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852099	\N	f	[[0, 40000, false]]
50	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852099	\N	f	[[0, 40000, false]]
51	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852099	\N	f	[[0, 40000, false]]
52	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852099	\N	f	[[0, 40000, false]]
53	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852099	\N	f	[[0, 40000, false]]
54	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852099	\N	f	[[0, 40000, false]]
55	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852099	\N	f	[[0, 40000, false]]
56	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852104	\N	f	[[0, 40000, false]]
57	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852104	\N	f	[[0, 40000, false]]
58	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852104	\N	f	[[0, 40000, false]]
59	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852104	\N	f	[[0, 40000, false]]
60	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852104	\N	f	[[0, 40000, false]]
61	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852104	\N	f	[[0, 40000, false]]
62	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852104	\N	f	[[0, 40000, false]]
63	0	601efac4-e4ed-4dec-9262-571a09273c3f	1	0	-46852104	\N	f	[[0, 40000, false]]
\.


--
-- Data for Name: rollcall_sweep; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_sweep (name, started_at, took_ms, outcome, failed, runs, failures) FROM stdin;
session sweep	2026-11-28 20:07:30.247236+00	167	no member is overdue	f	1	0
webhooks	2026-11-28 20:07:30.339649+00	124	queued 0, serving 0 endpoints, deleted 0	f	1	0
\.


--
-- Data for Name: rollcall_timeline; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_timeline (one, system_identifier, timeline, jump, jumped_on, generations_after, database) FROM stdin;
t	7713316492296977176	1	542618ca-469a-462f-8c18-7e35dd98665c	\N	0	12784
\.


--
-- Data for Name: rollcall_topic; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_topic (name, topic_id, partitions, end_offsets, created_at, racks) FROM stdin;
orders	c145181d-f386-496c-89a2-ded6072b0e90	3	{}	2026-11-28 20:07:29.6823+00	[]
\.


--
-- Data for Name: rollcall_txn_group; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_txn_group (transactional_id, group_id) FROM stdin;
\.


--
-- Data for Name: rollcall_waiting; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_waiting (group_id, node_id, revision, details, told_at, waits) FROM stdin;
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
-- Data for Name: rollcall_webhook; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_webhook (id, name, url, events, group_prefix, enabled, disabled_because, created_at, failures, failing_since, not_before, delivered_at) FROM stdin;
\.


--
-- Data for Name: rollcall_webhook_cursor; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_webhook_cursor (name, state) FROM stdin;
\.


--
-- Data for Name: rollcall_webhook_delivery; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_webhook_delivery (id, message_id, key, type, body, created_at, state, attempts, next_at, finished_at, status, error, answer, took_ms, webhook_id) FROM stdin;
\.


--
-- Data for Name: rollcall_webhook_secret; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.rollcall_webhook_secret (id, secret, created_at, webhook_id) FROM stdin;
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

SELECT pg_catalog.setval('public.auth_group_permissions_id_seq', 241, true);


--
-- Name: auth_permission_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.auth_permission_id_seq', 219, true);


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
-- Name: axes_accessattempt_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.axes_accessattempt_id_seq', 1, false);


--
-- Name: axes_accessfailurelog_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.axes_accessfailurelog_id_seq', 1, false);


--
-- Name: axes_accesslog_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.axes_accesslog_id_seq', 1, false);


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

SELECT pg_catalog.setval('public.django_celery_beat_crontabschedule_id_seq', 2, true);


--
-- Name: django_celery_beat_intervalschedule_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.django_celery_beat_intervalschedule_id_seq', 5, true);


--
-- Name: django_celery_beat_periodictask_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.django_celery_beat_periodictask_id_seq', 8, true);


--
-- Name: django_celery_beat_solarschedule_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.django_celery_beat_solarschedule_id_seq', 1, false);


--
-- Name: django_content_type_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.django_content_type_id_seq', 60, true);


--
-- Name: django_migrations_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.django_migrations_id_seq', 120, true);


--
-- Name: otp_static_staticdevice_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.otp_static_staticdevice_id_seq', 1, false);


--
-- Name: otp_static_statictoken_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.otp_static_statictoken_id_seq', 1, false);


--
-- Name: otp_totp_totpdevice_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.otp_totp_totpdevice_id_seq', 1, false);


--
-- Name: rollcall_acknowledgement_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.rollcall_acknowledgement_id_seq', 1, false);


--
-- Name: rollcall_acl_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.rollcall_acl_id_seq', 1, false);


--
-- Name: rollcall_advice_decision_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.rollcall_advice_decision_id_seq', 1, false);


--
-- Name: rollcall_api_token_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.rollcall_api_token_id_seq', 1, false);


--
-- Name: rollcall_audit_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.rollcall_audit_id_seq', 262, true);


--
-- Name: rollcall_journal_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.rollcall_journal_id_seq', 16, true);


--
-- Name: rollcall_life_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.rollcall_life_id_seq', 4, true);


--
-- Name: rollcall_life_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.rollcall_life_seq', 2000000006, true);


--
-- Name: rollcall_mark_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.rollcall_mark_id_seq', 1, false);


--
-- Name: rollcall_noted_offsets_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.rollcall_noted_offsets_id_seq', 1, false);


--
-- Name: rollcall_operation_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.rollcall_operation_id_seq', 1, false);


--
-- Name: rollcall_ownership_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.rollcall_ownership_id_seq', 4, true);


--
-- Name: rollcall_pending_offset_place_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.rollcall_pending_offset_place_seq', 1, false);


--
-- Name: rollcall_producer_id; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.rollcall_producer_id', 1, false);


--
-- Name: rollcall_progress_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.rollcall_progress_id_seq', 1, false);


--
-- Name: rollcall_report_row_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.rollcall_report_row_id_seq', 1, false);


--
-- Name: rollcall_report_run_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.rollcall_report_run_id_seq', 1, false);


--
-- Name: rollcall_round_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.rollcall_round_id_seq', 4, true);


--
-- Name: rollcall_saved_view_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.rollcall_saved_view_id_seq', 1, false);


--
-- Name: rollcall_silence_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.rollcall_silence_id_seq', 1, false);


--
-- Name: rollcall_webhook_delivery_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.rollcall_webhook_delivery_id_seq', 1, false);


--
-- Name: rollcall_webhook_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.rollcall_webhook_id_seq', 1, false);


--
-- Name: rollcall_webhook_secret_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.rollcall_webhook_secret_id_seq', 1, false);


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
-- Name: rollcall_acknowledgement acknowledged_once; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_acknowledgement
    ADD CONSTRAINT acknowledged_once UNIQUE (rule, subject);


--
-- Name: rollcall_acl acl_once; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_acl
    ADD CONSTRAINT acl_once UNIQUE (name, principal, resource_type, pattern, host, operation, permission);


--
-- Name: rollcall_advice_decision advice_decided_once; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_advice_decision
    ADD CONSTRAINT advice_decided_once UNIQUE (group_id, rule, subject);


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
-- Name: axes_accessattempt axes_accessattempt_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.axes_accessattempt
    ADD CONSTRAINT axes_accessattempt_pkey PRIMARY KEY (id);


--
-- Name: axes_accessattempt axes_accessattempt_username_ip_address_user_agent_8ea22282_uniq; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.axes_accessattempt
    ADD CONSTRAINT axes_accessattempt_username_ip_address_user_agent_8ea22282_uniq UNIQUE (username, ip_address, user_agent);


--
-- Name: axes_accessattemptexpiration axes_accessattemptexpiration_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.axes_accessattemptexpiration
    ADD CONSTRAINT axes_accessattemptexpiration_pkey PRIMARY KEY (access_attempt_id);


--
-- Name: axes_accessfailurelog axes_accessfailurelog_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.axes_accessfailurelog
    ADD CONSTRAINT axes_accessfailurelog_pkey PRIMARY KEY (id);


--
-- Name: axes_accesslog axes_accesslog_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.axes_accesslog
    ADD CONSTRAINT axes_accesslog_pkey PRIMARY KEY (id);


--
-- Name: rollcall_webhook_delivery delivery_once; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_webhook_delivery
    ADD CONSTRAINT delivery_once UNIQUE (webhook_id, key);


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
-- Name: rollcall_node_lease node_lease_of_host; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_node_lease
    ADD CONSTRAINT node_lease_of_host UNIQUE (host, place);


--
-- Name: rollcall_openid_user openid_user_once; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_openid_user
    ADD CONSTRAINT openid_user_once UNIQUE (issuer, subject);


--
-- Name: otp_static_staticdevice otp_static_staticdevice_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.otp_static_staticdevice
    ADD CONSTRAINT otp_static_staticdevice_pkey PRIMARY KEY (id);


--
-- Name: otp_static_statictoken otp_static_statictoken_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.otp_static_statictoken
    ADD CONSTRAINT otp_static_statictoken_pkey PRIMARY KEY (id);


--
-- Name: otp_totp_totpdevice otp_totp_totpdevice_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.otp_totp_totpdevice
    ADD CONSTRAINT otp_totp_totpdevice_pkey PRIMARY KEY (id);


--
-- Name: rollcall_acknowledgement rollcall_acknowledgement_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_acknowledgement
    ADD CONSTRAINT rollcall_acknowledgement_pkey PRIMARY KEY (id);


--
-- Name: rollcall_acl rollcall_acl_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_acl
    ADD CONSTRAINT rollcall_acl_pkey PRIMARY KEY (id);


--
-- Name: rollcall_advice_decision rollcall_advice_decision_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_advice_decision
    ADD CONSTRAINT rollcall_advice_decision_pkey PRIMARY KEY (id);


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
-- Name: rollcall_application_grant rollcall_application_grant_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_application_grant
    ADD CONSTRAINT rollcall_application_grant_pkey PRIMARY KEY (login, prefix);


--
-- Name: rollcall_audit rollcall_audit_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_audit
    ADD CONSTRAINT rollcall_audit_pkey PRIMARY KEY (id);


--
-- Name: rollcall_beat_lease rollcall_beat_lease_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_beat_lease
    ADD CONSTRAINT rollcall_beat_lease_pkey PRIMARY KEY (id);


--
-- Name: rollcall_command rollcall_command_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_command
    ADD CONSTRAINT rollcall_command_pkey PRIMARY KEY (group_id, member_id, command_id);


--
-- Name: rollcall_connection rollcall_connection_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_connection
    ADD CONSTRAINT rollcall_connection_pkey PRIMARY KEY (node_id, number);


--
-- Name: rollcall_connections_noted rollcall_connections_noted_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_connections_noted
    ADD CONSTRAINT rollcall_connections_noted_pkey PRIMARY KEY (node_id);


--
-- Name: rollcall_credential rollcall_credential_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_credential
    ADD CONSTRAINT rollcall_credential_pkey PRIMARY KEY (name, mechanism);


--
-- Name: rollcall_drain rollcall_drain_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_drain
    ADD CONSTRAINT rollcall_drain_pkey PRIMARY KEY (node_id);


--
-- Name: rollcall_era rollcall_era_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_era
    ADD CONSTRAINT rollcall_era_pkey PRIMARY KEY (era);


--
-- Name: rollcall_facts_floor rollcall_facts_floor_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_facts_floor
    ADD CONSTRAINT rollcall_facts_floor_pkey PRIMARY KEY (table_name);


--
-- Name: rollcall_first_password rollcall_first_password_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_first_password
    ADD CONSTRAINT rollcall_first_password_pkey PRIMARY KEY (user_id);


--
-- Name: rollcall_fleet_hour rollcall_fleet_hour_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_fleet_hour
    ADD CONSTRAINT rollcall_fleet_hour_pkey PRIMARY KEY (hour);


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
-- Name: rollcall_group_counts rollcall_group_counts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_group_counts
    ADD CONSTRAINT rollcall_group_counts_pkey PRIMARY KEY (group_id);


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
-- Name: rollcall_life_open rollcall_life_open_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_life_open
    ADD CONSTRAINT rollcall_life_open_pkey PRIMARY KEY (life);


--
-- Name: rollcall_liveness rollcall_liveness_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_liveness
    ADD CONSTRAINT rollcall_liveness_pkey PRIMARY KEY (group_id, member_id);


--
-- Name: rollcall_mark rollcall_mark_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_mark
    ADD CONSTRAINT rollcall_mark_pkey PRIMARY KEY (id);


--
-- Name: rollcall_member rollcall_member_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_member
    ADD CONSTRAINT rollcall_member_pkey PRIMARY KEY (group_id, member_id);


--
-- Name: rollcall_node_lease rollcall_node_lease_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_node_lease
    ADD CONSTRAINT rollcall_node_lease_pkey PRIMARY KEY (node_id);


--
-- Name: rollcall_node rollcall_node_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_node
    ADD CONSTRAINT rollcall_node_pkey PRIMARY KEY (node_id);


--
-- Name: rollcall_node_settings rollcall_node_settings_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_node_settings
    ADD CONSTRAINT rollcall_node_settings_pkey PRIMARY KEY (node_id);


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
-- Name: rollcall_openid_user rollcall_openid_user_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_openid_user
    ADD CONSTRAINT rollcall_openid_user_pkey PRIMARY KEY (user_id);


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
-- Name: rollcall_ownership_open rollcall_ownership_open_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_ownership_open
    ADD CONSTRAINT rollcall_ownership_open_pkey PRIMARY KEY (life, topic, from_at);


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
-- Name: rollcall_progress_done rollcall_progress_done_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_progress_done
    ADD CONSTRAINT rollcall_progress_done_pkey PRIMARY KEY (name);


--
-- Name: rollcall_quota rollcall_quota_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_quota
    ADD CONSTRAINT rollcall_quota_pkey PRIMARY KEY (entity_type, user_name, client_id, ip, key);


--
-- Name: rollcall_report_row rollcall_report_row_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_report_row
    ADD CONSTRAINT rollcall_report_row_pkey PRIMARY KEY (id);


--
-- Name: rollcall_report_run rollcall_report_run_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_report_run
    ADD CONSTRAINT rollcall_report_run_pkey PRIMARY KEY (id);


--
-- Name: rollcall_saved_view rollcall_saved_view_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_saved_view
    ADD CONSTRAINT rollcall_saved_view_pkey PRIMARY KEY (id);


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
-- Name: rollcall_timeline rollcall_timeline_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_timeline
    ADD CONSTRAINT rollcall_timeline_pkey PRIMARY KEY (one);


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
-- Name: rollcall_waiting rollcall_waiting_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_waiting
    ADD CONSTRAINT rollcall_waiting_pkey PRIMARY KEY (group_id);


--
-- Name: rollcall_watch rollcall_watch_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_watch
    ADD CONSTRAINT rollcall_watch_pkey PRIMARY KEY (slot);


--
-- Name: rollcall_webhook_cursor rollcall_webhook_cursor_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_webhook_cursor
    ADD CONSTRAINT rollcall_webhook_cursor_pkey PRIMARY KEY (name);


--
-- Name: rollcall_webhook_delivery rollcall_webhook_delivery_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_webhook_delivery
    ADD CONSTRAINT rollcall_webhook_delivery_pkey PRIMARY KEY (id);


--
-- Name: rollcall_webhook rollcall_webhook_name_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_webhook
    ADD CONSTRAINT rollcall_webhook_name_key UNIQUE (name);


--
-- Name: rollcall_webhook rollcall_webhook_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_webhook
    ADD CONSTRAINT rollcall_webhook_pkey PRIMARY KEY (id);


--
-- Name: rollcall_webhook_secret rollcall_webhook_secret_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_webhook_secret
    ADD CONSTRAINT rollcall_webhook_secret_pkey PRIMARY KEY (id);


--
-- Name: rollcall_saved_view saved_view_of_a_name; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_saved_view
    ADD CONSTRAINT saved_view_of_a_name UNIQUE (user_id, name);


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
-- Name: audit_by_kind; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_by_kind ON public.rollcall_audit USING btree (kind, id DESC);


--
-- Name: audit_by_outcome; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_by_outcome ON public.rollcall_audit USING btree (outcome, id DESC);


--
-- Name: audit_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_by_time ON public.rollcall_audit USING btree (at);


--
-- Name: audit_by_who; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_by_who ON public.rollcall_audit USING btree (who, id DESC);


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
-- Name: axes_accessattempt_ip_address_10922d9c; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX axes_accessattempt_ip_address_10922d9c ON public.axes_accessattempt USING btree (ip_address);


--
-- Name: axes_accessattempt_user_agent_ad89678b; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX axes_accessattempt_user_agent_ad89678b ON public.axes_accessattempt USING btree (user_agent);


--
-- Name: axes_accessattempt_user_agent_ad89678b_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX axes_accessattempt_user_agent_ad89678b_like ON public.axes_accessattempt USING btree (user_agent varchar_pattern_ops);


--
-- Name: axes_accessattempt_username_3f2d4ca0; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX axes_accessattempt_username_3f2d4ca0 ON public.axes_accessattempt USING btree (username);


--
-- Name: axes_accessattempt_username_3f2d4ca0_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX axes_accessattempt_username_3f2d4ca0_like ON public.axes_accessattempt USING btree (username varchar_pattern_ops);


--
-- Name: axes_accessfailurelog_ip_address_2e9f5a7f; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX axes_accessfailurelog_ip_address_2e9f5a7f ON public.axes_accessfailurelog USING btree (ip_address);


--
-- Name: axes_accessfailurelog_user_agent_ea145dda; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX axes_accessfailurelog_user_agent_ea145dda ON public.axes_accessfailurelog USING btree (user_agent);


--
-- Name: axes_accessfailurelog_user_agent_ea145dda_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX axes_accessfailurelog_user_agent_ea145dda_like ON public.axes_accessfailurelog USING btree (user_agent varchar_pattern_ops);


--
-- Name: axes_accessfailurelog_username_a8b7e8a4; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX axes_accessfailurelog_username_a8b7e8a4 ON public.axes_accessfailurelog USING btree (username);


--
-- Name: axes_accessfailurelog_username_a8b7e8a4_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX axes_accessfailurelog_username_a8b7e8a4_like ON public.axes_accessfailurelog USING btree (username varchar_pattern_ops);


--
-- Name: axes_accesslog_ip_address_86b417e5; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX axes_accesslog_ip_address_86b417e5 ON public.axes_accesslog USING btree (ip_address);


--
-- Name: axes_accesslog_user_agent_0e659004; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX axes_accesslog_user_agent_0e659004 ON public.axes_accesslog USING btree (user_agent);


--
-- Name: axes_accesslog_user_agent_0e659004_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX axes_accesslog_user_agent_0e659004_like ON public.axes_accesslog USING btree (user_agent varchar_pattern_ops);


--
-- Name: axes_accesslog_username_df93064b; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX axes_accesslog_username_df93064b ON public.axes_accesslog USING btree (username);


--
-- Name: axes_accesslog_username_df93064b_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX axes_accesslog_username_df93064b_like ON public.axes_accesslog USING btree (username varchar_pattern_ops);


--
-- Name: delivery_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX delivery_due ON public.rollcall_webhook_delivery USING btree (webhook_id, next_at, id) WHERE (state = 'pending'::text);


--
-- Name: delivery_of_webhook; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX delivery_of_webhook ON public.rollcall_webhook_delivery USING btree (webhook_id, id DESC);


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
-- Name: facts_packed_of_group; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX facts_packed_of_group ON ONLY public.rollcall_facts_packed USING btree (of_group, table_name, began);


--
-- Name: group_by_slot; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX group_by_slot ON public.rollcall_group USING btree (slot);


--
-- Name: group_config_by_slot; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX group_config_by_slot ON public.rollcall_group_config USING btree (slot);


--
-- Name: group_config_ends; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX group_config_ends ON public.rollcall_group_config USING btree (until) WHERE (until IS NOT NULL);


--
-- Name: journal_in_order; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX journal_in_order ON public.rollcall_journal USING brin (xid);


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
-- Name: life_in_order; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX life_in_order ON ONLY public.rollcall_life USING brin (xid);


--
-- Name: life_of_group; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX life_of_group ON ONLY public.rollcall_life USING btree (group_id, joined_at) WHERE (left_at IS NOT NULL);


--
-- Name: life_open_of_member; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX life_open_of_member ON public.rollcall_life_open USING btree (group_id, member_id);


--
-- Name: liveness_by_deadline; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX liveness_by_deadline ON public.rollcall_liveness USING btree (deadline_at);


--
-- Name: mark_of_group; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX mark_of_group ON public.rollcall_mark USING btree (group_id, at);


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
-- Name: otp_static_staticdevice_user_id_7f9cff2b; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX otp_static_staticdevice_user_id_7f9cff2b ON public.otp_static_staticdevice USING btree (user_id);


--
-- Name: otp_static_statictoken_device_id_74b7c7d1; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX otp_static_statictoken_device_id_74b7c7d1 ON public.otp_static_statictoken USING btree (device_id);


--
-- Name: otp_static_statictoken_token_d0a51866; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX otp_static_statictoken_token_d0a51866 ON public.otp_static_statictoken USING btree (token);


--
-- Name: otp_static_statictoken_token_d0a51866_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX otp_static_statictoken_token_d0a51866_like ON public.otp_static_statictoken USING btree (token varchar_pattern_ops);


--
-- Name: otp_totp_totpdevice_user_id_0fb18292; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX otp_totp_totpdevice_user_id_0fb18292 ON public.otp_totp_totpdevice USING btree (user_id);


--
-- Name: ownership_in_order; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ownership_in_order ON ONLY public.rollcall_ownership USING brin (xid);


--
-- Name: ownership_of_group; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ownership_of_group ON ONLY public.rollcall_ownership USING btree (group_id, from_at) WHERE (until_at IS NOT NULL);


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
-- Name: progress_in_order; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX progress_in_order ON ONLY public.rollcall_progress USING brin (xid);


--
-- Name: progress_of_group; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX progress_of_group ON ONLY public.rollcall_progress USING btree (group_id, hour);


--
-- Name: report_rows; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX report_rows ON public.rollcall_report_row USING btree (run_id, report, period);


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
-- Name: rollcall_facts_packed_default_of_group_table_name_began_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_facts_packed_default_of_group_table_name_began_idx ON public.rollcall_facts_packed_default USING btree (of_group, table_name, began);


--
-- Name: rollcall_group_counts_group_id_82eefb0e_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_group_counts_group_id_82eefb0e_like ON public.rollcall_group_counts USING btree (group_id text_pattern_ops);


--
-- Name: rollcall_group_group_id_bb302ce1_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_group_group_id_bb302ce1_like ON public.rollcall_group USING btree (group_id text_pattern_ops);


--
-- Name: rollcall_life_20261128_group_id_joined_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_life_20261128_group_id_joined_at_idx ON public.rollcall_life_20261128 USING btree (group_id, joined_at) WHERE (left_at IS NOT NULL);


--
-- Name: rollcall_life_20261128_xid_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_life_20261128_xid_idx ON public.rollcall_life_20261128 USING brin (xid);


--
-- Name: rollcall_life_20261129_group_id_joined_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_life_20261129_group_id_joined_at_idx ON public.rollcall_life_20261129 USING btree (group_id, joined_at) WHERE (left_at IS NOT NULL);


--
-- Name: rollcall_life_20261129_xid_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_life_20261129_xid_idx ON public.rollcall_life_20261129 USING brin (xid);


--
-- Name: rollcall_life_20261130_group_id_joined_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_life_20261130_group_id_joined_at_idx ON public.rollcall_life_20261130 USING btree (group_id, joined_at) WHERE (left_at IS NOT NULL);


--
-- Name: rollcall_life_20261130_xid_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_life_20261130_xid_idx ON public.rollcall_life_20261130 USING brin (xid);


--
-- Name: rollcall_life_default_group_id_joined_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_life_default_group_id_joined_at_idx ON public.rollcall_life_default USING btree (group_id, joined_at) WHERE (left_at IS NOT NULL);


--
-- Name: rollcall_life_default_xid_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_life_default_xid_idx ON public.rollcall_life_default USING brin (xid);


--
-- Name: rollcall_member_group_id_048faef8; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_member_group_id_048faef8 ON public.rollcall_member USING btree (group_id);


--
-- Name: rollcall_member_group_id_048faef8_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_member_group_id_048faef8_like ON public.rollcall_member USING btree (group_id text_pattern_ops);


--
-- Name: rollcall_offset_history_2026112820_group_id_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_offset_history_2026112820_group_id_at_idx ON public.rollcall_offset_history_2026112820 USING btree (group_id, at);


--
-- Name: rollcall_offset_history_2026112821_group_id_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_offset_history_2026112821_group_id_at_idx ON public.rollcall_offset_history_2026112821 USING btree (group_id, at);


--
-- Name: rollcall_offset_history_2026112822_group_id_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_offset_history_2026112822_group_id_at_idx ON public.rollcall_offset_history_2026112822 USING btree (group_id, at);


--
-- Name: rollcall_offset_history_default_group_id_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_offset_history_default_group_id_at_idx ON public.rollcall_offset_history_default USING btree (group_id, at);


--
-- Name: rollcall_operation_idempotency_key_460fde44_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_operation_idempotency_key_460fde44_like ON public.rollcall_operation USING btree (idempotency_key text_pattern_ops);


--
-- Name: rollcall_ownership_20261128_group_id_from_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_ownership_20261128_group_id_from_at_idx ON public.rollcall_ownership_20261128 USING btree (group_id, from_at) WHERE (until_at IS NOT NULL);


--
-- Name: rollcall_ownership_20261128_xid_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_ownership_20261128_xid_idx ON public.rollcall_ownership_20261128 USING brin (xid);


--
-- Name: rollcall_ownership_20261129_group_id_from_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_ownership_20261129_group_id_from_at_idx ON public.rollcall_ownership_20261129 USING btree (group_id, from_at) WHERE (until_at IS NOT NULL);


--
-- Name: rollcall_ownership_20261129_xid_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_ownership_20261129_xid_idx ON public.rollcall_ownership_20261129 USING brin (xid);


--
-- Name: rollcall_ownership_20261130_group_id_from_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_ownership_20261130_group_id_from_at_idx ON public.rollcall_ownership_20261130 USING btree (group_id, from_at) WHERE (until_at IS NOT NULL);


--
-- Name: rollcall_ownership_20261130_xid_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_ownership_20261130_xid_idx ON public.rollcall_ownership_20261130 USING brin (xid);


--
-- Name: rollcall_ownership_default_group_id_from_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_ownership_default_group_id_from_at_idx ON public.rollcall_ownership_default USING btree (group_id, from_at) WHERE (until_at IS NOT NULL);


--
-- Name: rollcall_ownership_default_xid_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_ownership_default_xid_idx ON public.rollcall_ownership_default USING brin (xid);


--
-- Name: rollcall_progress_20261128_group_id_hour_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_progress_20261128_group_id_hour_idx ON public.rollcall_progress_20261128 USING btree (group_id, hour);


--
-- Name: rollcall_progress_20261128_xid_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_progress_20261128_xid_idx ON public.rollcall_progress_20261128 USING brin (xid);


--
-- Name: rollcall_progress_20261129_group_id_hour_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_progress_20261129_group_id_hour_idx ON public.rollcall_progress_20261129 USING btree (group_id, hour);


--
-- Name: rollcall_progress_20261129_xid_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_progress_20261129_xid_idx ON public.rollcall_progress_20261129 USING brin (xid);


--
-- Name: rollcall_progress_20261130_group_id_hour_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_progress_20261130_group_id_hour_idx ON public.rollcall_progress_20261130 USING btree (group_id, hour);


--
-- Name: rollcall_progress_20261130_xid_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_progress_20261130_xid_idx ON public.rollcall_progress_20261130 USING brin (xid);


--
-- Name: rollcall_progress_default_group_id_hour_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_progress_default_group_id_hour_idx ON public.rollcall_progress_default USING btree (group_id, hour);


--
-- Name: rollcall_progress_default_xid_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_progress_default_xid_idx ON public.rollcall_progress_default USING brin (xid);


--
-- Name: rollcall_report_row_run_id_c8f25f9a; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_report_row_run_id_c8f25f9a ON public.rollcall_report_row USING btree (run_id);


--
-- Name: round_of_group; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX round_of_group ON ONLY public.rollcall_round USING btree (group_id, ended_at);


--
-- Name: rollcall_round_20261128_group_id_ended_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_round_20261128_group_id_ended_at_idx ON public.rollcall_round_20261128 USING btree (group_id, ended_at);


--
-- Name: round_in_order; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX round_in_order ON ONLY public.rollcall_round USING brin (xid);


--
-- Name: rollcall_round_20261128_xid_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_round_20261128_xid_idx ON public.rollcall_round_20261128 USING brin (xid);


--
-- Name: rollcall_round_20261129_group_id_ended_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_round_20261129_group_id_ended_at_idx ON public.rollcall_round_20261129 USING btree (group_id, ended_at);


--
-- Name: rollcall_round_20261129_xid_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_round_20261129_xid_idx ON public.rollcall_round_20261129 USING brin (xid);


--
-- Name: rollcall_round_20261130_group_id_ended_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_round_20261130_group_id_ended_at_idx ON public.rollcall_round_20261130 USING btree (group_id, ended_at);


--
-- Name: rollcall_round_20261130_xid_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_round_20261130_xid_idx ON public.rollcall_round_20261130 USING brin (xid);


--
-- Name: rollcall_round_default_group_id_ended_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_round_default_group_id_ended_at_idx ON public.rollcall_round_default USING btree (group_id, ended_at);


--
-- Name: rollcall_round_default_xid_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_round_default_xid_idx ON public.rollcall_round_default USING brin (xid);


--
-- Name: rollcall_saved_view_user_id_9ffc640f; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_saved_view_user_id_9ffc640f ON public.rollcall_saved_view USING btree (user_id);


--
-- Name: silence_of_group; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX silence_of_group ON ONLY public.rollcall_silence USING btree (group_id, hour);


--
-- Name: rollcall_silence_20261128_group_id_hour_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_silence_20261128_group_id_hour_idx ON public.rollcall_silence_20261128 USING btree (group_id, hour);


--
-- Name: silence_in_order; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX silence_in_order ON ONLY public.rollcall_silence USING brin (xid);


--
-- Name: rollcall_silence_20261128_xid_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_silence_20261128_xid_idx ON public.rollcall_silence_20261128 USING brin (xid);


--
-- Name: rollcall_silence_20261129_group_id_hour_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_silence_20261129_group_id_hour_idx ON public.rollcall_silence_20261129 USING btree (group_id, hour);


--
-- Name: rollcall_silence_20261129_xid_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_silence_20261129_xid_idx ON public.rollcall_silence_20261129 USING brin (xid);


--
-- Name: rollcall_silence_20261130_group_id_hour_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_silence_20261130_group_id_hour_idx ON public.rollcall_silence_20261130 USING btree (group_id, hour);


--
-- Name: rollcall_silence_20261130_xid_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_silence_20261130_xid_idx ON public.rollcall_silence_20261130 USING brin (xid);


--
-- Name: rollcall_silence_default_group_id_hour_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_silence_default_group_id_hour_idx ON public.rollcall_silence_default USING btree (group_id, hour);


--
-- Name: rollcall_silence_default_xid_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_silence_default_xid_idx ON public.rollcall_silence_default USING brin (xid);


--
-- Name: rollcall_sweep_name_6ce9e61d_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_sweep_name_6ce9e61d_like ON public.rollcall_sweep USING btree (name text_pattern_ops);


--
-- Name: rollcall_topic_name_563f2597_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_topic_name_563f2597_like ON public.rollcall_topic USING btree (name text_pattern_ops);


--
-- Name: rollcall_waiting_group_id_84e9fd96_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_waiting_group_id_84e9fd96_like ON public.rollcall_waiting USING btree (group_id text_pattern_ops);


--
-- Name: rollcall_webhook_cursor_name_3f647f55_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_webhook_cursor_name_3f647f55_like ON public.rollcall_webhook_cursor USING btree (name text_pattern_ops);


--
-- Name: rollcall_webhook_name_9c33e114_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_webhook_name_9c33e114_like ON public.rollcall_webhook USING btree (name varchar_pattern_ops);


--
-- Name: rollcall_webhook_secret_webhook_id_790b8ff3; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rollcall_webhook_secret_webhook_id_790b8ff3 ON public.rollcall_webhook_secret USING btree (webhook_id);


--
-- Name: rollcall_facts_packed_default_of_group_table_name_began_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.facts_packed_of_group ATTACH PARTITION public.rollcall_facts_packed_default_of_group_table_name_began_idx;


--
-- Name: rollcall_life_20261128_group_id_joined_at_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.life_of_group ATTACH PARTITION public.rollcall_life_20261128_group_id_joined_at_idx;


--
-- Name: rollcall_life_20261128_xid_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.life_in_order ATTACH PARTITION public.rollcall_life_20261128_xid_idx;


--
-- Name: rollcall_life_20261129_group_id_joined_at_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.life_of_group ATTACH PARTITION public.rollcall_life_20261129_group_id_joined_at_idx;


--
-- Name: rollcall_life_20261129_xid_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.life_in_order ATTACH PARTITION public.rollcall_life_20261129_xid_idx;


--
-- Name: rollcall_life_20261130_group_id_joined_at_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.life_of_group ATTACH PARTITION public.rollcall_life_20261130_group_id_joined_at_idx;


--
-- Name: rollcall_life_20261130_xid_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.life_in_order ATTACH PARTITION public.rollcall_life_20261130_xid_idx;


--
-- Name: rollcall_life_default_group_id_joined_at_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.life_of_group ATTACH PARTITION public.rollcall_life_default_group_id_joined_at_idx;


--
-- Name: rollcall_life_default_xid_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.life_in_order ATTACH PARTITION public.rollcall_life_default_xid_idx;


--
-- Name: rollcall_offset_history_2026112820_group_id_at_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.offset_history_of_group ATTACH PARTITION public.rollcall_offset_history_2026112820_group_id_at_idx;


--
-- Name: rollcall_offset_history_2026112821_group_id_at_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.offset_history_of_group ATTACH PARTITION public.rollcall_offset_history_2026112821_group_id_at_idx;


--
-- Name: rollcall_offset_history_2026112822_group_id_at_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.offset_history_of_group ATTACH PARTITION public.rollcall_offset_history_2026112822_group_id_at_idx;


--
-- Name: rollcall_offset_history_default_group_id_at_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.offset_history_of_group ATTACH PARTITION public.rollcall_offset_history_default_group_id_at_idx;


--
-- Name: rollcall_ownership_20261128_group_id_from_at_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.ownership_of_group ATTACH PARTITION public.rollcall_ownership_20261128_group_id_from_at_idx;


--
-- Name: rollcall_ownership_20261128_xid_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.ownership_in_order ATTACH PARTITION public.rollcall_ownership_20261128_xid_idx;


--
-- Name: rollcall_ownership_20261129_group_id_from_at_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.ownership_of_group ATTACH PARTITION public.rollcall_ownership_20261129_group_id_from_at_idx;


--
-- Name: rollcall_ownership_20261129_xid_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.ownership_in_order ATTACH PARTITION public.rollcall_ownership_20261129_xid_idx;


--
-- Name: rollcall_ownership_20261130_group_id_from_at_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.ownership_of_group ATTACH PARTITION public.rollcall_ownership_20261130_group_id_from_at_idx;


--
-- Name: rollcall_ownership_20261130_xid_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.ownership_in_order ATTACH PARTITION public.rollcall_ownership_20261130_xid_idx;


--
-- Name: rollcall_ownership_default_group_id_from_at_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.ownership_of_group ATTACH PARTITION public.rollcall_ownership_default_group_id_from_at_idx;


--
-- Name: rollcall_ownership_default_xid_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.ownership_in_order ATTACH PARTITION public.rollcall_ownership_default_xid_idx;


--
-- Name: rollcall_progress_20261128_group_id_hour_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.progress_of_group ATTACH PARTITION public.rollcall_progress_20261128_group_id_hour_idx;


--
-- Name: rollcall_progress_20261128_xid_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.progress_in_order ATTACH PARTITION public.rollcall_progress_20261128_xid_idx;


--
-- Name: rollcall_progress_20261129_group_id_hour_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.progress_of_group ATTACH PARTITION public.rollcall_progress_20261129_group_id_hour_idx;


--
-- Name: rollcall_progress_20261129_xid_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.progress_in_order ATTACH PARTITION public.rollcall_progress_20261129_xid_idx;


--
-- Name: rollcall_progress_20261130_group_id_hour_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.progress_of_group ATTACH PARTITION public.rollcall_progress_20261130_group_id_hour_idx;


--
-- Name: rollcall_progress_20261130_xid_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.progress_in_order ATTACH PARTITION public.rollcall_progress_20261130_xid_idx;


--
-- Name: rollcall_progress_default_group_id_hour_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.progress_of_group ATTACH PARTITION public.rollcall_progress_default_group_id_hour_idx;


--
-- Name: rollcall_progress_default_xid_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.progress_in_order ATTACH PARTITION public.rollcall_progress_default_xid_idx;


--
-- Name: rollcall_round_20261128_group_id_ended_at_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.round_of_group ATTACH PARTITION public.rollcall_round_20261128_group_id_ended_at_idx;


--
-- Name: rollcall_round_20261128_xid_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.round_in_order ATTACH PARTITION public.rollcall_round_20261128_xid_idx;


--
-- Name: rollcall_round_20261129_group_id_ended_at_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.round_of_group ATTACH PARTITION public.rollcall_round_20261129_group_id_ended_at_idx;


--
-- Name: rollcall_round_20261129_xid_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.round_in_order ATTACH PARTITION public.rollcall_round_20261129_xid_idx;


--
-- Name: rollcall_round_20261130_group_id_ended_at_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.round_of_group ATTACH PARTITION public.rollcall_round_20261130_group_id_ended_at_idx;


--
-- Name: rollcall_round_20261130_xid_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.round_in_order ATTACH PARTITION public.rollcall_round_20261130_xid_idx;


--
-- Name: rollcall_round_default_group_id_ended_at_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.round_of_group ATTACH PARTITION public.rollcall_round_default_group_id_ended_at_idx;


--
-- Name: rollcall_round_default_xid_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.round_in_order ATTACH PARTITION public.rollcall_round_default_xid_idx;


--
-- Name: rollcall_silence_20261128_group_id_hour_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.silence_of_group ATTACH PARTITION public.rollcall_silence_20261128_group_id_hour_idx;


--
-- Name: rollcall_silence_20261128_xid_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.silence_in_order ATTACH PARTITION public.rollcall_silence_20261128_xid_idx;


--
-- Name: rollcall_silence_20261129_group_id_hour_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.silence_of_group ATTACH PARTITION public.rollcall_silence_20261129_group_id_hour_idx;


--
-- Name: rollcall_silence_20261129_xid_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.silence_in_order ATTACH PARTITION public.rollcall_silence_20261129_xid_idx;


--
-- Name: rollcall_silence_20261130_group_id_hour_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.silence_of_group ATTACH PARTITION public.rollcall_silence_20261130_group_id_hour_idx;


--
-- Name: rollcall_silence_20261130_xid_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.silence_in_order ATTACH PARTITION public.rollcall_silence_20261130_xid_idx;


--
-- Name: rollcall_silence_default_group_id_hour_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.silence_of_group ATTACH PARTITION public.rollcall_silence_default_group_id_hour_idx;


--
-- Name: rollcall_silence_default_xid_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.silence_in_order ATTACH PARTITION public.rollcall_silence_default_xid_idx;


--
-- Name: q_rollcall rollcall_notify; Type: TRIGGER; Schema: pgmq; Owner: -
--

CREATE TRIGGER rollcall_notify AFTER INSERT ON pgmq.q_rollcall FOR EACH STATEMENT EXECUTE FUNCTION pgmq.rollcall_notify();


--
-- Name: auth_group rollcall_audit; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER rollcall_audit AFTER INSERT OR DELETE OR UPDATE ON public.auth_group FOR EACH ROW EXECUTE FUNCTION public.rollcall_audit_row('role', 'name', '', '');


--
-- Name: auth_group_permissions rollcall_audit; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER rollcall_audit AFTER INSERT OR DELETE OR UPDATE ON public.auth_group_permissions FOR EACH ROW EXECUTE FUNCTION public.rollcall_audit_row('permission-of-role', 'group_id', '', '');


--
-- Name: auth_user rollcall_audit; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER rollcall_audit AFTER INSERT OR DELETE OR UPDATE ON public.auth_user FOR EACH ROW EXECUTE FUNCTION public.rollcall_audit_row('user', 'username', 'password', 'last_login');


--
-- Name: auth_user_groups rollcall_audit; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER rollcall_audit AFTER INSERT OR DELETE OR UPDATE ON public.auth_user_groups FOR EACH ROW EXECUTE FUNCTION public.rollcall_audit_row('role-of-user', 'user_id', '', '');


--
-- Name: auth_user_user_permissions rollcall_audit; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER rollcall_audit AFTER INSERT OR DELETE OR UPDATE ON public.auth_user_user_permissions FOR EACH ROW EXECUTE FUNCTION public.rollcall_audit_row('permission-of-user', 'user_id', '', '');


--
-- Name: django_celery_beat_crontabschedule rollcall_audit; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER rollcall_audit AFTER INSERT OR DELETE OR UPDATE ON public.django_celery_beat_crontabschedule FOR EACH ROW EXECUTE FUNCTION public.rollcall_audit_row('crontab', 'id', '', '');


--
-- Name: django_celery_beat_intervalschedule rollcall_audit; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER rollcall_audit AFTER INSERT OR DELETE OR UPDATE ON public.django_celery_beat_intervalschedule FOR EACH ROW EXECUTE FUNCTION public.rollcall_audit_row('interval', 'id', '', '');


--
-- Name: django_celery_beat_periodictask rollcall_audit; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER rollcall_audit AFTER INSERT OR DELETE OR UPDATE ON public.django_celery_beat_periodictask FOR EACH ROW EXECUTE FUNCTION public.rollcall_audit_row('schedule', 'name', '', 'last_run_at,total_run_count,date_changed');


--
-- Name: otp_static_staticdevice rollcall_audit; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER rollcall_audit AFTER INSERT OR DELETE OR UPDATE ON public.otp_static_staticdevice FOR EACH ROW EXECUTE FUNCTION public.rollcall_audit_row('recovery-codes', 'user_id', '', 'throttling_failure_count,throttling_failure_timestamp,last_used_at');


--
-- Name: otp_totp_totpdevice rollcall_audit; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER rollcall_audit AFTER INSERT OR DELETE OR UPDATE ON public.otp_totp_totpdevice FOR EACH ROW EXECUTE FUNCTION public.rollcall_audit_row('second-factor', 'user_id', 'key', 'throttling_failure_count,throttling_failure_timestamp,last_used_at,last_t,drift');


--
-- Name: rollcall_acknowledgement rollcall_audit; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER rollcall_audit AFTER INSERT OR DELETE OR UPDATE ON public.rollcall_acknowledgement FOR EACH ROW EXECUTE FUNCTION public.rollcall_audit_row('acknowledgement', 'rule', '', '');


--
-- Name: rollcall_advice_decision rollcall_audit; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER rollcall_audit AFTER INSERT OR DELETE OR UPDATE ON public.rollcall_advice_decision FOR EACH ROW EXECUTE FUNCTION public.rollcall_audit_row('advice', 'rule', '', '');


--
-- Name: rollcall_api_token rollcall_audit; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER rollcall_audit AFTER INSERT OR DELETE OR UPDATE ON public.rollcall_api_token FOR EACH ROW EXECUTE FUNCTION public.rollcall_audit_row('token', 'name', 'digest,session_hash', 'used_at');


--
-- Name: rollcall_application_grant rollcall_audit; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER rollcall_audit AFTER INSERT OR DELETE OR UPDATE ON public.rollcall_application_grant FOR EACH ROW EXECUTE FUNCTION public.rollcall_audit_row('grant', 'login', '', '');


--
-- Name: rollcall_credential rollcall_audit; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER rollcall_audit AFTER INSERT OR DELETE OR UPDATE ON public.rollcall_credential FOR EACH ROW EXECUTE FUNCTION public.rollcall_audit_row('credential', 'name', 'salt,stored_key,server_key', 'updated_at');


--
-- Name: rollcall_journal rollcall_audit; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER rollcall_audit AFTER INSERT ON public.rollcall_journal FOR EACH ROW WHEN ((new.details ? 'author'::text)) EXECUTE FUNCTION public.rollcall_audit_journal();


--
-- Name: rollcall_mark rollcall_audit; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER rollcall_audit AFTER INSERT OR DELETE OR UPDATE ON public.rollcall_mark FOR EACH ROW EXECUTE FUNCTION public.rollcall_audit_row('mark', 'text', '', '');


--
-- Name: rollcall_openid_user rollcall_audit; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER rollcall_audit AFTER INSERT OR DELETE OR UPDATE ON public.rollcall_openid_user FOR EACH ROW EXECUTE FUNCTION public.rollcall_audit_row('provider-of-user', 'user_id', '', '');


--
-- Name: rollcall_operation rollcall_audit; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER rollcall_audit AFTER INSERT ON public.rollcall_operation FOR EACH ROW WHEN ((new.verb <> 'expire-offsets'::text)) EXECUTE FUNCTION public.rollcall_audit_operation();


--
-- Name: rollcall_webhook rollcall_audit; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER rollcall_audit AFTER INSERT OR DELETE OR UPDATE ON public.rollcall_webhook FOR EACH ROW EXECUTE FUNCTION public.rollcall_audit_row('webhook', 'name', 'url', 'failures,failing_since,not_before,delivered_at');


--
-- Name: rollcall_webhook_secret rollcall_audit; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER rollcall_audit AFTER INSERT OR DELETE OR UPDATE ON public.rollcall_webhook_secret FOR EACH ROW EXECUTE FUNCTION public.rollcall_audit_row('webhook-secret', 'webhook_id', 'secret', '');


--
-- Name: rollcall_acl rollcall_audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER rollcall_audit_delete AFTER DELETE ON public.rollcall_acl REFERENCING OLD TABLE AS old_table FOR EACH STATEMENT EXECUTE FUNCTION public.rollcall_audit_changed('acl', 'name,resource_type,pattern,principal,host,operation,permission');


--
-- Name: rollcall_quota rollcall_audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER rollcall_audit_delete AFTER DELETE ON public.rollcall_quota REFERENCING OLD TABLE AS old_table FOR EACH STATEMENT EXECUTE FUNCTION public.rollcall_audit_changed('quota', 'user_name,entity_type,client_id,ip,key');


--
-- Name: rollcall_acl rollcall_audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER rollcall_audit_insert AFTER INSERT ON public.rollcall_acl REFERENCING NEW TABLE AS new_table FOR EACH STATEMENT EXECUTE FUNCTION public.rollcall_audit_changed('acl', 'name,resource_type,pattern,principal,host,operation,permission');


--
-- Name: rollcall_quota rollcall_audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER rollcall_audit_insert AFTER INSERT ON public.rollcall_quota REFERENCING NEW TABLE AS new_table FOR EACH STATEMENT EXECUTE FUNCTION public.rollcall_audit_changed('quota', 'user_name,entity_type,client_id,ip,key');


--
-- Name: rollcall_audit rollcall_audit_refuse; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER rollcall_audit_refuse BEFORE DELETE OR UPDATE OR TRUNCATE ON public.rollcall_audit FOR EACH STATEMENT EXECUTE FUNCTION public.rollcall_audit_refuse();


--
-- Name: rollcall_audit rollcall_audit_stamp; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER rollcall_audit_stamp BEFORE INSERT ON public.rollcall_audit FOR EACH ROW EXECUTE FUNCTION public.rollcall_audit_stamp();


--
-- Name: rollcall_acl rollcall_audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER rollcall_audit_truncate AFTER TRUNCATE ON public.rollcall_acl FOR EACH STATEMENT EXECUTE FUNCTION public.rollcall_audit_changed('acl', 'name,resource_type,pattern,principal,host,operation,permission');


--
-- Name: rollcall_application_grant rollcall_audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER rollcall_audit_truncate AFTER TRUNCATE ON public.rollcall_application_grant FOR EACH STATEMENT EXECUTE FUNCTION public.rollcall_audit_changed('grant', 'login');


--
-- Name: rollcall_credential rollcall_audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER rollcall_audit_truncate AFTER TRUNCATE ON public.rollcall_credential FOR EACH STATEMENT EXECUTE FUNCTION public.rollcall_audit_changed('credential', 'name');


--
-- Name: rollcall_quota rollcall_audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER rollcall_audit_truncate AFTER TRUNCATE ON public.rollcall_quota FOR EACH STATEMENT EXECUTE FUNCTION public.rollcall_audit_changed('quota', 'user_name,entity_type,client_id,ip,key');


--
-- Name: rollcall_acl rollcall_audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER rollcall_audit_update AFTER UPDATE ON public.rollcall_acl REFERENCING OLD TABLE AS old_table NEW TABLE AS new_table FOR EACH STATEMENT EXECUTE FUNCTION public.rollcall_audit_changed('acl', 'name,resource_type,pattern,principal,host,operation,permission');


--
-- Name: rollcall_quota rollcall_audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER rollcall_audit_update AFTER UPDATE ON public.rollcall_quota REFERENCING OLD TABLE AS old_table NEW TABLE AS new_table FOR EACH STATEMENT EXECUTE FUNCTION public.rollcall_audit_changed('quota', 'user_name,entity_type,client_id,ip,key');


--
-- Name: rollcall_mark rollcall_mark_noted; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER rollcall_mark_noted AFTER INSERT ON public.rollcall_mark FOR EACH ROW EXECUTE FUNCTION public.rollcall_note_mark();


--
-- Name: rollcall_noted_offsets rollcall_settle_offsets; Type: TRIGGER; Schema: public; Owner: -
--

CREATE CONSTRAINT TRIGGER rollcall_settle_offsets AFTER INSERT ON public.rollcall_noted_offsets DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.rollcall_settle_offsets();


--
-- Name: rollcall_timeline rollcall_timeline_here; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER rollcall_timeline_here BEFORE UPDATE ON public.rollcall_timeline FOR EACH ROW EXECUTE FUNCTION public.rollcall_timeline_here();


--
-- Name: rollcall_timeline timeline_jumps; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER timeline_jumps AFTER INSERT OR UPDATE OF jump ON public.rollcall_timeline FOR EACH ROW EXECUTE FUNCTION public.rollcall_next_era();


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
-- Name: axes_accessattemptexpiration axes_accessattemptex_access_attempt_id_6b73a47a_fk_axes_acce; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.axes_accessattemptexpiration
    ADD CONSTRAINT axes_accessattemptex_access_attempt_id_6b73a47a_fk_axes_acce FOREIGN KEY (access_attempt_id) REFERENCES public.axes_accessattempt(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: rollcall_webhook_delivery delivery_of_webhook; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_webhook_delivery
    ADD CONSTRAINT delivery_of_webhook FOREIGN KEY (webhook_id) REFERENCES public.rollcall_webhook(id) ON DELETE CASCADE;


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
-- Name: otp_static_staticdevice otp_static_staticdevice_user_id_7f9cff2b_fk_auth_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.otp_static_staticdevice
    ADD CONSTRAINT otp_static_staticdevice_user_id_7f9cff2b_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: otp_static_statictoken otp_static_statictok_device_id_74b7c7d1_fk_otp_stati; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.otp_static_statictoken
    ADD CONSTRAINT otp_static_statictok_device_id_74b7c7d1_fk_otp_stati FOREIGN KEY (device_id) REFERENCES public.otp_static_staticdevice(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: otp_totp_totpdevice otp_totp_totpdevice_user_id_0fb18292_fk_auth_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.otp_totp_totpdevice
    ADD CONSTRAINT otp_totp_totpdevice_user_id_0fb18292_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: rollcall_api_token rollcall_api_token_user_id_6741e78d_fk_auth_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_api_token
    ADD CONSTRAINT rollcall_api_token_user_id_6741e78d_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: rollcall_first_password rollcall_first_password_user_id_3b8e49c9_fk_auth_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_first_password
    ADD CONSTRAINT rollcall_first_password_user_id_3b8e49c9_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: rollcall_member rollcall_member_group_id_048faef8_fk_rollcall_group_group_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_member
    ADD CONSTRAINT rollcall_member_group_id_048faef8_fk_rollcall_group_group_id FOREIGN KEY (group_id) REFERENCES public.rollcall_group(group_id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: rollcall_openid_user rollcall_openid_user_user_id_c20a809e_fk_auth_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_openid_user
    ADD CONSTRAINT rollcall_openid_user_user_id_c20a809e_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: rollcall_report_row rollcall_report_row_run_id_c8f25f9a_fk_rollcall_report_run_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_report_row
    ADD CONSTRAINT rollcall_report_row_run_id_c8f25f9a_fk_rollcall_report_run_id FOREIGN KEY (run_id) REFERENCES public.rollcall_report_run(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: rollcall_saved_view rollcall_saved_view_user_id_9ffc640f_fk_auth_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_saved_view
    ADD CONSTRAINT rollcall_saved_view_user_id_9ffc640f_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: rollcall_webhook_secret secret_of_webhook; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rollcall_webhook_secret
    ADD CONSTRAINT secret_of_webhook FOREIGN KEY (webhook_id) REFERENCES public.rollcall_webhook(id) ON DELETE CASCADE;


--
-- Name: SCHEMA pgmq; Type: ACL; Schema: -; Owner: -
--

GRANT USAGE ON SCHEMA pgmq TO pg_monitor;
GRANT USAGE ON SCHEMA pgmq TO rollcall_worker;
GRANT USAGE ON SCHEMA pgmq TO rollcall_web;


--
-- Name: SCHEMA public; Type: ACL; Schema: -; Owner: -
--

GRANT USAGE ON SCHEMA public TO rollcall_node;
GRANT USAGE ON SCHEMA public TO rollcall_web;
GRANT USAGE ON SCHEMA public TO rollcall_worker;
GRANT USAGE ON SCHEMA public TO rollcall_analysis;
GRANT USAGE ON SCHEMA public TO rollcall_application;


--
-- Name: FUNCTION lo_creat(integer); Type: ACL; Schema: pg_catalog; Owner: -
--

REVOKE ALL ON FUNCTION pg_catalog.lo_creat(integer) FROM PUBLIC;


--
-- Name: FUNCTION lo_create(oid); Type: ACL; Schema: pg_catalog; Owner: -
--

REVOKE ALL ON FUNCTION pg_catalog.lo_create(oid) FROM PUBLIC;


--
-- Name: FUNCTION lo_from_bytea(oid, bytea); Type: ACL; Schema: pg_catalog; Owner: -
--

REVOKE ALL ON FUNCTION pg_catalog.lo_from_bytea(oid, bytea) FROM PUBLIC;


--
-- Name: FUNCTION pg_advisory_lock(bigint); Type: ACL; Schema: pg_catalog; Owner: -
--

REVOKE ALL ON FUNCTION pg_catalog.pg_advisory_lock(bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_lock(bigint) TO rollcall_node;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_lock(bigint) TO rollcall_web;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_lock(bigint) TO rollcall_worker;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_lock(bigint) TO rollcall_analysis;


--
-- Name: FUNCTION pg_advisory_lock(integer, integer); Type: ACL; Schema: pg_catalog; Owner: -
--

REVOKE ALL ON FUNCTION pg_catalog.pg_advisory_lock(integer, integer) FROM PUBLIC;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_lock(integer, integer) TO rollcall_node;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_lock(integer, integer) TO rollcall_web;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_lock(integer, integer) TO rollcall_worker;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_lock(integer, integer) TO rollcall_analysis;


--
-- Name: FUNCTION pg_advisory_lock_shared(bigint); Type: ACL; Schema: pg_catalog; Owner: -
--

REVOKE ALL ON FUNCTION pg_catalog.pg_advisory_lock_shared(bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_lock_shared(bigint) TO rollcall_node;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_lock_shared(bigint) TO rollcall_web;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_lock_shared(bigint) TO rollcall_worker;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_lock_shared(bigint) TO rollcall_analysis;


--
-- Name: FUNCTION pg_advisory_lock_shared(integer, integer); Type: ACL; Schema: pg_catalog; Owner: -
--

REVOKE ALL ON FUNCTION pg_catalog.pg_advisory_lock_shared(integer, integer) FROM PUBLIC;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_lock_shared(integer, integer) TO rollcall_node;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_lock_shared(integer, integer) TO rollcall_web;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_lock_shared(integer, integer) TO rollcall_worker;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_lock_shared(integer, integer) TO rollcall_analysis;


--
-- Name: FUNCTION pg_advisory_unlock(bigint); Type: ACL; Schema: pg_catalog; Owner: -
--

REVOKE ALL ON FUNCTION pg_catalog.pg_advisory_unlock(bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_unlock(bigint) TO rollcall_node;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_unlock(bigint) TO rollcall_web;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_unlock(bigint) TO rollcall_worker;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_unlock(bigint) TO rollcall_analysis;


--
-- Name: FUNCTION pg_advisory_unlock(integer, integer); Type: ACL; Schema: pg_catalog; Owner: -
--

REVOKE ALL ON FUNCTION pg_catalog.pg_advisory_unlock(integer, integer) FROM PUBLIC;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_unlock(integer, integer) TO rollcall_node;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_unlock(integer, integer) TO rollcall_web;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_unlock(integer, integer) TO rollcall_worker;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_unlock(integer, integer) TO rollcall_analysis;


--
-- Name: FUNCTION pg_advisory_unlock_all(); Type: ACL; Schema: pg_catalog; Owner: -
--

REVOKE ALL ON FUNCTION pg_catalog.pg_advisory_unlock_all() FROM PUBLIC;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_unlock_all() TO rollcall_node;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_unlock_all() TO rollcall_web;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_unlock_all() TO rollcall_worker;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_unlock_all() TO rollcall_analysis;


--
-- Name: FUNCTION pg_advisory_unlock_shared(bigint); Type: ACL; Schema: pg_catalog; Owner: -
--

REVOKE ALL ON FUNCTION pg_catalog.pg_advisory_unlock_shared(bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_unlock_shared(bigint) TO rollcall_node;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_unlock_shared(bigint) TO rollcall_web;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_unlock_shared(bigint) TO rollcall_worker;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_unlock_shared(bigint) TO rollcall_analysis;


--
-- Name: FUNCTION pg_advisory_unlock_shared(integer, integer); Type: ACL; Schema: pg_catalog; Owner: -
--

REVOKE ALL ON FUNCTION pg_catalog.pg_advisory_unlock_shared(integer, integer) FROM PUBLIC;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_unlock_shared(integer, integer) TO rollcall_node;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_unlock_shared(integer, integer) TO rollcall_web;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_unlock_shared(integer, integer) TO rollcall_worker;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_unlock_shared(integer, integer) TO rollcall_analysis;


--
-- Name: FUNCTION pg_advisory_xact_lock(bigint); Type: ACL; Schema: pg_catalog; Owner: -
--

REVOKE ALL ON FUNCTION pg_catalog.pg_advisory_xact_lock(bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_xact_lock(bigint) TO rollcall_node;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_xact_lock(bigint) TO rollcall_web;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_xact_lock(bigint) TO rollcall_worker;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_xact_lock(bigint) TO rollcall_analysis;


--
-- Name: FUNCTION pg_advisory_xact_lock(integer, integer); Type: ACL; Schema: pg_catalog; Owner: -
--

REVOKE ALL ON FUNCTION pg_catalog.pg_advisory_xact_lock(integer, integer) FROM PUBLIC;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_xact_lock(integer, integer) TO rollcall_node;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_xact_lock(integer, integer) TO rollcall_web;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_xact_lock(integer, integer) TO rollcall_worker;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_xact_lock(integer, integer) TO rollcall_analysis;


--
-- Name: FUNCTION pg_advisory_xact_lock_shared(bigint); Type: ACL; Schema: pg_catalog; Owner: -
--

REVOKE ALL ON FUNCTION pg_catalog.pg_advisory_xact_lock_shared(bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_xact_lock_shared(bigint) TO rollcall_node;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_xact_lock_shared(bigint) TO rollcall_web;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_xact_lock_shared(bigint) TO rollcall_worker;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_xact_lock_shared(bigint) TO rollcall_analysis;


--
-- Name: FUNCTION pg_advisory_xact_lock_shared(integer, integer); Type: ACL; Schema: pg_catalog; Owner: -
--

REVOKE ALL ON FUNCTION pg_catalog.pg_advisory_xact_lock_shared(integer, integer) FROM PUBLIC;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_xact_lock_shared(integer, integer) TO rollcall_node;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_xact_lock_shared(integer, integer) TO rollcall_web;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_xact_lock_shared(integer, integer) TO rollcall_worker;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_xact_lock_shared(integer, integer) TO rollcall_analysis;


--
-- Name: FUNCTION pg_try_advisory_lock(bigint); Type: ACL; Schema: pg_catalog; Owner: -
--

REVOKE ALL ON FUNCTION pg_catalog.pg_try_advisory_lock(bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_lock(bigint) TO rollcall_node;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_lock(bigint) TO rollcall_web;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_lock(bigint) TO rollcall_worker;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_lock(bigint) TO rollcall_analysis;


--
-- Name: FUNCTION pg_try_advisory_lock(integer, integer); Type: ACL; Schema: pg_catalog; Owner: -
--

REVOKE ALL ON FUNCTION pg_catalog.pg_try_advisory_lock(integer, integer) FROM PUBLIC;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_lock(integer, integer) TO rollcall_node;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_lock(integer, integer) TO rollcall_web;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_lock(integer, integer) TO rollcall_worker;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_lock(integer, integer) TO rollcall_analysis;


--
-- Name: FUNCTION pg_try_advisory_lock_shared(bigint); Type: ACL; Schema: pg_catalog; Owner: -
--

REVOKE ALL ON FUNCTION pg_catalog.pg_try_advisory_lock_shared(bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_lock_shared(bigint) TO rollcall_node;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_lock_shared(bigint) TO rollcall_web;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_lock_shared(bigint) TO rollcall_worker;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_lock_shared(bigint) TO rollcall_analysis;


--
-- Name: FUNCTION pg_try_advisory_lock_shared(integer, integer); Type: ACL; Schema: pg_catalog; Owner: -
--

REVOKE ALL ON FUNCTION pg_catalog.pg_try_advisory_lock_shared(integer, integer) FROM PUBLIC;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_lock_shared(integer, integer) TO rollcall_node;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_lock_shared(integer, integer) TO rollcall_web;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_lock_shared(integer, integer) TO rollcall_worker;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_lock_shared(integer, integer) TO rollcall_analysis;


--
-- Name: FUNCTION pg_try_advisory_xact_lock(bigint); Type: ACL; Schema: pg_catalog; Owner: -
--

REVOKE ALL ON FUNCTION pg_catalog.pg_try_advisory_xact_lock(bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_xact_lock(bigint) TO rollcall_node;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_xact_lock(bigint) TO rollcall_web;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_xact_lock(bigint) TO rollcall_worker;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_xact_lock(bigint) TO rollcall_analysis;


--
-- Name: FUNCTION pg_try_advisory_xact_lock(integer, integer); Type: ACL; Schema: pg_catalog; Owner: -
--

REVOKE ALL ON FUNCTION pg_catalog.pg_try_advisory_xact_lock(integer, integer) FROM PUBLIC;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_xact_lock(integer, integer) TO rollcall_node;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_xact_lock(integer, integer) TO rollcall_web;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_xact_lock(integer, integer) TO rollcall_worker;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_xact_lock(integer, integer) TO rollcall_analysis;


--
-- Name: FUNCTION pg_try_advisory_xact_lock_shared(bigint); Type: ACL; Schema: pg_catalog; Owner: -
--

REVOKE ALL ON FUNCTION pg_catalog.pg_try_advisory_xact_lock_shared(bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_xact_lock_shared(bigint) TO rollcall_node;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_xact_lock_shared(bigint) TO rollcall_web;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_xact_lock_shared(bigint) TO rollcall_worker;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_xact_lock_shared(bigint) TO rollcall_analysis;


--
-- Name: FUNCTION pg_try_advisory_xact_lock_shared(integer, integer); Type: ACL; Schema: pg_catalog; Owner: -
--

REVOKE ALL ON FUNCTION pg_catalog.pg_try_advisory_xact_lock_shared(integer, integer) FROM PUBLIC;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_xact_lock_shared(integer, integer) TO rollcall_node;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_xact_lock_shared(integer, integer) TO rollcall_web;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_xact_lock_shared(integer, integer) TO rollcall_worker;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_xact_lock_shared(integer, integer) TO rollcall_analysis;


--
-- Name: FUNCTION rollcall_audit_changed(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.rollcall_audit_changed() FROM PUBLIC;


--
-- Name: FUNCTION rollcall_audit_journal(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.rollcall_audit_journal() FROM PUBLIC;


--
-- Name: FUNCTION rollcall_audit_operation(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.rollcall_audit_operation() FROM PUBLIC;


--
-- Name: FUNCTION rollcall_audit_refuse(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.rollcall_audit_refuse() FROM PUBLIC;


--
-- Name: FUNCTION rollcall_audit_row(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.rollcall_audit_row() FROM PUBLIC;


--
-- Name: FUNCTION rollcall_audit_rows(noun text, keys text[], old_rows jsonb[], new_rows jsonb[]); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.rollcall_audit_rows(noun text, keys text[], old_rows jsonb[], new_rows jsonb[]) FROM PUBLIC;


--
-- Name: FUNCTION rollcall_audit_stamp(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.rollcall_audit_stamp() FROM PUBLIC;


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
-- Name: FUNCTION rollcall_create_acls(text[], text[], text[], text[], text[], text[], text[], jsonb); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.rollcall_create_acls(text[], text[], text[], text[], text[], text[], text[], jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.rollcall_create_acls(text[], text[], text[], text[], text[], text[], text[], jsonb) TO rollcall_web;


--
-- Name: FUNCTION rollcall_create_topics(text[], uuid[], integer[], jsonb); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.rollcall_create_topics(text[], uuid[], integer[], jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.rollcall_create_topics(text[], uuid[], integer[], jsonb) TO rollcall_web;
GRANT ALL ON FUNCTION public.rollcall_create_topics(text[], uuid[], integer[], jsonb) TO rollcall_worker;


--
-- Name: TABLE rollcall_era; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.rollcall_era TO rollcall_node;
GRANT SELECT ON TABLE public.rollcall_era TO rollcall_web;
GRANT SELECT ON TABLE public.rollcall_era TO rollcall_worker;
GRANT SELECT ON TABLE public.rollcall_era TO rollcall_analysis;


--
-- Name: FUNCTION rollcall_delete_acls(text[], text[], text[], text[], text[], text[], text[], jsonb); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.rollcall_delete_acls(text[], text[], text[], text[], text[], text[], text[], jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.rollcall_delete_acls(text[], text[], text[], text[], text[], text[], text[], jsonb) TO rollcall_web;


--
-- Name: FUNCTION rollcall_delete_credential(text, text, jsonb); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.rollcall_delete_credential(text, text, jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.rollcall_delete_credential(text, text, jsonb) TO rollcall_web;


--
-- Name: FUNCTION rollcall_delete_topic(text, uuid, jsonb); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.rollcall_delete_topic(text, uuid, jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.rollcall_delete_topic(text, uuid, jsonb) TO rollcall_web;


--
-- Name: FUNCTION rollcall_demand_group(group_id text); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.rollcall_demand_group(group_id text) FROM PUBLIC;


--
-- Name: FUNCTION rollcall_drain_node(integer, text, jsonb); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.rollcall_drain_node(integer, text, jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.rollcall_drain_node(integer, text, jsonb) TO rollcall_web;


--
-- Name: FUNCTION rollcall_end_holders(group_id text); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.rollcall_end_holders(group_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.rollcall_end_holders(group_id text) TO rollcall_node;


--
-- Name: FUNCTION rollcall_forget_node(integer, text, jsonb); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.rollcall_forget_node(integer, text, jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.rollcall_forget_node(integer, text, jsonb) TO rollcall_web;


--
-- Name: FUNCTION rollcall_grow_topic(text, integer, jsonb); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.rollcall_grow_topic(text, integer, jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.rollcall_grow_topic(text, integer, jsonb) TO rollcall_web;
GRANT ALL ON FUNCTION public.rollcall_grow_topic(text, integer, jsonb) TO rollcall_worker;


--
-- Name: FUNCTION rollcall_note_floor(key text, parent text, name text, until timestamp with time zone); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.rollcall_note_floor(key text, parent text, name text, until timestamp with time zone) FROM PUBLIC;


--
-- Name: FUNCTION rollcall_note_mark(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.rollcall_note_mark() FROM PUBLIC;


--
-- Name: FUNCTION rollcall_pack_facts(late interval); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.rollcall_pack_facts(late interval) FROM PUBLIC;
GRANT ALL ON FUNCTION public.rollcall_pack_facts(late interval) TO rollcall_worker;


--
-- Name: TABLE rollcall_progress; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.rollcall_progress TO rollcall_web;
GRANT SELECT,INSERT ON TABLE public.rollcall_progress TO rollcall_worker;
GRANT SELECT ON TABLE public.rollcall_progress TO rollcall_analysis;


--
-- Name: FUNCTION rollcall_place_topic(text, jsonb, integer, jsonb); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.rollcall_place_topic(text, jsonb, integer, jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.rollcall_place_topic(text, jsonb, integer, jsonb) TO rollcall_web;
GRANT ALL ON FUNCTION public.rollcall_place_topic(text, jsonb, integer, jsonb) TO rollcall_worker;


--
-- Name: FUNCTION rollcall_raise_ends(text, bigint[]); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.rollcall_raise_ends(text, bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.rollcall_raise_ends(text, bigint[]) TO rollcall_web;
GRANT ALL ON FUNCTION public.rollcall_raise_ends(text, bigint[]) TO rollcall_worker;


--
-- Name: FUNCTION rollcall_raise_epochs(seen_jump uuid, seen_generations integer, node_id integer, reason text); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.rollcall_raise_epochs(seen_jump uuid, seen_generations integer, node_id integer, reason text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.rollcall_raise_epochs(seen_jump uuid, seen_generations integer, node_id integer, reason text) TO rollcall_node;


--
-- Name: FUNCTION rollcall_remove_quotas(text[], text[], text[], text[], text[], jsonb); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.rollcall_remove_quotas(text[], text[], text[], text[], text[], jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.rollcall_remove_quotas(text[], text[], text[], text[], text[], jsonb) TO rollcall_web;


--
-- Name: FUNCTION rollcall_set_credential(text, text, bytea, integer, bytea, bytea, jsonb); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.rollcall_set_credential(text, text, bytea, integer, bytea, bytea, jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.rollcall_set_credential(text, text, bytea, integer, bytea, bytea, jsonb) TO rollcall_web;


--
-- Name: FUNCTION rollcall_set_group_config(text[], smallint, text[], text[], text[], text[], text, jsonb); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.rollcall_set_group_config(text[], smallint, text[], text[], text[], text[], text, jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.rollcall_set_group_config(text[], smallint, text[], text[], text[], text[], text, jsonb) TO rollcall_web;


--
-- Name: FUNCTION rollcall_set_quotas(text[], text[], text[], text[], text[], double precision[], jsonb); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.rollcall_set_quotas(text[], text[], text[], text[], text[], double precision[], jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.rollcall_set_quotas(text[], text[], text[], text[], text[], double precision[], jsonb) TO rollcall_web;


--
-- Name: FUNCTION rollcall_settle_offsets(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.rollcall_settle_offsets() FROM PUBLIC;


--
-- Name: FUNCTION rollcall_turn_facts(hours integer, mebibytes integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.rollcall_turn_facts(hours integer, mebibytes integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.rollcall_turn_facts(hours integer, mebibytes integer) TO rollcall_worker;


--
-- Name: FUNCTION rollcall_turn_history(hours integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.rollcall_turn_history(hours integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.rollcall_turn_history(hours integer) TO rollcall_worker;


--
-- Name: FUNCTION rollcall_turn_packed(hours integer, mebibytes integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.rollcall_turn_packed(hours integer, mebibytes integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.rollcall_turn_packed(hours integer, mebibytes integer) TO rollcall_worker;


--
-- Name: FUNCTION rollcall_undrain_node(integer, text, jsonb); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.rollcall_undrain_node(integer, text, jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.rollcall_undrain_node(integer, text, jsonb) TO rollcall_web;


--
-- Name: TABLE a_rollcall; Type: ACL; Schema: pgmq; Owner: -
--

GRANT SELECT ON TABLE pgmq.a_rollcall TO pg_monitor;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE pgmq.a_rollcall TO rollcall_worker;


--
-- Name: TABLE meta; Type: ACL; Schema: pgmq; Owner: -
--

GRANT SELECT ON TABLE pgmq.meta TO pg_monitor;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE pgmq.meta TO rollcall_worker;
GRANT SELECT ON TABLE pgmq.meta TO rollcall_web;


--
-- Name: TABLE notify_insert_throttle; Type: ACL; Schema: pgmq; Owner: -
--

GRANT SELECT ON TABLE pgmq.notify_insert_throttle TO pg_monitor;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE pgmq.notify_insert_throttle TO rollcall_worker;


--
-- Name: TABLE q_rollcall; Type: ACL; Schema: pgmq; Owner: -
--

GRANT SELECT ON TABLE pgmq.q_rollcall TO pg_monitor;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE pgmq.q_rollcall TO rollcall_worker;
GRANT INSERT ON TABLE pgmq.q_rollcall TO rollcall_web;


--
-- Name: COLUMN q_rollcall.msg_id; Type: ACL; Schema: pgmq; Owner: -
--

GRANT SELECT(msg_id) ON TABLE pgmq.q_rollcall TO rollcall_web;


--
-- Name: COLUMN q_rollcall.enqueued_at; Type: ACL; Schema: pgmq; Owner: -
--

GRANT SELECT(enqueued_at) ON TABLE pgmq.q_rollcall TO rollcall_web;


--
-- Name: COLUMN q_rollcall.vt; Type: ACL; Schema: pgmq; Owner: -
--

GRANT SELECT(vt) ON TABLE pgmq.q_rollcall TO rollcall_web;


--
-- Name: SEQUENCE q_rollcall_msg_id_seq; Type: ACL; Schema: pgmq; Owner: -
--

GRANT SELECT ON SEQUENCE pgmq.q_rollcall_msg_id_seq TO pg_monitor;
GRANT SELECT,USAGE ON SEQUENCE pgmq.q_rollcall_msg_id_seq TO rollcall_worker;
GRANT SELECT ON SEQUENCE pgmq.q_rollcall_msg_id_seq TO rollcall_web;


--
-- Name: TABLE topic_bindings; Type: ACL; Schema: pgmq; Owner: -
--

GRANT SELECT ON TABLE pgmq.topic_bindings TO pg_monitor;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE pgmq.topic_bindings TO rollcall_worker;


--
-- Name: TABLE auth_group; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.auth_group TO rollcall_web;


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

GRANT SELECT ON TABLE public.auth_permission TO rollcall_web;


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


--
-- Name: TABLE auth_user_groups; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.auth_user_groups TO rollcall_web;


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


--
-- Name: SEQUENCE auth_user_user_permissions_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.auth_user_user_permissions_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.auth_user_user_permissions_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.auth_user_user_permissions_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.auth_user_user_permissions_id_seq TO rollcall_analysis;


--
-- Name: TABLE axes_accessattempt; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.axes_accessattempt TO rollcall_web;


--
-- Name: SEQUENCE axes_accessattempt_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.axes_accessattempt_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.axes_accessattempt_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.axes_accessattempt_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.axes_accessattempt_id_seq TO rollcall_analysis;


--
-- Name: TABLE axes_accessattemptexpiration; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.axes_accessattemptexpiration TO rollcall_web;


--
-- Name: SEQUENCE axes_accessfailurelog_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.axes_accessfailurelog_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.axes_accessfailurelog_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.axes_accessfailurelog_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.axes_accessfailurelog_id_seq TO rollcall_analysis;


--
-- Name: SEQUENCE axes_accesslog_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.axes_accesslog_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.axes_accesslog_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.axes_accesslog_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.axes_accesslog_id_seq TO rollcall_analysis;


--
-- Name: TABLE django_admin_log; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT ON TABLE public.django_admin_log TO rollcall_web;


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

GRANT SELECT ON TABLE public.django_celery_beat_clockedschedule TO rollcall_web;
GRANT SELECT ON TABLE public.django_celery_beat_clockedschedule TO rollcall_worker;


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
GRANT SELECT,INSERT,UPDATE ON TABLE public.django_celery_beat_crontabschedule TO rollcall_worker;


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
GRANT SELECT,INSERT,UPDATE ON TABLE public.django_celery_beat_intervalschedule TO rollcall_worker;


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
GRANT SELECT,INSERT,UPDATE ON TABLE public.django_celery_beat_periodictask TO rollcall_worker;


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
GRANT SELECT,INSERT,UPDATE ON TABLE public.django_celery_beat_periodictasks TO rollcall_worker;


--
-- Name: TABLE django_celery_beat_solarschedule; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.django_celery_beat_solarschedule TO rollcall_web;
GRANT SELECT ON TABLE public.django_celery_beat_solarschedule TO rollcall_worker;


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

GRANT SELECT ON TABLE public.django_content_type TO rollcall_web;


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
GRANT SELECT ON TABLE public.django_migrations TO rollcall_web;


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


--
-- Name: TABLE otp_static_staticdevice; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.otp_static_staticdevice TO rollcall_web;


--
-- Name: SEQUENCE otp_static_staticdevice_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.otp_static_staticdevice_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.otp_static_staticdevice_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.otp_static_staticdevice_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.otp_static_staticdevice_id_seq TO rollcall_analysis;


--
-- Name: TABLE otp_static_statictoken; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.otp_static_statictoken TO rollcall_web;


--
-- Name: SEQUENCE otp_static_statictoken_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.otp_static_statictoken_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.otp_static_statictoken_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.otp_static_statictoken_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.otp_static_statictoken_id_seq TO rollcall_analysis;


--
-- Name: TABLE otp_totp_totpdevice; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.otp_totp_totpdevice TO rollcall_web;


--
-- Name: SEQUENCE otp_totp_totpdevice_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.otp_totp_totpdevice_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.otp_totp_totpdevice_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.otp_totp_totpdevice_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.otp_totp_totpdevice_id_seq TO rollcall_analysis;


--
-- Name: TABLE rollcall_acknowledgement; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_acknowledgement TO rollcall_web;
GRANT SELECT,DELETE ON TABLE public.rollcall_acknowledgement TO rollcall_worker;


--
-- Name: SEQUENCE rollcall_acknowledgement_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.rollcall_acknowledgement_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.rollcall_acknowledgement_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.rollcall_acknowledgement_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.rollcall_acknowledgement_id_seq TO rollcall_analysis;


--
-- Name: TABLE rollcall_acl; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE ON TABLE public.rollcall_acl TO rollcall_node;
GRANT SELECT ON TABLE public.rollcall_acl TO rollcall_web;


--
-- Name: SEQUENCE rollcall_acl_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.rollcall_acl_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.rollcall_acl_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.rollcall_acl_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.rollcall_acl_id_seq TO rollcall_analysis;


--
-- Name: TABLE rollcall_advice_decision; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_advice_decision TO rollcall_web;


--
-- Name: SEQUENCE rollcall_advice_decision_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.rollcall_advice_decision_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.rollcall_advice_decision_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.rollcall_advice_decision_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.rollcall_advice_decision_id_seq TO rollcall_analysis;


--
-- Name: TABLE rollcall_api_token; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE ON TABLE public.rollcall_api_token TO rollcall_web;


--
-- Name: COLUMN rollcall_api_token.used_at; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(used_at) ON TABLE public.rollcall_api_token TO rollcall_web;


--
-- Name: SEQUENCE rollcall_api_token_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.rollcall_api_token_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.rollcall_api_token_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.rollcall_api_token_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.rollcall_api_token_id_seq TO rollcall_analysis;


--
-- Name: TABLE rollcall_audit; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT ON TABLE public.rollcall_audit TO rollcall_node;
GRANT SELECT,INSERT ON TABLE public.rollcall_audit TO rollcall_web;


--
-- Name: SEQUENCE rollcall_audit_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.rollcall_audit_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.rollcall_audit_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.rollcall_audit_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.rollcall_audit_id_seq TO rollcall_analysis;


--
-- Name: TABLE rollcall_beat_lease; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_beat_lease TO rollcall_worker;


--
-- Name: TABLE rollcall_command; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_command TO rollcall_node;
GRANT SELECT ON TABLE public.rollcall_command TO rollcall_web;
GRANT SELECT ON TABLE public.rollcall_command TO rollcall_worker;


--
-- Name: TABLE rollcall_connection; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_connection TO rollcall_node;
GRANT SELECT ON TABLE public.rollcall_connection TO rollcall_web;


--
-- Name: TABLE rollcall_connections_noted; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_connections_noted TO rollcall_node;
GRANT SELECT ON TABLE public.rollcall_connections_noted TO rollcall_web;


--
-- Name: TABLE rollcall_credential; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_credential TO rollcall_node;


--
-- Name: TABLE rollcall_drain; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.rollcall_drain TO rollcall_node;
GRANT SELECT ON TABLE public.rollcall_drain TO rollcall_web;
GRANT SELECT,DELETE ON TABLE public.rollcall_drain TO rollcall_worker;


--
-- Name: COLUMN rollcall_drain.seen_at; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(seen_at) ON TABLE public.rollcall_drain TO rollcall_worker;


--
-- Name: TABLE rollcall_facts_floor; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.rollcall_facts_floor TO rollcall_web;
GRANT SELECT ON TABLE public.rollcall_facts_floor TO rollcall_analysis;


--
-- Name: TABLE rollcall_life; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT ON TABLE public.rollcall_life TO rollcall_node;
GRANT SELECT ON TABLE public.rollcall_life TO rollcall_web;
GRANT SELECT ON TABLE public.rollcall_life TO rollcall_worker;
GRANT SELECT ON TABLE public.rollcall_life TO rollcall_analysis;


--
-- Name: TABLE rollcall_ownership; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT ON TABLE public.rollcall_ownership TO rollcall_node;
GRANT SELECT ON TABLE public.rollcall_ownership TO rollcall_web;
GRANT SELECT ON TABLE public.rollcall_ownership TO rollcall_analysis;


--
-- Name: TABLE rollcall_round; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT ON TABLE public.rollcall_round TO rollcall_node;
GRANT SELECT ON TABLE public.rollcall_round TO rollcall_web;
GRANT SELECT ON TABLE public.rollcall_round TO rollcall_worker;
GRANT SELECT ON TABLE public.rollcall_round TO rollcall_analysis;


--
-- Name: TABLE rollcall_silence; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT ON TABLE public.rollcall_silence TO rollcall_node;
GRANT SELECT ON TABLE public.rollcall_silence TO rollcall_web;
GRANT SELECT ON TABLE public.rollcall_silence TO rollcall_analysis;


--
-- Name: TABLE rollcall_facts_packed; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.rollcall_facts_packed TO rollcall_web;
GRANT SELECT ON TABLE public.rollcall_facts_packed TO rollcall_analysis;


--
-- Name: TABLE rollcall_first_password; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,DELETE ON TABLE public.rollcall_first_password TO rollcall_web;


--
-- Name: TABLE rollcall_fleet_hour; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.rollcall_fleet_hour TO rollcall_web;
GRANT SELECT,INSERT,DELETE ON TABLE public.rollcall_fleet_hour TO rollcall_worker;


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


--
-- Name: TABLE rollcall_group_config; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_group_config TO rollcall_node;
GRANT SELECT ON TABLE public.rollcall_group_config TO rollcall_web;
GRANT SELECT,DELETE ON TABLE public.rollcall_group_config TO rollcall_worker;


--
-- Name: TABLE rollcall_group_counts; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE public.rollcall_group_counts TO rollcall_node;
GRANT SELECT ON TABLE public.rollcall_group_counts TO rollcall_web;
GRANT SELECT,DELETE ON TABLE public.rollcall_group_counts TO rollcall_worker;


--
-- Name: TABLE rollcall_journal; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT ON TABLE public.rollcall_journal TO rollcall_node;
GRANT SELECT ON TABLE public.rollcall_journal TO rollcall_web;
GRANT SELECT,INSERT,DELETE ON TABLE public.rollcall_journal TO rollcall_worker;
GRANT SELECT ON TABLE public.rollcall_journal TO rollcall_analysis;


--
-- Name: SEQUENCE rollcall_journal_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.rollcall_journal_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.rollcall_journal_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.rollcall_journal_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.rollcall_journal_id_seq TO rollcall_analysis;


--
-- Name: TABLE rollcall_last_hour; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.rollcall_last_hour TO rollcall_web;


--
-- Name: SEQUENCE rollcall_life_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.rollcall_life_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.rollcall_life_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.rollcall_life_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.rollcall_life_id_seq TO rollcall_analysis;


--
-- Name: TABLE rollcall_life_open; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_life_open TO rollcall_node;
GRANT SELECT ON TABLE public.rollcall_life_open TO rollcall_web;
GRANT SELECT ON TABLE public.rollcall_life_open TO rollcall_worker;
GRANT SELECT ON TABLE public.rollcall_life_open TO rollcall_analysis;


--
-- Name: SEQUENCE rollcall_life_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.rollcall_life_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.rollcall_life_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.rollcall_life_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.rollcall_life_seq TO rollcall_analysis;


--
-- Name: TABLE rollcall_liveness; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_liveness TO rollcall_node;
GRANT SELECT ON TABLE public.rollcall_liveness TO rollcall_web;
GRANT SELECT,DELETE ON TABLE public.rollcall_liveness TO rollcall_worker;


--
-- Name: TABLE rollcall_mark; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_mark TO rollcall_web;
GRANT SELECT ON TABLE public.rollcall_mark TO rollcall_analysis;


--
-- Name: SEQUENCE rollcall_mark_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.rollcall_mark_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.rollcall_mark_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.rollcall_mark_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.rollcall_mark_id_seq TO rollcall_analysis;


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
GRANT SELECT,DELETE ON TABLE public.rollcall_node TO rollcall_worker;


--
-- Name: TABLE rollcall_node_lease; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,DELETE ON TABLE public.rollcall_node_lease TO rollcall_worker;


--
-- Name: COLUMN rollcall_node_lease.seen_at; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(seen_at) ON TABLE public.rollcall_node_lease TO rollcall_worker;


--
-- Name: TABLE rollcall_node_settings; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE public.rollcall_node_settings TO rollcall_node;


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


--
-- Name: TABLE rollcall_offset_history; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT ON TABLE public.rollcall_offset_history TO rollcall_node;
GRANT SELECT ON TABLE public.rollcall_offset_history TO rollcall_web;
GRANT SELECT ON TABLE public.rollcall_offset_history TO rollcall_worker;
GRANT SELECT ON TABLE public.rollcall_offset_history TO rollcall_analysis;


--
-- Name: TABLE rollcall_openid_user; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE ON TABLE public.rollcall_openid_user TO rollcall_web;


--
-- Name: TABLE rollcall_operation; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.rollcall_operation TO rollcall_node;
GRANT SELECT,INSERT ON TABLE public.rollcall_operation TO rollcall_web;
GRANT SELECT,INSERT,DELETE ON TABLE public.rollcall_operation TO rollcall_worker;


--
-- Name: COLUMN rollcall_operation.state; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(state) ON TABLE public.rollcall_operation TO rollcall_node;


--
-- Name: COLUMN rollcall_operation.detail; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(detail) ON TABLE public.rollcall_operation TO rollcall_node;


--
-- Name: COLUMN rollcall_operation.generation; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(generation) ON TABLE public.rollcall_operation TO rollcall_node;


--
-- Name: COLUMN rollcall_operation.finished_at; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(finished_at) ON TABLE public.rollcall_operation TO rollcall_node;


--
-- Name: COLUMN rollcall_operation.outcome; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(outcome) ON TABLE public.rollcall_operation TO rollcall_node;


--
-- Name: SEQUENCE rollcall_operation_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.rollcall_operation_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.rollcall_operation_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.rollcall_operation_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.rollcall_operation_id_seq TO rollcall_analysis;


--
-- Name: SEQUENCE rollcall_ownership_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.rollcall_ownership_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.rollcall_ownership_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.rollcall_ownership_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.rollcall_ownership_id_seq TO rollcall_analysis;


--
-- Name: TABLE rollcall_ownership_open; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_ownership_open TO rollcall_node;
GRANT SELECT ON TABLE public.rollcall_ownership_open TO rollcall_web;
GRANT SELECT ON TABLE public.rollcall_ownership_open TO rollcall_analysis;


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
-- Name: SEQUENCE rollcall_progress_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.rollcall_progress_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.rollcall_progress_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.rollcall_progress_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.rollcall_progress_id_seq TO rollcall_analysis;


--
-- Name: TABLE rollcall_progress_done; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE public.rollcall_progress_done TO rollcall_worker;


--
-- Name: TABLE rollcall_quota; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_quota TO rollcall_node;
GRANT SELECT ON TABLE public.rollcall_quota TO rollcall_web;


--
-- Name: TABLE rollcall_quota_entity; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.rollcall_quota_entity TO rollcall_web;


--
-- Name: TABLE rollcall_report_row; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.rollcall_report_row TO rollcall_web;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_report_row TO rollcall_analysis;


--
-- Name: SEQUENCE rollcall_report_row_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.rollcall_report_row_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.rollcall_report_row_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.rollcall_report_row_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.rollcall_report_row_id_seq TO rollcall_analysis;


--
-- Name: TABLE rollcall_report_run; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.rollcall_report_run TO rollcall_web;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_report_run TO rollcall_analysis;


--
-- Name: SEQUENCE rollcall_report_run_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.rollcall_report_run_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.rollcall_report_run_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.rollcall_report_run_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.rollcall_report_run_id_seq TO rollcall_analysis;


--
-- Name: SEQUENCE rollcall_round_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.rollcall_round_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.rollcall_round_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.rollcall_round_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.rollcall_round_id_seq TO rollcall_analysis;


--
-- Name: TABLE rollcall_saved_view; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_saved_view TO rollcall_web;


--
-- Name: SEQUENCE rollcall_saved_view_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.rollcall_saved_view_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.rollcall_saved_view_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.rollcall_saved_view_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.rollcall_saved_view_id_seq TO rollcall_analysis;


--
-- Name: SEQUENCE rollcall_silence_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.rollcall_silence_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.rollcall_silence_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.rollcall_silence_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.rollcall_silence_id_seq TO rollcall_analysis;


--
-- Name: TABLE rollcall_slot; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,UPDATE ON TABLE public.rollcall_slot TO rollcall_node;
GRANT SELECT ON TABLE public.rollcall_slot TO rollcall_web;
GRANT SELECT,UPDATE ON TABLE public.rollcall_slot TO rollcall_worker;


--
-- Name: TABLE rollcall_sweep; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.rollcall_sweep TO rollcall_web;
GRANT SELECT,INSERT,UPDATE ON TABLE public.rollcall_sweep TO rollcall_worker;


--
-- Name: TABLE rollcall_timeline; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.rollcall_timeline TO rollcall_node;
GRANT SELECT ON TABLE public.rollcall_timeline TO rollcall_web;


--
-- Name: TABLE rollcall_topic; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_topic TO rollcall_node;
GRANT SELECT ON TABLE public.rollcall_topic TO rollcall_web;
GRANT SELECT ON TABLE public.rollcall_topic TO rollcall_worker;


--
-- Name: TABLE rollcall_txn_group; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_txn_group TO rollcall_node;
GRANT SELECT ON TABLE public.rollcall_txn_group TO rollcall_web;


--
-- Name: TABLE rollcall_user; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.rollcall_user TO rollcall_web;


--
-- Name: TABLE rollcall_waiting; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_waiting TO rollcall_node;
GRANT SELECT ON TABLE public.rollcall_waiting TO rollcall_web;
GRANT SELECT ON TABLE public.rollcall_waiting TO rollcall_worker;


--
-- Name: TABLE rollcall_watch; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,UPDATE ON TABLE public.rollcall_watch TO rollcall_node;
GRANT SELECT ON TABLE public.rollcall_watch TO rollcall_web;
GRANT SELECT,UPDATE ON TABLE public.rollcall_watch TO rollcall_worker;


--
-- Name: TABLE rollcall_webhook; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_webhook TO rollcall_web;
GRANT SELECT ON TABLE public.rollcall_webhook TO rollcall_worker;


--
-- Name: COLUMN rollcall_webhook.enabled; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(enabled) ON TABLE public.rollcall_webhook TO rollcall_worker;


--
-- Name: COLUMN rollcall_webhook.disabled_because; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(disabled_because) ON TABLE public.rollcall_webhook TO rollcall_worker;


--
-- Name: COLUMN rollcall_webhook.failures; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(failures) ON TABLE public.rollcall_webhook TO rollcall_worker;


--
-- Name: COLUMN rollcall_webhook.failing_since; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(failing_since) ON TABLE public.rollcall_webhook TO rollcall_worker;


--
-- Name: COLUMN rollcall_webhook.not_before; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(not_before) ON TABLE public.rollcall_webhook TO rollcall_worker;


--
-- Name: COLUMN rollcall_webhook.delivered_at; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(delivered_at) ON TABLE public.rollcall_webhook TO rollcall_worker;


--
-- Name: TABLE rollcall_webhook_cursor; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT ON TABLE public.rollcall_webhook_cursor TO rollcall_web;
GRANT SELECT,DELETE,UPDATE ON TABLE public.rollcall_webhook_cursor TO rollcall_worker;


--
-- Name: TABLE rollcall_webhook_delivery; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT ON TABLE public.rollcall_webhook_delivery TO rollcall_web;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollcall_webhook_delivery TO rollcall_worker;


--
-- Name: COLUMN rollcall_webhook_delivery.state; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(state) ON TABLE public.rollcall_webhook_delivery TO rollcall_web;


--
-- Name: COLUMN rollcall_webhook_delivery.next_at; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(next_at) ON TABLE public.rollcall_webhook_delivery TO rollcall_web;


--
-- Name: COLUMN rollcall_webhook_delivery.finished_at; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(finished_at) ON TABLE public.rollcall_webhook_delivery TO rollcall_web;


--
-- Name: SEQUENCE rollcall_webhook_delivery_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.rollcall_webhook_delivery_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.rollcall_webhook_delivery_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.rollcall_webhook_delivery_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.rollcall_webhook_delivery_id_seq TO rollcall_analysis;


--
-- Name: SEQUENCE rollcall_webhook_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.rollcall_webhook_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.rollcall_webhook_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.rollcall_webhook_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.rollcall_webhook_id_seq TO rollcall_analysis;


--
-- Name: TABLE rollcall_webhook_secret; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT ON TABLE public.rollcall_webhook_secret TO rollcall_web;
GRANT SELECT,DELETE ON TABLE public.rollcall_webhook_secret TO rollcall_worker;


--
-- Name: SEQUENCE rollcall_webhook_secret_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT USAGE ON SEQUENCE public.rollcall_webhook_secret_id_seq TO rollcall_node;
GRANT USAGE ON SEQUENCE public.rollcall_webhook_secret_id_seq TO rollcall_web;
GRANT USAGE ON SEQUENCE public.rollcall_webhook_secret_id_seq TO rollcall_worker;
GRANT USAGE ON SEQUENCE public.rollcall_webhook_secret_id_seq TO rollcall_analysis;


--
-- Name: DEFAULT PRIVILEGES FOR SEQUENCES; Type: DEFAULT ACL; Schema: pgmq; Owner: -
--

ALTER DEFAULT PRIVILEGES FOR ROLE rollcall IN SCHEMA pgmq GRANT SELECT ON SEQUENCES TO pg_monitor;


--
-- Name: DEFAULT PRIVILEGES FOR TABLES; Type: DEFAULT ACL; Schema: pgmq; Owner: -
--

ALTER DEFAULT PRIVILEGES FOR ROLE rollcall IN SCHEMA pgmq GRANT SELECT ON TABLES TO pg_monitor;


--
-- PostgreSQL database dump complete
--


