"""A consumer that the coordinator commands (the draft of 2012), and that obeys.

It polls for commands, stops and starts as commanded, and acknowledges that. It computes its own
session: without a success for a session it stops by itself (docs/commanded.md).
"""

import uuid
from typing import Any

from groups.core import commands
from groups.core.errors import ErrorCode
from proof.chaos.member import Member
from proof.chaos.record import now
from rollcall.wire.messages.acknowledge_command import AcknowledgeCommandRequest
from rollcall.wire.messages.leave_group import LeaveGroupRequest, MemberIdentity
from rollcall.wire.messages.poll_commands import PollCommandsRequest
from rollcall.wire.messages.register_consumer import RegisterConsumerRequest, TopicThreads

LEAVE_VERSION = 4

AGAIN_S = 0.1
"""After a RegisterConsumer."""

LATE = frozenset({ErrorCode.ILLEGAL_GENERATION, ErrorCode.REBALANCE_IN_PROGRESS})
"""Of a commit: another generation has begun, whose commands come with the next poll."""


class CommandedMember(Member):
    """``works_until``: the end of its session by its own clock. Commands up to ``_received`` are
    carried out and acknowledged."""

    is_registered: bool = False
    works_until: float = 0.0
    _received: int = 0
    _polls: int = 0

    async def step(self) -> float:
        """Register if necessary, else poll and obey, and commit now and then."""
        self._look_at_clock()
        if not self.is_registered:
            await self._register()
            return AGAIN_S
        await self._poll()
        self._polls += 1
        if self.settled.is_set() and self._polls % self.commits_every == 0:
            self._mind_commit(await self.commit())
        return self.beats_s if self.settled.is_set() else 0.0

    def rejoin(self) -> None:
        """The next step is a RegisterConsumer, unless it is a member that works on."""
        self.is_registered = self.is_registered and bool(self.member_id)

    async def leave(self) -> int:
        """Leave the group: it has stopped."""
        self.owned = frozenset()
        me = MemberIdentity(member_id=self.member_id)
        request = LeaveGroupRequest(group_id=self.group_id, members=[me])
        return int((await self.request(request, LEAVE_VERSION, owned=[])).error_code)

    def _hang_up(self) -> None:
        super()._hang_up()
        self._look_at_clock()

    async def _register(self) -> None:
        self.settled.clear()
        if not self.member_id:
            self.member_id = str(uuid.uuid4())
        request = RegisterConsumerRequest(
            group_id=self.group_id,
            consumer_id=self.member_id,
            session_timeout_ms=round(self.session_s * 1000),
            topics=[TopicThreads(name=self.topic, threads=1)],
        )
        answer = await self.request(request, 0, owned=[])
        self.check(answer.error_code)
        if answer.error_code != ErrorCode.NONE:
            self.record.defects.append(f"RegisterConsumer of {self.group_id}: {answer.error_code}")
            return
        self.is_registered, self._received = True, answer.last_command_id
        self.renewed()

    async def _poll(self) -> None:
        sent_at = now()
        is_in_haste = bool(self.owned) and self.works_until - sent_at <= self.session_s / 2
        request = PollCommandsRequest(
            group_id=self.group_id,
            member_id=self.member_id,
            last_command_id=self._received,
            max_wait_ms=0 if is_in_haste or self.settled.is_set() else round(self.beats_s * 1000),
        )
        answer = await self.request(request, 0)
        self._look_at_clock()
        if not self._mind(answer.error_code, "PollCommands"):
            return
        self.works_until = sent_at + self.session_s
        self.renewed()
        self.record.beat(sent_at, self.name)
        for command in answer.commands:
            if self.is_registered and command.command_id > self._received:
                await self._obey(command)  # again, if it is not acknowledged

    async def _obey(self, command: Any) -> None:
        is_stop = command.option == commands.STOP
        self.settled.clear()
        if is_stop:
            self._mind_commit(await self.commit())
            self.owned = frozenset()
        else:
            self.generation = command.generation_id
            self.owned = frozenset(p for t in command.ownership for p in parts_of(t))
            await self.fetch(self.owned)
        if not self.is_registered:
            return
        request = AcknowledgeCommandRequest(
            group_id=self.group_id, member_id=self.member_id, command_id=command.command_id
        )
        fields: dict[str, Any] = {"owned": []} if is_stop else {}
        answer = await self.request(request, 0, **fields)
        if self._mind(answer.error_code, "AcknowledgeCommand"):
            self._received = command.command_id
            if not is_stop:
                self.settled.set()

    def _look_at_clock(self) -> None:
        if self.is_registered and self.owned and now() >= self.works_until:
            self._stop()

    def _stop(self) -> None:
        """Stop all work at once; it registers again, under the same name."""
        self.owned, self.generation, self.is_registered = frozenset(), -1, False
        self.settled.clear()
        self.record.note("stopped", group=self.group_id, member=self.member_id)

    def _mind(self, code: int, api: str) -> bool:
        self.check(code)
        if code == ErrorCode.NONE:
            return True
        if code == ErrorCode.UNKNOWN_MEMBER_ID:
            self.evicted(api)
        elif api != "AcknowledgeCommand":
            self.record.defects.append(f"{api} of {self.group_id} was answered {code}")
        self._stop()
        return False

    def _mind_commit(self, code: int) -> None:
        if code == ErrorCode.UNKNOWN_MEMBER_ID:
            self.evicted("OffsetCommit")
            self._stop()
        elif code != ErrorCode.NONE and code not in LATE:
            self.record.defects.append(f"OffsetCommit of {self.group_id}: {code}")


def parts_of(topic: Any) -> list[int]:
    """The partitions of one topic of a start-fetcher."""
    return [each.partition for each in topic.partitions]
