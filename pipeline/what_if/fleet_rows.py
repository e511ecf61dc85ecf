"""A recording as rows of the pipeline's sources: lives and ownership with a row for each beginning
and end, rebalances, and the journal's entries of them. Pure."""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import count
from typing import Any, Final

from groups.core.journal import EntryKind
from groups.core.rounds import Outcome
from groups.core.waiting import Act
from pipeline.what_if.recording import Interval, Life, Millis, Recording

Row = Mapping[str, Any]

SECOND_MS: Final = 1_000


class Numbers:
    """Numbers of rows and lives, of one fleet."""

    def __init__(self, first: int = 1) -> None:
        self.lives, self.ownership, self.journal, self.rounds, self.life = (
            count(first) for _ in range(5)
        )


def moment(ms: Millis) -> datetime:
    """A time of a recording."""
    return datetime.fromtimestamp(ms / SECOND_MS, UTC)


def renumbered(recording: Recording, numbers: Numbers) -> Mapping[int, int]:
    """The lives' numbers in the fleet."""
    return {life.life: next(numbers.life) for life in recording.lives}


def life_rows(recording: Recording, new: Mapping[int, int], numbers: Numbers) -> Iterator[Row]:
    """The rows of lives in the order of their times."""
    found = [(life.joined, 0, life._replace(left=None)) for life in recording.lives]
    found += [(life.left, 1, life) for life in recording.lives if life.left is not None]
    for at, _, life in sorted(found, key=lambda one: one[:2]):
        place = {"at": moment(at), "era": 0, "xid": 0, "id": next(numbers.lives)}
        yield {**place, **_life(recording, life, new[life.life])}


def _life(recording: Recording, life: Life, number: int) -> Row:
    is_end = life.left is not None
    return {
        "life": number,
        "group_id": recording.group_id,
        "member_id": life.member_id,
        "instance_id": life.instance_id,
        "client_id": life.client_id,
        "client_host": life.client_host,
        "software_name": life.software[0],
        "software_version": life.software[1],
        "kind": life.kind,
        "session_timeout_ms": life.session_ms,
        "rebalance_timeout_ms": life.rebalance_ms,
        "subscription": None if life.topics is None else list(life.topics),
        "pattern": "",
        "protocols": list(life.protocols),
        "joined_at": moment(life.joined),
        "origin": life.origin,
        "left_at": moment(life.left) if life.left is not None else None,
        "departure": life.departure if is_end else None,
        "heard_at": moment(life.heard) if is_end and life.heard is not None else None,
    }


def ownership_rows(recording: Recording, new: Mapping[int, int], numbers: Numbers) -> Iterator[Row]:
    """The rows of ownership: what a life got, and lost, at a time, in one row for each topic."""
    moves: dict[tuple[Millis, int, int, str, Millis, Millis | None], list[int]] = {}
    for one in recording.intervals:
        if one.life in new:
            for key in _moves(one):
                moves.setdefault(key, []).append(one.part[1])
    for (at, _, life, topic, since, until), partitions in sorted(moves.items(), key=_order):
        yield {
            "at": moment(at),
            "era": 0,
            "xid": 0,
            "id": next(numbers.ownership),
            "group_id": recording.group_id,
            "life": new[life],
            "topic": topic,
            "partitions": sorted(partitions),
            "from_at": moment(since),
            "until_at": None if until is None else moment(until),
        }


def _moves(one: Interval) -> Iterator[tuple[Millis, int, int, str, Millis, Millis | None]]:
    topic = one.part[0]
    yield one.since, 1, one.life, topic, one.since, None
    if one.until is not None:
        yield one.until, 0, one.life, topic, one.since, one.until


def _order(move: tuple[tuple[Any, ...], list[int]]) -> tuple[Any, ...]:
    return move[0][:5]


def journal_rows(recording: Recording, numbers: Numbers) -> Iterator[Row]:
    """An entry for each completed rebalance, with its causes and whom it waited for."""
    for number, one in enumerate(recording.rebalances, 1):
        duration = one.completed - one.started
        causes = [
            {"trigger": str(trigger), "at_ms": at - one.started, "ms": duration if n == 0 else 0}
            for n, (trigger, at) in enumerate(one.causes)
        ]
        waits: dict[tuple[str, str], dict[str, Millis]] = {}
        waited_for: dict[str, Millis] = {}
        for (member_id, act), wait in one.waits.items():
            waits.setdefault((act, wait.end), {})[member_id] = wait.ms
            if act != Act.SYNC:  # of which an entry of its own tells
                waited_for[member_id] = waited_for.get(member_id, 0) + wait.ms
        grouped = [{"act": a, "end": e, "members": members} for (a, e), members in waits.items()]
        yield {
            "id": next(numbers.journal),
            "at": moment(one.completed),
            "group_id": recording.group_id,
            "kind": EntryKind.REBALANCE_COMPLETED.value,
            "trigger": str(one.causes[0][0]) if one.causes else "",
            "reason": "",
            "client_reason": "",
            "member_id": None,
            "client_id": None,
            "generation_before": number - 1,
            "generation_after": number,
            "duration_ms": duration,
            "waited_for": json.dumps(waited_for),
            "causes": json.dumps(causes),
            "waits": json.dumps(grouped),
            "members": None,
            "moved": None,
            "waited_for_count": len(waited_for),
            "unowned_longest_ms": None,
        }


def round_rows(recording: Recording, numbers: Numbers) -> Iterator[Row]:
    """For how long nobody worked on partitions in each rebalance; whom it waited for is in the
    journal."""
    empty = ("triggers", "cause_members", "cause_ids", "cause_at_ms", "cause_ms")
    waits = ("lives", "waited_ms", "acts", "ends")
    for number, idle in enumerate(recording.idle, 1):
        ended = moment(idle.ended)
        yield {
            "at": ended,
            "era": 0,
            "xid": 0,
            "id": next(numbers.rounds),
            "group_id": recording.group_id,
            "generation": number,
            "kind": min(recording.kinds, default=""),
            "outcome": Outcome.ASSIGNED.value,
            "started_at": ended,
            "ended_at": ended,
            "is_partial": False,
            "members": 0,
            "moved": 0,
            "stopped_ms": idle.stopped_ms,
            "silent_ms": idle.silent_ms,
            "unowned_ms": idle.unowned_ms,
            **{name: [] for name in (*empty, *waits)},
        }
