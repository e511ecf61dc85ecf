"""Assignors of classic groups: Java's four by name, and the type for one's own.

Pure functions and bytes; nothing here knows a member's state or a connection.
"""

from collections.abc import Mapping
from typing import Final

from rollcall.client.assignors import formats, range, roundrobin, sticky
from rollcall.client.assignors.formats import Claim
from rollcall.client.assignors.shape import Assignment, Assignor, Candidate, Counts
from rollcall.client.core.events import Partitions


def _sticky_memory(owned: Partitions, generation: int) -> bytes | None:
    # Java writes nothing before the first assignment.
    return formats.sticky_user_data(owned, generation) if generation >= 0 else None


def _generation(owned: Partitions, generation: int) -> bytes | None:
    return formats.generation_user_data(generation)


ASSIGNORS: Final[Mapping[str, Assignor]] = {
    each.name: each
    for each in (
        Assignor("range", range.assign),
        Assignor("roundrobin", roundrobin.assign),
        Assignor("sticky", sticky.assign, user_data=_sticky_memory),
        Assignor("cooperative-sticky", sticky.assign_cooperatively, True, _generation),
    )
}

__all__ = ["ASSIGNORS", "Assignment", "Assignor", "Candidate", "Claim", "Counts"]
