"""The advertised address of a node is one that a client could connect to."""

import pytest
from django.core.management import CommandError, call_command

from groups.postgres import schema_version
from protocol.connection.listeners import address_problem


@pytest.mark.parametrize("host", ["a..b", "x" * 70 + ".example", "\0", "", ".".join(["abc"] * 70)])
def test_an_invalid_host_is_refused_at_the_start(host: str) -> None:
    assert address_problem(host, 9092)


def test_a_node_with_an_invalid_address_does_not_start() -> None:
    with pytest.raises(CommandError, match="is not a host that clients can connect to"):
        call_command("runcoordinator", "--port=0", "--advertised-host=a..b")


@pytest.mark.parametrize("port", [0, -1, 70_000])
def test_an_invalid_port_is_refused(port: int) -> None:
    assert address_problem("broker.example", port)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "broker-1.example", "münchen.example"])
def test_a_valid_address_is_accepted(host: str) -> None:
    assert address_problem(host, None) is None


def test_a_node_with_another_schema_than_the_database_reports_which_is_older() -> None:
    assert schema_version.problem(schema_version.OURS) is None
    assert "migrate it first" in (schema_version.problem("0001_tables") or "")
    assert "migrate it first" in (schema_version.problem("") or "")
    assert "start the newer version" in (schema_version.problem("9999_tomorrow") or "")
