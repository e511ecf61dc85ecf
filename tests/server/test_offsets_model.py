"""Random lives of offsets, over the wire and by operations, beside a model in plain Python: what
groups have committed now, what transactions may still change, and what was there at every moment
before.

The history has a row for the partitions of a topic that a client committed at once, and one for
those that were deleted at once; the model knows partitions alone. It is told what was answered.
"""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple
from uuid import UUID

import pytest

from benchmarks.wire import create_topic
from groups.core.errors import ErrorCode
from groups.core.rows import slot_of
from groups.postgres.connections import Connection
from groups.store.sql.offset_operations import AS_OF
from rollcall.wire.messages.add_offsets_to_txn import AddOffsetsToTxnRequest
from rollcall.wire.messages.delete_groups import DeleteGroupsRequest
from rollcall.wire.messages.delete_topics import DeleteTopicsRequest
from rollcall.wire.messages.end_txn import EndTxnRequest
from rollcall.wire.messages.init_producer_id import InitProducerIdRequest
from rollcall.wire.messages.metadata import MetadataRequest, MetadataRequestTopic
from rollcall.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from rollcall.wire.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from rollcall.wire.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup
from rollcall.wire.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from tests.server.client import Client
from tests.server.serving import Serving, serving
from tests.server.test_resets import ended

LIVES, STEPS, MOMENTS = 2, 40, 40
SEEDS = [(0, STEPS), *(pytest.param(n, 300, marks=pytest.mark.long) for n in range(1, 4))]

GROUPS = ("g", 'h"\\', "{i}")
TOPICS = ("t", "u", "v.w")
PARTITIONS = 5
PRODUCERS = ("pay", "ship")
NOTES = ("", "", None, "note", 'q"\\{},', "NULL", "\\x00", "\U0001f980 é\n", "x" * 4_000)
TOO_LONG = "x" * 5_000
TIMEOUT_MS = 600_000
EPOCH_SINCE, IDS_SINCE, STABLE_V, TXN_V = 6, 10, 9, 3

STORED = """
SELECT group_id, topic, partition, committed_offset, leader_epoch, metadata FROM rollcall_offset
"""
AGE = "UPDATE rollcall_offset SET committed_at = committed_at - interval '1 year'" + (
    " WHERE group_id = %s AND topic = %s"
)
ASK = """
INSERT INTO rollcall_operation
    (group_id, slot, verb, member_id, reason, actor, state, detail, created_at, offsets, restore_to)
VALUES (%s, %s, %s, '', 'a mistake', 'olga', 'pending', '', now(), %s, %s) RETURNING id
"""

Part = tuple[str, int]
Key = tuple[str, str, int]


class Kept(NamedTuple):
    """An offset as it is stored."""

    offset: int
    leader_epoch: int = -1
    metadata: str = ""


@dataclass
class Model:
    """What there is. ``waiting``: by producer, in the order in which they were written; of those of
    one partition, and of plain commits, the one that was written last counts."""

    groups: set[str] = field(default_factory=set)
    offsets: dict[Key, Kept] = field(default_factory=dict)
    aged: set[Key] = field(default_factory=set)
    waiting: dict[str, dict[Key, tuple[int, Kept]]] = field(default_factory=dict)
    written: dict[Key, int] = field(default_factory=dict)
    writes: int = 0
    claims: dict[str, dict[str, Any]] = field(default_factory=dict)
    moments: list[tuple[Any, Mapping[Key, Kept]]] = field(default_factory=list)

    def commit(self, key: Key, kept: Kept) -> None:
        self.writes += 1
        self._put(key, kept, self.writes)

    def _put(self, key: Key, kept: Kept, place: int) -> None:
        self.groups.add(key[0])
        self.offsets[key] = kept
        self.written[key] = place
        self.aged.discard(key)

    def promise(self, producer: str, key: Key, kept: Kept) -> None:
        self.writes += 1
        self.groups.add(key[0])
        self.waiting.setdefault(producer, {})[key] = (self.writes, kept)

    def end(self, producer: str, *, commit: bool) -> None:
        for key, (place, kept) in self.waiting.pop(producer, {}).items():
            if commit and place > self.written.get(key, 0):
                self._put(key, kept, place)

    def forget(self, is_gone: Callable[[Key], bool]) -> None:
        """Deleted, and what waits there too."""
        kept: Sequence[dict[Key, Any]] = (self.offsets, *self.waiting.values())
        for each in kept:
            for key in filter(is_gone, list(each)):
                del each[key]
        self.aged = {key for key in self.aged if not is_gone(key)}

    def forget_group(self, group_id: str) -> None:
        self.groups.discard(group_id)
        self.forget(lambda key: key[0] == group_id)

    def unstable(self) -> set[Key]:
        return {key for each in self.waiting.values() for key in each}

    def of(self, group_id: str) -> dict[Part, Kept]:
        return {key[1:]: kept for key, kept in self.offsets.items() if key[0] == group_id}

    def expire(self, group_id: str) -> None:
        """What is old goes, unless a transaction may still change it, and the group after it."""
        there = {key for key in {*self.offsets, *self.unstable()} if key[0] == group_id}
        gone = (self.aged & there) - self.unstable()
        if gone == there:
            self.forget_group(group_id)
        else:
            self.forget(gone.__contains__)


