"""Who may do what on the Kafka port, and how much: access rules, users and quotas as typed."""

import asyncio
import io
import time
from collections.abc import Mapping
from typing import Any

import pytest

from benchmarks.wire import Peer
from launcher.installation import Installation
from rollcall.cli.failures import Code
from rollcall.wire.messages.describe_client_quotas import (
    ComponentData,
    DescribeClientQuotasRequest,
)
from tests.cli.conftest import Cli

OF = ("--user", "cli-quota", "--default", "client-id")
EXACT = 0


async def _known(bootstrap: str, user: str) -> Mapping[str, float]:
    """What a node would tell a client of a user's quotas."""
    peer = await Peer.connect(bootstrap)
    of_user = ComponentData(entity_type="user", match_type=EXACT, match=user)
    answer: Any = await peer.call(DescribeClientQuotasRequest(components=[of_user]), 1)
    peer.writer.close()
    return {each.key: each.value for entry in answer.entries for each in entry.values}


def test_quotas_are_set_and_removed_and_nodes_are_notified(
    cli: Cli, installation: Installation
) -> None:
    def until(wanted: Mapping[str, float]) -> None:
        while asyncio.run(_known(installation.kafka, "cli-quota")) != wanted:
            time.sleep(0.05)

    tried = cli("quota", "set", *OF, "request_percentage=900", "--dry-run", "-o", "json").json
    assert tried["updated_at"] is None and cli("quota", "list", *OF, "-o", "json").json == []
    wanted = {"request_percentage": 900.5, "producer_byte_rate": 1e9}
    values = [f"{key}={value:g}" for key, value in wanted.items()]
    made = cli("quota", "set", *OF, *values, "-o", "json").json
    assert made["entity"] == {"user": "cli-quota", "client_id": None} and made["quotas"] == wanted
    until(wanted)
    listed = cli("quota", "list", "--user", "cli-quota").printed
    assert "user cli-quota, client-id (default)" in listed
    assert "producer_byte_rate=1000000000, request_percentage=900.5" in listed

    one = cli("quota", "delete", *OF, "--key", "producer_byte_rate")
    assert (one.code, one.errors) == (0, "1 removed.\n")
    until({"request_percentage": 900.5})
    assert cli("quota", "delete", *OF, "--dry-run").errors == "1 would be removed.\n"
    assert cli("quota", "delete", *OF).errors == "1 removed.\n"
    until({})
    assert cli("quota", "delete", *OF).code == Code.NOT_FOUND


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["set", "request_percentage=5"], "--default is required"),
        (["set", "--user", "ann", "request_percentage"], "is not KEY=VALUE"),
        (["set", "--user", "ann", "request_percentage=inf"], "finite"),
        (["set", "--user", "ann", "request_percentage=-1"], "greater than 0"),
        (["set", "--ip", "localhost", "connection_creation_rate=5"], "not a valid IP"),
        (["set", "--ip", "10.0.0.1", "--user", "ann", "request_percentage=5"], "combination"),
        (["list", "--user", "ann", "--default", "user"], "--default user excludes --user"),
        (["delete"], "--default is required"),
    ],
)
def test_an_invalid_quota_is_refused(cli: Cli, words: list[str], sentence: str) -> None:
    ended = cli("quota", *words)
    assert ended.code == Code.USAGE and sentence in ended.errors


def test_a_user_is_created_and_deleted(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    typed = ("user", "set", "cli-user", "--mechanism", "SCRAM-SHA-256", "--iterations", "4096")
    monkeypatch.setattr("sys.stdin", io.StringIO("a secret\n"))
    made = cli(*typed, "-o", "json").json
    assert made["mechanisms"] == {"SCRAM-SHA-256": 4096}
    assert "SCRAM-SHA-256=4096" in cli("user", "list", "--query", "cli-user").printed
    monkeypatch.setattr("sys.stdin", io.StringIO("\n"))
    assert cli(*typed).code == Code.USAGE
    assert cli("user", "delete", "cli-user").code == 0
    assert cli("user", "delete", "cli-user").code == Code.NOT_FOUND


def test_without_an_authorizer_no_acl_is_created(cli: Cli) -> None:
    rule = ("--principal", "User:ann", "--operation", "read", "--type", "topic", "--name", "cli")
    ended = cli("acl", "create", *rule)
    assert ended.code == Code.CONFLICT and "authorizer is off" in ended.errors
    assert cli("acl", "list", "--name", "cli", "-o", "json").json == []
    assert cli("acl", "delete").code == Code.USAGE
