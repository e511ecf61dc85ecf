"""Journals for tests: a few entries as a story tells them, or a hundred thousand by chance."""

import json
import random
from collections.abc import Iterator
from typing import Any

COLUMNS = (
    "at", "group_id", "revision", "node_id", "kind", "trigger", "reason", "member_id",
    "client_id", "generation_before", "generation_after", "duration_ms", "waited_for", "joined",
    "left", "details",
)  # fmt: skip

TRIGGERS = ("member-joined", "member-left", "session-expired", "metadata-changed", "operator")

Entry = tuple[Any, ...]


def entry(seconds: float, group_id: str, kind: str, **over: Any) -> Entry:
    """One entry, so many seconds after the first of January 2026."""
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(int(minutes), 60)
    days, hour = divmod(hours, 24)
    values: dict[str, Any] = {
        "at": f"2026-01-{1 + days:02} {hour:02}:{minute:02}:{second:09.6f}Z",
        "group_id": group_id,
        "revision": 1,
        "node_id": 0,
        "kind": kind,
        "trigger": "",
        "reason": "",
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
    for name in ("waited_for", "joined", "left", "details"):
        values[name] = json.dumps(values[name])
    return tuple(values[name] for name in COLUMNS)


def many(count: int, groups: int = 400, seed: int = 1) -> Iterator[Entry]:
    """So many entries of so many groups, with everything odd that happens to a journal."""
    chance = random.Random(seed)
    clock = 0.0
    generations = [0] * groups
    for _ in range(count // 4):
        clock += chance.random() * 3
        number = chance.randrange(groups)
        yield from _episode(chance, clock, number, generations)


def _episode(
    chance: random.Random, clock: float, number: int, generations: list[int]
) -> Iterator[Entry]:
    """Four entries: a rebalance of one protocol or the other, or something else."""
    name, generation = f"group-{number:04}", generations[number]
    cause = {
        "trigger": chance.choice(TRIGGERS),
        "reason": chance.choice(["", 'it\'s, "so"\nand so', "ünï", "plain"]),
        "member_id": f"m-{chance.randrange(9)}",
        "client_id": chance.choice(["worker", None]),
    }
    took = chance.randrange(5_000)
    members = chance.randrange(1, 5)
    waits = {f"m-{n}": chance.randrange(3) * chance.randrange(took + 1) for n in range(members)}
    after = {"generation_before": generation, "generation_after": generation + 1}
    generations[number] += 1
    yield entry(clock, name, "rebalance-started", generation_after=generation, **cause)
    match chance.randrange(6):
        case 0:  # the consumer protocol: no trigger of its own, and no "stable"
            details = {"members": members, "moved": chance.randrange(9)}
            length = chance.choice([took, None])
            yield entry(clock + 1, name, "rebalance-completed", duration_ms=length,
                        details=details, **after)  # fmt: skip
            yield entry(clock + 1.2, name, "offsets-expired", trigger="retention")
            yield entry(clock + 1.3, "", "slots-claimed", reason="64 slots of nobody")
        case 1:  # the group ended, and began anew
            yield entry(clock + 1, name, "emptied", **after, **cause)
            yield entry(clock + 1.2, name, "group-deleted")
            yield entry(clock + 1.3, name, "group-created")
        case 2:  # abandoned with its owner, and begun again
            yield entry(clock + 1, name, "rebalance-abandoned", trigger="owner-changed")
            yield entry(clock + 1.1, name, "rebalance-started", trigger="operator")
            yield entry(clock + 2, name, "rebalance-completed", duration_ms=took,
                        waited_for=waits, details={"members": members}, **after)  # fmt: skip
        case other:
            yield entry(clock + 1, name, "rebalance-completed", duration_ms=took,
                        waited_for=waits, details={"members": members}, **after,
                        **cause)  # fmt: skip
            stable = {"duration_ms": chance.randrange(900), "details": {"moved": took % 7}}
            if other == 3:  # the next rebalance began before anything was assigned
                yield entry(clock + 1.1, name, "member-replaced", trigger="member-replaced")
            else:
                yield entry(clock + 1.1, name, "stable", generation_after=generation + 1, **stable)
            yield entry(clock + 1.2, name, "offsets-restored", trigger="operator")
