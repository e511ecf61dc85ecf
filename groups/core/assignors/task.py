"""One assignment to be worked out: a value that holds all of it, so that any thread may do so.

What an assignor answers is checked here before anybody goes by it, since it may be somebody's own
(docs/assignors.md).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from groups.core.assignors.partition_bitmap import PartitionBitmap
from groups.core.assignors.registry import table
from groups.core.assignors.types import NOTHING, Assignor, Parts, Racks, Subscriber


class AssignorFailed(RuntimeError):
    """An assignor raised, or gave an answer that cannot be gone by; the text says which and how."""


@dataclass(frozen=True, slots=True)
class AssignmentTask:
    """What the named assignor is asked: the target of one group at one group epoch."""

    epoch: int
    name: str
    assign: Assignor
    members: Sequence[Subscriber]
    counts: Mapping[str, int]
    racks: Racks

    @property
    def is_foreign(self) -> bool:
        """Whether the assignor is somebody else's code."""
        return table().get(self.name) is not self.assign

    def answer(self) -> Mapping[str, Parts]:
        """Every member's target. Raises ``AssignorFailed``."""
        try:
            shares = self.assign(self.members, self.counts, self.racks)
            if not self.is_foreign:
                return shares  # ours: tests prove what the check would
            return self._checked(shares)
        except Exception as error:
            raise AssignorFailed(f"The assignor {self.name} failed: {error!r}") from error

    def _checked(self, shares: Mapping[str, Parts]) -> Mapping[str, Parts]:
        """The answer as it must be: what exists, to subscribers, nothing twice.

        A member that is left out gets nothing, and a partition that is left out has no owner.
        """
        claims = PartitionBitmap(self.counts, self.counts)
        targets: dict[str, Parts] = {}
        for member in self.members:
            share = frozenset(shares.get(member.member_id, NOTHING))
            if claims.claim(share, member.topics) is not share:
                raise ValueError(
                    f"{member.member_id} was given what does not exist, what it does not"
                    " subscribe to, or what another has"
                )
            targets[member.member_id] = share
        strangers = shares.keys() - targets.keys()
        if strangers:
            raise ValueError(f"{min(strangers)} is no member")
        return targets
