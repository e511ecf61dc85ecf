"""Mutants that survive and may: each with the reason."""

from typing import NamedTuple


class Accepted(NamedTuple):
    """The changed lines as a report gives them, without their place."""

    path: str
    function: str
    before: str
    after: str
    reason: str


FAST, INIT = "protocol/fast.py", "FastPath.__init__"
IS_SET_FIRST = "``answer`` sets it before anything reads it; the line tells mypy its type"
TOO_SHORT = "no heartbeat is as short as that: the decoder refuses it, and it goes to the queue"
NO_VERSION = "no message has a version below 0: since then is since ever"
ONLY_ASSERTED = "what is worked out here is asserted, and read by nothing else"
FAR_AWAY = "the bound was reached many attempts ago"

ACCEPTED: tuple[Accepted, ...] = (
    Accepted(FAST, INIT, "self._version = 0", "pass", IS_SET_FIRST),
    Accepted(FAST, INIT, 'self._member = ""', "pass", IS_SET_FIRST),
    Accepted(FAST, INIT, 'self._before = b""', "pass", IS_SET_FIRST),
    Accepted(FAST, INIT, 'self._after = b""', "pass", IS_SET_FIRST),
    Accepted(FAST, INIT, "self._generation = -1", "self._generation = 1", IS_SET_FIRST),
    Accepted(FAST, "FastPath.answer", "if len(frame) < 10:", "if len(frame) <= 10:", TOO_SHORT),
    Accepted(FAST, "FastPath.answer", "if len(frame) < 10:", "if len(frame) < 9:", TOO_SHORT),
    Accepted(FAST, "FastPath.answer", "if len(frame) < 10:", "if len(frame) < 11:", TOO_SHORT),
    Accepted(
        FAST,
        "FastPath.answer",
        "self._swaps = -1",
        "self._swaps = - 0",
        "before the first swap there is no face, and nothing that could be said again",
    ),
    Accepted("protocol/wire/declare.py", "wire", "since: int = 0,", "since: int = -1,", NO_VERSION),
    Accepted(
        "groups/core/commands.py",
        "send",
        "last = row.commands[-1].command_id if row.commands else 0",
        "last = row.commands[- 0].command_id if row.commands else 0",
        ONLY_ASSERTED,
    ),
    Accepted(
        "groups/core/classic/group.py",
        "ClassicGroup.due",
        "return self._due[0]",
        "return self._due[ -1]",
        "it is a tuple of one",
    ),
    Accepted(
        "rollcall/client/core/backoff.py",
        "Backoff.next",
        "wait: float = min(self.most, self.first * 2 ** min(self.attempts, 20))",
        "wait: float = min(self.most, self.first * 2 ** min(self.attempts, 19))",
        FAR_AWAY,
    ),
    Accepted(
        "rollcall/client/core/backoff.py",
        "Backoff.next",
        "wait: float = min(self.most, self.first * 2 ** min(self.attempts, 20))",
        "wait: float = min(self.most, self.first * 2 ** min(self.attempts, 21))",
        FAR_AWAY,
    ),
)

_REASONS = {entry[:4]: entry.reason for entry in ACCEPTED}


def reason(path: str, function: str, before: str, after: str) -> str:
    """Why this one may survive; "" where it may not."""
    return _REASONS.get((path, function, before, after), "")
