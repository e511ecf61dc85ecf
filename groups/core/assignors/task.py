"""One assignment to be computed, as a value with all its inputs, so that any thread can do it.

The result is checked here before it is used, since the assignor may be a plug-in
(docs/assignors.md).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from groups.core.assignors.partition_bitmap import PartitionBitmap
from groups.core.assignors.registry import table
from groups.core.assignors.types import NOTHING, Assignor, Parts, Racks, Subscriber


class AssignorFailed(RuntimeError):
    """An assignor raised, or returned an invalid result; the text says which and how."""


@dataclass(frozen=True, slots=True)
class AssignmentTask:
    """Input of the named assignor: the state of one group at one group epoch."""

    epoch: int
    name: str
    assign: Assignor
    members: Sequence[Subscriber]
    counts: Mapping[str, int]
    racks: Racks

    @property
    def is_foreign(self) -> bool:
        """Whether the assignor is a plug-in."""
        return table().get(self.name) is not self.assign

    def answer(self) -> Mapping[str, Parts]:
        """Every member's target. Raises ``AssignorFailed``."""
        try:
            shares = self.assign(self.members, self.counts, self.racks)
            if not self.is_foreign:
                return shares  # built-in: tests prove what the check would
            return self._checked(shares)
        except Exception as error:
            raise AssignorFailed(f"The assignor {self.name} failed: {error!r}") from error

    def _checked(self, shares: Mapping[str, Parts]) -> Mapping[str, Parts]:
        """The result, checked: partitions exist, go to subscribers, none twice.

        A member that is missing gets nothing, and a partition that is missing has no owner.
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
