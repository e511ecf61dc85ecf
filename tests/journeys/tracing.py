"""Which files of the product a request crosses, in the order in which it does.

What runs by the clock beside a request (beats of the node, timers) is in some traces and not in
others: what all traces of a request have is its own way.
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
    f"{ROOT / room}/" for room in ("groups", "protocol", "rollcall", "coordinator_site")
)


@dataclass
class Journey:
    """The calls of one request, by the file in which each function stands."""

    calls: list[str] = field(default_factory=list)

    @property
    def files(self) -> list[str]:
        """Each file once, in the order in which the request comes to them."""
        return list(dict.fromkeys(self.calls))

    @property
    def changes(self) -> int:
        """How often the next call stands in another file than the one before."""
        return sum(a != b for a, b in zip(self.calls, self.calls[1:], strict=False))

    def told(self) -> str:
        """For who reads a failure: each file with how many calls stand in it."""
        calls = Counter(self.calls)
        lines = [f"{calls[file]:5} {file}" for file in self.files]
        total = f"{len(calls)} files, {len(self.calls)} calls, {self.changes} changes of file"
        return "\n".join([total, *lines])

    def note(self, frame: FrameType, event: str, _argument: object) -> None:
        """What the interpreter calls for each call and return."""
        path = frame.f_code.co_filename
        if event == "call" and path.startswith(PRODUCT):
            self.calls.append(path.removeprefix(f"{ROOT}/"))


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
