"""Rows that make no sense, to this version at least: their group answers errors, and no other."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any, Final

import pytest

from groups.core.errors import ErrorCode
from groups.core.events import LeaveGroup, Ticket
from groups.core.group import Rules
from groups.core.replies import ErrorReply, Reply
from groups.core.rows import Details, Durable, slot_of
from groups.runtime.collaborators import Collaborators
from groups.runtime.runtime import CoordinatorRuntime
from tests.loading import adopt, reseat
from tests.walks.life import PEOPLE, Life, read_back

ODD: Final[tuple[Any, ...]] = (None, 3, "text", ["text"], [], {"key": "text"}, {}, -1, [[1]], True)
"""What a detail may be in another version."""


def damaged(durable: Durable, rng: Random) -> Durable:
    """The same rows, of which one has an odd detail, lacks one, or is no mapping at all."""
    if not durable.members or rng.random() < 0.4:
        return replace(durable, group=replace(durable.group, details=odd(durable.group, rng)))
    key = rng.choice(sorted(durable.members))
    row = durable.members[key]
    members = {**durable.members, key: replace(row, details=odd(row, rng))}
    return replace(durable, members=members)


def odd(row: Any, rng: Random) -> Details:
    """Its details, with something wrong."""
    details = dict(row.details)
    names = sorted({*details, "topics", "since"})
    if rng.random() < 0.2:
        anything: Details = rng.choice(ODD)
        return anything
    if details and rng.random() < 0.3:
        details.pop(rng.choice(sorted(details)))
    else:
        details[rng.choice(names)] = rng.choice(ODD)
    return details


def rows_of_walk(kind: str, seed: int) -> Iterator[Durable]:
    """The rows of a life, as they were after some of its steps."""
    for _, decision in Life(kind, seed).live().written:
        durable = decision.group.durable
        if not decision.deleted and durable.group.details:
            yield replace(read_back(durable), revision=5)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", PEOPLE)
def test_a_group_that_cannot_be_loaded_affects_no_other(kind: str, seed: int) -> None:
    rng = Random(f"{kind} {seed}")
    told: list[Reply] = []
    for durable in rows_of_walk(kind, seed):
        coordinator = CoordinatorRuntime(
            Rules(), lambda: 0, rng, Collaborators(answer=lambda _ticket, reply: told.append(reply))
        )
        coordinator.lease_until = 1
        slots = {slot_of("g"): 1, slot_of("other"): 1}
        adopt(coordinator, slots, {"g": damaged(durable, rng), "other": durable})
        entry = coordinator.entries["g"]
        if not entry.broken:
            coordinator.doubt(entry)
            reseat(coordinator, entry, damaged(durable, rng))
        assert coordinator.serves(slot_of("other")) and not coordinator.entries["other"].broken
        if entry.broken:
            coordinator.submit("g", LeaveGroup(ticket=Ticket(1, 1), members=()))
            assert told.pop() == ErrorReply(ErrorCode.UNKNOWN_SERVER_ERROR)
