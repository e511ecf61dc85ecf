"""I4: stale requests never succeed, and change nothing.

Whether a request must fail is judged by what had been committed, or returned to a client, before it
was sent. A heartbeat of a classic group is answered from the view, which is updated when responses
are sent: it must not be older than responses to others.
"""

from collections.abc import Mapping
from typing import ClassVar

from proof.history.family import Family, Rule
from proof.history.format import FENCED_BY_GENERATION, LEAVES, REFUSALS, Record, Violation
from proof.history.observed_state import Group, Story


class Fencing(Family):
    """Old generations and epochs, removed members, replaced instances."""

    def __init__(self, story: Story, violations: list[Violation], *, has_rows: bool) -> None:
        super().__init__(story, violations, has_rows=has_rows)
        self._holders: dict[tuple[str, str], tuple[str, float]] = {}
        self._stale: dict[int, str] = {}

    def deleted(self, record: Record, _call: Record) -> None:
        """Instance ids are free again."""
        self._holders = {k: who for k, who in self._holders.items() if k[0] != record["group"]}

    # -- what is known when a request is sent

    def committing(self, record: Record, _call: Record) -> None:
        """A member of a consumer group may commit with an older epoch only partitions that it has
        owned since then (KIP-1251)."""
        group, member = self.story.groups[record["group"]], record["member"]
        newest = group.epochs.get(member, (-1, -1))[0]
        if group.kind != "consumer" or not 0 <= record["generation"] < newest:
            return
        held = group.kept.get(member)
        if held is not None and any(
            (topic, partition) not in held for topic, partition, _ in record["offsets"]
        ):
            self._stale[record["call"]] = f"with old epoch {record['generation']}"

    def consuming(self, record: Record, _call: Record) -> None:
        """The previous epoch repeats a request whose response was lost; any older one is stale."""
        epochs = self.story.groups[record["group"]].epochs
        if 0 < record["generation"] < epochs.get(record["member"], (-1, -1))[1]:
            self._stale[record["call"]] = f"with old epoch {record['generation']}"

    # -- results

    def written(self, record: Record, call: Record) -> None:
        """OffsetCommit and SyncGroup name a generation and go through the rows."""
        group, sent, generation = self.story.groups[call["group"]], call["at"], call["generation"]
        self._check_there(group, record, call)
        is_fenced = group.kind in FENCED_BY_GENERATION
        if is_fenced and group.raised_at.get(generation, sent) < sent:
            self.say("I4", f"{call['api']} of old generation {generation} succeeded", record)
        self._check_instance(record, call)
        self._check_stale(record, call)

    def known(self, record: Record, call: Record) -> None:
        """A request of a removed member must not succeed."""
        self._check_there(self.story.groups[call["group"]], record, call)

    def beaten(self, record: Record, call: Record) -> None:
        """Heartbeat: must fail once others got a later generation."""
        since = self.story.groups[call["group"]].old_since(call["generation"])
        if since is not None and since < call["at"]:
            self.say("I4", f"a heartbeat of old generation {call['generation']} succeeded", record)
        self._check_instance(record, call)

    def joined(self, record: Record, call: Record) -> None:
        """The last member that joined with an instance id owns it from then on."""
        group, member = self.story.groups[call["group"]], record["member"]
        if call["instance"] and (member in group.members or not self.has_rows):
            self._hold((call["group"], call["instance"]), member, record)

    def consumed(self, record: Record, call: Record) -> None:
        """ConsumerGroupHeartbeat: the same, all in one request."""
        group = self.story.groups[call["group"]]
        if call["generation"] < LEAVES["ConsumerGroupHeartbeat"]:
            return
        if self.has_rows:
            self._check_there(group, record, {**call, "member": record["member"]})
        self._check_stale(record, call)
        if call["generation"] == 0:
            self.joined(record, call)
        else:
            self._check_instance(record, call)

    def refused(self, record: Record, call: Record) -> None:
        """A rejected commit is not in the rows."""
        self._stale.pop(record["call"], None)
        for register, offset in self.story.registers(call) if record["type"] == "fail" else ():
            if offset in register.written and record["code"] in REFUSALS:
                self.say("I4", f"offset {offset} was refused, but written", record)

    def offset(self, record: Record, _call: Record) -> None:
        """Nor is it written later."""
        place = (record["group"], record["topic"], record["partition"])
        register, offset = self.story.offsets[place], record["offset"]
        if offset in register.refused:
            self.say("I4", f"{place}: {offset} was refused, and written", record)

    # -- inside

    def _check_there(self, group: Group, record: Record, call: Record) -> None:
        member, sent = call["member"], call["at"]
        if group.gone_at.get(member, sent) < sent:
            self.say("I4", f"{call['api']} of {member}, who had gone, succeeded", record)

    def _check_instance(self, record: Record, call: Record) -> None:
        holder, since = self._holders.get((call["group"], call["instance"] or ""), ("", 0.0))
        if holder and holder != call["member"] and since < call["at"]:
            self.say("I4", f"{call['api']} of a replaced instance succeeded", record)

    def _check_stale(self, record: Record, call: Record) -> None:
        if why := self._stale.pop(record["call"], ""):
            self.say("I4", f"{call['api']} of {call['member']} {why} succeeded", record)

    def _hold(self, key: tuple[str, str], member: str, record: Record) -> None:
        if self._holders.get(key, ("", 0.0))[0] != member:
            self._holders[key] = (member, record["at"])

    RULES: ClassVar[Mapping[str, Rule]] = {
        "row deleted": deleted,
        "row offset": offset,
        "invoke OffsetCommit": committing,
        "invoke ConsumerGroupHeartbeat": consuming,
        "ok OffsetCommit": written,
        "ok SyncGroup": written,
        "ok AcknowledgeCommand": known,
        "ok Heartbeat": beaten,
        "ok JoinGroup": joined,
        "ok ConsumerGroupHeartbeat": consumed,
        "fail": refused,
        "info": refused,
    }
