"""A consumer that the coordinator commands (the draft of 2012), and that obeys.

It polls for commands, stops and starts fetchers as commanded, acknowledges that, and computes its
own session: without a success for a session it stops by itself (docs/commanded.md, *Requirements on
a consumer*).
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from groups.core import commands
from groups.core.errors import ErrorCode
from groups.core.events import (
    AcknowledgeCommand,
    LeaveGroup,
    Leaver,
    OffsetCommit,
    RegisterConsumer,
)
from groups.core.replies import Registered
from groups.core.rows import CommandRow
from proof.simulation.clients import AGAIN_S, Client, Part
from proof.simulation.desk_commands import Poll, Polled
from proof.simulation.network import Network
from proof.simulation.world import World

WORKS_ON_NOTHING: Final = -1

PACE_S: Final = 0.1
"""The time between polls without a command, for a coordinator that does not delay them."""

MOMENT_S: Final = 0.001
"""How early a timer may fire."""


class CommandedClient(Client):
    """Registers, polls, obeys. ``leave_until``: the end of its session by its own clock, in
    milliseconds."""

    is_registered = False
    received = 0
    leave_until = 0

    def __init__(self, world: World, network: Network, *rest: Any) -> None:
        super().__init__(world, network, *rest)
        self._todo: deque[CommandRow] = deque()
        self._has_commands = asyncio.Event()

    @property
    def is_idle(self) -> bool:  # type: ignore[override]
        """Whether it has no partitions: it may not have got a generation."""
        return self.is_registered and not self.owned

    async def live(self) -> None:
        """Until it leaves."""
        self.member_id = f"{self.group_id[:20]}-{UUID(int=self.world.rng.getrandbits(128))}"
        self.process.spawn(self._watch())
        self.process.spawn(self._obey())
        self.process.spawn(self._work())
        while not self.is_over:
            if self.is_leaving:
                await self._leave()
                return
            went = await (self._poll() if self.is_registered else self._register())
            pause_s = PACE_S if went else AGAIN_S
            await asyncio.sleep(pause_s * self.world.rng.uniform(0.7, 1.0))

    async def _register(self) -> bool:
        reply = await self.beats.call("RegisterConsumer", self._offer(), self.patience_s, owned=[])
        if not isinstance(reply, Registered) or reply.error is not ErrorCode.NONE:
            return False
        self.is_registered, self.received = True, reply.last_command_id
        self.turns += 1
        self.is_stable = True
        return True

    async def _poll(self) -> bool:
        sent_at = self.process.clock_ms()
        is_in_haste = self.owned and self.leave_until - sent_at <= self.session_ms // 2
        body = Poll(self.member_id, self.received, 0 if is_in_haste else self.session_ms // 3)
        reply = await self.beats.call("PollCommands", body, self.patience_s)
        self._look_at_clock()
        if not isinstance(reply, Polled) or not self.is_registered:
            self._poll_refused(None if reply is None else reply.error)
            return False
        self.leave_until = sent_at + self.session_ms
        for command in reply.commands:
            if command.command_id > self.received:
                self.received = command.command_id
                self._todo.append(command)
                self._has_commands.set()
                self.is_stable = False
        return True

    def _poll_refused(self, code: ErrorCode | None) -> None:
        if code is ErrorCode.UNKNOWN_MEMBER_ID:
            self._stop()

    def _stop(self) -> None:
        """Stop all fetchers at once; it registers again."""
        self.owned, self.generation, self.is_stable = frozenset(), -1, False
        self._todo.clear()
        self.is_registered = False
        self.turns += 1
        self.world.record("stopped", group=self.group_id, member=self.member_id)

    def _look_at_clock(self) -> None:
        if self.owned and self.process.clock_ms() >= self.leave_until:
            self._stop()

    async def _watch(self) -> None:
        """Stop when its session ends: checked at that time, which every success postpones."""
        while not self.is_over:
            left_ms = self.leave_until - self.process.clock_ms() if self.owned else self.session_ms
            await asyncio.sleep(max(left_ms / 1000, 0) + MOMENT_S)
            self._look_at_clock()

    # -- commands

    async def _obey(self) -> None:
        while not self.is_over:
            await self._has_commands.wait()
            if self._todo:
                await self._do(self._todo[0])
            else:
                self._has_commands.clear()

    async def _do(self, command: CommandRow) -> None:
        """Execute the command, then acknowledge it until a response comes."""
        is_stop = command.option == commands.STOP
        if is_stop:
            await asyncio.sleep(self.world.rng.uniform(0, 0.5))  # fetchers take a while to stop
            self._look_at_clock()
            if self.owned and self.world.rng.random() < 0.5:
                await self.commit([p for _, p in sorted(self.owned)])
            self.owned = frozenset()
        elif self._todo:
            self.owned, self.generation = _parts(command), command.generation
        if not self._todo:
            return
        done = AcknowledgeCommand(member_id=self.member_id, command_id=command.command_id)
        fields: dict[str, Any] = {"owned": []} if is_stop else {}
        reply = await self.main.call("AcknowledgeCommand", done, self.patience_s, **fields)
        if not self._todo or self._todo[0] is not command:
            return
        if reply is not None and reply.error is ErrorCode.NONE:
            self._todo.popleft()
            self.is_stable = not (is_stop or self._todo)
        elif reply is not None and reply.error in GONE:
            self._stop()
        else:
            await asyncio.sleep(AGAIN_S)

    async def _leave(self) -> None:
        if self.is_registered:
            self.owned = frozenset()
            self._todo.clear()
            leaver = Leaver(self.member_id, None)
            await self.main.call("LeaveGroup", LeaveGroup(members=(leaver,)), owned=[])
        self.die()

    async def _work(self) -> None:
        while not self.is_over:
            await asyncio.sleep(self.world.rng.uniform(0.3, 1.5))
            self._look_at_clock()
            if self.owned and not (self._todo or self.is_leaving):
                await self.work()

    # -- requests

    def _offer(self) -> RegisterConsumer:
        return RegisterConsumer(
            consumer_id=self.member_id,
            generation_id=WORKS_ON_NOTHING,
            client_id=self.name,
            client_host="/127.0.0.1",
            session_timeout_ms=self.session_ms,
            threads=dict.fromkeys(self.topics, 1),
            counts={self.topic: self.partitions},
        )

    def commit_of(self, offsets: Sequence[Sequence[Any]]) -> OffsetCommit:
        """OffsetCommit in the generation of the last start-fetcher."""
        return OffsetCommit(
            generation_id=self.generation,
            member_id=self.member_id,
            instance_id=None,
            offsets=self.numbers.writes(offsets),
            version=9,
        )

    def facts(self, reply: Any) -> dict[str, Any]:
        """The fields of a success in the history."""
        if isinstance(reply, Registered):
            return {"member": reply.consumer_id, "generation": reply.generation_id}
        if isinstance(reply, Polled):
            last = reply.commands[-1] if reply.commands else None
            started = None if last is None or last.option != commands.START else last
            return {
                "generation": reply.generation_id if started is None else started.generation,
                "owned": None if started is None else sorted(map(list, _parts(started))),
            }
        return super().facts(reply)


GONE: Final = frozenset({ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.INVALID_REQUEST})
"""It is not a member any more, or another one has its name."""


def _parts(command: CommandRow) -> frozenset[Part]:
    owned = command.ownership or {}
    return frozenset((topic, p) for topic, parts in owned.items() for p in parts)
