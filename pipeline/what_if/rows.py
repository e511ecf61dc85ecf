"""A group's rows of facts and journal as a recording. Pure."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from groups.core.journal import EntryKind
from pipeline.what_if.recording import Idle, Interval, Life, Millis, Rebalance, Recording, Wait

BEFORE_MS: Final = 60_000
"""Members that were there at the beginning join so long before it: their group is settled then."""

IDLE: Final = ("ended_ms", "stopped_ms", "silent_ms", "unowned_ms")

Row = Mapping[str, Any]


def recording_of(
    group_id: str,
    lives: Iterable[Row],
    intervals: Iterable[Row],
    entries: Iterable[Row],
    rounds: Iterable[Row],
    begin: Millis,
    end: Millis,
) -> Recording:
    """What happened from ``begin`` to ``end``. Times of rows are milliseconds."""
    owned = [_interval(row, begin) for row in intervals if _lasts(row["until_ms"], begin)]
    topics = tuple(sorted({interval.part[0] for interval in owned}))
    known = [_life(row, begin, topics) for row in lives if _lasts(row["left_ms"], begin)]
    return Recording(
        group_id,
        begin,
        end,
        [life for life in known if life.joined <= end],
        [interval for interval in owned if interval.since <= end],
        [one for one in _rebalances(entries) if begin <= one.started and one.completed <= end],
        [Idle(*(row[name] for name in IDLE)) for row in rounds if begin <= row["ended_ms"] <= end],
    )


def _lasts(until: Millis | None, begin: Millis) -> bool:
    return until is None or until >= begin


def _life(row: Row, begin: Millis, topics: Sequence[str]) -> Life:
    """A pattern matched what its group owned."""
    wanted = None if row["subscription"] is None else tuple(row["subscription"])
    joined = row["joined_ms"]
    return Life(
        row["life"],
        row["member_id"],
        row["instance_id"],
        row["client_id"],
        row["client_host"],
        row["kind"],
        row["session_timeout_ms"],
        row["rebalance_timeout_ms"],
        tuple(topics) if row["pattern"] else wanted,
        tuple(row["protocols"] or ()),
        joined if joined >= begin else begin - BEFORE_MS,
        row["origin"],
        row["left_ms"],
        row["departure"] or "",
        row["heard_ms"],
        (row["software_name"] or "", row["software_version"] or ""),
    )


def _interval(row: Row, begin: Millis) -> Interval:
    part = (row["topic"], row["partition"])
    return Interval(row["life"], part, max(row["from_ms"], begin), row["until_ms"])


def _rebalances(entries: Iterable[Row]) -> Sequence[Rebalance]:
    """Completions, each with the leader's assignment that follows it."""
    made: list[Rebalance] = []
    for row in sorted(entries, key=lambda entry: int(entry["id"])):
        waits = dict(_waits(row["waits"]))
        if row["kind"] == EntryKind.REBALANCE_COMPLETED:
            started = row["at_ms"] - (row["duration_ms"] or 0)
            causes = _causes(row, started)
            made.append(Rebalance(started, row["at_ms"], causes, waits))
        elif row["kind"] == EntryKind.STABLE and made:
            last = made[-1]
            both = {**last.waits, **waits}
            made[-1] = Rebalance(last.started, last.completed, last.causes, both)
    return made


def _causes(row: Row, started: Millis) -> Sequence[tuple[str, Millis]]:
    """Its causes with their times; of entries of earlier versions the trigger alone."""
    said = _json(row["causes"])
    found = [
        (cause["trigger"], started + cause["at_ms"])
        for cause in (said if isinstance(said, list) else ())
        if isinstance(cause, dict)
        and isinstance(cause.get("trigger"), str)
        and isinstance(cause.get("at_ms"), int)
    ]
    return found or [(row["trigger"] or "", started)]


def _waits(text: str | None) -> Iterable[tuple[tuple[str, str], Wait]]:
    said = _json(text)
    for group in said if isinstance(said, list) else ():
        if isinstance(group, dict) and isinstance(group.get("members"), dict):
            for member_id, ms in group["members"].items():
                if isinstance(ms, int):
                    yield (member_id, str(group.get("act"))), Wait(ms, str(group.get("end")))


def _json(text: str | None) -> Any:
    return None if text is None else json.loads(text)
