"""Claims of an instance id (KIP-345) that has a member already: when they show that two workers use
it. Pure.

A worker that starts again claims its own id, which is usual. Two workers refuse or fence each other
for as long as both run.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple

from groups.core.group import Millis

CLAIMS_MIN: Final = 3
"""Claims before the journal mentions them: a deployment makes one."""

AGAIN_MS: Final = 600_000
"""The pause between two entries of the journal about one instance."""

FORGET_MS: Final = 900_000
"""After a pause of this length claims are counted anew."""

PARTIES_MAX: Final = 4
TEXT_CHARS_MAX: Final = 200


class How(StrEnum):
    """What became of a claim."""

    REFUSED = "refused"
    """UNRELEASED_INSTANCE_ID: the member of the consumer protocol stays."""
    FENCED = "fenced"
    """FENCED_INSTANCE_ID: it came from a former member, which was replaced."""
    TAKEN = "taken"
    """A join of the classic protocol replaces the member."""


class Party(NamedTuple):
    """A worker as far as it can be told from others; the host has no leading slash."""

    client_id: str
    host: str


def party(client_id: str, client_host: str) -> Party:
    """The worker of a request or a member's row, as the journal can store it."""
    name = client_id[:TEXT_CHARS_MAX].replace("\0", "\ufffd")
    return Party(name, client_host.removeprefix("/")[:TEXT_CHARS_MAX])


@dataclass(slots=True)
class Claims:
    """The claims of one instance id. ``is_proven``: the other worker was heard meanwhile, so there
    are two. ``noted_at``: the last entry of the journal."""

    since: Millis
    last: Millis
    counts: dict[How, int] = field(default_factory=lambda: dict.fromkeys(How, 0))
    parties: list[Party] = field(default_factory=list)
    is_proven: bool = False
    noted_at: Millis | None = None

    def add(self, how: How, parties: Iterable[Party], now: Millis, *, proves: bool) -> None:
        """Count a claim; ``parties``: who made it, and who has the id."""
        if now - self.last > FORGET_MS:
            self.since, self.counts, self.parties = now, dict.fromkeys(How, 0), []
            self.is_proven, self.noted_at = False, None
        self.last = now
        self.counts[how] += 1
        self.is_proven |= proves
        new = [one for one in dict.fromkeys(parties) if one not in self.parties]
        self.parties = [*self.parties, *new][:PARTIES_MAX]

    def is_due(self, now: Millis) -> bool:
        """Whether the journal should mention them now."""
        if self.noted_at is not None:
            return now - self.noted_at >= AGAIN_MS and self.last > self.noted_at
        are_two = self.is_proven or len(self.parties) > 1
        return are_two and sum(self.counts.values()) >= CLAIMS_MIN
