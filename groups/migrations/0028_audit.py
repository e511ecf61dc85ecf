"""The audit: logins, failed logins, and changes with their authors; append-only.

Triggers write it in the transaction of the change, whatever its source: changes of people, roles,
tokens, credentials and grants, operations on groups, and every journal entry with an author. The
author is the web's user (settings of the session, ``console.people.audit``), or else the login,
which is recorded in any case.
"""

from django.db import migrations, models

STAMP = """
CREATE FUNCTION rollcall_audit_stamp() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.at := clock_timestamp();
    NEW.login := session_user;
    RETURN NEW;
END $$;
CREATE TRIGGER rollcall_audit_stamp BEFORE INSERT ON rollcall_audit
FOR EACH ROW EXECUTE FUNCTION rollcall_audit_stamp()
"""

REFUSE = """
CREATE FUNCTION rollcall_audit_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('rollcall.prune_audit', true) IS DISTINCT FROM 'yes' THEN
        RAISE EXCEPTION 'the audit is only appended to' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER rollcall_audit_refuse BEFORE UPDATE OR DELETE OR TRUNCATE ON rollcall_audit
FOR EACH STATEMENT EXECUTE FUNCTION rollcall_audit_refuse()
"""

WHO = """coalesce(nullif(current_setting('rollcall.actor', true), ''), 'Login:' || session_user),
            coalesce(current_setting('rollcall.address', true), ''), '',
            coalesce(current_setting('rollcall.request_id', true), '')"""
"""who, address, client_id, request_id"""

# Arguments: the noun, the column that identifies the row, columns that are not shown, columns whose
# changes are not recorded.
ROW = f"""
CREATE FUNCTION rollcall_audit_row() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    old_row jsonb := CASE WHEN TG_OP = 'INSERT' THEN '{{}}' ELSE to_jsonb(OLD) END;
    new_row jsonb := CASE WHEN TG_OP = 'DELETE' THEN '{{}}' ELSE to_jsonb(NEW) END;
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
           {WHO}, coalesce(named, ''), 'done',
           jsonb_build_object(
               'changed', changed,
               'before', (SELECT coalesce(jsonb_object_agg(key, value), '{{}}')
                          FROM jsonb_each(old_row) WHERE key = ANY (changed)
                           AND key <> ALL (string_to_array(TG_ARGV[2], ','))),
               'after', (SELECT coalesce(jsonb_object_agg(key, value), '{{}}')
                         FROM jsonb_each(new_row) WHERE key = ANY (changed)
                          AND key <> ALL (string_to_array(TG_ARGV[2], ',')))),
           clock_timestamp(), session_user;
    RETURN NULL;
END $$
"""

JOURNAL = """
CREATE FUNCTION rollcall_audit_journal() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
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
CREATE TRIGGER rollcall_audit AFTER INSERT ON rollcall_journal FOR EACH ROW
WHEN (NEW.details ? 'author') EXECUTE FUNCTION rollcall_audit_journal()
"""

OPERATION = f"""
CREATE FUNCTION rollcall_audit_operation() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO rollcall_audit (
        kind, who, address, client_id, request_id, target, outcome, details, at, login)
    SELECT 'operation-' || NEW.verb, NEW.actor, address, client_id, request_id, NEW.group_id,
           'asked', jsonb_build_object('operation', NEW.id, 'member_id', NEW.member_id,
                              'reason', NEW.reason),
           clock_timestamp(), session_user
    FROM (SELECT {WHO}) AS said(who, address, client_id, request_id);
    RETURN NULL;
END $$;
CREATE TRIGGER rollcall_audit AFTER INSERT ON rollcall_operation FOR EACH ROW
WHEN (NEW.verb <> 'expire-offsets') EXECUTE FUNCTION rollcall_audit_operation()
"""

WATCHED = (
    ("auth_user", "user", "username", "password", "last_login"),
    ("auth_group", "role", "name", "", ""),
    ("auth_user_groups", "role-of-user", "user_id", "", ""),
    ("auth_user_user_permissions", "permission-of-user", "user_id", "", ""),
    ("auth_group_permissions", "permission-of-role", "group_id", "", ""),
    ("rollcall_api_token", "token", "name", "digest,session_hash", "used_at"),
    ("rollcall_credential", "credential", "name", "salt,stored_key,server_key", "updated_at"),
    ("rollcall_application_grant", "grant", "login", "", ""),
)
"""Tables, and the arguments of ``ROW``."""


def _trigger(table: str, *arguments: str) -> migrations.RunSQL:
    said = ", ".join(f"'{argument}'" for argument in arguments)
    return migrations.RunSQL(
        f"CREATE TRIGGER rollcall_audit AFTER INSERT OR UPDATE OR DELETE ON {table}"
        f" FOR EACH ROW EXECUTE FUNCTION rollcall_audit_row({said})",
        f"DROP TRIGGER rollcall_audit ON {table}",
    )


def _function(text: str, name: str) -> tuple[migrations.RunSQL, migrations.RunSQL]:
    """The function, with its trigger if it has one. It runs with its owner's rights, and only
    triggers execute it."""
    return (
        migrations.RunSQL(text, f"DROP FUNCTION {name}() CASCADE"),
        migrations.RunSQL(f"REVOKE ALL ON FUNCTION {name}() FROM PUBLIC", migrations.RunSQL.noop),
    )


class Migration(migrations.Migration):
    dependencies = [
        ("groups", "0027_offset_resets"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        migrations.CreateModel(
            name="AuditEntry",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("at", models.DateTimeField(auto_now_add=True)),
                (
                    "login",
                    models.TextField(default="", help_text="The database login that wrote it."),
                ),
                ("kind", models.TextField()),
                (
                    "who",
                    models.TextField(db_collation="C", help_text="A user, or a Kafka principal."),
                ),
                ("address", models.TextField(blank=True, default="")),
                ("client_id", models.TextField(blank=True, default="")),
                (
                    "request_id",
                    models.TextField(
                        blank=True, default="", help_text="X-Request-ID of the HTTP request."
                    ),
                ),
                (
                    "target",
                    models.TextField(blank=True, default="", help_text="The object of the action."),
                ),
                ("outcome", models.TextField(blank=True, default="")),
                ("details", models.JSONField(default=dict)),
            ],
            options={
                "db_table": "rollcall_audit",
                "verbose_name_plural": "audit",
                "indexes": [
                    models.Index(fields=["at"], name="audit_by_time"),
                    models.Index(fields=["who", "-id"], name="audit_by_who"),
                ],
            },
        ),
        *_function(STAMP, "rollcall_audit_stamp"),
        *_function(REFUSE, "rollcall_audit_refuse"),
        *_function(ROW, "rollcall_audit_row"),
        *_function(JOURNAL, "rollcall_audit_journal"),
        *_function(OPERATION, "rollcall_audit_operation"),
        *(_trigger(*watched) for watched in WATCHED),
    ]
