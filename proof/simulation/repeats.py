"""Commits that are put to a node as a connection's fast path does: as rows, without an event."""

from dataclasses import replace

from groups.core.authors import Author
from groups.core.events import Event, OffsetCommit
from groups.runtime.runtime import CoordinatorRuntime
from groups.store.offset_rows import around

AUTHOR = Author("", "a-client", "/127.0.0.1", "")
"""Where the commit names none: such a commit has a history all the same."""


def repeated(coordinator: CoordinatorRuntime, group_id: str, event: Event) -> bool:
    """Whether the node took the event as a repeat of an earlier commit with another offset."""
    if (
        not isinstance(event, OffsetCommit)
        or event.ticket is None
        or event.outsider is not None
        or len(event.offsets) != 1
    ):
        return False
    [write] = event.offsets
    before, after = around(group_id, write, write.author or AUTHOR)
    earlier = replace(event, ticket=None, offsets=(write._replace(offset=-1),))
    return coordinator.repeat(group_id, earlier, event.ticket, (*before, write.offset, *after))
