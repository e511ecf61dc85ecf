"""State derived from the members of a consumer group, kept for speed.

All of it can be computed from the members and the group's row (``Index.of`` does, after a reload);
nothing here is durable, and no rule is decided here.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from groups.core.assignors import weights
from groups.core.assignors.client_side import Vote, votes_of
from groups.core.assignors.types import NOTHING, Part
from groups.core.consumer.member import Member
from groups.core.subscription import protocol_names
from groups.core.values import SharedDict

Topic = tuple[str, int]
"""A topic's id (32 hex digits) and its partition count."""


Counted = TypeVar("Counted")


@dataclass(slots=True)
class Index:
    """Holders of partitions, members by instance id, subscribers of each name.

    ``unsettled`` counts the members that are not at the target yet; ``catalogue`` has the
    subscribed topics as the group last used them. ``regexes`` counts the members with each pattern;
    ``matches`` are the names that match each pattern, and ``names`` counts a pattern as one more
    subscriber of each. ``classic`` are the members of the classic protocol, and ``protocols``
    counts their lists of protocol names; ``modern`` counts the others. ``votes`` counts members'
    votes for assignors, ``metadata_bytes`` the size of all members' metadata. ``drained`` are the
    drained members, ``draining`` those of them that may have partitions still.
    """

    holders: SharedDict[Part, str] = field(default_factory=SharedDict)
    instances: SharedDict[str, str] = field(default_factory=SharedDict)
    names: dict[str, int] = field(default_factory=dict)
    unsettled: int = 0
    next_position: int = 0
    catalogue: Mapping[str, Topic] = field(default_factory=dict)
    regexes: dict[str, int] = field(default_factory=dict)
    matches: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    classic: set[str] = field(default_factory=set)
    protocols: dict[tuple[str, ...], int] = field(default_factory=dict)
    modern: int = 0
    metadata_bytes: int = 0
    votes: dict[Vote, int] = field(default_factory=dict)
    drained: set[str] = field(default_factory=set)
    draining: set[str] = field(default_factory=set)
    _topic_names: frozenset[str] | None = field(default=None, compare=False, repr=False)
    _named: "tuple[Mapping[str, Topic], Mapping[str, str]] | None" = field(
        default=None, compare=False, repr=False
    )

    @property
    def topic_names(self) -> frozenset[str]:
        """Every name that a member subscribes to: the same object until they change."""
        if self._topic_names is None:
            self._topic_names = frozenset(self.names)
        return self._topic_names

    @property
    def names_by_id(self) -> Mapping[str, str]:
        """The subscribed topics' names by their ids: the same object until the catalogue changes,
        which may have thousands, and members take a step each."""
        if self._named is None or self._named[0] is not self.catalogue:
            names = {topic_id: name for name, (topic_id, _) in self.catalogue.items()}
            self._named = (self.catalogue, names)
        return self._named[1]

    @classmethod
    def of(cls, members: Iterable[Member], details: Mapping[str, Any]) -> "Index":
        """The index of these members, with these details of the group's row."""
        topics: Mapping[str, Any] = details.get("topics", {})
        index = cls(
            catalogue={name: (entry[0], entry[1]) for name, entry in topics.items()},
            matches={regex: tuple(names) for regex, names in details.get("matches", {}).items()},
        )
        for member in members:
            index.swap(None, member, details.get("target_epoch", 0))
        return index

    def copy(self) -> "Index":
        """A copy that a step may change."""
        return Index(
            self.holders.copy(),
            self.instances.copy(),
            self.names.copy(),
            self.unsettled,
            self.next_position,
            self.catalogue,
            self.regexes.copy(),
            self.matches,
            self.classic.copy(),
            self.protocols.copy(),
            self.modern,
            self.metadata_bytes,
            self.votes.copy(),
            self.drained.copy(),
            self.draining.copy(),
            self._topic_names,
            self._named,
        )

    def swap(self, before: Member | None, after: Member | None, target_epoch: int) -> None:
        """A member was changed, added (no ``before``) or removed (no ``after``)."""
        self._hold(before, after)
        if before is not None and after is not None and _is_alike(before, after):
            self.unsettled += before.is_settled(target_epoch) - after.is_settled(target_epoch)
            return
        if _subscription(before) != _subscription(after):
            self._resubscribe(before, after)
        if before is None or after is None or not before.has_same_metadata(after):
            self.metadata_bytes += after.metadata_bytes if after is not None else 0
            self.metadata_bytes -= before.metadata_bytes if before is not None else 0
        if before is not None:
            self.unsettled -= not before.is_settled(target_epoch)
            self._forget(before)
        if after is not None:
            self.unsettled += not after.is_settled(target_epoch)
            self._learn(after)

    def match(self, matches: Mapping[str, tuple[str, ...]]) -> None:
        """Set the names that match the patterns."""
        for regex in self.regexes:
            self._count_names(self.matches.get(regex, ()), -1)
            self._count_names(matches.get(regex, ()), +1)
        self.matches = matches

    def _resubscribe(self, before: Member | None, after: Member | None) -> None:
        """Update names and patterns only if they changed: most changes of a member do not concern a
        long subscription."""
        if after is not None:
            self._count_names(after.topics, +1)
            if after.regex:
                self._count_pattern(after.regex, +1)
        if before is not None:
            self._count_names(before.topics, -1)
            if before.regex:
                self._count_pattern(before.regex, -1)

    def _count_pattern(self, regex: str, by: int) -> None:
        """Count the names of a pattern once, however many members have it."""
        before = len(self.regexes)
        _count(self.regexes, [regex], by)
        if len(self.regexes) != before:
            self._count_names(self.matches.get(regex, ()), by)

    def _count_names(self, names: Iterable[str], by: int) -> None:
        before = len(self.names)
        _count(self.names, names, by)
        if len(self.names) != before:
            self._topic_names = None

    def _forget(self, member: Member) -> None:
        instance_id, member_id = member.row.instance_id, member.row.member_id
        if instance_id is not None and self.instances.get(instance_id) == member_id:
            del self.instances[instance_id]
        self.drained.discard(member_id)
        self.draining.discard(member_id)
        self.modern -= not member.is_classic
        _count(self.votes, _votes_of(member), -1)
        if member.is_classic:
            self.classic.discard(member_id)
            _count(self.protocols, [protocol_names(member.row.subscription)], -1)

    def _learn(self, member: Member) -> None:
        if member.row.instance_id is not None:
            self.instances[member.row.instance_id] = member.row.member_id
        if member.drain is not None:
            self.drained.add(member.row.member_id)
            if not member.drain.is_over:
                self.draining.add(member.row.member_id)
        self.modern += not member.is_classic
        _count(self.votes, _votes_of(member), +1)
        if member.is_classic:
            self.classic.add(member.row.member_id)
            _count(self.protocols, [protocol_names(member.row.subscription)], +1)
        self.next_position = max(self.next_position, member.row.position + 1)

    def _hold(self, before: Member | None, after: Member | None) -> None:
        """Set a partition's holder; a second holder is a defect in Rollcall."""
        old = before.holds if before is not None else NOTHING
        new = after.holds if after is not None else NOTHING
        for part in old - new:
            del self.holders[part]
        for part in new - old:
            assert after is not None
            other = self.holders.get(part)
            assert other in (None, after.row.member_id), f"{part} is held by {other}"
            self.holders[part] = after.row.member_id


def _is_alike(before: Member, after: Member) -> bool:
    """Whether only what a member has, or should have, was changed: the usual case."""
    was, row = before.row, after.row
    return (
        before.has_same_metadata(after)
        and before.assignor == after.assignor
        and before.drain == after.drain
        and (was.member_id, was.instance_id, was.position)
        == (row.member_id, row.instance_id, row.position)
    )


def _subscription(member: Member | None) -> tuple[tuple[str, ...], str]:
    return ((), "") if member is None else (member.topics, member.regex)


def _votes_of(member: Member) -> Sequence[Vote]:
    return votes_of(member.client_assignors, weights.assignor_of(member.assignor))


def _count(counts: dict[Counted, int], keys: Iterable[Counted], by: int) -> None:
    """Add to the count of each key; keys with count 0 are removed."""
    for key in keys:
        count = counts.get(key, 0) + by
        if count:
            counts[key] = count
        else:
            del counts[key]
