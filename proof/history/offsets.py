"""I5: an acknowledged offset is read until another replaces it."""

from collections.abc import Mapping
from typing import ClassVar

from proof.history.family import Family, Rule
from proof.history.format import Record


class Offsets(Family):
    """What the rows of partitions hold, and what OffsetFetch returns of them."""

    def row(self, record: Record, _call: Record) -> None:
        """Each write was requested, and happens once."""
        place = (record["group"], record["topic"], record["partition"])
        register, offset = self.story.offsets[place], record["offset"]
        if offset is None:
            if self.story.groups[place[0]].members:
                self.say("I5", f"{place} was deleted in a group with members", record)
        elif offset not in register.open and offset not in register.refused:
            self.say("I5", f"{place}: nobody asks for {offset} any more", record)
        elif offset in register.written and offset != register.values[-1]:
            self.say("I5", f"{place}: {offset} was written a second time", record)

    def fetched(self, record: Record, call: Record) -> None:
        """OffsetFetch: a value that the row had at some instant during the request."""
        for topic, partition, offset in record["offsets"] if self.has_rows else ():
            register = self.story.offsets[call["group"], topic, partition]
            if offset not in register.between(call["at"], record["at"]):
                self.say("I5", f"{topic}-{partition} read {offset}, which did not stand", record)
        for (topic, partition, offset), note in zip(
            record["offsets"], record.get("notes", ()), strict=False
        ):
            register = self.story.offsets[call["group"], topic, partition]
            if register.notes.get(offset, note) != note:
                self.say("I5", f"{topic}-{partition} read {offset} with another note", record)

    RULES: ClassVar[Mapping[str, Rule]] = {"row offset": row, "ok OffsetFetch": fetched}
