"""Draws the members' state machines into docs/client.md: ``-m tests.client_library.drawing``.

The tables in ``rollcall.client.core`` are the source; ``test_page`` fails where the page differs.
"""

import re
from collections.abc import Mapping
from enum import Enum
from pathlib import Path

from rollcall.client.core import (
    classic_states,
    commanded_states,
    consumer_states,
    draft_states,
)

PAGE = Path(__file__).parents[2] / "docs" / "client.md"
Table = Mapping[Enum, Mapping[Enum, Enum]]
MACHINES: Mapping[str, Table] = {
    "consumer": consumer_states.TRANSITIONS,  # type: ignore[dict-item]
    "classic": classic_states.TRANSITIONS,  # type: ignore[dict-item]
    "draft": draft_states.TRANSITIONS,  # type: ignore[dict-item]
    "commanded": commanded_states.TRANSITIONS,  # type: ignore[dict-item]
}


def drawn(table: Table) -> str:
    """A diagram and two tables: moves from one state to another, and what each word means."""
    states = list(table)
    inputs = list(dict.fromkeys(why for moves in table.values() for why in moves))
    arrows = [
        f"    {state.name} --> {to.name}: {why.name}"
        for state, moves in table.items()
        for why, to in moves.items()
        if to is not state
    ]
    lines = ["", "```mermaid", "stateDiagram-v2", "    [*] --> UNSUBSCRIBE", *arrows, "```", ""]
    lines += ["| state | the member | stays on |", "|---|---|---|"]
    for state in states:
        stays = ", ".join(why.name for why, to in table[state].items() if to is state)
        lines.append(f"| {state.name} | {state.value} | {stays or '-'} |")
    lines += ["", "| input | what happened |", "|---|---|"]
    lines += [f"| {why.name} | {why.value} |" for why in inputs]
    return "\n".join([*lines, ""])


def between(name: str) -> re.Pattern[str]:
    """Where a state is on the page."""
    return re.compile(rf"(<!-- {name} machine -->\n).*?(\n<!-- end -->)", re.DOTALL)


def redraw() -> None:
    """Rewrite the page."""
    page = PAGE.read_text()
    for name, table in MACHINES.items():
        drawing = drawn(table)
        page = between(name).sub(lambda m, d=drawing: m[1] + d + m[2], page)  # type: ignore[misc]
    PAGE.write_text(page)


if __name__ == "__main__":
    redraw()
