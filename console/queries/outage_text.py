"""Texts about outages: since when, until when, and what an outage meant."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from console.queries.situation_text import many
from console.queries.why_text import seconds
from groups.core.journal import Trigger

WHY: Final[Mapping[str, str]] = {
    Trigger.DATABASE_AWAY: "it could not renew its lease in PostgreSQL",
    Trigger.LOOP_STALLED: "its event loop stood still, or its process was suspended",
    Trigger.NODE_LOST: "its process ended, or was cut off, without giving its slots away",
}


def sentence(entry: Any) -> str:
    """An outage of a node (a row of ``Journal``)."""
    found = entry.details or {}
    why = WHY.get(entry.trigger, entry.reason or "of an unknown reason")
    if "since" not in found:
        return f"Node {entry.node_id} could not serve: {why}."
    since, until = (
        datetime.fromisoformat(found[key]).astimezone(UTC) for key in ("since", "until")
    )
    times = f"from {since:%H:%M:%S} to {until:%H:%M:%S} UTC ({seconds(found['ms'])})"
    meant = "; ".join(_meant(entry.trigger, found))
    return f"Node {entry.node_id} could not serve {times}, since {why}: {meant}."


def _meant(trigger: str, found: Mapping[str, Any]) -> Iterator[str]:
    if trigger == Trigger.NODE_LOST:
        yield from _taken_over(found)
        yield "members were given time to reconnect"
    else:
        yield f"sessions were extended by {seconds(found.get('extended_ms', 0))}"
    refused = found.get("refused")
    if refused is not None:
        yield f"{many(refused, 'request')} {'was' if refused == 1 else 'were'} refused"
    removed = found.get("removed")
    if removed is not None:
        was = "was" if removed == 1 else "were"
        yield f"{many(removed, 'member')} {was} removed" if removed else "nobody was removed"


def _taken_over(found: Mapping[str, Any]) -> Iterator[str]:
    """Who serves the slots of a lost node (entries of earlier versions do not say)."""
    nodes = found.get("taken_by")
    if nodes:
        who = f"node{'' if len(nodes) == 1 else 's'} {' and '.join(map(str, nodes))}"
        what = f"{many(found['slots'], 'slot')} with {many(found['groups'], 'group')}"
        yield f"{who} took its {what}"
