"""The sentences of a group as it was, and of what differs between two moments."""

from collections.abc import Iterator
from datetime import UTC, datetime

from console.queries.facts import Owned
from console.queries.moments import Comparison, Moment
from console.queries.situation_text import many


def clock(at: datetime) -> str:
    """A time in UTC, to the second."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def was(moment: Moment) -> str:
    """The group then, in a sentence."""
    parts = sum(len(one.numbers()) for one in moment.owned)
    members = many(len(moment.lives), "member")
    if not moment.lives:
        return f"At {clock(moment.at)} no member was there, as far as it is known."
    return f"At {clock(moment.at)} {members} owned {many(parts, 'partition')}."


def owner(one: Owned, number: int) -> str:
    """Who owned a partition, from when until when."""
    who = one.instance_id or one.client_id or one.member_id
    end = "and still does" if one.until_at is None else f"until {clock(one.until_at)}"
    return (
        f"{one.topic}-{number} was owned by {who} at {one.client_host} from {clock(one.from_at)}"
        f" {end}."
    )


def nobody(moment: Moment, name: str) -> str:
    """That a partition had no owner."""
    return f"{name} had no owner at {clock(moment.at)}, as far as it is known."


def compared(found: Comparison) -> str:
    """What differs, in a sentence or a few."""
    return " ".join(_compared(found))


def _compared(found: Comparison) -> Iterator[str]:
    came, went = len(found.came), len(found.went)
    yield f"{many(came, 'member')} came, {many(went, 'member')} went, {found.stayed:,} stayed."
    yield f"{len(found.moves):,} of {many(found.partitions, 'partition')} have another owner."
    if found.progress:
        by = sum(topic.by for topic in found.progress)
        still = sum(topic.still for topic in found.progress)
        yield f"Offsets advanced by {by:,} in all; {many(still, 'partition')} stood still."
    changed = len(found.settings)
    yield (
        f"{many(changed, 'setting')} differ{'s' if changed == 1 else ''}."
        if changed
        else ("No setting differs.")
    )
