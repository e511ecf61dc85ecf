"""Somebody who does as a commanded group's coordinator says."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from groups.core import commands, events
from groups.core.commanded.group import CommandedGroup
from groups.core.errors import ErrorCode
from groups.core.replies import Registered, Reply
from tests.walks.people import TOPICS, Person

OFFERS: tuple[dict[str, Any], ...] = (
    {"threads": {"t": 1}}, {"threads": {"t": 2, "u": 1}}, {"threads": {"u": 1}}, {"threads": {}},
    {"filter": "white_list:[tu]"}, {"filter": "black_list:t", "filter_threads": 2},
    {"threads": {"t": 0}}, {"filter": "white_list:v"},
)  # fmt: skip


@dataclass
class Commanded(Person):
    """``last`` is the id of the command that it has done, or received, last."""

    offer: Any = None
    last: int = 0
    registered: bool = False

    def next(self) -> Iterator[events.Event]:
        chance = self.life.chance
        if not self.registered or chance.once_in(20):
            yield self._register()
        elif chance.once_in(4):
            yield self.commit()
        else:
            yield from self._do()

    def changes_its_mind(self) -> None:
        super().changes_its_mind()
        self.offer = self.life.chance.pick(OFFERS)
        self.registered = False

    def mends(self) -> None:
        super().mends()
        self.offer = self.life.common(OFFERS[:3])

    def forget(self) -> None:
        super().forget()
        self.registered, self.last = False, 0

    def _register(self) -> events.Event:
        life, chance = self.life, self.life.chance
        offer = self.offer or OFFERS[0]
        key = offer.get("filter")
        matches = {} if key is None else {key: life.let_through(key)}
        return events.RegisterConsumer(
            ticket=life.ticket(self),
            consumer_id=self.member_id or chance.pick(("", self.name)),
            generation_id=self.generation if chance.once_in(2) else -1, client_id=self.name,
            client_host="/a", session_timeout_ms=self.session_ms,
            counts={t: life.counts[t] for t in TOPICS if t in life.counts}, matches=matches,
            **offer,
        )  # fmt: skip

    def _do(self) -> Iterator[events.Event]:
        """A poll; what it brings is done, and said so."""
        group = self.life.group
        row = commands.receiver(group, self.member_id)
        if row is None or not isinstance(group, CommandedGroup):
            self.life.heard(f"{self.name} is out")
            self.forget()
            return
        commands.polled(group, self.member_id, self.life.now)
        found = commands.behind(row, self.last)
        if not found:
            self.life.heard(f"{self.name} hears nothing new")
            return
        self.last = found[-1].command_id
        self.generation = max(self.generation, *(each.generation for each in found))
        if not self.life.chance.once_in(5):
            yield self._acknowledge(self.last)

    def odd(self) -> Iterator[events.Event]:
        chance = self.life.chance
        if chance.once_in(2):
            yield self._acknowledge(self.last + chance.pick((-2, -1, 1, 99)))
        else:
            yield from super().odd()

    def _acknowledge(self, number: int) -> events.Event:
        return events.AcknowledgeCommand(
            ticket=self.life.ticket(self), member_id=self.member_id, command_id=number
        )

    def hear(self, reply: Reply) -> None:
        if isinstance(reply, Registered):
            self.registered = reply.error is ErrorCode.NONE
            if self.registered:
                self.member_id, self.generation = reply.consumer_id, reply.generation_id
                self.last = reply.last_command_id
