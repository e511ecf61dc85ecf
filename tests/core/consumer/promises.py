"""What every assignor owes, its own or from outside: checks on one assignment, and cases to try.

Each partition of a subscribed topic goes once, to a subscriber; a second run changes nothing; the
answer does not depend on the order of dicts, sets or topics. What "balanced" means differs: each
assignor's own tests tell.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from groups.core.assignors.types import NOTHING, Assignor, Parts, Racks, Subscriber

TOPICS = ("t1", "t2", "t3", "t4")
COUNTS = st.dictionaries(st.sampled_from(TOPICS), st.integers(0, 12), min_size=1)
NAMES = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=8, unique=True)
RACK_IDS = ("r1", "r2", "r3")
NEAR = st.frozensets(st.sampled_from(RACK_IDS), max_size=2)

Shares = Mapping[str, Parts]


@dataclass(frozen=True)
class Case:
    """Members, partition counts, and where partitions are near."""

    members: list[Subscriber]
    counts: dict[str, int]
    racks: Racks

    def holding(self, shares: Shares) -> "Case":
        """The same, with every member holding its share."""
        held = [replace(m, held=shares.get(m.member_id, NOTHING)) for m in self.members]
        return replace(self, members=held)

    def without(self, member_id: str) -> "Case":
        """The same, with one member less."""
        return replace(self, members=[m for m in self.members if m.member_id != member_id])

    def told_otherwise(self) -> "Case":
        """The same facts: every mapping and set was built in another order."""
        members = [
            replace(m, topics=frozenset(sorted(m.topics, reverse=True)),
                    held=frozenset(sorted(m.held, reverse=True)))
            for m in self.members
        ]  # fmt: skip
        counts = dict(sorted(self.counts.items(), reverse=True))
        return Case(members, counts, dict(sorted(self.racks.items(), reverse=True)))


def members_of(ids: Sequence[str], topics: Mapping[str, frozenset[str]]) -> list[Subscriber]:
    return [Subscriber(m, None, topics[m], NOTHING) for m in sorted(ids)]


@st.composite
def cases(draw: st.DrawFn, *, alike: bool, weighty: bool = False) -> Case:
    """Anything that a node could ask. ``alike``: all subscribe to the same topics."""
    counts, ids = draw(COUNTS), sorted(draw(NAMES))
    some = st.frozensets(st.sampled_from(sorted(counts)))
    racks = {t: draw(st.lists(NEAR, max_size=14)) for t in counts if draw(st.booleans())}
    members = [
        Subscriber(
            m,
            draw(st.sampled_from([None, f"i-{m}"])),
            frozenset(counts) if alike else draw(some),
            NOTHING,
            draw(st.sampled_from([None, *RACK_IDS])),
            draw(st.integers(1, 4)) if weighty else 1,
        )
        for m in ids
    ]
    return Case(members, counts, racks)


def run(assign: Assignor, case: Case) -> Shares:
    return assign(case.members, case.counts, case.racks)


def check(case: Case, shares: Shares) -> None:
    """Each partition of a subscribed topic once, to a subscriber; nothing else."""
    assert shares.keys() == {m.member_id for m in case.members}
    given_out = Counter(part for share in shares.values() for part in share)
    subscribed = {topic for m in case.members for topic in m.topics}
    every = {(topic, p) for topic in subscribed for p in range(case.counts.get(topic, 0))}
    assert given_out == dict.fromkeys(every, 1)
    for member in case.members:
        assert {topic for topic, _ in shares[member.member_id]} <= member.topics


def check_all(assign: Assignor, case: Case) -> Shares:
    """Every promise that all assignors share, on one case and its neighbours."""
    shares = run(assign, case)
    check(case, shares)
    settled = case.holding(shares)
    assert run(assign, settled) == shares, "a second run moved something"
    assert run(assign, case.told_otherwise()) == shares, "the order of a dict mattered"
    assert run(assign, settled.told_otherwise()) == shares, "the order of a dict mattered"
    turned = turn(case, shares)
    check(turned, run(assign, turned))
    shrunk = replace(turned, counts={topic: count // 2 for topic, count in case.counts.items()})
    check(shrunk, run(assign, shrunk))
    return shares


def turn(case: Case, shares: Shares) -> Case:
    """Everybody holds another's share, a topic that is gone, and too high a number."""
    odd = {("gone", 0), ("t1", 99)}
    ids = [m.member_id for m in case.members]
    return case.holding({m: shares[ids[i - 1]] | odd for i, m in enumerate(ids)})


def sizes(shares: Shares) -> list[int]:
    return sorted((len(share) for share in shares.values()), reverse=True)


def moved(before: Shares, after: Shares) -> int:
    """How many partitions a member lost although it is still there."""
    return sum(len(before[m] - after[m]) for m in before if m in after)


def at_home(case: Case, shares: Shares) -> int:
    """How many partitions are near to their owners."""
    near = 0
    for member in case.members:
        for topic, p in shares[member.member_id]:
            known = case.racks.get(topic, ())
            near += p < len(known) and member.rack_id in known[p]
    return near
