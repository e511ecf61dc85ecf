"""What a run prints: its progress, a line at its end, and the costliest rows as a plain table."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pipeline.steps.job import Done

NAME_CHARS_MAX = 32

TITLES = {
    "group_id": "group",
    "trigger": "trigger",
    "rebalances": "rebalances",
    "without_owner_ms": "without owner ms at most",
    "without_owner_known_ms": "known",
    "longest_ms": "longest ms",
    "slowest_member": "slowest member",
    "partitions_moved": "moved",
}


def progress(stage: str, percent: int) -> None:
    """A line of progress, on standard error."""
    print(f"{percent:3} %  {stage}", file=sys.stderr, flush=True)


def result_text(done: "Done") -> str:
    """What was done, and the rows whose partitions had no owner for the longest time."""
    counts = (f"{done.events} journal entries", f"{done.rows} rows of reports")
    tables = (f"{name} in {address}" for name, address in done.tables.items())
    line = f"Run {done.run_id} ({done.how}): {', '.join((*counts, *tables))}"
    rows = [[row[name] for name in TITLES] for row in done.top]
    return "\n".join([line, *table([*TITLES.values()], rows)] if rows else [line])


def table(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[str]:
    """Lines with columns of equal width; numbers are right-aligned."""
    texts = [[_text(value) for value in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(heads, *texts, strict=True)]
    right = [isinstance(value, int) for value in rows[0]]
    return [_line(cells, widths, right) for cells in (heads, *texts)]


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    justified = (
        cell.rjust(width) if at_right else cell.ljust(width)
        for cell, width, at_right in zip(cells, widths, right, strict=True)
    )
    return "  ".join(justified).rstrip()


def safe(text: str) -> str:
    """The text for a terminal. Clients choose their names: unprintable characters become "?"."""
    return "".join(char if char.isprintable() else "?" for char in text)


def _text(value: Any) -> str:
    """One cell."""
    text = safe("" if value is None else str(value))
    return text if len(text) <= NAME_CHARS_MAX else f"{text[: NAME_CHARS_MAX - 1]}…"
