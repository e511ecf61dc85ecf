"""What a quiet heartbeat reads: the member and the group, and none of their topics."""

from dataclasses import replace
from typing import Any

from groups.core import events
from groups.core.consumer.group import ConsumerGroup
from groups.core.consumer.member import Member
from tests.core.consumer.talk import Client, Talk


class Topics(dict[str, tuple[str, int]]):
    """A catalogue that must not be read."""

    def __eq__(self, other: object) -> bool:
        raise AssertionError("the topics were compared")

    def __ne__(self, other: object) -> bool:
        raise AssertionError("the topics were compared")

    def keys(self) -> Any:
        raise AssertionError("the topics were listed")


class Unread(frozenset[Any]):
    """A set that must not be read."""

    def __eq__(self, other: object) -> bool:
        raise AssertionError("the set was compared")

    def __ne__(self, other: object) -> bool:
        raise AssertionError("the set was compared")

    __hash__ = frozenset.__hash__


def unread(member: Member) -> Member:
    assigned: frozenset[Any] = Unread(member.assigned)
    return replace(member, assigned=assigned, target=assigned)


def test_a_quiet_heartbeat_reads_no_topic_and_no_partition() -> None:
    talk = Talk({f"t{i}": 1 for i in range(20)})
    m = Client("m", tuple(talk.catalogue))
    talk.beat(m)
    talk.beat(m)
    before = talk.group
    topics = Topics(before.topics)
    group = ConsumerGroup(
        before.durable,
        {member_id: unread(member) for member_id, member in before.members.items()},
        replace(before._index, catalogue=topics),
        before.live,
        before.rules,
    )
    row = group.members["m"].row
    beat = events.ConsumerHeartbeat(
        ticket=events.Ticket(1, 1), member_id="m", member_epoch=m.epoch, instance_id=None,
        rack_id=None, client_id=row.client_id, client_host=row.client_host,
        rebalance_timeout_ms=-1, subscribed_topic_names=None, server_assignor=None, owned=None,
        topics=topics, looked_up=group.topic_names, racks=group.racks,
    )  # fmt: skip
    decision = group.step([beat], talk.now, talk.rng)
    assert decision.group is group and len(decision.answers) == 1


def test_the_set_of_names_is_the_same_object_until_it_changes() -> None:
    talk = Talk({"a": 1, "b": 1, "c": 1})
    m, n = Client("m", ("a", "b")), Client("n", ("a",))
    talk.beat(m)
    names = talk.group.topic_names
    talk.beat(n)
    talk.beat(m)
    assert talk.group.topic_names is names == {"a", "b"}
    talk.beat(n, subscribed_topic_names=("a", "c"))
    assert talk.group.topic_names == {"a", "b", "c"}
    talk.beat(m, member_epoch=-1)
    assert talk.group.topic_names == {"a", "c"}
