"""Each of two nodes is drained under stock clients: no member is removed, and commits succeed."""

import asyncio
from functools import partial
from typing import Any

import psycopg
import pytest

from groups.core.rows import SLOTS
from launcher.installation import Installation
from tests.api.test_installation import Rest
from tests.clients.conftest import SESSION_MS, Start, Worker, topic
from tests.launcher.waiting import until
from tests.nodes import all_nodes, kill_node

ROUNDS = 10
PATIENCE_S = 60
LIBRARIES = ("confluent-kafka", "kafka-python", "confluent-kafka", "kafka-python")

OWNED = "SELECT count(*) FROM rollcall_slot WHERE node_id = %s"
GROUPS = (
    "SELECT group_id, generation, (SELECT array_agg(member_id) FROM rollcall_member m"
    " WHERE m.group_id = g.group_id) FROM rollcall_group g WHERE group_id LIKE %s ORDER BY 1"
)
GONE = "SELECT kind FROM rollcall_journal WHERE group_id LIKE %s AND id > %s"
NEWEST = "SELECT max(id) FROM rollcall_journal"
SAID = "SELECT takes_slots FROM rollcall_node WHERE node_id = %s"


@pytest.mark.long
@pytest.mark.xdist_group("pair")
@pytest.mark.timeout(300)
def test_nobody_is_removed_and_commits_succeed_while_nodes_are_drained(
    pair: Installation, start: Start, name: str
) -> None:
    rest, reason = Rest(pair.web), {"reason": "a new kernel"}
    url = (pair.data_dir / "database-url").read_text().strip()
    with psycopg.connect(url, autocommit=True) as database:

        def asked(statement: str, *values: Any) -> Any:
            return database.execute(statement.encode(), values).fetchall()

        def owns(node: int, slots: int) -> bool:
            return bool(asked(OWNED, node) == [(slots,)])

        names = [f"{name}-{n}" for n in range(len(LIBRARIES))]
        for each in names:
            asyncio.run(topic(pair.kafka, each))
        workers = [
            start(library, pair.kafka, each, SESSION_MS)
            for library, each in zip(LIBRARIES, names, strict=True)
        ]
        for worker in workers:
            owns_all(worker)
        until(partial(owns, 0, SLOTS // 2), "both take slots", PATIENCE_S)
        before, ((newest,),) = asked(GROUPS, f"{name}%"), asked(NEWEST)
        try:
            for node in (0, 1):
                status, _, body = rest.ask("POST", f"/nodes/{node}/drain", reason)
                assert (status, body.get("drained")) == (200, True), body
                committed(workers, ROUNDS)
                until(partial(owns, 1 - node, SLOTS), "all moved", PATIENCE_S)
                committed(workers, ROUNDS)
                if node == 1:
                    kill_node(pair, node)
                    asyncio.run(all_nodes(pair, 2))
                    committed(workers, ROUNDS)
                    assert owns(0, SLOTS) and asked(SAID, 1) == [(False,)]
                status, _, body = rest.ask("POST", f"/nodes/{1 - node}/drain", reason)
                assert (status, body["code"]) == (409, "no_taker")
                assert rest.ask("POST", f"/nodes/{node}/undrain", reason)[0] == 200
                until(partial(owns, 0, SLOTS // 2), "shared again", PATIENCE_S)
                committed(workers, ROUNDS)
        finally:
            for node in (0, 1):
                rest.ask("POST", f"/nodes/{node}/undrain", reason)
        assert asked(GROUPS, f"{name}%") == before
        assert asked(GONE, f"{name}%", newest) == []


def owns_all(worker: Worker) -> None:
    """It is alone in its group."""
    worker.until(lambda: len(worker.owned) == 6, "all six")


def committed(workers: list[Worker], rounds: int) -> None:
    """Each commits for everything it owns, again and again; none is refused for good."""
    for offset in range(rounds):
        for worker in workers:
            while worker.attempt(offset) is None:
                continue
