"""An assignor of one's own in the consumer protocol: the library, alone and at a real node.

The function that assigns is the very one of docs/client.md, ten lines long.
"""

import asyncio
import contextlib
import json
import re
import threading
import urllib.request
from collections.abc import AsyncIterator, Callable, Iterator
from random import Random
from typing import Any

import pytest

from benchmarks.wire import create_topic
from launcher.installation import Installation
from rollcall.client import Assignor, ClientAssignor, Member, TopicPartition, View
from rollcall.client.assignors.own import client_assignor
from rollcall.client.core.assigning import wire_assignor
from rollcall.client.core.consumer import ConsumerMachine
from rollcall.client.core.events import Assign, Identity, Reply, Send, Subscribe, Subscription
from rollcall.wire.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
)
from tests.client_library.drawing import PAGE
from tests.clients.conftest import Worker
from tests.installations import TOKEN

MEMBERS, PARTITIONS = 50, 100
PATIENCE_S = 120
SESSION_MS = 10_000
LINES_MAX = 10

IMPATIENT = {
    "ROLLCALL_API_TOKEN": TOKEN,
    "ROLLCALL_GROUP_CONSUMER_SESSION_TIMEOUT_MS": str(SESSION_MS),
    "ROLLCALL_GROUP_CONSUMER_MIN_SESSION_TIMEOUT_MS": str(SESSION_MS),
    "ROLLCALL_GROUP_CONSUMER_HEARTBEAT_INTERVAL_MS": "2000",
    "ROLLCALL_GROUP_CONSUMER_MIN_HEARTBEAT_INTERVAL_MS": "2000",
    # Room for a thread to be given its turn on a busy machine.
    "ROLLCALL_GROUP_CONSUMER_ASSIGNMENT_TIMEOUT_MS": "3000",
}

Function = Callable[[View], Any]


def by_turns() -> Function:
    """The function on the page, compiled from its text."""
    found = re.search(
        r"^def by_turns.*?return shares\n", PAGE.read_text(), re.DOTALL | re.MULTILINE
    )
    assert found is not None and len(found[0].splitlines()) <= LINES_MAX
    names: dict[str, Any] = {}
    exec(found[0], names)
    made: Function = names["by_turns"]
    return made


# -- what may be given as an assignor


class Even:
    """A class of one's own."""

    name = "even"
    metadata = b"four cores"

    def assign(self, view: View) -> dict[str, set[TopicPartition]]:
        return {}


def test_a_function_a_class_and_an_object_are_assignors() -> None:
    made = [client_assignor(own) for own in (by_turns(), Even, Even())]

    assert [(each.name, each.metadata) for each in made] == [
        ("by_turns", b""),
        ("even", b"four cores"),
        ("even", b"four cores"),
    ]


@pytest.mark.parametrize("wrong", [lambda view: {}, 7, object()])
def test_an_assignor_without_a_name_is_refused(wrong: object) -> None:
    with pytest.raises(ValueError, match="it needs a name"):
        Member("localhost:1", "g", ["t"], assignor=wrong)


def test_metadata_too_large_for_a_heartbeat_is_refused() -> None:
    wordy = ClientAssignor("wordy", by_turns(), metadata=bytes(16_000))
    with pytest.raises(ValueError, match="a heartbeat carries 16000"):
        Member("localhost:1", "g", ["t"], assignor=wordy)


@pytest.mark.parametrize(
    ("protocol", "assignor"),
    [
        ("classic", by_turns()),
        ("consumer", Assignor("mine", lambda counts, members: {})),
        ("consumer", ["range", "uniform"]),
    ],
)
def test_an_assignor_of_another_protocol_is_refused(protocol: str, assignor: Any) -> None:
    with pytest.raises(ValueError, match=r"(classic|consumer) protocol"):
        Member("localhost:1", "g", ["t"], protocol=protocol, assignor=assignor)


# -- the machine


def asked_of(effects: list[Any]) -> tuple[int, ConsumerGroupHeartbeatRequest]:
    """The heartbeat among what is to be done."""
    (send,) = [effect for effect in effects if isinstance(effect, Send)]
    assert isinstance(send.message, ConsumerGroupHeartbeatRequest)
    return send.ticket, send.message


def test_a_member_lists_its_assignors_when_it_joins_and_assigns_on_request() -> None:
    mine = wire_assignor(ClientAssignor("mine", by_turns(), metadata=b"x"))
    identity = Identity("g", assignors=("range", "mine"))
    machine = ConsumerMachine(identity, Random(1), [mine])

    ticket, join = asked_of(machine.take(Subscribe(Subscription(("t",))), 0))
    assert (join.server_assignor, join.client_assignors) == ("range", [mine])

    answer = ConsumerGroupHeartbeatResponse(
        member_epoch=1, heartbeat_interval_ms=1_000, should_compute_assignment=True
    )
    assert Assign() in machine.take(Reply(ticket, answer), 1)
    assert machine.standing.epoch == 1


def test_a_member_without_assignors_sends_none() -> None:
    machine = ConsumerMachine(Identity("g"), Random(1))
    _, join = asked_of(machine.take(Subscribe(Subscription(("t",))), 0))
    assert join.client_assignors is None


# -- at a real node


def reasons(installation: Installation, group: str, kind: str) -> list[str]:
    """What the group's journal gives as reasons for entries of a kind, newest first."""
    request = urllib.request.Request(
        f"{installation.web}/api/v1/groups/{group}/journal?kind={kind}",
        headers={"Authorization": f"Bearer {TOKEN}"},
    )
    with urllib.request.urlopen(request) as answer:
        return [entry["reason"] for entry in json.load(answer)["data"]]


