"""What holds of a whole consumer group between two steps, whatever happened.

``Index`` asserts itself that no partition has two holders.
"""

from collections.abc import Mapping

from groups.core.consumer.index import Index
from groups.core.consumer.member import LEFT_FOR_NOW, UNREVOKED, Member
from groups.core.consumer.states import STABLE_GROUP
from groups.core.consumer.work import Live
from groups.core.rows import Durable


def check_thoroughly(durable: Durable, members: Mapping[str, Member], index: Index) -> None:
    """Check one value completely."""
    group, rows = durable.group, durable.members
    assert {m: member.row for m, member in members.items()} == dict(rows), "rows differ"
    for member_id, member in members.items():
        assert member.row.member_id == member_id, "a member lies under another's id"
        assert Member.load(member.row) == member, "the row says something else"
        _check_member(member, group.details["target_epoch"])
    anew = Index.of(members.values(), group.details)
    anew.next_position = index.next_position
    assert anew == index, "the index is not the members'"
    if group.state == STABLE_GROUP:
        assert all(m.assigned == m.target for m in members.values()), "Stable, but not at target"


def check_live(members: Mapping[str, Member], live: Live) -> None:
    """Every member has a beat, and a rebalance timer exactly while it has to revoke partitions;
    classic members have timers of their own."""
    assert live.beats.keys() == members.keys(), "beats are not the members'"
    classic = {member_id for member_id, member in members.items() if member.is_classic}
    assert live.calls.keys() | live.syncs.keys() <= classic, "a stranger is to join or sync"
    revoking = {
        member_id: member.revoking
        for member_id, member in members.items()
        if member.revoking and member_id not in classic
    }
    timers = {m: timer.revoking for m, timer in live.timers.items()}
    assert timers == revoking, "timers are not those of members that must give up"


def _check_member(member: Member, target_epoch: int) -> None:
    assert not member.assigned & member.revoking, "kept and given up at once"
    assert set(member.since or ()) == member.holds, "an epoch for each partition, and no other"
    assert (member.state == UNREVOKED) is bool(member.revoking), "nothing to give up, or unsaid"
    assert member.epoch <= target_epoch, "a member ahead of the target"
    # A classic client that took a static member's place, and has its partitions by its own word,
    # has to give some up first: it has generation 0 until then, as in Kafka.
    returned = member.is_classic and member.epoch == 0 and member.state == UNREVOKED
    assert member.epoch > 0 or member.epoch == LEFT_FOR_NOW or returned, "a member without an epoch"
    if member.epoch == target_epoch:
        assert not member.revoking & member.target, "at the target, and gives it up"
        assert member.assigned <= member.target, "at the target with something else"
