"""A consumer that is commanded, as docs/commanded.md says it shall behave, and what it works on.

It writes down when it began and ended to work on each partition; ``overlaps`` reads what several
wrote down. A good answer to a poll is leave to work for one session from the moment at which
the poll was sent, so that it knows its own end by itself.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from groups.core.commands import START
from groups.core.errors import ErrorCode
from rollcall.client.connection import Broken, Connection
from rollcall.client.dialects.kafka import KAFKA
from rollcall.wire.messages.acknowledge_command import AcknowledgeCommandRequest
from rollcall.wire.messages.find_coordinator import FindCoordinatorRequest
from rollcall.wire.messages.leave_group import LeaveGroupRequest, MemberIdentity
from rollcall.wire.messages.poll_commands import Command, PollCommandsRequest
from rollcall.wire.messages.register_consumer import RegisterConsumerRequest, TopicThreads

PAUSE_S = 0.05
"""Between two tries to find the coordinator."""

ANSWER_S = 30.0

UNDECIDED = (
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_COORDINATOR,
)
"""Refusals of a node that is not the coordinator, or not yet."""

Part = tuple[str, int]


@dataclass
class Stretch:
    """Who worked on a partition, from when to when (None: to this day)."""

    consumer: str
    part: Part
    since: float
    until: float | None = None


@dataclass
class Record:
    """What consumers wrote down, on one clock."""

    stretches: list[Stretch] = field(default_factory=list)
    started: dict[str, int] = field(default_factory=dict)
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    def overlaps(self) -> list[tuple[Stretch, Stretch]]:
        """Stretches of one partition that were not one after the other: there must be none."""
        by_part: dict[Part, list[Stretch]] = defaultdict(list)
        for stretch in self.stretches:
            by_part[stretch.part].append(stretch)
        return [
            (one, other)
            for stretches in by_part.values()
            for one, other in pairwise(sorted(stretches, key=lambda s: s.since))
            if one.until is None or one.until > other.since
        ]

    def owners(self) -> dict[Part, str]:
        """Who works on what just now."""
        return {s.part: s.consumer for s in self.stretches if s.until is None}

    async def everybody_started(self, names: Collection[str], generation: int) -> None:
        """Wait until all of these have started in a generation, this one or a later."""
        async with self.changed:
            await self.changed.wait_for(
                lambda: all(self.started.get(name, -1) >= generation for name in names)
            )

    async def owned(self, parts: Collection[Part], names: Collection[str]) -> None:
        """Wait until just these consumers work on all of these partitions."""
        async with self.changed:
            await self.changed.wait_for(
                lambda: (
                    self.owners().keys() == set(parts) and set(self.owners().values()) <= set(names)
                )
            )


class Consumer:
    """One consumer, from ``run`` until it is cancelled or leaves.

    ``deaf`` options: it acknowledges none of these commands, and continues to work.
    """

    def __init__(
        self,
        bootstrap: Sequence[str],
        group: str,
        name: str,
        record: Record,
        *,
        topics: Sequence[str] = ("orders",),
        session_ms: int = 20_000,
    ) -> None:
        self.bootstrap = bootstrap
        self.group = group
        self.name = name
        self.record = record
        self.topics = topics
        self.session_ms = session_ms
        self.deaf: set[str] = set()
        self.generation = -1
        self.is_registered = False
        self.refused: list[int] = []
        self._last = self._done = self._acknowledged = 0
        self._has_left = False
        self._leave_until = 0.0
        self._connection: Connection | None = None
        self._working: list[Stretch] = []

    async def run(self) -> None:
        """Register, poll and do, over whatever befalls the coordinator."""
        try:
            while not self._has_left:
                try:
                    await self._talk()
                except OSError:
                    self._close()
                    self._reckon()
                    await asyncio.sleep(PAUSE_S)
        finally:
            self._end(time.monotonic())  # a process that is gone works on nothing
            self._close()

    async def leave(self) -> None:
        """Stop, then say so."""
        self._has_left = True
        await self._stop()
        request = LeaveGroupRequest(
            group_id=self.group, members=[MemberIdentity(member_id=self.name)]
        )
        while True:
            try:
                connection = await self._to_coordinator()
                try:
                    answer = await connection.call(request, ANSWER_S)
                finally:
                    connection.close()
            except OSError:
                answer = None
            if answer is not None and answer.error_code not in UNDECIDED:
                return
            await asyncio.sleep(PAUSE_S)

    async def _talk(self) -> None:
        connection = await self._connected()
        if not self.is_registered:
            await self._register(connection)
        if self._done > self._acknowledged:  # its coordinator did not answer any more
            await self._acknowledge(connection)
        sent_at = time.monotonic()
        request = PollCommandsRequest(
            group_id=self.group, member_id=self.name, last_command_id=self._last, max_wait_ms=5_000
        )
        left_s = self._leave_until - sent_at if self._working else ANSWER_S
        answer = await connection.call(request, max(left_s, 0.001))
        if answer.error_code != ErrorCode.NONE:
            await self._refused(answer.error_code)
            return
        self._reckon()
        self._leave_until = max(self._leave_until, sent_at + self.session_ms / 1000)
        for command in answer.commands:
            if command.command_id > self._last:
                self._last = command.command_id
                await self._do(connection, command)

    async def _register(self, connection: Connection) -> None:
        request = RegisterConsumerRequest(
            group_id=self.group,
            consumer_id=self.name,
            session_timeout_ms=self.session_ms,
            topics=[TopicThreads(name=topic) for topic in self.topics],
        )
        answer = await connection.call(request, ANSWER_S)
        if answer.error_code != ErrorCode.NONE:
            await self._refused(answer.error_code)
            raise Broken(f"not registered: {answer.error_code}")
        self.is_registered, self._last = True, answer.last_command_id
        self._acknowledged = self._done  # what came before is nothing to a new registration

    async def _refused(self, code: int) -> None:
        self.refused.append(code)
        if code == ErrorCode.UNKNOWN_MEMBER_ID:
            await self._stop()
            self.is_registered = False
        else:
            raise Broken(f"error {code}")

    def _reckon(self) -> None:
        """Without leave there is no work, whenever that is noticed."""
        if self._working and time.monotonic() >= self._leave_until:
            self._end(self._leave_until)
            self.is_registered = False

    async def _do(self, connection: Connection, command: Command) -> None:
        if command.option in self.deaf or self._has_left:
            return
        await self._stop()
        if command.option == START:
            await self._start(command)
        self._done = command.command_id
        await self._acknowledge(connection)

    async def _acknowledge(self, connection: Connection) -> None:
        request = AcknowledgeCommandRequest(
            group_id=self.group, member_id=self.name, command_id=self._done
        )
        answer = await connection.call(request, ANSWER_S)
        if answer.error_code == ErrorCode.NONE:
            self._acknowledged = request.command_id
        else:
            await self._refused(answer.error_code)

    async def _start(self, command: Command) -> None:
        now = time.monotonic()
        self.generation = command.generation_id
        self._working = [
            Stretch(self.name, (topic.name, owned.partition), now)
            for topic in command.ownership or ()
            for owned in topic.partitions
        ]
        async with self.record.changed:
            self.record.stretches += self._working
            self.record.started[self.name] = self.generation
            self.record.changed.notify_all()

    async def _stop(self) -> None:
        self._end(time.monotonic())
        async with self.record.changed:
            self.record.changed.notify_all()

    def _end(self, at: float) -> None:
        for stretch in self._working:
            stretch.until = at
        self._working = []

    async def _connected(self) -> Connection:
        if self._connection is None or not self._connection.is_open:
            self._connection = await self._to_coordinator()
        return self._connection

    async def _to_coordinator(self) -> Connection:
        problem: Any = "nobody answers"
        for address in self.bootstrap:
            try:
                asked = await self._open(address)
            except OSError as error:
                problem = error
                continue
            try:
                request = FindCoordinatorRequest(coordinator_keys=[self.group])
                (found,) = (await asked.call(request, ANSWER_S)).coordinators
            finally:
                asked.close()
            if found.error_code == ErrorCode.NONE:
                return await self._open(f"{found.host}:{found.port}")
            problem = found.error_code
        raise Broken(str(problem))

    async def _open(self, address: str) -> Connection:
        host, _, port = address.rpartition(":")
        return await Connection.open(host, int(port), self.name, None, KAFKA)

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
