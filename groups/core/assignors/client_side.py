"""Client-side assignors: those that a member offers, and the election of the group's.

Values and arithmetic on them. ``groups.core.consumer.client_rounds`` decides which member is asked
to run one, and until when; the answer comes from a member and is checked elsewhere.
"""

import base64
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, Self

ASSIGNORS_MAX = 16
"""The maximum number of assignors of one member."""


class ClientAssignor(NamedTuple):
    """One assignor that a member can run (KIP-848, ClientAssignors).

    ``metadata`` is for the assignor only, in the format of ``version``; the member can read other
    members' metadata from ``minimum_version`` to ``maximum_version``. ``reason`` is the assignor's
    own number for why its metadata changed.
    """

    name: str
    reason: int = 0
    minimum_version: int = 0
    maximum_version: int = 0
    version: int = 0
    metadata: bytes = b""

    @property
    def fault(self) -> str | None:
        """Why it is invalid, as a sentence; None if it is valid."""
        if not self.name.strip():
            return "A client-side assignor must have a name."
        if not self.minimum_version <= self.version <= self.maximum_version:
            return (
                f"The client-side assignor {self.name} sends version {self.version}, and reads"
                f" {self.minimum_version} to {self.maximum_version}."
            )
        return None

    def packed(self) -> list[Any]:
        """The form in rows."""
        return [*self[:5], base64.b64encode(self.metadata).decode()]

    @classmethod
    def unpacked(cls, packed: Sequence[Any]) -> Self:
        """The inverse of ``packed``."""
        name, reason, minimum, maximum, version, metadata = packed
        return cls(name, reason, minimum, maximum, version, base64.b64decode(metadata))


ClientAssignors = tuple[ClientAssignor, ...]
"""The assignors of one member, in its order of preference."""


def fault_of(assignors: ClientAssignors) -> str | None:
    """Why a member's assignors are invalid, as a sentence; None if they are valid."""
    if not assignors:
        return None
    if len(assignors) > ASSIGNORS_MAX:
        return f"A member may name {ASSIGNORS_MAX} client-side assignors, not {len(assignors)}."
    if len({each.name for each in assignors}) < len(assignors):
        return "A client-side assignor is named more than once."
    return next((each.fault for each in assignors if each.fault is not None), None)


def named(assignors: ClientAssignors, name: str) -> ClientAssignor | None:
    """The member's assignor of this name; None if it has none."""
    return next((each for each in assignors if each.name == name), None)


class Elected(NamedTuple):
    """The client-side assignor of a group, and the versions of its members' metadata."""

    name: str
    lowest: int
    highest: int

    def may_run(self, assignors: ClientAssignors) -> bool:
        """Whether a member with these assignors can read the metadata of all members."""
        own = named(assignors, self.name)
        if own is None:
            return False
        return own.minimum_version <= self.lowest and self.highest <= own.maximum_version


Vote = tuple[str, str, int]
"""A member's vote for an assignor in a version; votes are counted by this value."""

NAMED: Final = "named"
FIRST: Final = "first"
SERVER: Final = "server"


def votes_of(assignors: ClientAssignors, server: str | None) -> Sequence[Vote]:
    """The votes of a member with these client-side assignors that requests this server-side one. If
    it has both, only its client-side ones count."""
    if not assignors:
        return () if server is None else ((SERVER, server, 0),)
    return (
        (FIRST, assignors[0].name, 0),
        *((NAMED, each.name, each.version) for each in assignors),
    )


def elect(votes: Mapping[Vote, int], offered: Sequence[str]) -> Elected | None:
    """The client-side assignor with the most votes, or None if the coordinator assigns.

    Members without a vote do not count. With equal votes, the one that more members list first
    wins, then the first by name; a server-side one needs more votes, and must be offered
    (docs/decisions/0019-client-side-assignors.md).
    """
    names: Counter[str] = Counter()
    versions: dict[str, list[int]] = {}
    servers = 0
    for (kind, name, version), count in votes.items():
        if kind == NAMED:
            names[name] += count
            versions.setdefault(name, []).append(version)
        elif kind == SERVER and name in offered:
            servers = max(servers, count)
    if not names:
        return None
    best = min(names, key=lambda name: (-names[name], -votes.get((FIRST, name, 0), 0), name))
    if names[best] < servers:
        return None
    return Elected(best, min(versions[best]), max(versions[best]))
