"""A producer that adds offsets to transactions, in both versions of the protocol.

It initialises its transactional id, and then runs one transaction after the other: offsets of one
or two groups, with or without a member id, then commit or abort. In version 1, where one epoch
serves for many transactions, the server cannot tell a late request from the next transaction's
(KIP-890): so if a response does not come it initialises again, as a restarted application does. In
version 2 it repeats the EndTxn.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from groups.core.errors import ErrorCode
from groups.core.events import TxnOffsetCommit
from groups.core.transactions import Claim
from proof.simulation.clients import Caller, Channel, Client, Numbers
from proof.simulation.desk_transactions import AddGroup, CommitOffsets, End, Granted, Initialise
from proof.simulation.network import Network
from proof.simulation.world import MS, World

TIMEOUTS_MS: Final = (2_000, 4_000, 8_000)
"""``transaction.timeout.ms`` of producers: short, so that some transactions run out of it."""

PATIENCE_S: Final = 8.0

MEMBER_SHARE: Final = 0.5
"""The share of commits that name a member and its generation (KIP-447)."""


class Producer(Caller):
    """One process with one transactional id. ``ended``: when it last ended a transaction;
    ``has_successor``: another process was started for the id, and this one ends when it learns of
    that."""

    def __init__(
        self,
        world: World,
        network: Network,
        numbers: Numbers,
        name: str,
        transactional_id: str,
        members: Sequence[Client],
    ) -> None:
        super().__init__(world, network, numbers, name, transactional_id)
        self.members = members
        self.version = world.rng.choice([1, 2])
        self.timeout_ms = world.rng.choice(TIMEOUTS_MS)
        self.claim: Claim | None = None
        self.ended = -1
        self.has_successor = False
        self.main = Channel(self, name)
        self._fields: dict[str, Any] = {}
        self._channels: dict[str, Channel] = {}

    @property
    def _is_new(self) -> bool:
        return self.version > 1

    def start(self) -> None:
        """Run until stopped."""
        self.process.spawn(self._live())

    def die(self) -> None:
        """SIGKILL."""
        self.process.kill()
        self.is_over = True
        for channel in (self.main, *self._channels.values()):
            self.world.record("fault", process=channel.name, since=self.world.now / MS, until=1e12)
            channel.close()

    async def _live(self) -> None:
        while not self.is_over:
            if self.claim is None:
                await self._initialise()
            else:
                await self._transact()
            await asyncio.sleep(self.world.rng.uniform(0.2, 1.0))

    async def _initialise(self) -> None:
        request = Initialise(self.timeout_ms, None)
        granted = await self._request(self.main, "InitProducerId", request)
        if granted is not None:
            self._take(granted)

    def _take(self, granted: Granted) -> None:
        assert granted.producer is not None
        self.claim = Claim(granted.producer.producer_id, granted.producer.epoch)

    async def _transact(self) -> None:
        """One transaction, to its end or to the producer's."""
        chosen = self._some()
        if not chosen:
            return
        self.numbers.transactions += 1
        self._fields = {"transaction": self.numbers.transactions}
        is_good = True
        for client in chosen:
            is_good = is_good and await self._put(client)
            await asyncio.sleep(self.world.rng.uniform(0, 0.4))
        if self.claim is not None:
            await self._end(commit=is_good and self.world.rng.random() < 0.8)

    def _some(self) -> Sequence[Client]:
        """Members for whose groups it commits, each group once."""
        living = {c.group_id: c for c in self.members if not c.is_over and c.owned}
        groups = sorted(living)
        most = min(len(groups), self.world.rng.choice([1, 1, 2]))
        return [living[group_id] for group_id in self.world.rng.sample(groups, most)]

    async def _put(self, client: Client) -> bool:
        """Add offsets of one group to the transaction; returns whether they are certainly in it."""
        claim, group_id = self.claim, client.group_id
        assert claim is not None
        if not self._is_new:
            adds = AddGroup(claim, group_id)
            if await self._request(self.main, "AddOffsetsToTxn", adds) is None:
                return False
        owned = sorted(client.owned)
        parts = self.world.rng.sample(owned, min(len(owned), 2))
        offset = self.numbers.next_offset()
        written = [[topic, partition, offset] for topic, partition in parts]
        is_member = self.world.rng.random() < MEMBER_SHARE
        event = TxnOffsetCommit(
            producer_id=claim.producer_id,
            producer_epoch=claim.epoch,
            generation_id=client.generation if is_member else -1,
            member_id=client.member_id if is_member else "",
            instance_id=client.instance if is_member else None,
            offsets=self.numbers.writes(written),
        )
        request = CommitOffsets(self.group_id, claim, event, 5 if self._is_new else 3)
        channel = self._channels.get(group_id)
        if channel is None:
            channel = self._channels[group_id] = Channel(self, f"{self.name}-{group_id}", group_id)
        facts = self.numbers.facts_of(written)
        return await self._request(channel, "TxnOffsetCommit", request, **facts) is not None

    async def _end(self, *, commit: bool) -> None:
        version = 5 if self._is_new else 3
        while self.claim is not None and not self.is_over:
            request = End(self.claim, commit, version)
            granted = await self._request(self.main, "EndTxn", request, commit=commit)
            if granted is not None:
                self.ended = self.world.now
                self._take(granted)
                return
            await asyncio.sleep(self.world.rng.uniform(0.05, 0.3))

    async def _request(self, channel: Channel, api: str, body: Any, **facts: Any) -> Any:
        """A success, or None. A fenced producer initialises again; so does a producer of version 1
        that does not know the outcome of its request."""
        fields = {"producer": self.group_id, "caller": self.name, **self._fields, **facts}
        reply = await channel.call(api, body, PATIENCE_S, **fields)
        if reply is not None and reply.error is ErrorCode.NONE:
            return reply
        is_known = reply is not None and reply.error not in AGAIN
        if api == "TxnOffsetCommit" and is_known and reply.error not in FENCES:
            return None  # the group rejected it: the transaction is aborted
        if is_known or not self._is_new:
            self.claim = None
        if is_known and reply.error in FENCES and self.has_successor:
            self.die()
        return None

    def facts(self, reply: Any) -> dict[str, Any]:
        """The fields of a success in the history."""
        producer = reply.producer if isinstance(reply, Granted) else None
        if producer is None:
            return {}
        return {"identity": [producer.producer_id, producer.epoch]}


AGAIN: Final = frozenset(
    {
        ErrorCode.NOT_COORDINATOR,
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        ErrorCode.CONCURRENT_TRANSACTIONS,
    }
)
"""The same request may be repeated."""

FENCES: Final = frozenset(
    {
        ErrorCode.INVALID_PRODUCER_EPOCH,
        ErrorCode.INVALID_PRODUCER_ID_MAPPING,
        ErrorCode.PRODUCER_FENCED,
        ErrorCode.INVALID_TXN_STATE,
        ErrorCode.TRANSACTION_ABORTABLE,
    }
)
"""Another producer has the transactional id, or the transaction is over."""
