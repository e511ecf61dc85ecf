"""Random applications over real members and a real server: whatever their callbacks and loops do.

They raise, cancel their own work, close, leave their loops, commit late, are slow, resubscribe
and die, at any callback, with either face, in every protocol. Then a well-behaved one joins: all
that live share the work, or say why they do not; no old owner has overwritten the next one's
progress; and nothing is left of any: no task, no thread, no connection.

``ROLLCALL_TEST_SCHEDULES`` says how many lives each protocol and face has.
"""

import asyncio
import os
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any, Final

import pytest

from benchmarks.wire import create_topic
from rollcall.client import BlockingMember, Kind, Member, MemberError, TopicPartition
from rollcall.client.core.events import Partitions
from tests.client_library.test_callbacks import PROTOCOLS, at
from tests.in_process import prepare
from tests.server.serving import Serving, until

TIMES: Final[dict[str, Any]] = {
    "session_timeout_ms": 3_000,
    "heartbeat_interval_ms": 200,
    "heartbeat_frequency": 15,
}
"""Whoever dies is missed soon."""

DRAFT_TIMES: Final = {**TIMES, "session_timeout_ms": 6_000, "heartbeat_frequency": 30}
"""The draft allows no shorter session."""


def options_of(protocol: str) -> dict[str, Any]:
    return {"protocol": protocol, **(DRAFT_TIMES if protocol == "draft" else TIMES)}


SCHEDULES: Final = int(os.environ.get("ROLLCALL_TEST_SCHEDULES", "1"))
CROWD: Final = 3
ACTS: Final = (
    *("nothing",) * 6,
    *("raise", "cancel", "slow", "commit late", "note", "leave the loop") * 2,
    *("close", "abandon", "subscribe", "unsubscribe"),
)
KINDS: Final = ("assigned", "revoked", "lost", "paused", "resumed")


@pytest.fixture
def _prepared(database_url: str, settings: Any) -> None:
    """Short intervals and sessions in the consumer protocol, too."""
    prepare(database_url, settings)
    settings.GROUP_CONSUMER_MIN_HEARTBEAT_INTERVAL_MS = 100
    settings.GROUP_CONSUMER_HEARTBEAT_INTERVAL_MS = 200
    settings.GROUP_CONSUMER_MIN_SESSION_TIMEOUT_MS = 1_000
    settings.GROUP_CONSUMER_SESSION_TIMEOUT_MS = 3_000


class Mistake(Exception):
    """The application's own."""


class Progress:
    """What was committed, so that an old owner's write shows: each hand-out has a greater term."""

    def __init__(self) -> None:
        self.terms: Counter[TopicPartition] = Counter()
        self.acknowledged: Counter[TopicPartition] = Counter()

    def begin(self, partitions: Partitions) -> dict[TopicPartition, int]:
        """These are handed out; what their owner commits from now on."""
        self.terms.update(partitions)
        return {each: self.terms[each] for each in partitions}

    def durable(self, offsets: dict[TopicPartition, int]) -> None:
        self.acknowledged |= Counter(offsets)


class Application:
    """One member, and a program around it that does what chance says."""

    def __init__(self, progress: Progress, rng: Random) -> None:
        self.progress, self.rng = progress, rng
        self.member: Any = None
        self.mine: dict[TopicPartition, int] = {}
        self.tasks: list[asyncio.Task[None]] = []
        self.is_dead = False

    def hears(self, kind: str) -> Callable[[Partitions], Any]:
        """A callback for it."""

        async def hear(partitions: Partitions) -> None:
            self.learn(kind, partitions)
            await self.act(self.rng.choice(ACTS))

        return hear

    def learn(self, kind: str, partitions: Partitions) -> None:
        if kind == "assigned":
            self.mine |= self.progress.begin(partitions)
        elif kind == "lost":
            for each in partitions:
                self.mine.pop(each, None)

    async def act(self, what: str) -> None:
        """Do it, however wrong that is."""
        match what:
            case "raise":
                raise Mistake("the application's own")
            case "cancel":
                work = asyncio.ensure_future(asyncio.sleep(3600))
                work.cancel()
                await work
            case "slow":
                await asyncio.sleep(self.rng.random() / 5)
            case "commit late":
                self.tasks.append(asyncio.create_task(self.commit(self.rng.random() / 2)))
            case "note":
                for partition, term in self.mine.items():
                    with suppress(MemberError):
                        self.member.note(partition, term)
            case "close":
                self.is_dead = True
                await self.member.close()
            case "abandon":
                self.is_dead = True
                self.member.abandon()
            case "subscribe" | "unsubscribe":
                with suppress(MemberError):
                    self.member.subscribe(["t"])

    async def commit(self, after_s: float) -> None:
        """What was its own when this was begun."""
        offsets = dict(self.mine)
        await asyncio.sleep(after_s)
        await asyncio.to_thread(lambda: self.member.workable)
        with suppress(MemberError):
            await self.member.commit(offsets)
            self.progress.durable(offsets)

    async def follow(self) -> None:
        """Loops over the changes, one after another."""
        while not self.is_dead and self.member.failure is None:
            with suppress(Mistake, MemberError):
                async for _ in self.member:
                    what = self.rng.choice(ACTS)
                    if what == "leave the loop":
                        break
                    if what != "cancel":  # that would be the loop's own task
                        await self.act(what)
            await asyncio.sleep(0.01)


