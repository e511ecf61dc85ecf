"""What the facts of one group add up to, in plain Python: which lives are open, who owns what."""

from dataclasses import dataclass, field

from groups.core.assignment import Parts
from groups.core.facts import Began, Ended, Owned, Owns
from groups.core.group import Decision


def parts_of(owned: Owned) -> Parts:
    return frozenset((topic, p) for topic, numbers in owned.items() for p in numbers)


@dataclass
class Ledger:
    """``lives``: those that are open, by member id; ``owned``: what each member owns. ``ended`` and
    ``gained`` count; ``deleted``: ids of topics. Facts are taken one by one, not as ``settled``
    combines them."""

    lives: dict[str, Began] = field(default_factory=dict)
    owned: dict[str, Parts] = field(default_factory=dict)
    ended: int = 0
    gained: int = 0
    deleted: frozenset[str] = frozenset()

    def take(self, decision: Decision) -> None:
        """Each life opens once, and closes once; only the living own something."""
        for fact in decision.facts:
            match fact:
                case Began(row=row):
                    assert row.member_id not in self.lives, f"{row.member_id} began twice"
                    self.lives[row.member_id] = fact
                    self.owned[row.member_id] = frozenset()
                case Ended(member_id=member_id):
                    assert self.lives.pop(member_id, None) is not None, f"{member_id} was over"
                    del self.owned[member_id]
                    self.ended += 1
                case Owns(member_id=member_id, gains=gains):
                    parts = parts_of(fact.owned())
                    before = self.owned[member_id]
                    self.owned[member_id] = parts if gains else parts & before
                    self.gained += len(self.owned[member_id] - before)
