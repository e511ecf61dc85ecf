"""Draws the states of groups into their pages: ``-m tests.docs.drawing``.

The tables of ``groups.core`` are the source; ``test_drawing`` fails where a page differs. A group
of the consumer protocol has no such table: its state follows from its members' epochs (KIP-848).
"""

import re
from collections.abc import Mapping
from typing import Final

from groups.core.classic import states as classic
from groups.core.commanded import states as commanded
from groups.core.draft import states as draft
from launcher.installation import CHECKOUT

Table = Mapping[str, frozenset[str]]

PAGES: Final[Mapping[str, tuple[Table, Table]]] = {
    "docs/rebalances.md": (classic.TRANSITIONS, classic.RECOVERIES),
    "docs/draft-0.9.md": (draft.TRANSITIONS, {}),
    "docs/commanded.md": (commanded.TRANSITIONS, {}),
}
"""By page: the transitions of its groups, and those that only a change of owner makes."""

PLACE: Final = re.compile(r"(<!-- states -->\n).*?(<!-- end -->)", re.DOTALL)
RECOVERED: Final = "a new owner"


def drawn(moves: Table, recoveries: Table) -> str:
    """A diagram of Mermaid."""
    first, *_ = moves
    arrows = [f"    {state} --> {to}" for state in moves for to in sorted(moves[state])]
    arrows += [
        f"    {state} --> {to}: {RECOVERED}"
        for state, after in recoveries.items()
        for to in sorted(after - moves[state])
    ]
    return "\n".join(
        ["", "```mermaid", "stateDiagram-v2", f"    [*] --> {first}", *arrows, "```", "", ""]
    )


def redraw() -> None:
    """Rewrite the pages."""
    for page, tables in PAGES.items():
        path = CHECKOUT / page
        drawing = drawn(*tables)
        path.write_text(PLACE.sub(lambda m, d=drawing: m[1] + d + m[2], path.read_text()))  # type: ignore[misc]


if __name__ == "__main__":
    redraw()
