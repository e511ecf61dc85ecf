"""A small group of each kind: absent, at work with one member, and emptied."""

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

import pytest

from groups.core import events
from groups.core.classic.group import ClassicGroup
from groups.core.commanded.group import CommandedGroup
from groups.core.consumer.group import ConsumerGroup
from groups.core.draft.group import DraftGroup
from groups.core.group import Decision, Group, Rules
from tests.core.consumer.wire_bytes import subscription

SESSION_MS = 30_000
RULES = Rules(
    group_initial_rebalance_delay_ms=0, group_quiet_window_ms=0, offsets_retention_minutes=1,
    group_consumer_session_timeout_ms=SESSION_MS,
)  # fmt: skip
TICKET = events.Ticket(1, 1)
NOW = 5_000
ABSENT: dict[str, Callable[[], Group]] = {
    "classic": lambda: ClassicGroup.absent("g", RULES, NOW),
    "consumer": lambda: ConsumerGroup.absent("g", RULES, NOW),
    "draft": lambda: DraftGroup.absent("g", RULES, NOW),
    "commanded": lambda: CommandedGroup.absent("g", RULES, NOW),
}
EVERY = pytest.mark.parametrize("kind", ABSENT)


class Lived(NamedTuple):
    """A group at work on topic "t", and its one member."""

    group: Group
    member_id: str

    @property
    def generation(self) -> int:
        return self.group.durable.group.generation


def decided(group: Group, *said: events.Event) -> Decision:
    return group.step(said, NOW, Random(1))


def has_row(group: Any) -> bool:
    found: bool = group.has_row
    return found


def written(group: Group, *said: events.Event) -> Group:
    return decided(group, *said).group.with_revision(1)


JOINS: dict[str, events.Event] = {
    "classic": events.JoinGroup(
        ticket=TICKET, member_id="", instance_id=None, client_id="c", client_host="/h",
        session_timeout_ms=SESSION_MS, rebalance_timeout_ms=10_000, protocol_type="consumer",
        protocols=(("range", subscription(("t",), frozenset(), 1)),),
    ),
    "consumer": events.ConsumerHeartbeat(
        ticket=TICKET, member_id="m", member_epoch=0, instance_id=None, rack_id=None,
        client_id="c", client_host="/h", rebalance_timeout_ms=10_000,
        subscribed_topic_names=("t",), server_assignor=None, owned={}, topics={"t": ("id-t", 1)},
    ),
    "draft": events.DraftJoin(
        ticket=TICKET, consumer_id="", client_id="c", client_host="/h",
        session_timeout_ms=SESSION_MS, topics=("t",), strategy="range", counts={"t": 1},
    ),
    "commanded": events.RegisterConsumer(
        ticket=TICKET, consumer_id="m", generation_id=-1, client_id="c", client_host="/h",
        session_timeout_ms=SESSION_MS, threads={"t": 1}, counts={"t": 1},
    ),
}  # fmt: skip


def settled(kind: str) -> Lived:
    group = written(ABSENT[kind](), JOINS[kind])
    (member_id,) = group.durable.members
    if kind == "classic":
        synced = events.SyncGroup(
            ticket=TICKET, generation_id=group.durable.group.generation, member_id=member_id,
            instance_id=None, assignments={},
        )  # fmt: skip
        group = written(group, synced)
    return Lived(group, member_id)


def emptied(kind: str) -> Group:
    group, member_id = settled(kind)
    return written(group, events.LeaveGroup(members=(events.Leaver(member_id, None),)))