class Crowd:
    """Members in this process, and what they own; every callback wakes the test."""

    def __init__(self, installation: Installation, group: str) -> None:
        self.installation = installation
        self.group = group
        self.members: dict[int, Member] = {}
        self._moved = asyncio.Event()

    async def join(self, number: int, assignor: Any) -> None:
        def woken(_partitions: object) -> None:
            self._moved.set()

        member = self.members[number] = Member(
            self.installation.kafka,
            self.group,
            [self.group],
            assignor=assignor,
            client_id=f"w-{number}",
            session_timeout_ms=SESSION_MS,
            on_assigned=woken,
            on_revoked=woken,
            on_lost=woken,
        )
        await member.start()

    def abandon(self, number: int) -> None:
        """It dies: no leave, no word, its connections end."""
        member = self.members.pop(number)
        member._pump.stop()
        member._cluster.close()

    def shares(self) -> list[int]:
        """How many each has; every partition has exactly one owner, or nothing."""
        owned = [part for member in self.members.values() for part in member.assigned]
        if len(owned) != PARTITIONS or len(set(owned)) != PARTITIONS:
            return []
        return sorted(len(member.assigned) for member in self.members.values())

    async def until(self, *shares: int) -> None:
        """Wait until the members have so many, in ascending order."""
        async with asyncio.timeout(PATIENCE_S):
            while self.shares() != list(shares):
                self._moved.clear()
                await self._moved.wait()

    async def close(self) -> None:
        await asyncio.gather(*(member.close() for member in self.members.values()))


@contextlib.asynccontextmanager
async def crowd(installation: Installation, group: str) -> AsyncIterator[Crowd]:
    """A group of the test's own."""
    await create_topic(installation.kafka, group, PARTITIONS)
    made = Crowd(installation, group)
    try:
        yield made
    finally:
        await made.close()


class Stuck:
    """An assignor that, once armed, never comes back from its next call; and who it was."""

    def __init__(self) -> None:
        self.is_armed = False
        self.who: int | None = None
        self.runs = 0
        self.begun = threading.Event()
        self.end = threading.Event()
        self._one = threading.Lock()

    def of(self, number: int) -> ClientAssignor:
        """The assignor as one member has it."""
        honest = by_turns()

        def assign(view: View) -> Any:
            with self._one:
                self.runs += 1
                is_me = self.is_armed and self.who is None
                self.who = number if is_me else self.who
            if is_me:
                self.begun.set()
                self.end.wait()
            return honest(view)

        return ClientAssignor("by_turns", assign)


@pytest.fixture
def impatient() -> Iterator[Installation]:
    """A dead member is missed soon, and so is one that thinks too long."""
    with Installation(IMPATIENT) as it:
        yield it


@pytest.mark.long
@pytest.mark.timeout(400)
async def test_ten_lines_assign_fifty_members_and_survive_the_death_of_the_assigning_one(
    impatient: Installation,
) -> None:
    """ "dies in the middle of it, and the group goes on": first with what its share was, then,
    when its session has ended, without it."""
    stuck = Stuck()
    async with crowd(impatient, "fifty") as them:
        for number in range(MEMBERS):
            await them.join(number, stuck.of(number))
        await them.until(*[2] * MEMBERS)
        assert stuck.runs, "a member assigned, not the coordinator"

        stuck.is_armed = True
        await them.members.pop(0).close()
        assert await asyncio.to_thread(stuck.begun.wait, PATIENCE_S)
        assert stuck.who is not None
        them.abandon(stuck.who)

        await them.until(*[2] * (MEMBERS - 6), *[3] * 4)
        stuck.end.set()
    assert "said nothing in time" in reasons(impatient, "fifty", "assignor-failed")
    assert len(reasons(impatient, "fifty", "assignment-installed")) > 1


@pytest.mark.timeout(200)
async def test_after_a_failed_assignor_the_coordinator_assigns(
    installation: Installation,
) -> None:
    def broken(view: View) -> Any:
        raise ValueError(f"no idea what to do with {len(view.members)}")

    async with crowd(installation, "broken") as them:
        for number in range(3):
            await them.join(number, broken)
        await them.until(33, 33, 34)
    why = reasons(installation, "broken", "assignor-fell-back")
    assert "no idea what to do with" in why[0]


@pytest.mark.timeout(200)
async def test_a_stock_consumer_is_assigned_by_a_library_member(installation: Installation) -> None:
    """It neither knows that it is, nor has anything to do for it."""

    def all_to_the_other(view: View) -> Any:
        (topic,) = view.counts
        mine = max(view.members, key=lambda member: member.version).member_id
        others = [m.member_id for m in view.members if m.member_id != mine]
        return {(others or [mine])[0]: {(topic, n) for n in range(view.counts[topic])}}

    async with crowd(installation, "mixed") as them:
        await them.join(0, all_to_the_other)
        await them.until(PARTITIONS)
        stock = Worker.of("confluent-kafka-848", installation.kafka, "mixed", SESSION_MS)
        try:
            everything = set(range(PARTITIONS))
            await asyncio.to_thread(
                stock.until, lambda: stock.owned == everything, "the stock consumer has all"
            )
            assert not them.members[0].assigned
        finally:
            await asyncio.to_thread(stock.close)
            stock.close_pipes()
        await them.until(PARTITIONS)
