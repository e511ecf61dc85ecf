"""I1: in one generation a partition has one owner, whichever response says so."""

from collections.abc import Mapping
from typing import ClassVar

from proof.history.family import Family, Rule
from proof.history.format import Record, Violation
from proof.history.observed_state import Story


class Ownership(Family):
    """What members own according to responses."""

    def __init__(self, story: Story, violations: list[Violation], *, has_rows: bool) -> None:
        super().__init__(story, violations, has_rows=has_rows)
        self._owners: dict[tuple[str, int, str, int], str] = {}

    def deleted(self, record: Record, _call: Record) -> None:
        """A new group of this name starts its generations again."""
        self._owners = {k: who for k, who in self._owners.items() if k[0] != record["group"]}

    def synced(self, record: Record, call: Record) -> None:
        """SyncGroup: each partition of a generation is assigned to one member."""
        owner = call["instance"] or call["member"]
        for topic, partition in record["owned"]:
            key = (call["group"], call["generation"], topic, partition)
            if self._owners.setdefault(key, owner) != owner:
                self.say("I1", f"{key} has two owners, {self._owners[key]} and {owner}", record)

    def dealt(self, record: Record, call: Record) -> None:
        """JoinGroup of the draft contains the partitions."""
        if "owned" in record:
            self.synced(record, {**call, **record, "instance": None})

    def started(self, record: Record, call: Record) -> None:
        """PollCommands: no consumer gets a start-fetcher for a partition that another has not
        reported as stopped."""
        if record["owned"] is not None:
            self._check_holders(call["member"], record, call)

    def consumed(self, record: Record, call: Record) -> None:
        """ConsumerGroupHeartbeat: no member is assigned a partition that another still holds."""
        if call["generation"] >= 0 and record["owned"] is not None:
            self._check_holders(record["member"], record, call)

    def _check_holders(self, member: str, record: Record, call: Record) -> None:
        group = self.story.groups[call["group"]]
        if member not in group.members:
            return
        owned = {(t, p) for t, p in record["owned"]}
        for other, held in group.holds.items():
            if other != member and owned & held:
                self.say("I1", f"{other} and {member} hold {sorted(owned & held)}", record)

    RULES: ClassVar[Mapping[str, Rule]] = {
        "row deleted": deleted,
        "ok JoinGroup": dealt,
        "ok PollCommands": started,
        "ok SyncGroup": synced,
        "ok ConsumerGroupHeartbeat": consumed,
    }
