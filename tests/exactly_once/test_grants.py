"""The SQL door is open to a login for the groups that it was granted, and for no other."""

import os
from collections.abc import AsyncIterator
from io import StringIO
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from psycopg.conninfo import make_conninfo

from groups.postgres.connections import Connection
from tests import rows
from tests.exactly_once.test_commit_offsets import COMMIT
from tests.node.running import Running

LOGIN, PASSWORD = f"tests_billing_app_{os.getpid()}", "of the tests"
"""Logins are the server's, which other processes of the tests use as well."""

MAKE = f"""
CREATE ROLE {LOGIN} LOGIN PASSWORD '{PASSWORD}' IN ROLE rollcall_application
"""
UNMAKE = f"DROP ROLE IF EXISTS {LOGIN}"

Application = psycopg.AsyncConnection[Any]


@pytest.fixture
async def billing(_prepared: None, database_url: str) -> AsyncIterator[Application]:
    """An application with a login of its own, and no grant yet."""
    with psycopg.connect(database_url, autocommit=True) as owner:
        owner.execute("TRUNCATE rollcall_application_grant")
        owner.execute(UNMAKE)
        owner.execute(MAKE.encode())
    own = make_conninfo(database_url, user=LOGIN, password=PASSWORD)
    async with await psycopg.AsyncConnection.connect(own, autocommit=True) as made:
        yield made
    with psycopg.connect(database_url, autocommit=True) as owner:
        owner.execute("TRUNCATE rollcall_application_grant")
        owner.execute(UNMAKE)


def grant(url: str, login: str, prefix: str) -> None:
    """As the command writes it."""
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute("INSERT INTO rollcall_application_grant VALUES (%s, %s)", (login, prefix))


async def refused(application: Application, question: str, *given: object) -> bool:
    """Whether the door stays shut."""
    try:
        await application.execute(question.encode(), given)
    except psycopg.Error as error:
        return error.sqlstate == "RK030"
    return False


READ = "SELECT * FROM rollcall_committed_offsets(%s)"


async def test_without_a_grant_nothing_is_committed_or_read(
    one: Running, billing: Application, other: Connection
) -> None:
    joined = await one.settled("billing")
    said = (joined.generation_id, joined.member_id, ["t"], [0], [7])

    assert await refused(billing, COMMIT, "billing", *said)
    assert await refused(billing, READ, "billing")
    assert await refused(billing, READ, "of no group")
    await billing.execute("SET ROLE rollcall_application")
    assert await refused(billing, READ, "billing")
    assert await rows.offsets(other) == {}


async def test_a_grant_is_for_a_prefix_of_ids_and_one_login(
    one: Running, billing: Application, other: Connection, database_url: str
) -> None:
    grant(database_url, LOGIN, "billing")
    grant(database_url, "somebody_else", "")
    grant(database_url, LOGIN, "b%")  # no pattern: it begins so or it does not
    mine, theirs = await one.settled("billing-nightly"), await one.settled("bill")

    said = (mine.generation_id, mine.member_id, ["t"], [0], [7])
    assert not await refused(billing, COMMIT, "billing-nightly", *said)
    assert not await refused(billing, READ, "billing-nightly")
    said = (theirs.generation_id, theirs.member_id, ["t"], [0], [7])
    assert await refused(billing, COMMIT, "bill", *said)
    assert await refused(billing, READ, "bill")
    assert await rows.offsets(other) == {("billing-nightly", "t", 0): 7}


async def test_no_login_can_grant_itself(billing: Application) -> None:
    for statement in (
        "INSERT INTO rollcall_application_grant VALUES (session_user, '')",
        "SELECT * FROM rollcall_application_grant",
        "SELECT rollcall_demand_group('billing')",
        "SET SESSION AUTHORIZATION rollcall_node",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            await billing.execute(statement.encode())


@pytest.mark.django_db
def test_the_command_grants_lists_and_revokes() -> None:
    def told(*arguments: str) -> str:
        output = StringIO()
        call_command("grant_groups", *arguments, stdout=output)
        return output.getvalue().strip()

    login = "rollcall_worker"  # one that is there
    told(login, "billing")
    told(login, "billing")
    told(login, "")
    assert told() == f"{login} ''\n{login} 'billing'"
    told(login, "billing", "--revoke")
    assert told() == f"{login} ''"
    for wrong in ((login, "billing", "--revoke"), ("nobody_of_that_name", "x"), (login,)):
        with pytest.raises(CommandError):
            told(*wrong)
