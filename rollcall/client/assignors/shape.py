"""The type of a classic assignor: a name, how its members revoke partitions, a pure function.

Write your own with it: ``Assignor("mine", assign)`` is a value that ``Member(assignor=...)`` takes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rollcall.client.assignors.formats import Claim
from rollcall.client.core.events import Partitions, TopicPartition

Counts = Mapping[str, int]
"""Topics that exist, with their numbers of partitions."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A member of the generation as its leader sees it."""

    member_id: str
    instance_id: str | None
    claim: Claim

    @property
    def rank(self) -> tuple[bool, str, str]:
        """Java's order of members: static ones by instance id, then the others by member id."""
        dynamic = self.instance_id is None
        return dynamic, self.instance_id or "", self.member_id


Assignment = dict[str, set[TopicPartition]]
"""Partitions by member id; every candidate has an entry."""


def _remembers_nothing(owned: Partitions, generation: int) -> bytes | None:
    return None


@dataclass(frozen=True, slots=True)
class Assignor:
    """``assign`` is called by the leader alone; ``user_data`` by each member before it joins, with
    its last assignment and its generation (-1: none).

    ``is_cooperative``: members keep what they own while they join (KIP-429), and ``assign`` never
    assigns a member's partition to another before it has joined without it.
    """

    name: str
    assign: Callable[[Counts, Sequence[Candidate]], Assignment]
    is_cooperative: bool = False
    user_data: Callable[[Partitions, int], bytes | None] = _remembers_nothing


def subscribers(counts: Counts, members: Sequence[Candidate]) -> dict[str, list[Candidate]]:
    """The subscribers of each existing topic, in Java's order of members."""
    wanted: dict[str, list[Candidate]] = {}
    for member in sorted(members, key=lambda each: each.rank):
        for topic in member.claim.topics:
            if counts.get(topic, 0) > 0:
                wanted.setdefault(topic, []).append(member)
    return dict(sorted(wanted.items()))
