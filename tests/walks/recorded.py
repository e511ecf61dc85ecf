"""Lives as they were when the rules were changed last: for each step, what came of it, as a digest.

``python -m tests.walks.recorded`` says which lives would change; with ``--rewrite`` it writes what
the rules do today. ``python -m tests.walks.recorded mixed 17`` tells one life in words: told by the
version before and by this one, the difference is the review.
"""

import json
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from tests.walks.life import PEOPLE, Life
from tests.walks.plain import digest

LIVES = 40
"""Of each kind."""

FOLDER = Path(__file__).parent / "lives"

KINDS = [pytest.param(kind, marks=pytest.mark.xdist_group(f"walks of {kind}")) for kind in PEOPLE]
"""For tests of all lives of a kind: living them takes most of their time, so one worker does it."""


@cache
def lived(kind: str, seed: int) -> Life:
    """A life from its beginning to its end. Who asks for it only reads it."""
    return Life(kind, seed).live()


def digests_of(kind: str, seed: int) -> list[str]:
    """The digests of a life as the rules have it now."""
    return [digest([words, told]) for words, told in lived(kind, seed).told]


def recorded(kind: str) -> list[list[str]]:
    """The digests of all lives of a kind, by their seeds."""
    return [line.split() for line in (FOLDER / f"{kind}.txt").read_text().splitlines()]


def in_words(kind: str, seed: int, last: int | None = None) -> str:
    """A life up to a step."""
    steps = lived(kind, seed).told[:last]
    return "\n".join(
        f"{at:2} {words}\n   {json.dumps(said, sort_keys=True)}"
        for at, (words, said) in enumerate(steps)
    )


def main(arguments: Sequence[str]) -> int:
    """1: some life is not what was recorded."""
    if len(arguments) == 2:
        print(in_words(arguments[0], int(arguments[1])))
        return 0
    changed = [kind for kind in PEOPLE if _is_changed(kind, rewrite="--rewrite" in arguments)]
    return int(bool(changed) and "--rewrite" not in arguments)


def _is_changed(kind: str, *, rewrite: bool) -> bool:
    path, text = FOLDER / f"{kind}.txt", ""
    for seed in range(LIVES):
        text += " ".join(digests_of(kind, seed)) + "\n"
    before = path.read_text() if path.exists() else ""
    if rewrite:
        path.write_text(text)
    for seed, (old, new) in enumerate(zip(before.splitlines(), text.splitlines(), strict=False)):
        if old != new:
            print(f"{kind} {seed} has changed")
    return before != text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
