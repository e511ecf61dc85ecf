"""The audit of what is changed by SQL: what clients and applications may do."""

import pytest
from django.db import connection

from console.operations import client_functions as functions
from groups.models import AuditEntry

pytestmark = pytest.mark.django_db

OF_ACCESS = {
    "rollcall_acl": (
        "acl",
        "INSERT INTO rollcall_acl (resource_type, name, pattern, principal, host, operation,"
        " permission, created_at) SELECT 'TOPIC', 't' || n, 'LITERAL', 'User:eve', '*', 'READ',"
        " 'ALLOW', now() FROM generate_series(1, 2) n",
        "UPDATE rollcall_acl SET created_at = created_at - interval '1 day'",
        "DELETE FROM rollcall_acl",
        ["t1", "t2"],
    ),
    "rollcall_quota": (
        "quota",
        "INSERT INTO rollcall_quota (entity_type, user_name, client_id, ip, key, value, updated_at)"
        " SELECT 'user', 'u' || n, '', '', 'request_percentage', 5, now()"
        " FROM generate_series(1, 2) n",
        "UPDATE rollcall_quota SET value = 7",
        "DELETE FROM rollcall_quota",
        ["u1", "u2"],
    ),
    "rollcall_credential": (
        "credential",
        "INSERT INTO rollcall_credential (name, mechanism, salt, iterations, stored_key,"
        " server_key, updated_at) SELECT 'c' || n, 'SCRAM-SHA-256', '', 4096, '', '', now()"
        " FROM generate_series(1, 2) n",
        "UPDATE rollcall_credential SET iterations = 5000",
        "DELETE FROM rollcall_credential",
        ["c1", "c2"],
    ),
    "rollcall_application_grant": (
        "grant",
        "INSERT INTO rollcall_application_grant (login, prefix)"
        " SELECT 'a' || n, 'g' FROM generate_series(1, 2) n",
        "UPDATE rollcall_application_grant SET prefix = ''",
        "DELETE FROM rollcall_application_grant",
        ["a1", "a2"],
    ),
}
"""Tables that say what clients of the Kafka port, and applications, may do: the noun, and a change
of each kind, with what it changes."""


def told(kind: str) -> list[tuple[str, str, str]]:
    found = AuditEntry.objects.filter(kind=kind).order_by("target")
    return [(each.who, each.login, each.target) for each in found]


@pytest.mark.parametrize("table", OF_ACCESS)
def test_a_change_in_sql_has_a_row_with_the_login(table: str) -> None:
    """In the same transaction, one for each row that it changed."""
    noun, insert, update, delete, names = OF_ACCESS[table]
    with connection.cursor() as cursor:
        cursor.execute("SELECT session_user")
        login = cursor.fetchone()[0]
        cursor.execute(f"DELETE FROM {table}")
        cursor.execute(insert)
        by = [(f"Login:{login}", login, name) for name in names]
        assert told(f"{noun}-made") == by
        cursor.execute(update)
        assert told(f"{noun}-changed") == by
        cursor.execute(delete)
        assert told(f"{noun}-deleted") == by
        cursor.execute(delete)
        cursor.execute(f"TRUNCATE {table}")
        assert (f"Login:{login}", login, "") in told(f"{noun}-deleted")


def test_a_rule_that_becomes_another_is_two_rows() -> None:
    with connection.cursor() as cursor:
        cursor.execute(OF_ACCESS["rollcall_acl"][1])
        cursor.execute("UPDATE rollcall_acl SET operation = 'ALL' WHERE name = 't1'")
    for kind, operation in (("acl-deleted", "READ"), ("acl-made", "ALL")):
        entry = AuditEntry.objects.filter(kind=kind, target="t1").latest("id")
        row = entry.details.get("before") or entry.details.get("after")
        assert row["operation"] == operation


def test_a_change_with_a_journal_entry_has_one_row() -> None:
    """That of the entry, with its author: also of two thousand at once, and of a quota that is
    replaced."""
    words = ("TOPIC", "LITERAL", "User:ann", "*", "READ", "ALLOW")
    names = [f"t-{n}" for n in range(2_000)]
    kind, pattern, principal, host, operation, permission = ([w] * len(names) for w in words)
    columns = (kind, names, pattern, principal, host, operation, permission)
    with connection.cursor() as cursor:
        for function in (functions.CREATE_ACLS, functions.DELETE_ACLS):
            cursor.execute(function.call, (*columns, '{"user": "root"}'))
        for value in (5.0, 6.0):
            cursor.execute(
                functions.SET_QUOTAS.call,
                (
                    ["user"],
                    ["ann"],
                    [""],
                    [""],
                    ["request_percentage"],
                    [value],
                    '{"user": "root"}',
                ),
            )
    assert AuditEntry.objects.filter(kind="acl-created", who="root").count() == len(names)
    assert AuditEntry.objects.filter(kind="quota-set", who="root").count() == 2
    of_access = AuditEntry.objects.filter(kind__regex="^(acl|quota)-")
    assert not of_access.exclude(who="root").exists()


def test_nobody_says_that_his_change_is_noted() -> None:
    """An entry of before, about the same rule, does not stand for it."""
    columns = (["TOPIC"], ["t1"], ["LITERAL"], ["User:eve"], ["*"], ["READ"], ["ALLOW"])
    with connection.cursor() as cursor:
        cursor.execute(functions.CREATE_ACLS.call, (*columns, '{"user": "root"}'))
        cursor.execute(functions.DELETE_ACLS.call, (*columns, '{"user": "root"}'))
        cursor.execute("SELECT count(*) FROM rollcall_audit")
        before = cursor.fetchone()[0]
        cursor.execute(OF_ACCESS["rollcall_acl"][1])
        cursor.execute("SELECT count(*) FROM rollcall_audit")
        assert cursor.fetchone()[0] == before + 2


WATCHED_EVENTS = """
SELECT bit_or(tgtype::int & 60) FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
WHERE tgrelid = %s::regclass AND tgenabled <> 'D' AND p.proname LIKE 'rollcall_audit%%'
"""
"""INSERT 4, DELETE 8, UPDATE 16, TRUNCATE 32."""


def test_every_table_of_access_is_watched_for_every_kind_of_change() -> None:
    """Those of people too, which are not truncated by anything of ours."""
    columns = ("%acl%", "%quota%", "%credential%", "%grant%")
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relname LIKE 'rollcall%%'"
            " AND relname LIKE ANY(%s)",
            [list(columns)],
        )
        assert {name for (name,) in cursor.fetchall()} == OF_ACCESS.keys()
        for table in OF_ACCESS:
            cursor.execute(WATCHED_EVENTS, [table])
            assert cursor.fetchone() == (60,), table
