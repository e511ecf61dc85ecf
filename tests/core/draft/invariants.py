"""What holds of a whole draft group between two steps, whatever happened."""

from collections.abc import Mapping

from groups.core import drains, row_packing
from groups.core.draft.group import check_owners
from groups.core.draft.live import Live
from groups.core.draft.states import EMPTY, PREPARING, STABLE
from groups.core.draft.work import OWED, TOPICS
from groups.core.rows import Durable


def check_thoroughly(durable: Durable, live: Live) -> None:
    """Check one value completely."""
    group, members = durable.group, durable.members
    check_owners(members)
    assert all(row.member_id == consumer_id for consumer_id, row in members.items())
    assert live.beats.keys() == members.keys(), "beats are not the consumers'"
    assert live.joins.keys() <= members.keys(), "a stranger's join is held as a member's"
    assert live.suspects.keys() <= members.keys(), "a stranger is suspect"
    assert not live.suspects.keys() & live.joins.keys(), "who has joined counts as dead"
    assert not {j.row.member_id for j in live.newcomers if j.row.member_id} & members.keys()
    assert live.partitions == sum(live.counts.values()), "the sum of the counts is another"
    tickets = list(live.tickets())
    assert len(tickets) == len(set(tickets)), "a ticket waits twice"
    if group.state == PREPARING:
        assert live.recovering or live.join_phase is not None, "PreparingRebalance without a round"
        awaited = any(live.is_awaited(consumer_id) for consumer_id in members)
        assert live.recovering or awaited, "nobody is waited for"
    else:
        assert live.join_phase is None, f"a round goes on in {group.state}"
        assert not tickets, f"joins are held in {group.state}"
        assert not live.suspects, f"somebody counts as dead in {group.state}"
    assert group.state != EMPTY or OWED not in group.details, "a rebalance of nobody is owed"
    if group.state == STABLE:
        assert members, "Stable without members"
    if group.state == STABLE and OWED not in group.details:
        _check_dealt(durable)


def _check_dealt(durable: Durable) -> None:
    """Every partition of every topic to which a consumer subscribes that is not drained has an
    owner that subscribes to it."""
    dealt: Mapping[str, int] = durable.group.details[TOPICS]
    others = [row for row in durable.members.values() if drains.of(row) is None]
    wanted = set().union(*(row_packing.topics_in(row.subscription) for row in others))
    expected = {(topic, p) for topic in wanted for p in range(dealt.get(topic, 0))}
    owned: set[tuple[str, int]] = set()
    for row in durable.members.values():
        topics, parts = (
            row_packing.topics_in(row.subscription),
            row_packing.parts_in(row.assignment),
        )
        assert {topic for topic, _ in parts} <= topics, "owned, but not subscribed to"
        assert topics <= dealt.keys(), "subscribed to, but not dealt"
        owned |= parts
    assert owned == expected, "a partition without an owner, or one too many"
