"""I10: no response contains anything that is not committed."""

from collections.abc import Mapping
from typing import ClassVar

from proof.history.family import Family, Rule
from proof.history.format import (
    ILLEGAL_GENERATION,
    REBALANCE_IN_PROGRESS,
    UNKNOWN_MEMBER_ID,
    Record,
)

STORED = {"Stable", "PreparingRebalance"}
"""States of a generation that has its assignment; a rebalance may begin in the same commit that
stores it."""


class Telling(Family):
    """Compares responses with the rows; without rows nothing is judged."""

    def joined(self, record: Record, call: Record) -> None:
        """JoinGroup: its generation was committed before the response."""
        group, generation = self.story.groups[call["group"]], record["generation"]
        is_seated = record["member"] in group.seated.get(generation, ()) or any(
            # Replaced in the same commit by the next one with its instance id.
            call["instance"] in those
            for g, those in group.instances.items()
            if g >= generation
        )
        if self.has_rows and not is_seated:
            what = f"{record['member']} was told of generation {generation} too soon"
            self.say("I10", what, record)

    def synced(self, record: Record, call: Record) -> None:
        """SyncGroup: not before the assignment is stored."""
        states = self.story.groups[call["group"]].states.get(call["generation"], set())
        if self.has_rows and not STORED & states:
            self.say("I10", "an assignment was told before it was stored", record)

    def consumed(self, record: Record, call: Record) -> None:
        """ConsumerGroupHeartbeat: neither a member nor an epoch before it is stored."""
        if call["generation"] < 0 or not self.has_rows:
            return
        group, member = self.story.groups[call["group"]], record["member"]
        if member not in group.members and member not in group.gone_at:
            self.say("I10", f"{member} was let in before it was stored", record)
        if record["generation"] > group.generation:
            self.say("I10", f"epoch {record['generation']} was told too soon", record)

    def registered(self, record: Record, call: Record) -> None:
        """RegisterConsumer: the consumer is stored."""
        group, member = self.story.groups[call["group"]], record["member"]
        if self.has_rows and member not in group.members and member not in group.gone_at:
            self.say("I10", f"{member} was let in before it was stored", record)

    def commanded(self, record: Record, call: Record) -> None:
        """PollCommands: a start-fetcher's generation is stored."""
        group = self.story.groups[call["group"]]
        if self.has_rows and record["generation"] > group.generation:
            self.say("I10", f"generation {record['generation']} was told too soon", record)

    def committed(self, record: Record, call: Record) -> None:
        """OffsetCommit: an acknowledged offset is stored."""
        for register, offset in self.story.registers(call) if self.has_rows else ():
            # Of several commits to one partition in one batch the last one wins.
            if offset not in register.written and register.last < call["at"]:
                self.say("I10", f"offset {offset} was acknowledged before it was stored", record)

    def refused(self, record: Record, call: Record) -> None:
        """Errors about a generation are returned only after its commit (heartbeats are answered
        from the view)."""
        group, generation = self.story.groups[call["group"]], call["generation"]
        code, member = record["code"], call["member"]
        if not self.has_rows:
            return
        if code == REBALANCE_IN_PROGRESS and "PreparingRebalance" not in group.states.get(
            generation, ()
        ):
            self.say("I10", "a heartbeat told of a rebalance that is not stored", record)
        until_rejoin = group.kind == "draft" and "PreparingRebalance" in group.states.get(
            generation, ()
        )
        if code == ILLEGAL_GENERATION and group.generation == generation and not until_rejoin:
            self.say("I10", f"generation {generation} was said to be over", record)
        was_there = member in group.members and group.came_at[member] <= call["at"]
        if code == UNKNOWN_MEMBER_ID and was_there and group.state != "Empty":
            self.say("I10", f"{member} was said to be no member", record)

    RULES: ClassVar[Mapping[str, Rule]] = {
        "ok JoinGroup": joined,
        "ok SyncGroup": synced,
        "ok ConsumerGroupHeartbeat": consumed,
        "ok RegisterConsumer": registered,
        "ok PollCommands": commanded,
        "ok OffsetCommit": committed,
        "fail Heartbeat": refused,
    }
