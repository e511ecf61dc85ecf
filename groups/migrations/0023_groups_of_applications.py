"""Which groups' offsets a login of an application may commit and read.

Before, any login that could execute ``rollcall_commit_offsets`` could commit for any member of any
group. Now the session's user needs a grant for a prefix of the group's id (docs/exactly-once.md).
Users who may act as the functions' owner, such as superusers, need none.

No model: ``manage.py grant_groups`` writes the rows, and only the functions read them.
"""

from importlib import import_module

from django.db import migrations

commits = import_module("groups.migrations.0016_application_locks")
first = import_module("groups.migrations.0005_commit_offsets")

TABLE = """
CREATE TABLE rollcall_application_grant (
    login text NOT NULL,
    prefix text COLLATE "C" NOT NULL,
    granted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (login, prefix)
);
COMMENT ON COLUMN rollcall_application_grant.prefix IS
    'How the ids of the groups begin; empty: all groups.';
"""

# The user who logged in, not a role that was set since, which applications may share.
DEMAND = """
CREATE FUNCTION rollcall_demand_group(group_id text) RETURNS void
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
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
END $$
"""

BEFORE = commits.Migration.operations[0].sql
CHECK = """
    IF EXISTS (SELECT FROM unnest(offsets) AS o WHERE o < 0) THEN
"""
COMMIT = commits._replaced(
    BEFORE.replace("CREATE OR REPLACE FUNCTION", "CREATE FUNCTION"),
    CHECK,
    f"\n    PERFORM rollcall_demand_group(group_id);{CHECK}",
)

READ = """
CREATE OR REPLACE FUNCTION rollcall_committed_offsets(group_id text)
RETURNS TABLE (topic text, partition int, "offset" bigint, metadata text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    PERFORM rollcall_demand_group(rollcall_committed_offsets.group_id);
    RETURN QUERY SELECT o.topic, o.partition, o.committed_offset, o.metadata
    FROM rollcall_offset o
    WHERE o.group_id = rollcall_committed_offsets.group_id ORDER BY o.topic, o.partition;
END $$
"""


class Migration(migrations.Migration):
    dependencies = [("groups", "0022_tokens_and_rights")]

    operations = [
        migrations.RunSQL(TABLE, "DROP TABLE rollcall_application_grant"),
        migrations.RunSQL(DEMAND, "DROP FUNCTION rollcall_demand_group(text)"),
        migrations.RunSQL(
            "REVOKE ALL ON FUNCTION rollcall_demand_group(text) FROM PUBLIC",
            migrations.RunSQL.noop,
        ),
        migrations.RunSQL(COMMIT, BEFORE),
        migrations.RunSQL(
            READ, first.READ.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")
        ),
    ]