class Life:
    """One server's, and the model's over those of all."""

    def __init__(self, rng: Random, model: Model, served: Serving, other: Connection) -> None:
        self.rng, self.model, self.served, self.other = rng, model, served, other
        self.claims = model.claims
        self.ids: dict[str, UUID] = {}

    async def begin(self) -> None:
        self.client = await Client.connect(self.served.address)
        if not self.claims:
            for name in TOPICS:
                await create_topic(self.served.address, name, PARTITIONS)
            for name in PRODUCERS:
                request = InitProducerIdRequest(
                    transactional_id=name, transaction_timeout_ms=TIMEOUT_MS
                )
                reply = await self.client.call(request, 2)
                self.claims[name] = {
                    "transactional_id": name,
                    "producer_id": reply.producer_id,
                    "producer_epoch": reply.producer_epoch,
                }
        await self._learn_ids()

    async def _learn_ids(self) -> None:
        named = MetadataRequest(topics=[MetadataRequestTopic(name=name) for name in TOPICS])
        self.ids |= {t.name: t.topic_id for t in (await self.client.call(named, 12)).topics}

    async def step(self) -> None:
        """Something happens, and the tables hold what the model does."""
        ways: Sequence[tuple[int, Callable[[], Awaitable[None]]]] = (
            (10, self.commits), (3, self.delete), (1, self.delete_group), (1, self.renew_topic),
            (5, self.promise), (3, self.end), (3, self.restore), (3, self.reset), (2, self.expire),
        )  # fmt: skip
        (way,) = self.rng.choices([w for _, w in ways], [n for n, _ in ways])
        await way()
        found = await (await self.other.execute(STORED)).fetchall()
        assert {row[:3]: Kept(*row[3:]) for row in found} == self.model.offsets, way
        (now,) = await self._row("SELECT clock_timestamp()")
        self.model.moments.append((now, dict(self.model.offsets)))

    # -- over the wire

    async def commits(self) -> None:
        """Some at once; they may name a topic, and a partition, more than once."""
        asked = []
        for _ in range(self.rng.choice((1, 1, 2, 5))):
            version = self.rng.randint(2, IDS_SINCE)
            request = OffsetCommitRequest(
                group_id=self._group(),
                topics=[self._topic() for _ in range(self.rng.randint(1, 3))],
            )
            self.client.send(request, version)
            asked.append((request, version))
        for request, version in asked:
            reply = await self.client.receive()
            self._learn(request, version, reply)

    def _topic(self) -> OffsetCommitRequestTopic:
        name = self.rng.choice(TOPICS)
        note = self.rng.choice(NOTES)
        varies = self.rng.random() < 0.4
        return OffsetCommitRequestTopic(
            name=name,
            topic_id=self.ids[name],
            partitions=[
                OffsetCommitRequestPartition(
                    partition_index=self.rng.randrange(PARTITIONS),
                    committed_offset=self._offset(),
                    committed_leader_epoch=self.rng.randint(-1, 2) if varies else -1,
                    committed_metadata=self.rng.choice((*NOTES, TOO_LONG)) if varies else note,
                )
                for _ in range(self.rng.randint(1, 6))
            ],
        )

    def _learn(self, request: OffsetCommitRequest, version: int, told: Any) -> None:
        """Codes are in the order of the request unless topics are named twice: so by length."""
        for topic in request.topics:
            for asked in topic.partitions:
                if asked.committed_metadata == TOO_LONG:
                    continue
                epoch = asked.committed_leader_epoch if version >= EPOCH_SINCE else -1
                kept = Kept(asked.committed_offset, epoch, asked.committed_metadata or "")
                self.model.commit((request.group_id, topic.name, asked.partition_index), kept)
        codes = {p.error_code for topic in told.topics for p in topic.partitions}
        assert codes <= {ErrorCode.NONE, ErrorCode.OFFSET_METADATA_TOO_LARGE}, told

    async def delete(self) -> None:
        group_id, topic = self._group(), self.rng.choice(TOPICS)
        parts = self.rng.sample(range(PARTITIONS), self.rng.randint(1, PARTITIONS))
        named = [OffsetDeleteRequestPartition(partition_index=n) for n in parts]
        request = OffsetDeleteRequest(
            group_id=group_id, topics=[OffsetDeleteRequestTopic(name=topic, partitions=named)]
        )
        reply = await self.client.call(request, 0)
        is_there = group_id in self.model.groups
        assert (reply.error_code == ErrorCode.NONE) == is_there, reply
        self.model.forget({(group_id, topic, n) for n in parts}.__contains__)

    async def delete_group(self) -> None:
        group_id = self._group()
        request = DeleteGroupsRequest(groups_names=[group_id])
        (result,) = (await self.client.call(request, 2)).results
        assert (result.error_code == ErrorCode.NONE) == (group_id in self.model.groups), result
        self.model.forget_group(group_id)

    async def renew_topic(self) -> None:
        """It is deleted, and made again with another id."""
        name = self.rng.choice(TOPICS)
        await self.client.call(DeleteTopicsRequest(topic_names=[name], timeout_ms=0), 5)
        self.model.forget(lambda key: key[1] == name)
        await create_topic(self.served.address, name, PARTITIONS)
        await self._learn_ids()

    # -- transactions

    async def promise(self) -> None:
        producer, group_id = self.rng.choice(PRODUCERS), self._group()
        claim = {**self.claims[producer], "group_id": group_id}
        added = await self.client.call(AddOffsetsToTxnRequest(**claim), TXN_V)
        assert added.error_code == ErrorCode.NONE, added
        parts: dict[str, list[TxnOffsetCommitRequestPartition]] = {}
        for _ in range(self.rng.randint(1, 4)):
            topic, n = self.rng.choice(TOPICS), self.rng.randrange(PARTITIONS)
            kept = Kept(self._offset(), self.rng.randint(-1, 2), self.rng.choice(NOTES) or "")
            one = TxnOffsetCommitRequestPartition(
                partition_index=n,
                committed_offset=kept.offset,
                committed_leader_epoch=kept.leader_epoch,
                committed_metadata=kept.metadata,
            )
            if n not in [each.partition_index for each in parts.setdefault(topic, [])]:
                parts[topic].append(one)
                self.model.promise(producer, (group_id, topic, n), kept)
        topics = [
            TxnOffsetCommitRequestTopic(name=name, partitions=each) for name, each in parts.items()
        ]
        request = TxnOffsetCommitRequest(**claim, topics=topics, member_id="")
        reply = await self.client.call(request, TXN_V)
        assert {p.error_code for t in reply.topics for p in t.partitions} == {ErrorCode.NONE}, reply

    async def end(self) -> None:
        producer, commit = self.rng.choice(PRODUCERS), self.rng.random() < 0.7
        request = EndTxnRequest(**self.claims[producer], committed=commit)
        reply = await self.client.call(request, TXN_V)
        if reply.error_code == ErrorCode.NONE:
            self.model.end(producer, commit=commit)
        else:
            assert reply.error_code == ErrorCode.INVALID_TXN_STATE
            assert not self.model.waiting.get(producer)

    # -- operations

    async def restore(self) -> None:
        group_id = self._group()
        if not self.model.moments:
            return
        moment, then = self.rng.choice(self.model.moments)
        state = await self._run_operation(group_id, "restore-offsets", None, moment)
        assert (state == "succeeded") == (group_id in self.model.groups)
        if state == "succeeded":
            for key in [key for key in then if key[0] == group_id]:
                self.model.commit(key, then[key])

    async def reset(self) -> None:
        """One, which may have been worked out on other offsets, and perhaps its undoing."""
        group_id, topic = self._group(), self.rng.choice(TOPICS)
        now = self.model.of(group_id)
        parts = [(topic, n) for n in self.rng.sample(range(PARTITIONS), 3)]
        before = {at: now[at].offset if at in now else None for at in parts}
        after = {at: self.rng.choice((None, self._offset())) for at in parts}
        if self.rng.random() < 0.2:
            await self._set(group_id, {**before, parts[0]: 2**40}, after, is_right=False)
        await self._set(group_id, before, after)
        if self.rng.random() < 0.5:
            await self._set(group_id, after, before)

    async def _set(
        self,
        group_id: str,
        before: Mapping[Part, int | None],
        after: Mapping[Part, int | None],
        *,
        is_right: bool = True,
    ) -> None:
        parameters = {
            "how": "so",
            "before": [[*at, offset] for at, offset in before.items()],
            "to": [[*at, offset] for at, offset in after.items()],
        }
        state = await self._run_operation(group_id, "reset-offsets", json.dumps(parameters), None)
        assert (state == "succeeded") == (is_right and group_id in self.model.groups)
        if state != "succeeded":
            return
        for at, offset in after.items():
            if offset is None:
                self.model.forget({(group_id, *at)}.__contains__)
            else:
                self.model.commit((group_id, *at), Kept(offset))

    async def expire(self) -> None:
        """A topic's offsets have become old, and whatever is old goes."""
        group_id, topic = self._group(), self.rng.choice(TOPICS)
        await self.other.execute(AGE, [group_id, topic])
        self.model.aged |= {key for key in self.model.offsets if key[:2] == (group_id, topic)}
        await self._run_operation(group_id, "expire-offsets", None, None)
        self.model.expire(group_id)

    async def _run_operation(self, group_id: str, verb: str, offsets: str | None, to: Any) -> str:
        (number,) = await self._row(ASK, group_id, slot_of(group_id), verb, offsets, to)
        ((state, _),) = await ended(self.served, self.other, number)
        return state

    # -- at the end

    async def check(self) -> None:
        """What clients fetch, and what the history knows of every moment."""
        groups = [OffsetFetchRequestGroup(group_id=g, topics=None) for g in GROUPS]
        for is_stable in (False, True):
            request = OffsetFetchRequest(groups=groups, require_stable=is_stable)
            reply = await self.client.call(request, STABLE_V)
            # All that is committed is requested, so that only that is returned, as by Kafka.
            waits = self.model.unstable() & self.model.offsets.keys() if is_stable else set()
            fetched = {
                (each.group_id, topic.name, p.partition_index): p
                for each in reply.groups
                for topic in each.topics
                for p in topic.partitions
            }
            shown = {key: (p.committed_offset, p.error_code) for key, p in fetched.items()}
            assert shown == {
                **{key: (kept.offset, ErrorCode.NONE) for key, kept in self.model.offsets.items()},
                **dict.fromkeys(waits, (-1, ErrorCode.UNSTABLE_OFFSET_COMMIT)),
            }
        moments = self.model.moments
        for moment, then in self.rng.sample(moments, min(MOMENTS, len(moments))):
            for group_id in GROUPS:
                asked = {"group_id": group_id, "to": moment}
                rows = await (await self.other.execute(AS_OF.encode(), asked)).fetchall()
                found = {(group_id, *row[:2]): Kept(*row[2:]) for row in rows}
                assert found == {key: kept for key, kept in then.items() if key[0] == group_id}

    # -- what is drawn

    def _group(self) -> str:
        return self.rng.choice(GROUPS)

    def _offset(self) -> int:
        return self.rng.choice((0, 1, self.rng.randrange(1_000), 2**63 - 1))

    async def _row(self, query: str, *values: Any) -> tuple[Any, ...]:
        row = await (await self.other.execute(query.encode(), values)).fetchone()
        assert row is not None
        return tuple(row)


@pytest.mark.parametrize(("seed", "steps"), SEEDS)
async def test_offsets_equal_the_models_now_and_at_every_past_time(
    other: Connection, seed: int, steps: int
) -> None:
    rng, model = Random(seed), Model()
    for _ in range(LIVES):
        async with serving() as served:
            life = Life(rng, model, served, other)
            await life.begin()
            for _ in range(steps):
                await life.step()
            await life.check()
