"""I2 and I3: generations, revisions and slot epochs increase, and none is used twice."""

from collections.abc import Mapping
from typing import Any, ClassVar

from proof.history.family import Family, Rule
from proof.history.format import Record, Violation
from proof.history.observed_state import Group, Story


class Generations(Family):
    """Rows in the order of their commits, and the leader of each generation."""

    def __init__(self, story: Story, violations: list[Violation], *, has_rows: bool) -> None:
        super().__init__(story, violations, has_rows=has_rows)
        self._leaders: dict[tuple[str, int], str] = {}

    def slot(self, record: Record, _call: Record) -> None:
        """A slot's epoch rises with each owner."""
        if record["epoch"] <= self.story.slots.get(record["slot"], -1):
            self.say("I3", f"the epoch of slot {record['slot']} did not rise", record)

    def fenced(self, record: Record, _call: Record) -> None:
        """Every write has the current epoch."""
        epoch = record.get("epoch", -1)
        now = self.story.slots.get(record.get("slot", -1), epoch)
        if epoch >= 0 and epoch != now:
            self.say("I3", f"a write under epoch {epoch} landed in epoch {now}", record)

    def group(self, record: Record, call: Record) -> None:
        """A group's row follows the revision that its writer read."""
        self.fenced(record, call)
        group, generation = self.story.groups[record["group"]], record["generation"]
        if generation < group.generation:
            self.say("I2", f"the generation fell from {group.generation}", record)
        seen = record.get("seen", record["revision"] - 1)
        if not seen == record["revision"] - 1 >= group.revision:
            self.say("I2", f"revision {group.revision} was overwritten unseen", record)
        if generation == group.generation and record["kind"] != "commanded":
            self._same_members(group, record["members"], record)

    def _same_members(self, group: Group, members: Mapping[str, Any], record: Record) -> None:
        instances = group.instances[group.generation]
        for member in members.keys() - group.seated[group.generation]:
            if members[member] not in instances:
                self.say("I2", f"{member} joined generation {group.generation} late", record)

    def deleted(self, record: Record, call: Record) -> None:
        """A new group of the same name starts again from the beginning."""
        self.fenced(record, call)
        name = record["group"]
        self._leaders = {key: who for key, who in self._leaders.items() if key[0] != name}

    def joined(self, record: Record, call: Record) -> None:
        """All JoinGroup responses of a generation name the same leader."""
        if "leader" not in record:
            return  # in a group of the draft the coordinator assigns
        names, generation = self.story.groups[call["group"]].names, record["generation"]
        # A static leader that was replaced twice in one commit is in no row in between.
        leader = names.get(record["leader"]) or ("" if call["instance"] else record["leader"])
        if leader and self._leaders.setdefault((call["group"], generation), leader) != leader:
            self.say("I2", f"generation {generation} was given out twice", record)

    RULES: ClassVar[Mapping[str, Rule]] = {
        "row slot": slot,
        "row group": group,
        "row deleted": deleted,
        "row offset": fenced,
        "ok JoinGroup": joined,
    }
