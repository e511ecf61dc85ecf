"""Whatever a group can be asked, with values that are nearly right: two groups of either protocol,
two transactional ids with offsets in both, topics that come and go, members of one group in
requests of the other, what is named twice, null and empty.

Numbers of generations and epochs are not compared here: the kinds of one group each do that.
"""

import asyncio
from collections.abc import Callable
from random import Random
from typing import Any, Final
from uuid import UUID

from tests.core.consumer.wire_bytes import subscription
from tests.differential.administration import Said, some
from tests.differential.plays import HELD, Play, Step
from tests.differential.talking import BY_NAME, Answer, Member, Side, in_order, named, plain, prune

GROUPS: Final = ("$g", "$h")
CLASSIC, DYNAMIC = 0, 3
"""Of the four members that each group may have the static and the dynamic one of the classic
protocol. The others, one of them static, speak the consumer protocol."""
MODERN: Final = (1, 2)
INSTANCES: Final = {0: "i0", 2: "i2"}

NUMBERS: Final = {
    *("generation_id", "member_epoch", "producer_epoch", "group_epoch", "assignment_epoch"),
    *("transaction_start_time_ms", "leader", "protocol_data"),
}
"""What no answer is compared by; which topics a transaction has is Kafka's own affair."""


LONG: Final = 1_000
"""Characters of a text that is told by its length."""


class Crossed(Play):
    """``("of", i, by)`` stands for the generation or epoch of a member of the request's group and
    so much more, ``&i`` for its id, ``("producer", p, by)`` for a producer's epoch, ``*p`` for its
    id. Other marks as with ``Administration``; ``^AB`` is a subscription."""

    counts = {"A": 2, "B": 1}
    letters = "ABC"
    steps_max = 40

    async def prepare(self, side: Side) -> None:
        """Coordinators have loaded."""
        await side.learn()
        for name, kind in (("$g", 0), ("$h", 0), ("$t0", 1), ("$t1", 1)):
            key = self._read(side, name, "")
            await side.ask_again("FindCoordinator", 2, key=key, key_type=kind)

    def choose(self, rnd: Random, side: Side) -> Step:
        """A request of any API here, in any version."""
        if rnd.random() < 0.03:
            return self.choose_topic(rnd)
        names = list(REQUESTS)
        [name] = rnd.choices(names, [REQUESTS[each][0] for each in names])
        low, high = REQUESTS[name][1]
        version = rnd.choice([high, rnd.randint(low, high)])
        said, who = REQUESTS[name][2](rnd, version)
        return ("request", name, version, said, who)

    async def request(
        self, side: Side, name: str, version: int, said: Said, who: int | None
    ) -> Answer:
        """The request, and all of its answer that can be compared. ``who`` says it: a member of
        its group by number, or a producer."""
        group = said.get("group_id", "")
        read = prune(BY_NAME[name].request, self._read(side, said, group), version)
        if name in ("JoinGroup", "SyncGroup"):
            assert who is not None
            return await self._waiting(side, name, version, read, self._of(side, group, who))
        answer = await side.ask_again(name, version, **read)
        if name == "EndTxn" and self.is_live:
            await asyncio.sleep(0.1)  # Kafka answers before its markers are written
        if who is not None:
            self._learn(side, name, answer, group, who)
        return settled(side, plain(answer))

    async def _waiting(
        self, side: Side, name: str, version: int, read: Said, member: Member
    ) -> Answer:
        """A request that may be held; it is looked for again by its member's next one."""
        if member.waits is None:
            over = f"of {id(member)}"
            member.waits = asyncio.create_task(side.ask(name, version, over, **read))
            member.wants = name
        answer = await self.hear(member)
        if answer == HELD:
            return HELD
        if member.wants == "SyncGroup":
            told = plain(answer)
            return ("sync", named(answer.error_code), told.get("protocol_name"), len(told))
        leads = bool(answer.leader) and answer.leader == answer.member_id
        if answer.member_id:
            side.ours[answer.member_id] = "id"
        if answer.error_code == 0:
            member.member_id, member.is_in = answer.member_id, True
            member.generation = answer.generation_id
        leader = "" if not answer.leader else "self" if leads else "other"
        return (
            *("join", named(answer.error_code), 0, answer.protocol_type, answer.protocol_name),
            *(leader, len(answer.members), answer.skip_assignment),
        )

    async def _has_parked(self) -> None:
        """Wait until all that either group has not answered has reached it."""
        for at, group in enumerate(GROUPS):
            members = [self.ours.members.get(4 * at + i) for i in range(4)]
            waits = [m.waits for m in members if m is not None and m.waits is not None]
            name = self._read(self.ours, group, "")
            while waits and self.parked(name) != sum(not task.done() for task in waits):
                await asyncio.sleep(0.001)

    def _learn(self, side: Side, name: str, answer: Any, group: str, who: int) -> None:
        if getattr(answer, "error_code", 0):
            return
        if name == "ConsumerGroupHeartbeat":
            member = self._of(side, group, who)
            member.member_id, member.generation = answer.member_id, answer.member_epoch
            member.is_in = answer.member_epoch > 0
        elif name == "InitProducerId" or (name == "EndTxn" and answer.producer_id >= 0):
            side.claims[who] = (answer.producer_id, answer.producer_epoch)

    def _of(self, side: Side, group: str, who: int) -> Member:
        return self.member(side, 4 * GROUPS.index(group) + who)

    def _read(self, side: Side, said: Any, group: str) -> Any:
        if isinstance(said, dict):
            return {k: self._read(side, v, group) for k, v in said.items()}
        if isinstance(said, list):
            return [self._read(side, v, group) for v in said]
        if isinstance(said, tuple):
            return self._number(side, said, group)
        if not isinstance(said, str) or not said:
            return said
        return self._text(side, said[0], said[1:], group)

    def _number(self, side: Side, said: tuple[str, int, int], group: str) -> int:
        what, who, by = said
        if what == "producer":
            return side.claims.get(who, (0, 0))[1] + by
        number = self._of(side, group, who).generation
        return number + by if number > 0 else 1 + by

    def _text(self, side: Side, mark: str, word: str, group: str) -> Any:
        if mark == "&":
            member = self._of(side, group, int(word))
            return member.member_id if member.generation > 0 else f"nobody-{word}"
        if mark == "*":
            return side.claims.get(int(word), (77_777, 0))[0]
        if mark == "^":
            return subscription(tuple(side.topics[letter] for letter in word))
        marks: dict[str, Callable[[], Any]] = {
            "$": lambda: f"{word}{side.tag}",
            "@": lambda: side.topics.get(word, f"{word}{side.tag}"),
            "#": lambda: side.ids.get(word, UUID(int=9)),
            "%": lambda: "x" * int(word),
            "!": lambda: bytes.fromhex(word),
        }
        return marks[mark]() if mark in marks else mark + word


