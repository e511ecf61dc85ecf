"""A stopped group in a whole installation: REST asks, members obey, a node is killed meanwhile."""

import asyncio
import uuid
from functools import partial
from typing import Any

import psycopg
import pytest

from benchmarks.wire import create_topic
from launcher.installation import Installation
from rollcall.client import BlockingMember, CommitRefused
from tests.api.test_installation import Rest
from tests.clients.conftest import SESSION_MS, Start, start
from tests.launcher import waiting
from tests.nodes import kill_node

__all__ = ["start"]

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(240),
    pytest.mark.xdist_group("pair"),
]

until = partial(waiting.until, patience_s=60)
OWNER = (
    "SELECT node_id, epoch FROM rollcall_slot JOIN rollcall_group USING (slot) WHERE group_id = %s"
)


def owner(pair: Installation, group_id: str) -> tuple[int | None, int]:
    """The node that owns the group's slot by the rows, and the slot's epoch."""
    url = (pair.data_dir / "database-url").read_text().strip()
    with psycopg.connect(url) as connection:
        row = connection.execute(OWNER, [group_id]).fetchone()
    assert row is not None
    node_id, epoch = row
    return node_id, epoch


def test_a_group_stays_stopped_though_its_node_is_killed(pair: Installation, start: Start) -> None:
    name = f"p-{uuid.uuid4().hex[:8]}"
    asyncio.run(create_topic(pair.kafka, name, 6))
    rest = Rest(pair.web)
    bootstrap = pair.kafka
    options: dict[str, Any] = {
        "protocol": "classic",
        "session_timeout_ms": SESSION_MS,
        "heartbeat_interval_ms": 1_000,
    }

    def group() -> Any:
        return rest.ask("GET", f"/groups/{name}")[2]

    def work() -> tuple[int, int, int]:
        told = group()["work"]
        return told["asked"], told["obeyed"], told["not_supported"]

    with (
        BlockingMember(bootstrap, name, [name], **options) as anna,
        BlockingMember(bootstrap, name, [name], **options) as bert,
    ):
        stock = start("kafka-python", bootstrap, name)
        stock.until(
            lambda: len(stock.owned) == len(anna.workable) == len(bert.workable) == 2, "two each"
        )

        reason = {"reason": "the database is moved"}
        status, _, asked = rest.ask("POST", f"/groups/{name}/pause", reason, Prefer="wait=20")
        assert (status, asked["state"]) == (200, "succeeded")
        until(lambda: work() == (2, 2, 1), "two have stopped, the stock client cannot")
        assert [anna.paused, bert.paused, len(anna.assigned)] == [True, True, 2]
        assert anna.order is not None
        assert anna.order.reason == "API token: the database is moved"

        killed, epoch = owner(pair, name)
        assert killed is not None
        before = set(words(group()).values())
        kill_node(pair, killed)
        until(lambda: owner(pair, name)[1] > epoch, "another owner, or its next life")
        until(lambda: commits(anna), "whoever is stopped may say how far it came")
        assert [anna.paused, bert.paused] == [True, True]
        assert before == {"stopped", "not-supported"}
        stock.until(lambda: len(stock.owned) == 2, "the stock client goes on")
        assert work() == (2, 2, 1)

        rest.ask("POST", f"/groups/{name}/resume", reason, Prefer="wait=20")
        until(lambda: len(anna.workable) == len(bert.workable) == 2, "both work again")
        until(lambda: set(words(group()).values()) == {"working"}, "and it is known")
        kinds = [entry["kind"] for entry in journal(rest, name)]
        assert [kind for kind in kinds if kind in ("paused", "resumed")] == ["resumed", "paused"]


def words(group: Any) -> dict[str, str]:
    """How far each member has obeyed its orders."""
    return {member["member_id"]: member["work"] for member in group["members"]}


def journal(rest: Rest, name: str) -> Any:
    """The newest entries."""
    return rest.ask("GET", f"/groups/{name}/journal")[2]["data"]


def commits(member: BlockingMember) -> bool:
    """Whether the member could commit: not while its group is on the move."""
    try:
        member.commit(dict.fromkeys(member.assigned, 5))
    except CommitRefused:
        return False
    return True
