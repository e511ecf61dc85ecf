"""Members that others remove by LeaveGroup (KIP-345): the journal has the author.

A member leaves with the address and client id with which it joined. A different one is an
administrator with a tool.
"""

from collections.abc import Iterable, Iterator

from groups.core.authors import Author
from groups.core.facts import Departure
from groups.core.group import JournalEntry
from groups.core.journal import EntryKind, Trigger
from groups.core.rows import MemberRow


def departure(author: Author | None, row: MemberRow) -> Departure:
    """Whether the member left by itself."""
    if author is None:
        return Departure.LEFT
    is_own = (row.client_id, row.client_host) == (author.client_id, author.client_host)
    return Departure.LEFT if is_own else Departure.EXPELLED


def removals(
    author: Author | None, gone: Iterable[tuple[MemberRow, str]], generation: int
) -> Iterator[JournalEntry]:
    """An entry with the reason for each of these members that did not leave by itself."""
    if author is None:
        return
    for row, client_reason in gone:
        if departure(author, row) is Departure.LEFT:
            continue
        yield JournalEntry(
            EntryKind.MEMBER_EXPELLED,
            Trigger.REQUEST,
            "a client of another id or address removed it",
            member_id=row.member_id,
            client_id=row.client_id,
            client_reason=client_reason,
            generation_before=generation,
            generation_after=generation,
            details={"author": author.details()},
        )
