"""I7 and I8: every request is answered, every group settles, nothing reaches an event loop."""

from collections.abc import Mapping
from typing import ClassVar, Final

from proof.history.family import Family, Rule
from proof.history.format import UNKNOWN_SERVER_ERROR, Record

PATIENCE: Final = 0.75
"""The part of the fault-free end after which no request may still wait for its response."""


class Endings(Family):
    """What must have ended some time after the last fault."""

    def info(self, record: Record, call: Record) -> None:
        """The outcome of a request is unknown. It may still take effect."""
        if record["why"] == "timeout" and not self.story.is_excused(
            call["process"], call["at"], record["at"]
        ):
            self.say("I7", f"{call['api']} of {call['process']} was never answered", record)

    def end(self, record: Record, _call: Record) -> None:
        """The faults ended long ago: every request is answered, and every group is settled."""
        for call in self.story.calls.values():
            due_at = call["at"] + PATIENCE * record["healed_ms"]
            if due_at < record["at"] and not self.story.is_excused(
                call["process"], call["at"], record["at"]
            ):
                self.say("I7", f"{call['api']} of {call['process']} was forgotten", record)
        for name, settled in record["groups"].items():
            if not settled:
                self.say("I7", f"{name} has not settled {record['healed_ms']:.0f} ms after the "
                         "last fault", record)  # fmt: skip

    def fail(self, record: Record, call: Record) -> None:
        """The service failed internally: a defect, although the exception was caught."""
        if record["code"] == UNKNOWN_SERVER_ERROR and "is_odd" not in call:
            self.say("I8", f"{call['api']} of {call['process']} made the service fail", record)

    def mishap(self, record: Record, _call: Record) -> None:
        """An uncaught exception reached an event loop."""
        self.say("I8", record["what"], record)

    def dead(self, record: Record, _call: Record) -> None:
        """A member that died was removed, or is still there."""
        served_ms, limit_ms = record["served_ms"], record["limit_ms"]
        if served_ms > limit_ms:
            self.say("I7", f"{record['member']} of {record['group']} died, and its group was served"
                     f" for {served_ms:.0f} ms with it, not {limit_ms:.0f}", record)  # fmt: skip

    RULES: ClassVar[Mapping[str, Rule]] = {
        "dead": dead,
        "info": info,
        "fail": fail,
        "end": end,
        "mishap": mishap,
    }
