"""Commits that are put to a node as a connection's fast path does: as rows, without an event."""

from dataclasses import replace

from groups.core.authors import Author
from groups.core.events import Event, OffsetCommit
from groups.runtime.entries import repeatable
from groups.runtime.runtime import CoordinatorRuntime

AUTHOR = Author("", "a-client", "/127.0.0.1", "")
"""Where the commit names none: such a commit has a history all the same."""


def repeated(coordinator: CoordinatorRuntime, group_id: str, event: Event) -> bool:
    """Whether the node took the event as a repeat of an earlier commit with another offset."""
    if not isinstance(event, OffsetCommit) or event.ticket is None or event.outsider is not None:
        return False
    if not event.offsets:
        return False
    authored = [write._replace(offset=-1, author=write.author or AUTHOR) for write in event.offsets]
    earlier = repeatable(group_id, replace(event, ticket=None, offsets=tuple(authored)))
    offsets = tuple([write.offset for write in event.offsets])
    return earlier is not None and coordinator.repeat(group_id, earlier, event.ticket, offsets)