async def live(served: Serving, protocol: str, seed: int) -> None:
    """Some applications, until all is calm again."""
    rng, progress, group = Random(f"{protocol}-{seed}"), Progress(), f"{protocol}-{seed}"
    where, options = at(served, protocol), options_of(protocol)
    crowd = [Application(progress, Random(rng.random())) for _ in range(CROWD)]
    following = []
    for each in crowd:
        callbacks: Any = {f"on_{kind}": each.hears(kind) for kind in KINDS}
        each.member = Member(where, group, ["t"], **callbacks, **options)
        await each.member.start()
        if rng.random() < 0.5:
            following.append(asyncio.create_task(each.follow()))
        await asyncio.sleep(rng.random() / 2)
    calm = Member(where, group, ["t"], **options)
    await calm.start()

    def is_shared() -> bool:
        alive = [each.member for each in crowd if not each.is_dead] + [calm]
        owned = [each.assigned for each in alive]
        assert all(each.failure is None for each in alive), [each.failure for each in alive]
        return sum(map(len, owned)) == len(frozenset().union(*owned)) == 6

    await until(is_shared)
    for each in crowd:
        await asyncio.gather(*each.tasks)
    committed = await calm.committed([TopicPartition("t", n) for n in range(6)])
    for partition, term in progress.acknowledged.items():
        assert (committed[partition] or 0) >= term, (seed, partition, committed, term)
    for each in crowd:
        each.is_dead = True
        await each.member.close()
    await calm.close()
    for task in following:
        await task


@pytest.mark.long
@pytest.mark.timeout(120 + 30 * SCHEDULES)
async def test_no_application_ends_freezes_or_overwrites(served: Serving) -> None:
    await create_topic(served.address, "t", 6)
    before = asyncio.all_tasks()
    for seed in range(SCHEDULES):
        await asyncio.gather(*(live(served, protocol, seed) for protocol in PROTOCOLS))
    await until(lambda: not ours(asyncio.all_tasks() - before))
    await until(lambda: not [t for t in threading.enumerate() if t.name.startswith("rollcall-")])


def ours(tasks: set[asyncio.Task[Any]]) -> list[str]:
    """Those that run the library's own code."""
    names = [getattr(task.get_coro(), "__qualname__", "") for task in tasks]
    return [n for n in names if n.split(".")[0] in ("Pump", "Orders", "Connection", "Member")]


def blocking_act(member: BlockingMember, what: str, rng: Random) -> None:
    """Do it, however wrong that is."""
    match what:
        case "raise":
            raise RuntimeError("the application's own")
        case "cancel":
            raise SystemExit
        case "slow":
            threading.Event().wait(rng.random() / 5)
        case "commit late":
            member.commit(dict.fromkeys(member.assigned, 1))
        case "close":
            member.close()
        case "abandon":
            member.abandon()


def blocking_loop(member: BlockingMember, rng: Random) -> None:
    """Follow for a moment, and leave the loop in one way or another."""
    with suppress(RuntimeError, MemberError, SystemExit):
        for change in member.changes(timeout_s=rng.random() / 4):
            assert change.kind in Kind
            if rng.random() < 0.3:
                break
            blocking_act(member, rng.choice(ACTS), rng)


def blocking_life(where: str, protocol: str, seed: int) -> None:
    """One program without asyncio: a loop in this thread, callbacks in others."""
    rng, group = Random(f"{protocol}-{seed}"), f"{protocol}-{seed}"
    options = options_of(protocol)

    def hear(_: object) -> None:
        blocking_act(member, rng.choice(ACTS), rng)

    callbacks: Any = {f"on_{kind}": hear for kind in KINDS}
    member = BlockingMember(where, group, ["t"], **callbacks, **options)
    calm = BlockingMember(where, group, ["t"], **options)
    with member, calm:
        for _ in range(4):
            blocking_loop(member, rng)
        while not calm.assigned or len(member.assigned | calm.assigned) < 6:
            threading.Event().wait(0.01)
            assert member.failure is None
    member._thread.join()
    calm._thread.join()


@pytest.mark.long
@pytest.mark.timeout(120 + 30 * SCHEDULES)
async def test_no_application_without_asyncio_does_either(served: Serving) -> None:
    await create_topic(served.address, "t", 6)
    for seed in range(SCHEDULES):
        lives = [
            asyncio.to_thread(blocking_life, at(served, protocol), protocol, seed)
            for protocol in PROTOCOLS
        ]
        await asyncio.gather(*lives)
    await until(lambda: not [t for t in threading.enumerate() if t.name.startswith("rollcall-")])
