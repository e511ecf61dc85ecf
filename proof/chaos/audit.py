"""What must hold besides the history: defects that members recorded, and the logs of processes.

Pure. ``proof.history`` judges owners, generations, fencing, offsets, sessions and settling.
"""

from collections.abc import Iterator, Sequence

UNEXPECTED = ("Traceback (most recent call last)", "a step failed", "cannot be loaded")
"""What a process logs only when something unforeseen happened."""

LINES_SHOWN = 3


def violations(defects: Sequence[str], log: Sequence[str]) -> list[str]:
    """All violations, in words."""
    return [*(f"strange: {defect}" for defect in defects), *_unexpected(log)]


def _unexpected(log: Sequence[str]) -> Iterator[str]:
    for at, text in enumerate(log):
        if text.startswith("node ") and any(words in text for words in UNEXPECTED):
            shown = " / ".join(line.strip() for line in log[at : at + LINES_SHOWN])
            yield f"a process said: {shown}"