def settled(side: Side, answer: Any) -> Any:
    """What of an answer is compared."""
    return _shortened(in_order(side, answer, NUMBERS))


def _shortened(answer: Any) -> Any:
    if isinstance(answer, dict):
        return {k: _shortened(v) for k, v in answer.items()}
    if isinstance(answer, list):
        return [_shortened(v) for v in answer]
    return f"%{len(answer)}" if isinstance(answer, str) and len(answer) > LONG else answer


# -- what is asked

Made = tuple[Said, int | None]


def _partition(rnd: Random) -> Said:
    index = rnd.choice([2, -1, 2**31 - 1]) if rnd.random() < 0.1 else rnd.choice([0, 1])
    odd = rnd.random() < 0.2
    return {
        "partition_index": index,
        "committed_offset": rnd.choice([0, 2**63 - 1, -1, -2, -(2**63)] if odd else [5, 9, 70]),
        "committed_leader_epoch": rnd.choice([-1, -1, 0, 7, -2, 2**31 - 1]),
        "committed_metadata": rnd.choice([None, "", "note", "%4096"]),
    }


def _topics(rnd: Random, letters: str = "AAB", most: int = 3) -> list[Said]:
    """Topics with partitions, perhaps one of them twice, perhaps one without partitions."""
    return [
        {
            "name": f"@{letter}",
            "topic_id": f"#{letter}",
            "partitions": [_partition(rnd) for _ in range(rnd.choice([0, 1, 1, 1, 2]))],
        }
        for letter in some(rnd, letters, most)
    ]


def _who(rnd: Random) -> Said:
    """A member, a non-member, or something between the two."""
    who = rnd.choice([CLASSIC, CLASSIC, 1, 2, DYNAMIC])
    if rnd.random() < 0.3:
        return {"member_id": "", "generation_id": -1, "group_instance_id": None}
    if rnd.random() < 0.15:
        return {
            "member_id": rnd.choice(["", "ghost", f"&{who}"]),
            "generation_id": rnd.choice([0, 1, -1, 2**31 - 1, -(2**31)]),
            "group_instance_id": rnd.choice([None, "i0", "nope", ""]),
        }
    instance = rnd.choice([None, "i0"]) if who == CLASSIC else None
    by = rnd.choice([0, 0, 0, 0, -1, 1])
    return {
        "member_id": f"&{who}",
        "generation_id": ("of", who, by),
        "group_instance_id": instance,
    }


