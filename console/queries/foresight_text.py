"""Sentences about what a change would make of a group: the same on pages, over REST, in the command
line and for agents."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from console.foresight.foresight import FROZEN, Accuracy, Foresight
from console.queries.situation_text import many
from console.queries.timeline_text import partition_seconds
from console.queries.why_text import seconds

HOW: Final[Mapping[Accuracy, str]] = {
    Accuracy.EXACT: "Exact",
    Accuracy.ESTIMATED: "Estimated",
    Accuracy.UNKNOWN: "Unknown",
}


def answer(found: Foresight) -> str:
    """The whole answer, after the question."""
    return " ".join(_sentences(found))


def _sentences(found: Foresight) -> Iterator[str]:
    if found.still_ms:
        yield _silent(found)
    elif found.freed:
        yield f"{many(found.gone, 'member')} with {many(found.freed, 'partition')} would end."
    yield moves(found)
    if found.stopped and found.rebalances:
        yield f"Members stop {many(found.stopped, 'partition')} for the time of the rebalance."
    yield from _owned(found)


def _silent(found: Foresight) -> str:
    own = "owns" if found.gone == 1 else "own"
    stand = "stands" if found.freed == 1 else "stand"
    what = f"{many(found.gone, 'member')} {own} {many(found.freed, 'partition')}"
    if not found.freed:
        return f"{what}."
    return (
        f"{what}, which {stand} still until their sessions end, for at most"
        f" {seconds(found.still_ms)}: at most {partition_seconds(found.cost_ms)}."
    )


def moves(found: Foresight) -> str:
    """How many partitions would move, and how certain that is."""
    if found.accuracy == Accuracy.UNKNOWN:
        return f"How many partitions would move is unknown: {found.why}."
    how = HOW[found.accuracy]
    if found.why == FROZEN:
        none = many(found.unowned, "partition") if found.unowned else ""
        left = f" {none} would have no owner." if none else ""
        return f"{how}: nothing moves, since {found.why}.{left}"
    because = f" ({found.why})" if found.why else ""
    if not found.moved:
        text = f"{how}: no partition would move{because}."
    else:
        text = f"{how}: {many(found.moved, 'partition')} would move{because}."
    if found.rebalances != 1:
        text += f" {many(found.rebalances, 'rebalance')} in all."
    return text


def _owned(found: Foresight) -> Iterator[str]:
    if not found.members:
        yield "The group would be empty."
    if found.unowned and found.why != FROZEN:
        have = "has" if found.unowned == 1 else "have"
        yield f"Then {many(found.unowned, 'partition')} {have} no owner."
    after = [share.after for share in found.shares if share.after or share.before]
    staying = [share.after for share in found.shares if share.after]
    if staying and len(after) > 1:
        least, most = min(staying), max(staying)
        each = f"{least:,}" if least == most else f"{least:,} to {most:,}"
        yield f"Then {many(len(staying), 'member')} would own {each} each."


def kept(prediction: Mapping[str, Any]) -> str:
    """An operation's prediction, as its row keeps it."""
    accuracy = Accuracy(prediction["accuracy"])
    found = Foresight(
        accuracy,
        prediction["why"],
        rebalances=prediction.get("rebalances", 1),
        moved=prediction["moved"],
        unowned=prediction["unowned"],
        members=prediction["members"],
    )
    none = f" {many(found.unowned, 'partition')} without owner." if found.unowned else ""
    return moves(found) + ("" if found.why == FROZEN else none)
