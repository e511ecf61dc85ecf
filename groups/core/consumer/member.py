"""A member of a consumer group: its row, with the details parsed.

Values only. ``details`` of the row is the durable form; rules use a ``Member``, which is created
once per change and kept with the row, so that a heartbeat without changes parses nothing.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple, Self

from groups.core import drains
from groups.core.assignors.client_side import ClientAssignor, ClientAssignors
from groups.core.assignors.types import NOTHING, Part, Parts
from groups.core.drains import Drain
from groups.core.rows import MemberRow
from groups.core.values import quick, replaced

STABLE = "stable"
UNREVOKED = "unrevoked-partitions"
UNRELEASED = "unreleased-partitions"

LEFT_FOR_NOW = -2
"""The epoch of a static member that left temporarily (KIP-848)."""


@quick
@dataclass(frozen=True, slots=True)
class Member:
    """One member. ``assigned`` are its partitions, ``revoking`` those that it must revoke but still
    holds, ``target`` its target assignment. ``since`` has for each held partition the epoch at
    which it was assigned (KIP-1251). ``topics`` are names, ``regex`` a pattern for more of them; ""
    is none. ``client_assignors`` are those that it can run. ``drain``: why it gets no partitions;
    None: it may have some. ``written``: the values in the row."""

    row: MemberRow
    epoch: int = 0
    previous_epoch: int = 0
    state: str = STABLE
    assigned: Parts = NOTHING
    revoking: Parts = NOTHING
    target: Parts = NOTHING
    topics: tuple[str, ...] = ()
    assignor: str | None = None
    rack_id: str | None = None
    since: Mapping[Part, int] | None = None
    regex: str = ""
    client_assignors: ClientAssignors = ()
    drain: Drain | None = None
    written: "Written | None" = field(default=None, compare=False, repr=False)

    @classmethod
    def load(cls, row: MemberRow) -> Self:
        """The member of a row."""
        facts = row.details
        member = cls(
            row,
            facts["epoch"],
            facts["previous_epoch"],
            facts["state"],
            parts_of(facts["assigned"]),
            parts_of(facts["revoking"]),
            parts_of(facts["target"]),
            tuple(facts["topics"]),
            facts["assignor"],
            facts["rack_id"],
            {(topic, p): epoch for topic, p, epoch in facts["since"]},
            facts.get("regex", ""),
            tuple(map(ClientAssignor.unpacked, facts.get("client_assignors", ()))),
            drains.read(facts),
        )
        return replace(member, written=Written.of(member))

    def saved(self) -> Self:
        """The same member with its row updated. Parts that have not changed are not serialized
        again."""
        stored, written = self.row.details, self.written or _NEVER
        facts: dict[str, Any] = {
            "epoch": self.epoch,
            "previous_epoch": self.previous_epoch,
            "state": self.state,
            "assigned": stored["assigned"]
            if self.assigned is written.assigned
            else by_topic(self.assigned),
            "revoking": stored["revoking"]
            if self.revoking is written.revoking
            else by_topic(self.revoking),
            "target": stored["target"] if self.target is written.target else by_topic(self.target),
            "topics": list(self.topics),
            "assignor": self.assignor,
            "rack_id": self.rack_id,
            "since": stored["since"]
            if self.since is written.since
            else [[topic, p, epoch] for (topic, p), epoch in sorted((self.since or {}).items())],
            "regex": self.regex,
        }
        if self.client_assignors:
            facts["client_assignors"] = [each.packed() for each in self.client_assignors]
        if self.drain is not None:
            facts[drains.DRAINED] = list(self.drain)
        if facts == stored:
            return self if self.written is not None else replace(self, written=Written.of(self))
        row = replaced(self.row, details=facts)
        return replaced(self, row=row, written=Written.of(self))

    def with_target(self, target: Parts, grouped: Mapping[str, list[int]]) -> Self:
        """The same member with another target, which is already ``grouped`` for its row.

        One step creates ten thousand of these, so the row is updated here.
        """
        if self.written is None:
            return replaced(self, target=target)
        row = replaced(self.row, details={**self.row.details, "target": grouped})
        return replaced(self, row=row, target=target, written=self.written._replace(target=target))

    @property
    def is_classic(self) -> bool:
        """Whether the member uses the classic protocol (KIP-848, migration): its row then has the
        protocols of its join, packed as in a classic group."""
        return bool(self.row.subscription)

    @property
    def metadata_bytes(self) -> int:
        """The approximate size in bytes of its metadata: names, pattern, data of its assignors."""
        own = sum(len(each.name) + len(each.metadata) for each in self.client_assignors)
        return sum(map(len, self.topics)) + len(self.regex) + own + len(self.row.subscription)

    def has_same_metadata(self, other: "Member") -> bool:
        """Whether that size is unchanged."""
        return (self.topics is other.topics or self.topics == other.topics) and (
            self.regex,
            self.client_assignors,
            self.row.subscription,
        ) == (
            other.regex,
            other.client_assignors,
            other.row.subscription,
        )

    @property
    def holds(self) -> Parts:
        """Partitions that no other member may get: assigned, or not yet revoked."""
        return self.assigned | self.revoking if self.revoking else self.assigned

    def is_settled(self, target_epoch: int) -> bool:
        """Whether the member has its full assignment; one that left temporarily never has."""
        return self.state == STABLE and self.epoch == target_epoch


class Written(NamedTuple):
    """The objects from which a member's row was written: parts that are still the same objects need
    not be sorted and grouped again."""

    assigned: Parts | None
    revoking: Parts | None
    target: Parts | None
    since: Mapping[Part, int] | None

    @classmethod
    def of(cls, member: Member) -> Self:
        """Those of a member."""
        return cls(member.assigned, member.revoking, member.target, member.since)


_NOT_EVEN: Final[Mapping[Part, int]] = {}
_NEVER: Final = Written(None, None, None, _NOT_EVEN)


def parts_of(grouped: Mapping[str, Iterable[int]]) -> Parts:
    """Partitions grouped by topic id, as a set."""
    return frozenset((topic, p) for topic, indexes in grouped.items() for p in indexes)


def by_topic(parts: Iterable[Part]) -> dict[str, list[int]]:
    """A set of partitions, grouped by topic id and sorted."""
    grouped: dict[str, list[int]] = {}
    for topic, p in parts:
        if topic in grouped:
            grouped[topic].append(p)
        else:
            grouped[topic] = [p]
    return {topic: sorted(grouped[topic]) for topic in sorted(grouped)}
