"""Client-side assignors: what a member says of those that it can run, and which one a group uses.

Values and arithmetic on them. Who is asked to run one, and until when, is not decided here
(``groups.core.consumer.client_rounds``); what one answers comes from a member and is checked
elsewhere.
"""

import base64
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, Self

SAID_MAX = 16
"""Assignors that one member may name."""


class ClientAssignor(NamedTuple):
    """One assignor that a member can run (KIP-848, ClientAssignors).

    ``metadata`` is for the assignor alone, in the form of ``version``; the member can read what
    other members send in any version from ``minimum_version`` to ``maximum_version``. ``reason``
    is the assignor's own number for why it says something new.
    """

    name: str
    reason: int = 0
    minimum_version: int = 0
    maximum_version: int = 0
    version: int = 0
    metadata: bytes = b""

    @property
    def fault(self) -> str | None:
        """What is wrong with it, as a sentence; None: nothing."""
        if not self.name.strip():
            return "A client-side assignor must have a name."
        if not self.minimum_version <= self.version <= self.maximum_version:
            return (
                f"The client-side assignor {self.name} sends version {self.version}, and reads"
                f" {self.minimum_version} to {self.maximum_version}."
            )
        return None

    def packed(self) -> list[Any]:
        """The form that rows hold."""
        return [*self[:5], base64.b64encode(self.metadata).decode()]

    @classmethod
    def unpacked(cls, packed: Sequence[Any]) -> Self:
        """The opposite of ``packed``."""
        name, reason, minimum, maximum, version, metadata = packed
        return cls(name, reason, minimum, maximum, version, base64.b64decode(metadata))


Said = tuple[ClientAssignor, ...]
"""What one member names, in its order of preference."""


def fault_of(said: Said) -> str | None:
    """What is wrong with what a member says, as a sentence; None: nothing."""
    if not said:
        return None
    if len(said) > SAID_MAX:
        return f"A member may name {SAID_MAX} client-side assignors, not {len(said)}."
    if len({each.name for each in said}) < len(said):
        return "A client-side assignor is named more than once."
    return next((each.fault for each in said if each.fault is not None), None)


def named(said: Said, name: str) -> ClientAssignor | None:
    """What a member says of the assignor of this name; None where it has none such."""
    return next((each for each in said if each.name == name), None)


class Elected(NamedTuple):
    """The client-side assignor of a group, and the versions in which its members write for it."""

    name: str
    lowest: int
    highest: int

    def may_run(self, said: Said) -> bool:
        """Whether a member that says this can read what all the others write."""
        own = named(said, self.name)
        if own is None:
            return False
        return own.minimum_version <= self.lowest and self.highest <= own.maximum_version


Vote = tuple[str, str, int]
"""What one member says of which assignor, and in which version: the unit that votes are counted in.
"""

NAMED: Final = "named"
FIRST: Final = "first"
SERVER: Final = "server"


def votes_of(said: Said, server: str | None) -> Sequence[Vote]:
    """The votes of a member that says this of its own, and asks for this server-side assignor.
    Who names both counts for its own."""
    if not said:
        return () if server is None else ((SERVER, server, 0),)
    return ((FIRST, said[0].name, 0), *((NAMED, each.name, each.version) for each in said))


def elect(votes: Mapping[Vote, int], offered: Sequence[str]) -> Elected | None:
    """The client-side assignor that most members name, or None where the coordinator assigns.

    Who names none leaves it to the others. Of two that are named by as many, the one that more
    members name first is taken, then the first by name; a server-side one must be named by more,
    and be offered (docs/decisions/0019-client-side-assignors.md).
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
