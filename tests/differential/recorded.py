"""What Kafka answered, one file a kind of scenario: a line for each step and its answer.

``== 17`` begins the scenario of that seed; ``step -> answer`` are literals.
"""

import ast
from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.differential.plays import Step
from tests.differential.talking import Answer

FOLDER = Path(__file__).resolve().parent / "answers"

Lines = list[tuple[Step, Answer]]


def read(kind: str) -> dict[int, Lines]:
    """The scenarios of a kind, by seed."""
    found: dict[int, Lines] = {}
    lines: Lines = []
    for line in (FOLDER / f"{kind}.txt").read_text().splitlines():
        if line.startswith("== "):
            lines = found[int(line.removeprefix("== "))] = []
        else:
            step, _, answer = line.partition(" -> ")
            lines.append((ast.literal_eval(step), ast.literal_eval(answer)))
    return found


def write(kind: str, scenarios: Mapping[int, Iterable[tuple[Step, Answer]]]) -> None:
    """Record all scenarios of a kind again."""
    FOLDER.mkdir(exist_ok=True)
    out: list[str] = []
    for seed, lines in sorted(scenarios.items()):
        out.append(f"== {seed}")
        out += [f"{step!r} -> {answer!r}" for step, answer in lines]
    (FOLDER / f"{kind}.txt").write_text("\n".join(out) + "\n")
