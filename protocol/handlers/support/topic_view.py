"""The topics that a request's group needs to know, if the group computes assignments.

Shared by the two requests that join such a group. Rows are read only for names that the request
itself brings; notifications report changes of the others.
"""

from collections.abc import Iterable

from groups.catalogue.cache import Unavailable
from groups.core.classic.group import ClassicGroup
from groups.core.consumer.group import ConsumerGroup
from groups.core.conversion import upgrade
from groups.core.errors import ErrorCode, Refuse
from groups.runtime import views
from groups.runtime.views import View
from protocol.requests.call import Call


async def view(group_id: str, brought: Iterable[str], call: Call, *, joins: bool = False) -> View:
    """Every topic that the group subscribes to, or that this request names. ``joins``: the request
    may convert a classic group to one that assigns.

    COORDINATOR_NOT_AVAILABLE if the rows could not be read.
    """
    seen, names = _current_view(group_id, call, joins), tuple(brought)
    if not names:
        return seen
    try:
        found = await call.node.catalogue.find_many(names)
    except Unavailable:
        raise Refuse(ErrorCode.COORDINATOR_NOT_AVAILABLE) from None
    new = View.of(frozenset(names), found)
    return View(
        seen.looked_up | new.looked_up, {**seen.topics, **new.topics}, {**seen.racks, **new.racks}
    )


def _current_view(group_id: str, call: Call, joins: bool) -> View:
    entry, catalogue = call.node.coordinator.entries.get(group_id), call.node.catalogue
    group = None if entry is None else entry.group
    if entry is not None and isinstance(group, ConsumerGroup):
        return views.of_group(entry, group, catalogue)
    if joins and isinstance(group, ClassicGroup):
        names = upgrade.names_of(group)
        return View.of(names, catalogue.known(names))
    return View()
