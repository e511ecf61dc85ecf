"""Two workers with one ``group.instance.id``: what an operator finds of it, in either protocol, and
that their requests write nothing."""

from collections.abc import Sequence

import pytest

from console.queries.journal_text import sentence
from groups.core.errors import ErrorCode
from groups.core.instance_claims import AGAIN_MS, How
from groups.models import Journal
from groups.postgres.connections import Connection
from groups.reporting import instance_claims
from protocol.metrics.node_report import NodeReport
from rollcall.wire.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from rollcall.wire.messages.heartbeat import HeartbeatRequest
from rollcall.wire.messages.join_group import JoinGroupRequest
from tests.server.client import Client, consumer_join, join
from tests.server.serving import Serving
from tests.server.test_client_reasons import entries

BEAT_VERSION = 3
JOIN_VERSION = 5
CONSUMER_VERSION = 1


@pytest.fixture(autouse=True)
def _when_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The journal is written when a test says so."""
    monkeypatch.setattr(instance_claims, "LOOK_S", 3_600)


async def client(served: Serving, name: str) -> Client:
    made = await Client.connect(served.address)
    made.client_id = name.encode()
    return made


async def noted(served: Serving, other: Connection, group_id: str) -> Sequence[Journal]:
    """The entries about instances of a group, once what is due is written."""
    node = served.server.node
    await node.instance_claims.write(node.readers)
    return [e for e in await entries(other, group_id) if e.kind == "instance-taken"]


def static(group_id: str, instance: str) -> ConsumerGroupHeartbeatRequest:
    request = consumer_join(group_id)
    request.instance_id = instance
    return request


def old(group_id: str, instance: str) -> JoinGroupRequest:
    request = join(group_id)
    request.group_instance_id = instance
    return request


async def takes(who: Client, group_id: str, instance: str) -> HeartbeatRequest:
    """Join by the classic protocol in another's place; the heartbeat that it sends from then on."""
    joined = await who.call(old(group_id, instance), JOIN_VERSION)
    assert joined.error_code == ErrorCode.NONE
    return HeartbeatRequest(
        group_id=group_id,
        member_id=joined.member_id,
        generation_id=joined.generation_id,
        group_instance_id=instance,
    )


async def refused(who: Client, group_id: str, instance: str, times: int) -> None:
    for _ in range(times):
        answer = await who.call(static(group_id, instance), CONSUMER_VERSION)
        assert answer.error_code == ErrorCode.UNRELEASED_INSTANCE_ID


async def test_a_worker_that_is_refused_for_another(served: Serving, other: Connection) -> None:
    holder, loser = await client(served, "anna"), await client(served, "ben")
    assert not (await holder.call(static("g", "i"), CONSUMER_VERSION)).error_code
    await refused(loser, "g", "i", 2)
    assert not await noted(served, other, "g")
    await refused(loser, "g", "i", 8)

    (entry,) = await noted(served, other, "g")
    assert sentence(entry) == (
        "Instance i is used by two workers: client anna at 127.0.0.1 has it, client ben at"
        " 127.0.0.1 claimed it (refused 10 times within 0 s)."
    )
    assert await _counted(served) == {How.REFUSED: 10, How.FENCED: 0, How.TAKEN: 0}


async def test_workers_that_fence_each_other(served: Serving, other: Connection) -> None:
    """Of one client id and host: told apart by the one that goes on after it was replaced."""
    one, two = await client(served, "c"), await client(served, "c")
    beat = await takes(one, "g", "i")
    for who, former in ((two, one), (one, two), (two, one)):
        after = await takes(who, "g", "i")
        code = (await former.call(beat, BEAT_VERSION)).error_code
        assert code == ErrorCode.FENCED_INSTANCE_ID
        beat = after

    (entry,) = await noted(served, other, "g")
    assert sentence(entry) == (
        "Instance i is used by two workers: client c at 127.0.0.1 has it, another of that name"
        " claimed it (fenced 3 times, taken over 3 times within 0 s)."
    )


async def test_a_fenced_worker_that_only_repeats_its_heartbeat(
    served: Serving, other: Connection
) -> None:
    """The connection's fast path leaves each of them to the queue."""
    one, two = await client(served, "anna"), await client(served, "ben")
    beat = await takes(one, "g", "i")
    assert not (await one.call(beat, BEAT_VERSION)).error_code
    await takes(two, "g", "i")
    for _ in range(20):
        code = (await one.call(beat, BEAT_VERSION)).error_code
        assert code == ErrorCode.FENCED_INSTANCE_ID
    (entry,) = await noted(served, other, "g")
    assert entry.details["fenced"] == 20 and entry.details["others"] == [
        {"client_id": "anna", "host": "127.0.0.1"}
    ]


async def test_refusals_write_one_entry(served: Serving, other: Connection) -> None:
    holder, loser = await client(served, "anna"), await client(served, "ben")
    await holder.call(static("g", "i"), CONSUMER_VERSION)
    before = await _rows(other)
    for _ in range(5):
        await refused(loser, "g", "i", 20)
        await noted(served, other, "g")
    assert await _rows(other) == before + 1

    (claims,) = served.server.node.instance_claims._claims.values()
    assert claims.noted_at is not None
    claims.noted_at -= AGAIN_MS
    await refused(loser, "g", "i", 1)
    assert [e.details["refused"] for e in await noted(served, other, "g")] == [3 + 17, 101]


async def test_a_worker_that_starts_again_once(served: Serving, other: Connection) -> None:
    for _ in range(2):
        await takes(await client(served, "anna"), "g", "i")
    assert not await noted(served, other, "g")


async def test_instances_in_memory_are_bounded(
    served: Serving, monkeypatch: pytest.MonkeyPatch, other: Connection
) -> None:
    monkeypatch.setattr(instance_claims, "INSTANCES_MAX", 3)
    holder, loser = await client(served, "anna"), await client(served, "ben")
    for name in "abcdef":
        await holder.call(static("g", name), CONSUMER_VERSION)
        await refused(loser, "g", name, 3)
    assert len(served.server.node.instance_claims._claims) == 3
    assert {e.details["instance"] for e in await noted(served, other, "g")} == {"d", "e", "f"}


async def _counted(served: Serving) -> dict[str, float]:
    samples = NodeReport(served.server).samples()
    return {
        How(s.labels[0]): s.value  # type: ignore[misc]  # a number
        for s in samples
        if s.name == "rollcall_instance_claims_total"
    }


async def _rows(other: Connection) -> int:
    row = await (await other.execute("SELECT count(*) FROM rollcall_journal")).fetchone()
    assert row is not None
    return int(row[0])
