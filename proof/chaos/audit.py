"""What must hold of a run beside its history: what members called strange, what processes said.

Pure. One owner, generations, fencing, offsets, sessions and rest are judged by ``proof.history``.
"""

from collections.abc import Iterator, Sequence

UNEXPECTED = ("Traceback (most recent call last)", "a step failed", "cannot be loaded")
"""What a process says only when something happened that nobody thought of."""

LINES_SHOWN = 3


def violations(defects: Sequence[str], log: Sequence[str]) -> list[str]:
    """Everything that does not hold, in words."""
    return [*(f"strange: {said}" for said in defects), *_unexpected(log)]


def _unexpected(log: Sequence[str]) -> Iterator[str]:
    for at, said in enumerate(log):
        if said.startswith("node ") and any(words in said for words in UNEXPECTED):
            shown = " / ".join(line.strip() for line in log[at : at + LINES_SHOWN])
            yield f"a process said: {shown}"
