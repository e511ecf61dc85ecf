"""Journals for tests: a few entries in a given order, or a hundred thousand random ones."""

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

COLUMNS = (
    "at", "group_id", "revision", "node_id", "kind", "trigger", "reason",
    "client_reason", "member_id", "client_id", "generation_before", "generation_after",
    "duration_ms", "waited_for", "joined", "left", "details",
)  # fmt: skip

TRIGGERS = ("member-joined", "member-left", "session-expired", "metadata-changed", "operator")
REASONS = ("", 'it\'s, "so"\nand so', "ünï", "plain", "\\N")

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)

Entry = dict[str, Any]


def entry(seconds: float, group_id: str, kind: str, **over: Any) -> Entry:
    """One entry, so many seconds after the first of January 2026."""
    return {
        "at": BEGIN + timedelta(seconds=seconds),
        "group_id": group_id,
        "revision": 1,
        "node_id": 0,
        "kind": kind,
        "trigger": "",
        "reason": "",
        "client_reason": "",
        "member_id": None,
        "client_id": None,
        "generation_before": 0,
        "generation_after": 0,
        "duration_ms": None,
        "waited_for": {},
        "joined": [],
        "left": [],
        "details": {},
        **over,
    }


def row(entry: Entry) -> tuple[Any, ...]:
    """The entry as a row of the table, in the order of ``COLUMNS``."""
    values = (entry[name] for name in COLUMNS)
    return tuple(json.dumps(v) if isinstance(v, dict | list) else v for v in values)


def many(count: int, groups: int = 400, seed: int = 1) -> Iterator[Entry]:
    """So many entries of so many groups in turn, with everything odd that befalls a journal."""
    chance = random.Random(seed)
    lives = [_life(chance, number) for number in range(groups)]
    seconds = 0.0
    for _ in range(count):
        seconds += chance.random() / 4
        number = chance.randrange(groups)
        kind, over = next(lives[number])
        yield entry(seconds, "" if kind == "slots-claimed" else f"group-{number:04}", kind, **over)


def _life(chance: random.Random, number: int) -> Iterator[tuple[str, Entry]]:
    """What befalls one group, for ever. One group in four speaks the consumer protocol."""
    generation = 0
    while True:
        yield from (_consumer if number % 4 == 0 else _classic)(chance, generation)
        generation += 1
        if chance.random() < 0.1:
            yield "offsets-expired", {"trigger": "retention", "details": {"offsets": 3}}
        if chance.random() < 0.05:
            yield "slots-claimed", {"reason": "64 free slots"}
        if chance.random() < 0.05:
            yield "emptied", {"trigger": "session-expired", "generation_before": generation}
            yield "group-deleted", {}
            yield "group-created", {}


def _consumer(chance: random.Random, generation: int) -> Iterator[tuple[str, Entry]]:
    """Starts overlap; a completion may say neither its cause nor how long it took."""
    cause = _cause(chance)
    for _ in range(chance.randrange(1, 4)):
        yield "rebalance-started", {**cause, "generation_after": generation}
        cause = _cause(chance)
    yield (
        "rebalance-completed",
        {
            **(cause if chance.random() < 0.5 else {}),
            **_generations(generation),
            "duration_ms": chance.choice([None, chance.randrange(5_000)]),
            "details": {
                "members": chance.randrange(1, 9),
                "moved": chance.randrange(9),
                # Entries of earlier versions tell nothing of it.
                **chance.choice([{}, {"unowned_longest_ms": chance.choice([0, 40, 3_000])}]),
            },
        },
    )


def _classic(chance: random.Random, generation: int) -> Iterator[tuple[str, Entry]]:
    """May be abandoned, continued by another owner, or overtaken before its assignment."""
    cause = _cause(chance)
    if chance.random() < 0.9:  # else: its owner was lost, and the next one only ends it
        yield "rebalance-started", {**cause, "generation_after": generation}
    if chance.random() < 0.1:
        yield "rebalance-abandoned", {"trigger": "owner-changed"}
        if chance.random() < 0.5:
            return
        yield "rebalance-started", {**cause, "generation_after": generation}
    waits = {f"m-{n}": chance.choice([0, 700, 900]) for n in range(chance.randrange(4))}
    yield (
        "rebalance-completed",
        {
            **cause,
            **_generations(generation),
            "duration_ms": chance.choice([900, chance.randrange(900, 5_000)]),
            "waited_for": waits,
            "details": {"members": 4, "waited_for_count": len(waits)},
        },
    )
    if chance.random() < 0.1:
        yield "rebalance-abandoned", {"trigger": "owner-changed"}
    if chance.random() < 0.8:  # else: overtaken
        yield (
            "stable",
            {
                "generation_after": generation + (1 if chance.random() < 0.98 else 2),
                "duration_ms": chance.randrange(900),
                "details": {"members": 4, "moved": chance.randrange(7)},
            },
        )


def _generations(generation: int) -> Entry:
    return {"generation_before": generation, "generation_after": generation + 1}


def _cause(chance: random.Random) -> Entry:
    return {
        "trigger": chance.choice(TRIGGERS),
        "reason": chance.choice(REASONS),
        "client_reason": chance.choice(REASONS),
        "member_id": f"m-{chance.randrange(9)}",
        "client_id": chance.choice(["worker", "", None]),
    }
