"""The sentences of a timeline: on its page, over REST and in the command line."""

from collections.abc import Iterator

from console.queries.situation_text import many
from console.queries.timeline import Cost
from console.queries.why_text import seconds


def partition_seconds(milliseconds: int) -> str:
    """Partitions times time: "43.2 partition-seconds"."""
    return f"{milliseconds / 1_000:,.1f} partition-seconds"


def cost(found: Cost) -> str:
    """What the rebalances of a time cost, and whom they waited for."""
    if not found.rebalances:
        return "No rebalance in this time."
    return " ".join(_cost(found))


def _cost(found: Cost) -> Iterator[str]:
    moved = f"{many(found.moved, 'partition')} moved"
    text = f"{many(found.rebalances, 'rebalance')}; {moved}"
    if found.all_ms:
        parts = (
            (found.stopped_ms, "stopped"),
            (found.silent_ms, "with silent owners"),
            (found.unowned_ms, "without owner"),
        )
        told = ", ".join(f"{ms / 1_000:,.1f} {what}" for ms, what in parts if ms)
        text += f"; {partition_seconds(found.all_ms)} without work ({told})"
    yield f"{text}."
    if found.slowest is not None:
        name, ms = found.slowest.name, found.slowest.ms
        often = many(found.slowest.rebalances, "rebalance")
        yield f"They waited longest for {name}: {seconds(ms)} in {often}."
