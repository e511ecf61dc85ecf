"""Any request that can be written, in any order, from many connections: none is a crash.

``make fuzz`` runs this two hundred times as long, with other requests each time.
"""

import asyncio
import logging
from collections.abc import Iterator
from dataclasses import fields, replace
from random import Random
from typing import Any

import pytest

from groups.core.errors import ErrorCode
from rollcall.wire.declare import Message
from rollcall.wire.kinds import Struct
from rollcall.wire.messages import MESSAGES
from tests.server.client import Client
from tests.server.serving import Serving
from tests.wire.samples import chance, filled, times

REQUESTS = times(300)
BEAT_EVERY = 10
CONNECTIONS = 6
PATIENCE_S = 10.0
PARKED_S = 0.03
"""An answer that is not here by then is taken for parked, and its connection given up."""

FETCH, JOIN, SYNC = 1, 11, 14
WAITS = (FETCH, JOIN, SYNC)
"""What may wait for others, or for time to pass; its connection is left alone then."""

POOLS: dict[str, tuple[Any, ...]] = {
    "group_id": ("g", "g", "h", "", "no such"),
    "key": ("g", "pay"),
    "name": ("t", "u", "no such"),
    "topic": ("t", "u"),
    "transactional_id": ("pay", "pay", ""),
    "session_timeout_ms": (300, 10_000, 0),
    "rebalance_timeout_ms": (300, 10_000, -1),
    "transaction_timeout_ms": (1_000, 60_000, 0),
    "max_wait_ms": (0, 20),
    "timeout_ms": (1_000,),
    "protocol_type": ("consumer", "consumer", "connect", ""),
    "protocol_name": ("range", None),
    "member_epoch": (0, 1, 2, -1, -2),
    "generation_id": (-1, 0, 1, 2),
    "producer_id": (0, 1, -1),
    "producer_epoch": (0, 1, -1),
    "partition_index": (0, 1, 2, -1),
    "partition": (0, 1, -1),
    "num_partitions": (1, 3, -1, 0),
    "replication_factor": (1, -1),
    "key_type": (0, 1, 2),
}
"""Fields that get a sensible value half the time: nonsense alone never comes far."""

MEMBER_ID_CHANCE = 0.7


class Chaos:
    """Random requests, which use earlier responses."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.member_ids: list[str] = [""]

    def request(self) -> tuple[Any, int]:
        """The next request and its version."""
        cls: type[Message] = self.rng.choice([api.request for api in MESSAGES.values()])
        version = self.rng.randint(*cls.versions)
        return self._steered(filled(cls, version, self.rng)), version

    def _steered(self, value: Any) -> Any:
        """The same message, with values in it that others use too."""
        if isinstance(value, list):
            return [self._steered(element) for element in value]
        if not isinstance(value, Struct):
            return value
        names = [field.name for field in fields(value)]  # type: ignore[arg-type]
        changes = {name: self._field(name, getattr(value, name)) for name in names}
        return replace(value, **changes)  # type: ignore[type-var]

    def _field(self, name: str, value: Any) -> Any:
        if name == "member_id" and value is not None and self.rng.random() < MEMBER_ID_CHANCE:
            return self.rng.choice(self.member_ids)
        if name in POOLS and not isinstance(value, list) and self.rng.random() < 0.5:
            drawn = self.rng.choice(POOLS[name])
            return drawn if type(drawn) is type(value) else value
        return self._steered(value)

    def learn(self, answer: Any) -> None:
        """Members of later requests are those of earlier answers."""
        member_id = getattr(answer, "member_id", None)
        if isinstance(member_id, str) and member_id:
            self.member_ids = [*self.member_ids[-8:], member_id]


@pytest.fixture(autouse=True)
def _quiet(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Nobody logs an error: what a client sends is never one of ours."""
    yield
    errors = [r.getMessage() for r in caplog.get_records("call") if r.levelno >= logging.ERROR]
    assert not errors


async def test_every_request_is_answered_whatever_it_contains(served: Serving) -> None:
    chaos = Chaos(chance("requests"))
    neighbour, _ = await served.connect()
    beat = await neighbour.settled("neighbours")
    clients = [await Client.connect(served.address) for _ in range(CONNECTIONS)]
    for number in range(REQUESTS):
        if number % BEAT_EVERY == 0:
            assert (await neighbour.call(beat, 3)).error_code == ErrorCode.NONE
        place = chaos.rng.randrange(CONNECTIONS)
        request, version = chaos.request()
        clients[place].send(request, version)
        waits = request.api_key in WAITS
        try:
            answer = await asyncio.wait_for(
                clients[place].receive(), PARKED_S if waits else PATIENCE_S
            )
        except TimeoutError:
            assert waits, request
            clients[place].writer.write_eof()
            clients[place] = await Client.connect(served.address)
            continue
        if request.api_key != JOIN:  # Kafka's own answer to an instance with a dynamic id
            assert getattr(answer, "error_code", 0) != ErrorCode.UNKNOWN_SERVER_ERROR, request
        chaos.learn(answer)
