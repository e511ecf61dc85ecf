"""Which files of the product a request crosses, in the order in which it does.

What runs by the clock beside a request (beats of the node, timers) is in its trace, too. It is told
from the request's own calls by a trace of a node without requests, and by what the traces of the
same request have in common.
"""

import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = tuple(
    f"{ROOT / room}/"
    for room in ("groups", "console", "protocol", "rollcall", "web", "coordinator_site")
)


@dataclass
class Journey:
    """The calls of one request: file and function."""

    calls: list[tuple[str, str]] = field(default_factory=list)

    @property
    def files(self) -> list[str]:
        """Each file once, in the order in which the request comes to them."""
        return list(dict.fromkeys(file for file, _ in self.calls))

    @property
    def changes(self) -> int:
        """How often the next call is of a function in another file than the one before."""
        return sum(a[0] != b[0] for a, b in zip(self.calls, self.calls[1:], strict=False))

    def without(self, other: "Journey") -> "Journey":
        """The calls of functions that the other does not call."""
        functions = set(other.calls)
        return Journey([call for call in self.calls if call not in functions])

    def listed(self) -> str:
        """For the message of a failure: each file with the number of calls in it."""
        calls = Counter(file for file, _ in self.calls)
        lines = [f"{calls[file]:5} {file}" for file in self.files]
        total = f"{len(calls)} files, {len(self.calls)} calls, {self.changes} changes of file"
        return "\n".join([total, *lines])

    def note(self, frame: FrameType, event: str, _argument: object) -> None:
        """The profile function of the interpreter: called at each call and return."""
        path = frame.f_code.co_filename
        if event == "call" and path.startswith(PRODUCT):
            self.calls.append((path.removeprefix(f"{ROOT}/"), frame.f_code.co_qualname))


@contextmanager
def traced() -> Iterator[Journey]:
    """Note the calls of this thread, and of threads that begin meanwhile."""
    journey = Journey()
    before = sys.getprofile()
    threading.setprofile(journey.note)
    sys.setprofile(journey.note)
    try:
        yield journey
    finally:
        sys.setprofile(before)
        threading.setprofile(None)