def _offset_commit(rnd: Random, version: int) -> Made:
    who = _who(rnd)
    said = {**who, "generation_id_or_member_epoch": who["generation_id"]}
    times = rnd.choice([-1, 60_000, 2**62])
    more = {"retention_time_ms": times, "topics": _topics(rnd, "AABC9")}
    return {"group_id": rnd.choice(GROUPS), **said, **more}, None


def _producer(rnd: Random) -> tuple[Said, int]:
    p = rnd.choice([0, 0, 1])
    said = {
        "transactional_id": rnd.choice([f"$t{p}"] * 12 + ["$t0", "$nobody", ""]),
        "producer_id": f"*{p}" if rnd.random() < 0.95 else -1,
        "producer_epoch": ("producer", p, rnd.choice([0, 0, 0, 0, 0, 0, -1, 1])),
    }
    return said, p


def _txn_offset_commit(rnd: Random, version: int) -> Made:
    topics = _topics(rnd, "AABC9") or [{"name": "@A", "partitions": [_partition(rnd)]}]
    said = {"group_id": rnd.choice(GROUPS), **_who(rnd), **_producer(rnd)[0], "topics": topics}
    return said, None


def _init_producer(rnd: Random, version: int) -> Made:
    p = rnd.choice([0, 0, 1])
    half = rnd.random() < 0.1
    return {
        "transactional_id": rnd.choice([f"$t{p}"] * 9 + ["", *[None] * half]),
        "transaction_timeout_ms": rnd.choice([60_000] * 8 + [0, -1, 900_000, 900_001, 2**31 - 1]),
        "producer_id": -1,
        "producer_epoch": 0 if half else -1,
    }, (p if version >= 3 else None)


def _add_offsets(rnd: Random, version: int) -> Made:
    return {**_producer(rnd)[0], "group_id": rnd.choice([*GROUPS, *GROUPS, ""])}, None


def _end(rnd: Random, version: int) -> Made:
    said, p = _producer(rnd)
    return {**said, "committed": rnd.random() < 0.6}, p


def _offset_fetch(rnd: Random, version: int) -> Made:
    def topics() -> list[Said]:
        return [
            {
                "name": f"@{letter}",
                "topic_id": f"#{letter}",
                "partition_indexes": some(rnd, (0, 1, 0, 1, 2, -1)),
            }
            for letter in some(rnd, "ABC9")
        ]

    def group() -> Said:
        everything, is_nobody = rnd.random() < 0.4, rnd.random() < 0.5
        who = {"member_id": None, "member_epoch": -1}
        if not is_nobody:
            said = _who(rnd)
            who = {"member_id": said["member_id"], "member_epoch": said["generation_id"]}
        return {"group_id": name, "topics": None if everything else topics(), **who}

    name = rnd.choice(GROUPS)
    everything = version >= 2 and rnd.random() < 0.4
    return {
        "group_id": name,
        "topics": None if everything else topics(),
        "groups": [group() for _ in range(rnd.choice([1, 1, 2, 0]))],
        "require_stable": rnd.random() < 0.4,
    }, None


def _offset_delete(rnd: Random, version: int) -> Made:
    topics = [
        {"name": f"@{t}", "partitions": [{"partition_index": p} for p in some(rnd, (0, 1, 2, -1))]}
        for t in some(rnd, "AABC9")
    ]
    return {"group_id": rnd.choice([*GROUPS, *GROUPS, ""]), "topics": topics}, None


def _consumer_heartbeat(rnd: Random, version: int) -> Made:
    who, joins = rnd.choice([1, 1, 2]), rnd.random() < 0.45
    owned = {"topic_id": "#A", "partitions": rnd.choice([[0], [0, 0, 1], [5, -1]])}
    epoch = rnd.choice([("of", who, rnd.choice([0] * 8 + [-1, 1]))] * 6 + [-1, -1, -2, -3])
    names = rnd.choice([["@A"], ["@A", "@B"], ["@A", "@A"], ["@C"], [], [""]])
    anew = f"m{rnd.randrange(1_000_000)}"
    return {
        "group_id": rnd.choice(GROUPS),
        "member_id": anew if joins else rnd.choice([f"&{who}"] * 19 + [rnd.choice(["", " "])]),
        "member_epoch": 0 if joins else epoch,
        "instance_id": INSTANCES.get(who),
        "rack_id": rnd.choice([None] * 12 + ["", "r"]),
        "rebalance_timeout_ms": 60_000 if joins else -1,
        "subscribed_topic_names": names if joins or rnd.random() < 0.3 else None,
        "server_assignor": rnd.choice(["range"] * 9 + ["bogus", ""]),
        "topic_partitions": [] if joins else rnd.choice([None, None, [], [owned]]),
    }, who


