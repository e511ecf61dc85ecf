"""Names of members in texts: the client's name, with a short id if two members share it.

Member ids of most clients are UUIDs, maybe after the client id, and hard to read. For an id without
a name, a part of it is shown by which it can be found.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, Protocol

from groups.models import Journal, Member

UNIQUE: Final = re.compile(r"-?([0-9a-f]{8})(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
"""The unique part of a member id, after the client id if there is one."""

RANDOM: Final = re.compile(r"[A-Za-z0-9_-]{22}")
"""Kafka's own form of a UUID: the ids of Java's consumers with the consumer protocol."""

SHORT: Final = 8
"""Length of a short id: enough to distinguish a hundred thousand members as a rule."""

LOOKED_AT_MAX: Final = 1_000
"""Older entries of a group that are searched for the name of a member that is gone."""

IN_SENTENCE_MAX: Final = 20
"""Members that an entry waited for, and pairs that exchanged partitions, whose names are read: more
than a sentence names."""


class Name(Protocol):
    """Names a member by its id, and maybe its client id."""

    def __call__(self, member_id: str | None, client_id: str | None = None) -> str:
        """The name; "" for no member."""
        ...


def plain(member_id: str | None, client_id: str | None = None) -> str:
    """The name from the entry alone: the client id, or the part of the id before the UUID."""
    if client_id or not member_id:
        return client_id or ""
    return UNIQUE.sub("", member_id) or member_id


class Names:
    """Members of one group. ``by_id``: names by member id; ``alike``: names that several have."""

    def __init__(
        self, by_id: Mapping[str, str], alike: Collection[str] = (), group_id: str = ""
    ) -> None:
        self.by_id = by_id
        self.alike = alike
        self.group_id = group_id

    def __call__(self, member_id: str | None, client_id: str | None = None) -> str:
        """The name, with a short id if another member has the same."""
        if not member_id:
            return client_id or ""
        name = client_id or self.by_id.get(member_id) or self._guessed(member_id)
        return f"{name} ({short(member_id)})" if name in self.alike else name

    def _guessed(self, member_id: str) -> str:
        """The name of an id without other information. (A consumer of the draft is named after its
        group.)"""
        if RANDOM.fullmatch(member_id):
            return f"member {short(member_id)}"
        before = UNIQUE.sub("", member_id)
        if before == member_id or (before and before != self.group_id):
            return before
        return f"member {short(member_id)}"

    def among(self, entries: Iterable[Journal]) -> "Names":
        """The same, for the case that members in these entries share a name."""
        mentioned = {member_id for entry in entries for member_id in mentions(entry)}
        named = [self.by_id.get(m) or self._guessed(m) for m in mentioned]
        return Names(self.by_id, {*self.alike, *_several(named)}, self.group_id)


def _several(names: Iterable[str]) -> set[str]:
    return {name for name, count in Counter(names).items() if count > 1}


def short(member_id: str) -> str:
    """A part of the id by which the member can be found: the beginning of its UUID."""
    match = UNIQUE.search(member_id)
    return match[1] if match else member_id[-SHORT:]


def mentions(entry: Journal) -> Iterator[str]:
    """Every member id that an entry's sentence may name."""
    yield from filter(None, [entry.member_id])
    yield from entry.joined or ()
    yield from entry.left or ()
    yield from entry.waited_for or ()
    for pair in (entry.details or {}).get("handed_over") or ():
        yield from (pair["from"], pair["to"])


def names_of(
    group_id: str, entries: Sequence[Journal], members: Iterable[Any] | None = None
) -> Names:
    """Names for the members in these journal entries of a group: from the entries, the current
    members, and older entries. At most one statement.

    ``members``: the current ones, with ``member_id``, ``instance_id`` and ``client_id``.
    """
    today = {m.member_id: m.instance_id or m.client_id for m in members or ()}
    names = {**_client_ids(entries), **{m: name for m, name in today.items() if name}}
    unknown = {m for entry in entries for m in mentions(entry)} - names.keys()
    if unknown:
        older = Journal.objects.filter(group_id=group_id, id__lt=min(e.pk for e in entries))
        newest = older.order_by("-id").values("id")[:LOOKED_AT_MAX]
        found = Journal.objects.filter(id__in=newest, member_id__in=unknown)
        names |= {m: c for m, c in found.values_list("member_id", "client_id") if m and c}
    return Names(names, _several(filter(None, today.values())), group_id)


def names_of_groups(entries: Sequence[Journal]) -> Mapping[str, Names]:
    """Names for the members in these journal entries of several groups: from the entries and the
    current members. At most one statement.

    Members that joined or left are not looked up: they may be thousands, and a sentence about one
    entry names none of them but its own.
    """
    by_group: dict[str, dict[str, str]] = {entry.group_id: {} for entry in entries}
    for entry in entries:
        by_group[entry.group_id] |= _client_ids([entry])
    named = {(e.group_id, m) for e in entries for m in in_sentence(e)}
    unknown = {(group_id, m) for group_id, m in named if m not in by_group[group_id]}
    if unknown:
        found = Member.objects.filter(
            group_id__in={group_id for group_id, _ in unknown},
            member_id__in={member_id for _, member_id in unknown},
        )
        columns = ("group_id", "member_id", "instance_id", "client_id")
        for group_id, member_id, instance_id, client_id in found.values_list(*columns):
            by_group[group_id].setdefault(member_id, instance_id or client_id)
    return {key: Names(names, _several(names.values()), key) for key, names in by_group.items()}


def in_sentence(entry: Journal) -> Iterator[str]:
    """Other members than its own that an entry's sentence names, and a few more."""
    yield from islice(entry.waited_for or (), IN_SENTENCE_MAX)
    for pair in ((entry.details or {}).get("handed_over") or ())[:IN_SENTENCE_MAX]:
        yield from (pair["from"], pair["to"])


def _client_ids(entries: Iterable[Journal]) -> dict[str, str]:
    return {e.member_id: e.client_id for e in entries if e.member_id and e.client_id}
