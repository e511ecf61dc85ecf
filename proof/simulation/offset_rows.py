"""Rows of committed offsets: written and deleted when a transaction commits, and recorded."""

from collections.abc import Mapping

from groups.core.events import OffsetWrite
from proof.simulation.postgres import Database
from proof.simulation.records import OffsetRecord

Place = tuple[str, str, int]
"""Group, topic, partition."""

NOBODY: Mapping[str, int] = {}
"""For a write that is not by a slot's owner."""


def put(db: Database, place: Place, write: OffsetWrite, under: Mapping[str, int] = NOBODY) -> None:
    """Set the partition's offset; ``under``: slot and epoch of the writer."""
    db.offsets[place] = OffsetRecord(write.offset, write.leader_epoch, write.metadata, db.wall)
    _record(db, place, write.offset, under)


def drop(db: Database, place: Place, under: Mapping[str, int]) -> None:
    """Delete the partition's offset."""
    if db.offsets.pop(place, None) is not None:
        _record(db, place, None, under)


def _record(db: Database, place: Place, offset: int | None, under: Mapping[str, int]) -> None:
    group, topic, partition = place
    db.world.record(
        "row", table="offset", group=group, topic=topic, partition=partition, offset=offset, **under
    )
