"""Groups, topics and offsets of a ``Coordinator``, in memory: what a node and its database hold.

The rules decide every event (``groups.core``); here is only what happens to a decision. No socket;
time and randomness are passed in.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from random import Random
from typing import Final
from uuid import UUID

from groups.core.classic.group import ClassicGroup
from groups.core.consumer.group import ConsumerGroup
from groups.core.conversion import upgrade
from groups.core.conversion.step import creates_group, decide, kind_for
from groups.core.errors import ErrorCode
from groups.core.events import Event, Tick, Ticket, TopicsMatched, Verb
from groups.core.group import Group, Millis, Rules
from groups.core.kinds import KINDS
from groups.core.replies import ErrorReply, Reply
from rollcall.client.core.events import TopicPartition

Answered = Callable[[Ticket, Reply], None]

STEPS_MAX: Final = 1_000
"""Ticks at one moment; a group that still is due then would be due for ever."""


class Memory:
    """``answered`` is called with each reply of the rules, after the decision has been stored."""

    def __init__(self, rules: Rules, rng: Random, answered: Answered) -> None:
        self._rules = rules
        self._rng = rng
        self._answered = answered
        self._groups: dict[str, Group] = {}
        self.topics: dict[str, tuple[UUID, int]] = {}
        self.offsets: dict[str, dict[TopicPartition, int]] = {}

    # -- topics

    def set_topic(self, name: str, partitions: int) -> None:
        """Create the topic, or give it more partitions. ``ValueError`` for fewer."""
        topic_id, count = self.topics.get(name, (UUID(int=self._rng.getrandbits(128)), 0))
        if partitions < max(count, 1):
            raise ValueError(f"{name} has {count} partitions, and cannot have {partitions}")
        self.topics[name] = topic_id, partitions

    def name_of(self, topic_id: UUID) -> str | None:
        """The topic with this id."""
        return next((name for name, (each, _) in self.topics.items() if each == topic_id), None)

    def seen(self, names: Iterable[str]) -> dict[str, tuple[str, int]]:
        """Those of the names that are topics."""
        found = {name: self.topics[name] for name in names if name in self.topics}
        return {name: (topic_id.hex, count) for name, (topic_id, count) in found.items()}

    def subscribed(self, group_id: str) -> frozenset[str]:
        """The topics that a group needs to know, if it computes assignments, or may come to."""
        group = self._groups.get(group_id)
        if isinstance(group, ConsumerGroup):
            return group.topic_names
        return upgrade.names_of(group) if isinstance(group, ClassicGroup) else frozenset()

    # -- groups

    def group(self, group_id: str) -> Group | None:
        """The group; None if there is none."""
        return self._groups.get(group_id)

    def take(self, group_id: str, event: Event, now: Millis) -> None:
        """Let the rules decide an event, and store the decision. An operator's request that is
        refused raises ``LookupError``."""
        group = self._groups.get(group_id)
        if group is None:
            if not creates_group(event):
                self._refuse(event)
                return
            group = KINDS[kind_for(event)].absent(group_id, self._rules, now)
        self._step(group_id, group, event, now)
        self._match(group_id, now)

    def _refuse(self, event: Event) -> None:
        if isinstance(event, Verb):
            raise LookupError("there is no such group")
        if event.ticket is not None:
            self._answered(event.ticket, ErrorReply(ErrorCode.GROUP_ID_NOT_FOUND))

    def _step(self, group_id: str, group: Group, event: Event, now: Millis) -> None:
        decision = decide(group, (event,), now, self._rng)
        after = decision.group
        if not decision.deleted and after.durable is not group.durable:
            after = after.with_revision(group.durable.revision + 1)
        if decision.deleted or (after.idle and not after.durable.exists):
            self._groups.pop(group_id, None)
        else:
            self._groups[group_id] = after
        if decision.deleted:
            self.offsets.pop(group_id, None)
        stored = self.offsets.setdefault(group_id, {})
        for topic, partition in decision.offset_deletes:
            stored.pop(TopicPartition(topic, partition), None)
        for write in decision.offsets:
            stored[TopicPartition(write.topic, write.partition)] = write.offset
        for ticket, reply in decision.answers:
            self._answered(ticket, reply)
        for operated in decision.operations:
            if operated.error:
                raise LookupError(operated.detail)

    def _match(self, group_id: str, now: Millis) -> None:
        """Tell a group which topics its patterns match, if that has changed."""
        group = self._groups.get(group_id)
        if not isinstance(group, ConsumerGroup) or not group.patterns:
            return
        found = {
            pattern: tuple(sorted(name for name in self.topics if re.fullmatch(pattern, name)))
            for pattern in group.patterns
        }
        if found != dict(group.matches):
            names = frozenset[str]().union(*found.values())
            event = TopicsMatched(matches=found, topics=self.seen(names))
            self._step(group_id, group, event, now)

    # -- time

    def due(self, now: Millis) -> Millis | None:
        """When a group has something to decide by itself; None: never."""
        times = (group.due(now) for group in self._groups.values())
        return min((time for time in times if time is not None), default=None)

    def tick(self, now: Millis) -> None:
        """Let every group decide what is due."""
        for _ in range(STEPS_MAX):
            late = [
                (group_id, group)
                for group_id, group in self._groups.items()
                if (due := group.due(now)) is not None and due <= now
            ]
            if not late:
                return
            for group_id, group in late:
                self._step(group_id, group, Tick(), now)
        raise AssertionError("a group is due for ever")


def rules_for_tests(own: Mapping[str, object]) -> Rules:
    """Those that wait for nothing a test would have to wait for, with ``own`` instead of some.

    ``TypeError`` for a name that ``Rules`` does not have."""
    return replace(
        Rules(
            group_initial_rebalance_delay_ms=0,
            group_quiet_window_ms=0,
            group_min_session_timeout_ms=1,
            group_consumer_heartbeat_interval_ms=50,
            group_consumer_pending_heartbeat_interval_ms=20,
        ),
        **own,  # type: ignore[arg-type]
    )
