"""What every member does, whatever its protocol: find the coordinator, send requests, heartbeat,
commit, start again.

The steps of each protocol are in ``classic`` and ``consumer``. Behaves as stock clients do: if it
loses the coordinator it looks for it again and keeps the generation; only an error code that
requires it makes it rejoin.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

from benchmarks.wire import Peer
from proof.chaos.history_fields import GOOD, api_of, of_answer, of_request
from proof.chaos.network import BROKEN, CALL_S, ELSEWHERE, Backoff, Elsewhere, Network, call
from proof.chaos.record import Eviction, Partition, Record, now
from proof.simulation import odd
from rollcall.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from rollcall.wire.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
)

ODD_OFFSETS = (1 << 63) - 1_000_000_000

COMMIT_VERSION = 9
FETCH_VERSION = 9


class Member(ABC):
    """One member with its own connection.

    ``beats_s`` is the time between heartbeats, ``commits_every`` the heartbeats between commits.
    ``owned`` are the partitions that it works on, ``generation`` its generation or member epoch
    (-1: none).
    """

    def __init__(
        self,
        network: Network,
        record: Record,
        name: str,
        group_id: str,
        topic: str,
        *,
        session_s: float,
        beats_s: float,
        commits_every: int = 2,
    ) -> None:
        self.network = network
        self.record = record
        self.name = name
        self.group_id = group_id
        self.topic = topic
        self.session_s = session_s
        self.beats_s = beats_s
        self.commits_every = commits_every
        self.member_id = ""
        self.generation = -1
        self.owned: frozenset[int] = frozenset()
        self.settled = asyncio.Event()
        self.peer: Peer | None = None
        self._runs = asyncio.Event()
        self._runs.set()
        self._is_replaced: bool | None = None
        self._sent = now()
        self._silent_s = 0.0
        self._backoff = Backoff(network.rng)

    commit_version, fetch_version = COMMIT_VERSION, FETCH_VERSION
    base = 0
    """The base of its offsets: those of odd members are at the end of the int64 range."""

    def make_odd(self) -> None:
        """Commit offsets and notes at their limits from now on."""
        self.base = ODD_OFFSETS

    def note_of(self, offset: int) -> str:
        """The note (Kafka's "metadata") of an offset."""
        return odd.STORABLE[offset % len(odd.STORABLE)] if self.base else ""

    # -- controlled by the run

    def pause(self) -> None:
        """Stop at the next step, as a process in a long garbage collection does."""
        self._runs.clear()

    def resume(self) -> None:
        """Continue."""
        self._runs.set()

    def replace(self, *, leaves: bool) -> None:
        """At the next step, end and start again as another member of the group, as in a deploy; a
        member that does not leave just ends."""
        self._is_replaced = leaves

    async def run(self) -> None:
        """Run until cancelled."""
        try:
            while True:
                try:
                    found = self.network.reach(self.group_id, self._seeks, self._backoff)
                    self.peer = await found
                    await self._live()
                except (Elsewhere, *BROKEN):
                    self._hang_up()
                await asyncio.sleep(self._backoff.next_s())
        finally:
            self._hang_up()

    def _seeks(self) -> None:
        if self.member_id:
            self.record.note("seek", group=self.group_id, member=self.member_id)

    def _hang_up(self) -> None:
        if self.peer is not None:
            self.peer.close()
            self.peer = None

    # -- each protocol's own

    @abstractmethod
    def rejoin(self) -> None:
        """Join again with the next step, as a client does whose subscription changed."""

    @abstractmethod
    async def leave(self) -> int:
        """Leave the group, as a client that closes does; returns the error."""

    @abstractmethod
    async def step(self) -> float:
        """One request or two; returns how many seconds to wait before the next."""

    async def _live(self) -> None:
        while True:
            if not self._runs.is_set():
                await self._runs.wait()
                await self.commit()  # first commit the work from before the pause
            if self._is_replaced is not None:
                await self._start_again(leaves=self._is_replaced)
            await asyncio.sleep(await self.step())

    async def _start_again(self, *, leaves: bool) -> None:
        if leaves and self.member_id:
            self.check(await self.leave())
        self._is_replaced = None
        self.member_id, self.generation, self.owned = "", -1, frozenset()
        self.settled.clear()
        self.rejoin()

    # -- requests

    async def request(self, request: Any, version: int, limit_s: float = 0.0, **fields: Any) -> Any:
        """Send a request to the coordinator, and record it, ``fields`` and the response. A node
        that does not answer for the session timeout counts as lost, as in Java's consumer."""
        assert self.peer is not None
        self._silent_s = max(self._silent_s, now() - self._sent)
        self._sent = now()
        common = {"process": self.name, "call": self.record.next_call()}
        session_ms = self.session_s * 1000
        self.record.note("invoke", **common, **of_request(request), session_ms=session_ms, **fields)
        try:
            limit_s = limit_s or min(self.session_s, CALL_S)
            answer = await call(self.peer, request, version, limit_s)
        except BaseException:
            self.record.note("info", **common, why="closed")  # by the client
            raise
        code, facts = of_answer(api_of(request), self.topic, answer)
        if code == GOOD:
            self.record.note("ok", **common, **facts)
        else:
            self.record.note("fail", **common, code=code)
        return answer

    def renewed(self) -> None:
        """A request succeeded: the session was renewed when it was sent, or later. A client that
        waits long in a JoinGroup may wait at the wrong node, and be removed by the right one."""
        self._silent_s = now() - self._sent
        self._backoff.worked()

    def check(self, code: int) -> None:
        """Raise Elsewhere for a code that says so."""
        if code in ELSEWHERE:
            raise Elsewhere

    def evicted(self, api: str) -> None:
        """The response to this API says that the member is unknown."""
        if self.generation >= 0:
            who = (self.group_id, self.member_id)
            gone = Eviction(now(), *who, self._silent_s, self.session_s, api)
            self.record.evictions.append(gone)

    # -- offsets

    def at(self, partition: int) -> Partition:
        """The key of a partition in the record."""
        return (self.group_id, partition)

    async def commit(self) -> int:
        """Commit the next offset of every owned partition; returns the error, 0 if it owns none."""
        if not self.owned:
            return 0
        places = [self.at(p) for p in sorted(self.owned)]
        sent = [(at, self.base + self.record.next_offset(at)) for at in places]
        sent_at, error = now(), None
        try:
            offsets = [[self.topic, partition, offset] for (_, partition), offset in sent]
            notes = [odd.digest(self.note_of(offset)) for _, offset in sent]
            request, version = self.commit_request(sent), self.commit_version
            answer = await self.request(request, version, offsets=offsets, notes=notes)
            error = answer.topics[0].partitions[0].error_code
        finally:
            self.record.commit(sent_at, sent, error)
        self.check(error)
        return int(error)

    def commit_request(self, sent: Iterable[tuple[Partition, int]]) -> Any:
        """OffsetCommit of these."""
        partitions = [
            OffsetCommitRequestPartition(
                partition_index=partition,
                committed_offset=offset,
                committed_metadata=self.note_of(offset),
            )
            for (_, partition), offset in sent
        ]
        return OffsetCommitRequest(
            group_id=self.group_id,
            generation_id_or_member_epoch=self.generation,
            member_id=self.member_id,
            topics=[OffsetCommitRequestTopic(name=self.topic, partitions=partitions)],
        )

    async def fetch(self, partitions: Iterable[int]) -> None:
        """Read the committed offsets, as a client does after every new assignment."""
        wanted = sorted(partitions)
        if not wanted:
            return
        places = [[self.topic, partition] for partition in wanted]
        answer = await self.request(self.fetch_request(wanted), self.fetch_version, wanted=places)
        code = of_answer(api_of(answer, "Response"), self.topic, answer).code
        self.check(code)
        if code != GOOD:
            self.record.defects.append(f"OffsetFetch of {self.group_id}: {code}")

    def fetch_request(self, wanted: list[int]) -> Any:
        """OffsetFetch of these partitions."""
        topics = [OffsetFetchRequestTopics(name=self.topic, partition_indexes=wanted)]
        groups = [OffsetFetchRequestGroup(group_id=self.group_id, topics=topics)]
        return OffsetFetchRequest(groups=groups)
