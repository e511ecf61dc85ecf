"""The table beside Apache Kafka: as lines, as a file that is kept, as a picture, beside the last.

Every run of ``benchmarks.beside`` adds a file to ``benchmarks/results``, with the lines that it
measured, and draws the picture there anew. A line that has become worse than it was in the newest
earlier file that has it, and misses its goal, is named.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from html import escape
from math import log2
from pathlib import Path
from typing import Any, Final

RESULTS: Final = Path(__file__).parent / "results"
PICTURE: Final = Path(__file__).parents[1] / "docs" / "screenshots" / "beside-kafka.svg"

NOISE: Final = 0.8
"""A line of which this share of the former advantage is left has become worse; less of a difference
is what other load on the machine does."""

DOUBLINGS: Final = 6
"""The picture's scale: up to so many doublings to either side of Kafka."""
ROW, TOP, LEFT, HALF = 18, 58, 400, 210
"""Of the picture, in pixels: height of a row, space above and left, half of the scale's width."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the table: two figures, their ratio (Rollcall's to Kafka's), and what that should
    be: at least the goal where ``more`` is better, else at most."""

    name: str
    ours: float
    theirs: float
    ratio: float
    goal: float
    more: bool

    @property
    def is_behind(self) -> bool:
        """Whether the goal is missed."""
        return self.ratio < self.goal if self.more else self.ratio > self.goal

    @property
    def advantage(self) -> float:
        """How many times better than Kafka, whatever is measured."""
        return advantage(self.ratio, more=self.more)

    def line(self) -> str:
        """As it is printed."""
        digits = 0 if self.ours >= 100 else 2
        return (
            f"{self.name:66} {self.ours:10,.{digits}f} {self.theirs:10,.{digits}f}"
            f" {self.ratio:6.2f} {'>=' if self.more else '<='} {self.goal:4.2f}"
            f"{'  BEHIND' if self.is_behind else ''}"
        )


@dataclass(frozen=True, slots=True)
class Table:
    """A run: when (UTC, ISO), beside which Kafka, on how many processors at which load, and its
    lines."""

    at: str
    kafka: str
    processors: int
    load: float
    lines: Sequence[Line]


def advantage(ratio: float, *, more: bool) -> float:
    """A ratio as an advantage: above 1 is better than Kafka."""
    better = ratio if more else 1 / ratio if ratio else 2.0**DOUBLINGS
    return max(better, 2.0**-DOUBLINGS)


def keep(table: Table, folder: Path = RESULTS) -> Path:
    """Write a run's table as a file of its own."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{table.at.replace(':', '')}.json"
    path.write_text(json.dumps(asdict(table), indent=1) + "\n")
    return path


def whole(folder: Path = RESULTS) -> Table | None:
    """The last table that was kept, and of lines that it does not have their last figures beside
    the same Kafka, in the order in which they were first measured."""
    kept = [_read(path) for path in sorted(folder.glob("*.json"))]
    if not kept:
        return None
    same = [table for table in kept if table.kafka == kept[-1].kafka]
    lines = {line.name: line for table in same for line in table.lines}
    return replace(kept[-1], lines=list(lines.values()))


def _read(path: Path) -> Table:
    found: dict[str, Any] = json.loads(path.read_text())
    return Table(**{**found, "lines": [Line(**line) for line in found["lines"]]})


def worse(now: Table, before: Table | None) -> list[str]:
    """What is said of each line that fell behind the earlier table: it has lost more than noise of
    its advantage, and misses its goal."""
    earlier = {line.name: line for line in before.lines} if before is not None else {}
    return [
        f"{line.name}: {line.ratio:.2f} of Kafka, {was.ratio:.2f} on {before.at}"
        for line in now.lines
        if before is not None
        and (was := earlier.get(line.name)) is not None
        and line.is_behind
        and line.advantage < NOISE * was.advantage
    ]


def beside_earlier(now: Table, before: Table | None) -> list[str]:
    """The ratios of each line, now and in the earlier table."""
    earlier = {line.name: line.ratio for line in before.lines} if before is not None else {}
    return [
        f"{line.name:66} {line.ratio:6.2f}"
        + (f" {earlier[line.name]:6.2f}" if line.name in earlier else "      -")
        for line in now.lines
    ]


# -- the picture


def drawn(table: Table) -> str:
    """The table as an SVG: a bar for each line, to the right where Rollcall is ahead, and a mark at
    its goal."""
    width, height = LEFT + 2 * HALF + 90, TOP + ROW * len(table.lines) + 12
    about = f"{table.at[:10]}, {table.processors} processors, load {table.load:.1f}"
    rows = "".join(_row(number, line) for number, line in enumerate(table.lines))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img"'
        f' font-family="sans-serif" font-size="11">\n'
        f"<title>Rollcall beside Apache Kafka {escape(table.kafka)}</title>\n"
        f'<rect width="{width}" height="{height}" fill="#fff"/>\n'
        f'<text x="12" y="20" font-size="14">Rollcall beside Apache Kafka {escape(table.kafka)}'
        f"</text>\n"
        f'<text x="12" y="38" fill="#555">{escape(about)}; right of the line: ahead; each step of'
        f" the scale doubles; the mark is the goal</text>\n{_scale(height)}{rows}</svg>\n"
    )


def _x(value: float) -> float:
    """Where an advantage lies."""
    steps = max(-DOUBLINGS, min(DOUBLINGS, log2(value)))
    return LEFT + HALF + steps / DOUBLINGS * HALF


def _scale(height: int) -> str:
    lines = ""
    for step in range(-DOUBLINGS, DOUBLINGS + 1):
        x, stroke = _x(2.0**step), "#333" if step == 0 else "#e4e4e4"
        lines += f'<path d="M{x:.1f} {TOP - 8}V{height - 8}" stroke="{stroke}"/>\n'
    return lines


def _row(number: int, line: Line) -> str:
    y, middle = TOP + ROW * number, _x(1.0)
    at, goal = _x(line.advantage), _x(advantage(line.goal, more=line.more))
    colour = "#b4552d" if line.is_behind else "#2d7d5a"
    return (
        f'<text x="{LEFT - 8}" y="{y + 12}" text-anchor="end">{escape(line.name)}</text>'
        f'<rect x="{min(at, middle):.1f}" y="{y + 3}" width="{abs(at - middle):.1f}"'
        f' height="{ROW - 6}" fill="{colour}"/>'
        f'<path d="M{goal:.1f} {y + 1}v{ROW - 2}" stroke="#111" stroke-width="2"/>'
        f'<text x="{LEFT + 2 * HALF + 10}" y="{y + 12}">{line.ratio:.2f}</text>\n'
    )
