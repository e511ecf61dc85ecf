"""``rollcall.testing``: members see of a ``Coordinator`` what they see of an installation."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.wire import create_topic
from launcher.installation import Installation
from rollcall.client import BlockingMember, CommitRefused, Kind, Refused, TopicPartition
from rollcall.testing import Coordinator
from tests.client_library.watching import Watched, share, until

OFTEN: dict[str, dict[str, Any]] = {
    "consumer": {},
    "classic": {"heartbeat_interval_ms": 100, "session_timeout_ms": 6_000},
    "cooperative": {
        "heartbeat_interval_ms": 100,
        "session_timeout_ms": 6_000,
        "assignor": "cooperative-sticky",
    },
}


def options(how: str) -> dict[str, Any]:
    return {"protocol": "consumer" if how == "consumer" else "classic", **OFTEN[how]}


async def story(bootstrap: str, name: str, how: str) -> list[object]:
    """Two members share six partitions, commit, and leave: what each was told, without ids."""
    anna, ben = (Watched(bootstrap, name, name, **options(how)) for _ in range(2))
    async with anna:
        await until(lambda: len(anna.owned) == 6, "all six are Anna's")
        first = anna.member.epoch
        async with ben:
            await until(lambda: share(anna, ben, of=6), "three and three")
            theirs, strange = min(ben.owned), TopicPartition("nowhere", 0)
            ben.member.note(theirs, 5)
            with pytest.raises(CommitRefused) as refused:
                await ben.member.commit({theirs: 5, strange: 1})
            raised = ben.member.token(theirs).epoch > first
        await until(lambda: len(anna.owned) == 6, "all six again")
        again = await anna.member.committed([theirs, strange])
    kinds = [[each.split()[0] for each in watched.told] for watched in (anna, ben)]
    return [kinds, str(refused.value), raised, again[theirs], again[strange]]


@pytest.mark.timeout(200)
@pytest.mark.parametrize("how", OFTEN)
async def test_members_are_told_the_same_as_by_an_installation(
    how: str, installation: Installation, name: str
) -> None:
    await create_topic(installation.kafka, name, 6)
    with Coordinator({name: 6}) as coordinator:
        in_memory = await story(coordinator.bootstrap, name, how)

    assert in_memory == await story(installation.kafka, name, how)


async def test_a_silent_members_session_ends_when_the_clock_goes_forward() -> None:
    with Coordinator({"orders": 2}) as coordinator:
        async with Watched(coordinator.bootstrap, "g", "orders") as anna:
            await until(lambda: len(anna.owned) == 2, "both")
            coordinator.advance(46)  # longer than the default session
            await until(lambda: len(anna.told) == 3 and len(anna.owned) == 2, "lost, and back")
    assert [each.split()[0] for each in anna.told] == ["assigned", "lost", "assigned", "revoked"]


async def test_topics_grow_and_patterns_find_new_ones() -> None:
    with Coordinator({"orders": 2}) as coordinator:
        async with Watched(coordinator.bootstrap, "g", pattern="ord.*") as anna:
            await until(lambda: len(anna.owned) == 2, "both")
            coordinator.set_topic("orders", 3)
            coordinator.set_topic("ordinances", 1)
            coordinator.set_topic("bills", 1)
            await until(lambda: len(anna.owned) == 4, "the new ones, too")
        with pytest.raises(ValueError, match="orders has 3 partitions"):
            coordinator.set_topic("orders", 1)


async def test_refusals_are_those_of_the_rules() -> None:
    with Coordinator({"orders": 1}, group_consumer_max_size=1) as coordinator:
        async with Watched(coordinator.bootstrap, "g", "orders") as anna:
            await until(lambda: bool(anna.owned), "its partition")
            async with Watched(coordinator.bootstrap, "g", "orders") as ben:
                with pytest.raises(Refused, match="error 81"):
                    async for _ in ben.member:
                        pass
            with pytest.raises(LookupError):
                coordinator.evict("g", "nobody")
            coordinator.rebalance("g")
        with pytest.raises(LookupError, match="no such group"):
            coordinator.rebalance("nowhere")
    with pytest.raises(TypeError, match="colour"):
        Coordinator({}, colour=1)


def test_a_member_without_asyncio_and_a_dead_one() -> None:
    """Nothing hangs at the end of the block, though a member has not left."""
    with Coordinator({"orders": 1}) as coordinator:
        member = BlockingMember(coordinator.bootstrap, "g", ["orders"])
        member.start()
        assert next(member.changes(timeout_s=30)).kind is Kind.ASSIGNED
        assert list(coordinator.members("g").values()) == ["rollcall"]
    member.abandon()


async def test_bytes_that_are_no_request_end_their_connection_only() -> None:
    with Coordinator({"orders": 1}) as coordinator:
        host, _, port = coordinator.bootstrap.rpartition(":")
        for odd in (b"GET / HTTP/1.1\r\n\r\n", b"\0\0\0\4\0\0\0\0", b"\0\0\0\0", b"\xff" * 40):
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(odd)
            assert await _ended(reader.read)
            writer.close()
        async with Watched(coordinator.bootstrap, "g", "orders") as anna:
            await until(lambda: bool(anna.owned), "its partition")


async def _ended(read: Callable[[], Any]) -> bool:
    try:
        return bool(await asyncio.wait_for(read(), 30) == b"")
    except ConnectionError:
        return True
