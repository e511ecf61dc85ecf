"""Clients that send values that no row can hold, on purpose past the protocol's validation.

The protocol rejects them (``protocol.handlers.support.validation``). If one passed all the same, in
an unforeseen way, only its request must fail: the rules and the store must not stop a group for it.
"""

import asyncio
from typing import Any, Final
from uuid import UUID

from groups.core.events import ConsumerHeartbeat, DraftJoin, Event, JoinGroup, RegisterConsumer
from proof.simulation.classic_client import subscription
from proof.simulation.clients import Caller, Channel, Client, Numbers
from proof.simulation.commanded_client import CommandedClient
from proof.simulation.consumer_client import ConsumerClient
from proof.simulation.draft_client import STRATEGY, DraftClient
from proof.simulation.world import MS

TRIES: Final = 3
PATIENCE_S: Final = 4.0

TOO_LONG: Final = "n" * 6_000
VALUES: Final = ("\0", "id\0", TOO_LONG, "\N{PARTY POPPER}" * 700)


class Intruder(Caller):
    """One such client of a group, in the protocol of one of its members."""

    def __init__(self, member: Client, numbers: Numbers, name: str) -> None:
        super().__init__(member.world, member.network, numbers, name, member.group_id)
        self.like = member
        self.value = member.world.rng.choice(VALUES)
        self.main = Channel(self, name)
        # Its silence has no meaning: no request of it has to be answered.
        self.world.record("fault", process=name, since=self.world.now / MS, until=1e12)

    def start(self) -> None:
        """Try some times, then end."""
        self.process.spawn(self._live())

    async def _live(self) -> None:
        for _ in range(TRIES):
            api, event = self._request()
            reply = await self.main.call(api, event, PATIENCE_S, is_odd=True)
            given = getattr(reply, "member_id", "")
            if isinstance(event, JoinGroup) and given:
                self.member_id = given  # MEMBER_ID_REQUIRED: join again with it
            await asyncio.sleep(self.world.rng.uniform(0.1, 1))

    def facts(self, reply: Any) -> dict[str, Any]:
        """A request succeeded, which must not happen."""
        self.world.record("mishap", process=self.name, what="a row was taken that cannot be")
        return {"member": self.name, "generation": -1, "owned": None}

    def _request(self) -> tuple[str, Event]:
        like, value = self.like, self.value
        if isinstance(like, DraftClient):
            return "JoinGroup", DraftJoin(
                consumer_id="",
                client_id="\0",
                client_host="/127.0.0.1",
                session_timeout_ms=like.session_ms,
                topics=(like.topic,),
                strategy=STRATEGY,
                counts={like.topic: like.partitions},
            )
        if isinstance(like, CommandedClient):
            return "RegisterConsumer", RegisterConsumer(
                consumer_id=value,
                generation_id=-1,
                client_id=self.name,
                client_host="/127.0.0.1",
                session_timeout_ms=like.session_ms,
                threads={like.topic: 1},
                counts={like.topic: like.partitions},
            )
        if isinstance(like, ConsumerClient):
            return "ConsumerGroupHeartbeat", self._beat(like)
        return "JoinGroup", self._join(like)

    def _join(self, like: Client) -> JoinGroup:
        return JoinGroup(
            member_id=self.member_id,
            instance_id=self.value,
            client_id=self.name,
            client_host="/127.0.0.1",
            session_timeout_ms=like.session_ms,
            rebalance_timeout_ms=like.session_ms,
            protocol_type="consumer",
            protocols=(("range", subscription(like.topic)),),
        )

    def _beat(self, like: ConsumerClient) -> ConsumerHeartbeat:
        return ConsumerHeartbeat(
            member_id=str(UUID(int=self.world.rng.getrandbits(128), version=4)),
            member_epoch=0,
            instance_id=self.value,
            rack_id=None,
            client_id=self.name,
            client_host="/127.0.0.1",
            rebalance_timeout_ms=like.session_ms,
            subscribed_topic_names=(like.topic,),
            server_assignor=None,
            owned={},
            topics={like.topic: (like.topic_id, like.partitions)},
        )
