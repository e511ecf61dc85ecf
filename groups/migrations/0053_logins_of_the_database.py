"""What logins of the database do to others is seen, and ends: ACLs and quotas that are changed in
SQL have a row in the audit, and an application does not hold a group.

A change over the wire or in the admin has a journal entry with its author, from which the audit has
its row; these triggers write one for every other change, with the login. They look for the entry
itself, so nobody can say that there is one.

``rollcall_end_holders`` ends the sessions that hold a group outside of a COMMIT. Who runs the
deferred trigger early (``SET CONSTRAINTS``) is limited to seconds by 0016, but may lift that limit
in the same transaction.
"""

from django.db import migrations

ROWS = """
CREATE FUNCTION rollcall_audit_rows(
    noun text, keys text[], old_rows jsonb[], new_rows jsonb[]
) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
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
$$
"""
"""``keys``: the columns that identify a row, the first of which names it. Entries are looked for
among the newest; one that is missed there costs a second row in the audit."""

CHANGED = """
CREATE FUNCTION rollcall_audit_changed() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
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
END $$
"""

END_HOLDERS = """
CREATE FUNCTION rollcall_end_holders(group_id text) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
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
END $$
"""
"""A COMMIT holds the lock for milliseconds; it is *active* meanwhile. 0: there was none, or the
owner of the tables may not end it."""

WATCHED = (
    ("rollcall_acl", "acl", "name,resource_type,pattern,principal,host,operation,permission"),
    ("rollcall_quota", "quota", "user_name,entity_type,client_id,ip,key"),
)
"""Tables, and the arguments of ``CHANGED``."""

WATCHED_BY_ROW = (
    ("rollcall_credential", "credential", "name"),
    ("rollcall_application_grant", "grant", "login"),
)
"""Those of 0028 that decide who may use the Kafka port or commit in SQL: no row says that all are
gone."""

TABLES = {
    "INSERT": "REFERENCING NEW TABLE AS new_table",
    "UPDATE": "REFERENCING OLD TABLE AS old_table NEW TABLE AS new_table",
    "DELETE": "REFERENCING OLD TABLE AS old_table",
    "TRUNCATE": "",
}


def _function(text: str, signature: str) -> tuple[migrations.RunSQL, migrations.RunSQL]:
    """It runs with its owner's rights: ``groups.postgres.roles`` says who may execute it."""
    return (
        migrations.RunSQL(text, f"DROP FUNCTION {signature} CASCADE"),
        migrations.RunSQL(
            f"REVOKE ALL ON FUNCTION {signature} FROM PUBLIC", migrations.RunSQL.noop
        ),
    )


def _trigger(event: str, rows: str, table: str, noun: str, keys: str) -> migrations.RunSQL:
    name = f"rollcall_audit_{event.lower()}"
    return migrations.RunSQL(
        f"CREATE TRIGGER {name} AFTER {event} ON {table} {rows}"
        f" FOR EACH STATEMENT EXECUTE FUNCTION rollcall_audit_changed('{noun}', '{keys}')",
        f"DROP TRIGGER {name} ON {table}",
    )


def _triggers(table: str, noun: str, keys: str) -> list[migrations.RunSQL]:
    return [_trigger(event, rows, table, noun, keys) for event, rows in TABLES.items()]


class Migration(migrations.Migration):
    dependencies = [("groups", "0052_unclean_ends")]

    operations = [
        *_function(ROWS, "rollcall_audit_rows(text, text[], jsonb[], jsonb[])"),
        *_function(CHANGED, "rollcall_audit_changed()"),
        *(trigger for watched in WATCHED for trigger in _triggers(*watched)),
        *(_trigger("TRUNCATE", "", *others) for others in WATCHED_BY_ROW),
        *_function(END_HOLDERS, "rollcall_end_holders(text)"),
    ]
