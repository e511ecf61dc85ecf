"""The catalogue as one request sees it: what a group that assigns must know of its topics.

Shared by the two requests that join such a group. The only look at rows is for names that the
request itself brings; the doorbell tells of the rest.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from groups.catalogue import Unavailable
from groups.core.assignors import Racks
from groups.core.classic.group import ClassicGroup
from groups.core.consumer.group import ConsumerGroup
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import JoinGroup
from groups.core.migration import upgrade
from groups.core.subscription import subscription_of
from protocol.call import Call


@dataclass(frozen=True, slots=True)
class View:
    """Which names were looked up, and what was found (topic id in 32 hex digits, partition
    count). ``racks`` of those that have some, by topic id."""

    looked_up: frozenset[str] = frozenset()
    topics: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    racks: Racks = field(default_factory=dict)


async def view(group_id: str, brought: Iterable[str], call: Call, *, joins: bool = False) -> View:
    """Every topic that the group subscribes to, or that this request brings. ``joins``: the
    request may change a classic group into one that assigns.

    COORDINATOR_NOT_AVAILABLE where the rows gave no answer.
    """
    catalogue, names = call.node.catalogue, tuple(brought)
    known = _known(group_id, call, joins)
    try:
        entries = {**catalogue.known(known), **await catalogue.find_many(names)}
    except Unavailable:
        raise Refuse(ErrorCode.COORDINATOR_NOT_AVAILABLE) from None
    topics = {name: (entry.topic_id.hex, entry.partitions) for name, entry in entries.items()}
    racks = {entry.topic_id.hex: entry.racks for entry in entries.values() if entry.racks}
    return View(known.union(names), topics, racks)


def _known(group_id: str, call: Call, joins: bool) -> frozenset[str]:
    resident = call.node.coordinator.residents.get(group_id)
    group = None if resident is None else resident.group
    if isinstance(group, ConsumerGroup):
        return group.topic_names
    if joins and isinstance(group, ClassicGroup):
        return upgrade.names_of(group)
    return frozenset()


async def view_of_join(group_id: str, event: JoinGroup, call: Call) -> View:
    """The same for a classic join; nothing where the group leaves assigning to its members."""
    group = call.node.coordinator.group(group_id)
    if not isinstance(group, ConsumerGroup) or not event.protocols:
        return View()
    said = subscription_of(event.protocols[0][1])
    if said is None:
        return View()
    return await view(group_id, {*said.topics, *(topic for topic, _ in said.owned)}, call)
