"""Transactional producers as stories tell of them, put to a node past the wire."""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass, field

from groups.core.errors import ErrorCode, Refuse
from groups.core.events import Author, OffsetDelete, OffsetWrite, TxnOffsetCommit
from groups.core.replies import Reply
from groups.core.transactions import Claim, Producer
from groups.store import offsets
from tests.node.running import Running

V1, V2 = 3, 5
"""Versions of TxnOffsetCommit and EndTxn: before transaction.version 2, and with it."""

TIMEOUT_MS = 60_000


async def refusal(attempt: Awaitable[object]) -> ErrorCode:
    """The code of what is refused."""
    try:
        await attempt
    except Refuse as refuse:
        return refuse.code
    return ErrorCode.NONE


@dataclass
class Txn:
    """One producer, of one group by default; it remembers its responses."""

    running: Running
    transactional_id: str = "pay"
    version: int = V1
    claim: Claim = field(default_factory=lambda: Claim(-1, -1))

    async def init(self, timeout_ms: int = TIMEOUT_MS) -> "Txn":
        """Take the transactional id."""
        transactions = self.running.node.transactions
        self._learn(await transactions.initialise(self.transactional_id, timeout_ms, None))
        return self

    async def begin(self, *group_ids: str) -> "Txn":
        """Groups become part of the transaction."""
        for group_id in group_ids or ("g",):
            await self.running.node.transactions.add_group(
                self.transactional_id, self.claim, group_id
            )
        return self

    def put(
        self,
        at: int,
        partition: int = 0,
        *,
        group_id: str = "g",
        topic: str = "t",
        author: Author | None = None,
    ) -> "asyncio.Future[Reply]":
        """The event alone, as a group's owner gets it when the transaction was read."""
        event = TxnOffsetCommit(
            ticket=self.running.counter.ticket(),
            producer_id=self.claim.producer_id,
            producer_epoch=self.claim.epoch,
            generation_id=-1,
            member_id="",
            instance_id=None,
            offsets=(OffsetWrite(topic, partition, at, -1, "note", None, None, author),),
        )
        return self.running.ask(group_id, event)

    async def commit(
        self, at: int, partition: int = 0, *, group_id: str = "g", topic: str = "t"
    ) -> None:
        """TxnOffsetCommit, as the handler does it."""
        await self.running.node.transactions.admit(
            self.transactional_id, self.claim, group_id, self.version
        )
        reply = await self.put(at, partition, group_id=group_id, topic=topic)
        assert reply.error is ErrorCode.NONE, reply

    async def end(self, *, commit: bool = True) -> None:
        """EndTxn; from v5 the next transaction has another epoch."""
        self._learn(
            await self.running.node.transactions.end(
                self.transactional_id, self.claim, commit=commit, version=self.version
            )
        )

    def _learn(self, told: Producer) -> None:
        self.claim = Claim(told.producer_id, told.epoch)


async def read(running: Running, group_id: str = "g") -> dict[tuple[str, int], int]:
    """The visible offsets of a group."""
    found = await offsets.committed(running.node.readers, group_id, None)
    return {at: committed.offset for at, committed in found.items()}


async def unstable(running: Running, group_id: str = "g") -> set[tuple[str, int]]:
    """The partitions that a transaction may still change."""
    found = await offsets.unstable(running.node.readers, group_id, None)
    assert isinstance(found, frozenset)
    return set(found)


async def deleted(running: Running, partition: int, group_id: str = "g") -> Reply:
    """OffsetDelete of one partition of topic t."""
    event = OffsetDelete(ticket=running.counter.ticket(), partitions=(("t", partition),))
    return await running.ask(group_id, event)