def _join(rnd: Random, version: int) -> Made:
    who = CLASSIC if version >= 5 else DYNAMIC
    # Kafka answers -1, or never, where it cannot read what a consumer says.
    metadata = rnd.choice(["^A", "^AB", "^A", "^AB", "!"])
    timeouts = [60_000] * 12 + [0, -1, 299, 1_800_001, 2**31 - 1]
    return {
        "group_id": rnd.choice(GROUPS),
        "session_timeout_ms": rnd.choice(timeouts),
        "rebalance_timeout_ms": 60_000,
        "member_id": "" if rnd.random() < 0.4 else f"&{who}",
        "group_instance_id": INSTANCES.get(who),
        "protocol_type": rnd.choice(["consumer"] * 9 + ["connect", "share"]),
        "protocols": [{"name": "range", "metadata": metadata}],
        "reason": rnd.choice([None, "", "why"]),
    }, who


def _sync(rnd: Random, version: int) -> Made:
    who = rnd.choice([CLASSIC, CLASSIC, DYNAMIC])
    bytes_ = rnd.choice(["!", "!00", "!ffffffff", "!000100000000ffffffff"])
    plan = [{"member_id": rnd.choice([f"&{who}", f"&{who}", "ghost"]), "assignment": bytes_}]
    instance = INSTANCES.get(who) if rnd.random() < 0.9 else rnd.choice(["i0", "nope", None])
    return {
        "group_id": rnd.choice(GROUPS),
        "generation_id": ("of", who, rnd.choice([0] * 8 + [-1, 1])),
        "member_id": f"&{who}",
        "group_instance_id": instance,
        "protocol_type": rnd.choice(["consumer"] * 9 + [None, "x", ""]),
        "protocol_name": rnd.choice(["range"] * 9 + [None, "x", ""]),
        "assignments": plan * rnd.choice([0, 1, 1, 2]),
    }, who


def _heartbeat(rnd: Random, version: int) -> Made:
    who = rnd.choice([CLASSIC, CLASSIC, DYNAMIC, 1])
    instance = INSTANCES.get(who) if rnd.random() < 0.9 else rnd.choice(["i0", "nope", None, "i2"])
    return {
        "group_id": rnd.choice(GROUPS),
        "generation_id": ("of", who, rnd.choice([0] * 8 + [-1, 1])),
        "member_id": f"&{who}",
        "group_instance_id": instance,
    }, None


def _leave(rnd: Random, version: int) -> Made:
    def leaver() -> Said:
        who = rnd.choice([CLASSIC, CLASSIC, DYNAMIC, 1, 2])
        return {
            "member_id": rnd.choice([f"&{who}"] * 4 + ["", "ghost"]),
            "group_instance_id": rnd.choice([None, None, "i0", "i2", "nope", ""]),
        }

    members = [leaver() for _ in range(rnd.choice([0, 1, 1, 2]))]
    return {
        "group_id": rnd.choice(GROUPS),
        "member_id": f"&{rnd.choice([CLASSIC, DYNAMIC, 1])}",
        "members": members,
    }, None


def _groups(field: str) -> Callable[[Random, int], Made]:
    def make(rnd: Random, version: int) -> Made:
        return {field: some(rnd, (*GROUPS, *GROUPS, "$none", ""))}, None

    return make


def _describe_transactions(rnd: Random, version: int) -> Made:
    return {"transactional_ids": some(rnd, ("$nobody", "", "$nobody"))}, None


REQUESTS: dict[str, tuple[int, tuple[int, int], Callable[[Random, int], Made]]] = {
    "OffsetCommit": (8, (2, 10), _offset_commit),
    "TxnOffsetCommit": (10, (0, 5), _txn_offset_commit),
    "InitProducerId": (6, (0, 5), _init_producer),
    "AddOffsetsToTxn": (4, (0, 4), _add_offsets),
    "EndTxn": (7, (0, 5), _end),
    "OffsetFetch": (8, (1, 10), _offset_fetch),
    "OffsetDelete": (3, (0, 0), _offset_delete),
    "ConsumerGroupHeartbeat": (9, (0, 1), _consumer_heartbeat),
    "JoinGroup": (9, (2, 9), _join),
    "SyncGroup": (6, (0, 5), _sync),
    "Heartbeat": (4, (0, 4), _heartbeat),
    "LeaveGroup": (4, (0, 5), _leave),
    "DescribeGroups": (3, (0, 6), _groups("groups")),
    "ConsumerGroupDescribe": (3, (0, 1), _groups("group_ids")),
    "DeleteGroups": (2, (0, 2), _groups("groups_names")),
    "DescribeTransactions": (1, (0, 0), _describe_transactions),
}
"""How often each is asked, its versions, and what it says."""
