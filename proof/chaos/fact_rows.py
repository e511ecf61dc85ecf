"""Rows of the history about facts, from the transactions that PostgreSQL committed.

Pure. Times of the rows are the server's; they become ages before the commit, whatever its clock
showed.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from proof.chaos.logical_decoding import Values

Record = dict[str, Any]

FACTS: Final[Mapping[str, Sequence[str]]] = {
    "rollcall_life": ("at", "group_id", "life", "member_id", "joined_at", "left_at"),
    "rollcall_ownership": (
        "at", "group_id", "life", "topic", "partitions", "from_at", "until_at",
    ),
}  # fmt: skip
"""The columns that a history needs of each table of facts, whose rows are only added."""

CLOCK_JUMPED_MS: Final = 600_000.0
"""No row is so much older than its transaction's commit, nor than what it tells: then the server's
clock has jumped in between, and the age is unknown."""


class FactRows:
    """``lives`` are those that are open, with group and member, ``owned`` what each owns."""

    def __init__(self) -> None:
        self.lives: dict[int, tuple[str, str]] = {}
        self.owned: dict[int, set[tuple[str, int]]] = {}

    def rows(
        self, lives: Sequence[Values], owned: Sequence[Values], wall_s: float
    ) -> Iterator[Record]:
        """One transaction's rows: what ceased to be owned, lives, what is owned from now on."""
        over = {_number(row, "life") for row in lives if row["left_at"] is not None}
        for row in owned:
            if row["until_at"] is not None:
                until_ms = age_ms(row, "until_at", wall_s)
                is_last = _number(row, "life") in over
                yield self._owned(row, is_end=True, until_ms=until_ms, is_last=is_last)
        for is_end in (False, True):
            for row in lives:
                if (row["left_at"] is not None) is is_end:
                    yield self._life(row, wall_s, is_end=is_end)
        for row in owned:
            if row["until_at"] is None:
                yield self._owned(row, is_end=False, since_ms=age_ms(row, "from_at", wall_s))

    def open_in(self, group: str) -> Record:
        """Open lives and intervals of a group."""
        lives = {life: member for life, (of, member) in self.lives.items() if of == group}
        held = [(life, parts) for life, parts in self.owned.items() if life in lives]
        owned = [[life, *part] for life, parts in held for part in sorted(parts)]
        return {"lives": [[*each] for each in lives.items()], "owned": owned}

    def _life(self, row: Values, wall_s: float, *, is_end: bool) -> Record:
        life, group, member = _number(row, "life"), _text(row, "group_id"), _text(row, "member_id")
        if is_end:
            self.lives.pop(life, None)
            self.owned.pop(life, None)
        else:
            self.lives[life] = group, member
        return {
            "type": "row", "table": "life", "group": group, "life": life, "member": member,
            "is_end": is_end, "began_ms": age_ms(row, "joined_at", wall_s),
        }  # fmt: skip

    def _owned(self, row: Values, *, is_end: bool, **ages: float | bool) -> Record:
        life, topic = _number(row, "life"), _text(row, "topic")
        partitions = [*numbers(_text(row, "partitions"))]
        held = self.owned.setdefault(life, set())
        (held.difference_update if is_end else held.update)((topic, p) for p in partitions)
        return {
            "type": "row", "table": "owned", "group": _text(row, "group_id"), "life": life,
            "topic": topic, "partitions": partitions, "is_end": is_end, **ages,
        }  # fmt: skip


def age_ms(row: Values, name: str, wall_s: float) -> float:
    """Milliseconds from the moment that a row tells to its transaction's commit."""
    written, told = (datetime.fromisoformat(_text(row, each)) for each in ("at", name))
    parts = (wall_s - written.timestamp()) * 1000, (written - told).total_seconds() * 1000
    return sum(part for part in parts if 0 <= part < CLOCK_JUMPED_MS)


def numbers(multirange: str) -> Iterator[int]:
    """The numbers of an ``int4multirange``, as PostgreSQL writes it."""
    for piece in multirange.strip("{}").replace("),", ") ").split():
        low, high = piece.strip("[)").split(",")
        yield from range(int(low), int(high))


def _text(row: Values, name: str) -> str:
    found = row[name]
    assert found is not None, f"{name} is NULL"
    return found


def _number(row: Values, name: str) -> int:
    return int(_text(row, name))
