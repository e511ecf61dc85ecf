"""Two producers of one transactional id and a group's offsets: claims and fencing, offsets that
wait, commits and aborts, in every version."""

import asyncio
from random import Random

from tests.differential.plays import Play, Step
from tests.differential.talking import Answer, Side, named

VERBS = [
    *("init", "add", "put", "put", "put", "end", "end", "end", "fetch", "fetch"),
    *("plain", "delete_offsets", "claim", "stale", "long"),
]


class Transactions(Play):
    """One topic of three partitions."""

    counts = {"A": 3}
    letters = "A"

    async def prepare(self, side: Side) -> None:
        """The coordinator of transactions has loaded."""
        await side.ask_again("FindCoordinator", 2, key=self._id(side), key_type=1)

    def choose(self, rnd: Random, side: Side) -> Step:
        """A step of one of the two producers."""
        who, verb = rnd.choice([0, 0, 1]), rnd.choice(VERBS)
        match verb:
            case "init" | "claim":
                return (verb, who, rnd.choice([3, 4, 5]))
            case "add":
                return (verb, who, rnd.choice([0, 1, 2, 3]))
            case "put" | "stale":
                at, offset = rnd.randrange(2), rnd.randint(1, 99)
                return ("put", who, rnd.choice([0, 2, 3, 4, 5, 5]), at, offset, -(verb == "stale"))
            case "long":
                return (verb, who, rnd.choice([3, 5]))
            case "end":
                return (verb, who, rnd.choice([1, 3, 3, 5, 5, 5]), rnd.random() < 0.5)
            case "fetch":
                return (verb, rnd.random() < 0.5)
            case "plain":
                return (verb, rnd.randint(100, 199))
        return (verb,)

    def _id(self, side: Side) -> str:
        return f"x{side.tag}"

    def _normalised(
        self, side: Side, answer: object, version: int = 5
    ) -> tuple[int | None, int | None]:
        """A producer id by its turn, and its epoch."""
        if getattr(answer, "error_code", 0) or version < 5:
            return None, None
        producer_id, epoch = (getattr(answer, f) for f in ("producer_id", "producer_epoch"))
        if producer_id not in side.producers:
            side.producers.append(producer_id)
            side.shift = 0
        return side.producers.index(producer_id), epoch - side.shift

    async def init(self, side: Side, who: int, version: int, *, claims: bool = False) -> Answer:
        """The producer takes the id."""
        claim = side.claims.get(who, (-1, -1)) if claims else (-1, -1)
        answer = await side.ask_again(
            "InitProducerId", version, transactional_id=self._id(side), producer_id=claim[0],
            transaction_timeout_ms=60_000, producer_epoch=claim[1],
        )  # fmt: skip
        if answer.error_code == 0:
            side.claims[who] = (answer.producer_id, answer.producer_epoch)
        return named(answer.error_code), *self._normalised(side, answer)

    async def claim(self, side: Side, who: int, version: int) -> Answer:
        """It says what it was until now."""
        return await self.init(side, who, version, claims=True)

    async def add(self, side: Side, who: int, version: int) -> Answer:
        """The group becomes part of its transaction."""
        producer_id, epoch = side.claims.get(who, (-1, -1))
        answer = await side.ask_again(
            "AddOffsetsToTxn", version, transactional_id=self._id(side), producer_id=producer_id,
            producer_epoch=epoch, group_id=side.group,
        )  # fmt: skip
        return (named(answer.error_code),)

    async def put(
        self, side: Side, who: int, version: int, at: int, offset: int, by: int, metadata: str = ""
    ) -> Answer:
        """An offset that waits."""
        producer_id, epoch = side.claims.get(who, (-1, -1))
        part = {
            "partition_index": at, "committed_offset": offset, "committed_metadata": metadata,
        }  # fmt: skip
        answer = await side.ask_again(
            "TxnOffsetCommit", version, transactional_id=self._id(side), group_id=side.group,
            producer_id=producer_id, producer_epoch=epoch + by,
            topics=[{"name": side.topics["A"], "partitions": [part]}],
        )  # fmt: skip
        return [str(named(p.error_code)) for t in answer.topics for p in t.partitions]

    async def long(self, side: Side, who: int, version: int) -> Answer:
        """One whose metadata is too long."""
        return await self.put(side, who, version, 2, 1, 0, "x" * 4_097)

    async def end(self, side: Side, who: int, version: int, commit: bool) -> Answer:
        """Commit or abort."""
        producer_id, epoch = side.claims.get(who, (-1, -1))
        answer = await side.ask_again(
            "EndTxn", version, transactional_id=self._id(side), producer_id=producer_id,
            producer_epoch=epoch, committed=commit,
        )  # fmt: skip
        if answer.error_code == 0 and version >= 5:
            side.claims[who] = (answer.producer_id, answer.producer_epoch)
        if self.is_live:
            await asyncio.sleep(0.1)  # Kafka answers before its markers are written
        return named(answer.error_code), *self._normalised(side, answer, version)

    async def fetch(self, side: Side, stable: bool) -> Answer:
        """What counts by now."""
        if self.is_live:
            await asyncio.sleep(0.05)
        topic = {"name": side.topics["A"], "partition_indexes": [0, 1, 2]}
        answer = await side.ask(
            "OffsetFetch", 7, group_id=side.group, topics=[topic], require_stable=stable
        )
        partitions = [p for t in answer.topics for p in t.partitions]
        return [(p.committed_offset, str(named(p.error_code))) for p in partitions]

    async def plain(self, side: Side, offset: int) -> Answer:
        """A commit beside it."""
        part = {"partition_index": 0, "committed_offset": offset, "committed_metadata": ""}
        answer = await side.ask(
            "OffsetCommit", 8, group_id=side.group, generation_id_or_member_epoch=-1,
            topics=[{"name": side.topics["A"], "partitions": [part]}],
        )  # fmt: skip
        return [str(named(p.error_code)) for t in answer.topics for p in t.partitions]

    async def delete_offsets(self, side: Side) -> Answer:
        """Also what waits is forgotten."""
        topic = {"name": side.topics["A"], "partitions": [{"partition_index": 1}]}
        answer = await side.ask("OffsetDelete", 0, group_id=side.group, topics=[topic])
        codes = [str(named(p.error_code)) for t in answer.topics for p in t.partitions]
        return named(answer.error_code), codes
