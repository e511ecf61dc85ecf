"""Lives of groups in which operators drain members: a drained member gains no partition, the next
target is without it, and its operation ends once."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import pytest

from groups.core import drains, events, row_packing
from groups.core.consumer.group import ConsumerGroup
from groups.core.drains import Drain, DrainMember, UndrainMember
from groups.core.errors import ErrorCode
from groups.core.group import Group
from tests.walks import desk
from tests.walks.life import PEOPLE, Life

SEEDS: Final = range(15, 25)
"""In some of these lives, of each kind whose groups drain, a drained member has partitions."""

Held = Mapping[str, frozenset[tuple[str, int]]]


def held(group: Group) -> Held:
    """The partitions that drained members have."""
    if isinstance(group, ConsumerGroup):
        return {m: member.holds for m, member in group.members.items() if member.drain is not None}
    rows = group.durable.members.items()
    return {m: row_packing.parts_in(row.assignment) for m, row in rows if drains.of(row)}


def open_drains(group: Group) -> list[Drain]:
    found = map(drains.of, group.durable.members.values())
    return [drain for drain in found if drain is not None and not drain.is_over]


class Drained(Life):
    """``gained``: how often a drained member had partitions to give up."""

    gave_up = 0

    def _happens(self, among: Sequence[desk.Happening]) -> Iterator[events.Event]:
        if not self.chance.once_in(8):
            yield from super()._happens(among)
            return
        kinds: tuple[type[DrainMember | UndrainMember], ...] = (DrainMember, UndrainMember)
        kind = kinds[self.chance.once_in(3)]
        names = [row.instance_id for row in self.group.durable.members.values() if row.instance_id]
        yield kind(**self.verb(), member_id=self.chance.pick(("nobody", *names, *self.ids())))

    def step(self, *said: events.Event) -> None:
        before = held(self.group)
        super().step(*said)
        after = held(self.group)
        for member_id in before.keys() & after.keys():
            assert after[member_id] <= before[member_id], f"{member_id} is drained, and gained"
            self.gave_up += len(after[member_id]) < len(before[member_id])
        look(self.group)


def look(group: Group) -> None:
    """What holds between two steps."""
    if isinstance(group, ConsumerGroup):
        is_newest = (
            group.durable.group.details.get("target_epoch") == group.durable.group.generation
        )
        drained = [m for m in group.members.values() if m.drain is not None]
        assert not is_newest or not any(m.target for m in drained), "a target with a drained member"
        done = [m for m in drained if m.drain is not None and m.drain.is_over]
        assert not any(m.holds or m.target for m in done), "it was said to have nothing"
    elif group.durable.group.kind == "classic":
        assert not held(group), "a classic group drains nobody"


@pytest.mark.parametrize("kind", PEOPLE)
def test_a_drained_member_has_less_and_less_and_its_operation_ends_once(kind: str) -> None:
    lives = [Drained(kind, seed) for seed in SEEDS]
    for life in lives:
        life.live()
        check_operations(life)
    assert kind in ("classic", "strangers") or any(life.gave_up for life in lives)


def check_operations(life: Life) -> None:
    """One that has not ended has a member that still has partitions."""
    told = [done for _, decision in life.written for done in decision.operations]
    ended = Counter(done.operation_id for done in told if done.ended)
    begun = {done.operation_id for done in told if not done.ended} - forced(life)
    waiting = {drain.operation_id for drain in open_drains(life.group)}
    assert not ended or max(ended.values()) == 1
    assert begun - ended.keys() <= waiting
    assert not waiting & ended.keys()


def forced(life: Life) -> set[int]:
    """Operations that wait for a generation, not for a member."""
    details = [decision.group.durable.group.details for _, decision in life.written]
    return {number for row in details for number in row.get("operations", ())}


def test_a_classic_group_refuses() -> None:
    life = Drained("classic", 1)
    life.live()
    told = [done for _, decision in life.written for done in decision.operations]
    refused = [done for done in told if "leader of a classic group" in done.detail]
    assert refused
    assert all(done.error is ErrorCode.INVALID_REQUEST for done in refused)
