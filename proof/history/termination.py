"""I7 and I8: every request is answered, every group settles, nothing reaches an event loop."""

from collections.abc import Mapping
from typing import ClassVar, Final

from proof.history.family import Family, Rule
from proof.history.format import UNKNOWN_SERVER_ERROR, Record

PATIENCE: Final = 0.75
"""The part of the peaceful end after which no request may still wait for its answer."""


class Endings(Family):
    """What must have come to an end when the faults have."""

    def info(self, record: Record, call: Record) -> None:
        """Nobody knows what became of a request. It may still take effect."""
        if record["why"] == "timeout" and not self.story.is_excused(
            call["process"], call["at"], record["at"]
        ):
            self.say("I7", f"{call['api']} of {call['process']} was never answered", record)

    def end(self, record: Record, _call: Record) -> None:
        """Faults have ended long ago: everybody has what it needs, and an answer."""
        for call in self.story.calls.values():
            asked = call["at"] + PATIENCE * record["healed_ms"]
            if asked < record["at"] and not self.story.is_excused(
                call["process"], call["at"], record["at"]
            ):
                self.say("I7", f"{call['api']} of {call['process']} was forgotten", record)
        for name, settled in record["groups"].items():
            if not settled:
                self.say("I7", f"{name} has not settled {record['healed_ms']:.0f} ms after the "
                         "last fault", record)  # fmt: skip

    def fail(self, record: Record, call: Record) -> None:
        """A step that failed was caught, and is a defect all the same."""
        if record["code"] == UNKNOWN_SERVER_ERROR and "is_odd" not in call:
            self.say("I8", f"{call['api']} of {call['process']} made the service fail", record)

    def mishap(self, record: Record, _call: Record) -> None:
        """Something reached a loop that should have been caught."""
        self.say("I8", record["what"], record)

    RULES: ClassVar[Mapping[str, Rule]] = {
        "info": info,
        "fail": fail,
        "end": end,
        "mishap": mishap,
    }
