"""Members of the consumer protocol: they join, acknowledge, lag, leave, resubscribe, commit and
fetch, while topics come, grow and go."""

from random import Random
from typing import Any
from uuid import UUID

from tests.differential.plays import Play, Step
from tests.differential.talking import Answer, Member, Side, named

SUBSCRIPTIONS = ("A", "B", "AB", "C", "AC")
INSTANCES = {0: "i0", 1: "i1"}


class Consumer(Play):
    """Five members, the first two of them static."""

    counts = {"A": 4, "B": 3}
    letters = "ABC"

    def choose(self, rnd: Random, side: Side) -> Step:
        """Members that are in speak more often than those that are not."""
        live = [i for i in range(5) if self.member(side, i).is_in]
        i = rnd.choice(live) if live and rnd.random() < 0.8 else rnd.randrange(5)
        if rnd.random() < 0.04:
            return self.choose_topic(rnd)
        joins = 8 if len(live) < 3 else 1
        verbs = ["join"] * joins + ["ack"] * 5 + ["beat"] * 2 + ["subscribe"] * 2 + OTHERS
        return self.choose_beat(rnd, i, rnd.choice(verbs))

    def choose_beat(self, rnd: Random, i: int, verb: str) -> Step:
        """The arguments of a member's step."""
        some = rnd.choice(SUBSCRIPTIONS)
        match verb:
            case "join":
                return ("join", i, some, "range", rnd.random() < 0.8)
            case "subscribe":
                return ("subscribe", i, some, rnd.random() < 0.5)
            case "other":
                return ("other", i, rnd.choice([-2, -1, -1, 1]), rnd.choice(["", "told", "first"]))
            case "owns":
                return ("owns", i, rnd.choice(["more", "split", "twice", "none", "unknown"]))
            case "odd":
                return ("odd", i, rnd.choice(ODD))
            case "commit":
                at = rnd.sample(range(4), rnd.randint(1, 2))
                late, version = rnd.choice([0, 0, -1, -2, 1]), rnd.choice([8, 9, 9, 10])
                return ("commit", i, late, rnd.choice("AB"), at, version)
            case "fetch":
                return ("fetch", i, rnd.choice([0, 0, -1, 1, None]), rnd.random() < 0.4)
            case "describe" | "list":
                return (verb,)
            case "delete_offsets":
                return (verb, rnd.choice("ABC"))
        return (verb, i)

    # -- heartbeats

    async def say(self, side: Side, i: int, epoch: int, owned: Any, **more: Any) -> Answer:
        """One heartbeat: the error, the epoch, what is assigned."""
        member = self.member(side, i)
        said = {"instance_id": member.instance_id, "member_id": member.member_id, **more}
        answer = await side.ask(
            "ConsumerGroupHeartbeat", 1, group_id=side.group, member_epoch=epoch,
            topic_partitions=owned, **said,
        )  # fmt: skip
        assigned = None if answer.assignment is None else answer.assignment.topic_partitions
        if assigned is not None and any(t.topic_id not in side.ids.values() for t in assigned):
            await side.learn()
        parts = None if assigned is None else side.parts(assigned)
        self._hear(member, answer, parts)
        epoch_told = None if answer.error_code else self.number(side, answer.member_epoch)
        return named(answer.error_code), epoch_told, parts

    def number(self, side: Side, number: int) -> int:
        """An epoch or generation as it is compared."""
        return number - side.shift if number > 0 else number

    def _hear(self, member: Member, answer: Any, parts: dict[str, list[int]] | None) -> None:
        if answer.error_code == 0 and answer.member_epoch > 0:
            if answer.member_epoch != member.epoch:
                member.before, member.epoch = member.epoch, answer.member_epoch
            member.is_in = True
            if parts is not None:
                member.told = parts
        elif answer.error_code in (25, 69, 110) or answer.member_epoch < 0:
            member.is_in = False

    def _epoch(self, side: Side, i: int) -> int:
        return self.member(side, i).epoch or 7

    async def join(
        self, side: Side, i: int, topics: str, assignor: str | None, anew: bool
    ) -> Answer:
        """Epoch 0; ``anew``: a static member under another id, as a restarted process has it."""
        member = self.member(side, i)
        member.instance_id = INSTANCES.get(i)
        if anew and member.instance_id is not None:
            member.member_id = f"m{i}{member.member_id}"
        member.topics = topics
        return await self.say(
            side, i, 0, [], rebalance_timeout_ms=60_000, server_assignor=assignor,
            subscribed_topic_names=[side.topics[t] for t in topics],
        )  # fmt: skip

    async def beat(self, side: Side, i: int) -> Answer:
        """A quiet one."""
        return await self.say(side, i, self._epoch(side, i), None)

    async def ack(self, side: Side, i: int) -> Answer:
        """It has obeyed."""
        member = self.member(side, i)
        member.gave = dict(member.told)
        return await self.say(side, i, self._epoch(side, i), side.wire(member.told))

    async def full(self, side: Side, i: int) -> Answer:
        """The whole request, as after an error."""
        member = self.member(side, i)
        return await self.say(
            side, i, self._epoch(side, i), side.wire(member.told), rebalance_timeout_ms=60_000,
            subscribed_topic_names=[side.topics[t] for t in member.topics],
        )  # fmt: skip

    async def subscribe(self, side: Side, i: int, topics: str, tells: bool) -> Answer:
        """Other topics; ``tells``: with or without its owned partitions."""
        member = self.member(side, i)
        member.topics = topics
        owned = side.wire(member.gave) if tells else None
        names = [side.topics[t] for t in topics]
        return await self.say(side, i, self._epoch(side, i), owned, subscribed_topic_names=names)

    async def owns(self, side: Side, i: int, how: str) -> Answer:
        """Other owned partitions than its assignment."""
        told = side.wire(self.member(side, i).told)
        each = [{**topic, "partitions": [p]} for topic in told for p in topic["partitions"]]
        more = [{"topic_id": side.ids["A"], "partitions": [0, 1, 2, 3]}] if "A" in side.ids else []
        unknown = [{"topic_id": side_id, "partitions": [1, -1]} for side_id in [_unknown()]]
        owned = {"more": more, "split": each[::-1], "twice": told + told, "none": []}
        return await self.say(side, i, self._epoch(side, i), owned.get(how, unknown))

    async def other(self, side: Side, i: int, by: int, owned: str) -> Answer:
        """With another epoch than its own."""
        told = self.member(side, i).told
        first = dict(list(told.items())[:1])
        parts = {"": None, "told": side.wire(told), "first": side.wire(first)}[owned]
        return await self.say(side, i, max(1, self._epoch(side, i) + by), parts)

    async def before(self, side: Side, i: int) -> Answer:
        """With the epoch before its own: the answer was lost."""
        member = self.member(side, i)
        return await self.say(side, i, member.before or 1, side.wire(member.told))

    async def leave(self, side: Side, i: int) -> Answer:
        """For good."""
        return await self.say(side, i, -1, None)

    async def leave_for_now(self, side: Side, i: int) -> Answer:
        """As static members go."""
        self.member(side, i).instance_id = self.member(side, i).instance_id or "i1"
        return await self.say(side, i, -2, None)

    async def odd(self, side: Side, i: int, over: dict[str, Any]) -> Answer:
        """Something is wrong with it."""
        epoch = over.get("member_epoch", self._epoch(side, i))
        more = {k: v for k, v in over.items() if k != "member_epoch"}
        return await self.say(side, i, epoch, None if epoch else [], **more)

    # -- offsets

    async def commit(
        self, side: Side, i: int, by: int, letter: str, at: list[int], version: int
    ) -> Answer:
        """Offsets of some partitions, with an epoch near its own."""
        member = self.member(side, i)
        topic = {"topic_id": side.ids.get(letter, _unknown()), "name": side.topics[letter]}
        parts = [{"partition_index": p, "committed_offset": 5} for p in at]
        answer = await side.ask(
            "OffsetCommit", version, group_id=side.group, member_id=member.member_id,
            generation_id_or_member_epoch=self._epoch(side, i) + by,
            group_instance_id=member.instance_id, topics=[{**topic, "partitions": parts}],
        )  # fmt: skip
        partitions = [p for t in answer.topics for p in t.partitions]
        return sorted((p.partition_index, str(named(p.error_code))) for p in partitions)

    async def fetch(self, side: Side, i: int, by: int | None, everything: bool) -> Answer:
        """The group's offsets, as a member or without a member id (None)."""
        member = self.member(side, i)
        who: dict[str, Any] = {"member_id": None, "member_epoch": -1}
        if by is not None:
            who = {"member_id": member.member_id, "member_epoch": self._epoch(side, i) + by}
        indexes = [0, 1, 2, 9]
        some = [{"name": side.topics[t], "partition_indexes": indexes} for t in "AB"]
        group = {"group_id": side.group, "topics": None if everything else some, **who}
        (answer,) = (await side.ask("OffsetFetch", 9, groups=[group])).groups
        partitions = [(t.name, p) for t in answer.topics for p in t.partitions]
        return named(answer.error_code), sorted(
            (name, p.partition_index, p.committed_offset, str(named(p.error_code)))
            for name, p in partitions
        )

    async def delete_offsets(self, side: Side, letter: str) -> Answer:
        """Those of one topic, one partition of which is none."""
        topic = {
            "name": side.topics[letter],
            "partitions": [{"partition_index": p} for p in (0, 99)],
        }
        answer = await side.ask("OffsetDelete", 0, group_id=side.group, topics=[topic])
        partitions = [p for t in answer.topics for p in t.partitions]
        return named(answer.error_code), sorted(
            (p.partition_index, str(named(p.error_code))) for p in partitions
        )

    # -- what operators see

    async def describe(self, side: Side) -> Answer:
        """The group with its members."""
        answer = await side.ask("ConsumerGroupDescribe", 1, "b", group_ids=[side.group])
        (group,) = answer.groups
        return (
            named(group.error_code),
            group.group_state,
            self.number(side, group.group_epoch),
            self.number(side, group.assignment_epoch),
            sorted(map(repr, (self._described(side, m) for m in group.members))),
        )

    def _described(self, side: Side, m: Any) -> Answer:
        assigned = side.parts(m.assignment.topic_partitions)
        target = side.parts(m.target_assignment.topic_partitions)
        names = side.short(sorted(m.subscribed_topic_names))
        who = side.short(m.instance_id or m.member_id)
        return who, self.number(side, m.member_epoch), names, assigned, target, m.member_type

    async def list(self, side: Side) -> Answer:
        """Whether the group is listed, and as what."""
        answer = await side.ask("ListGroups", 5, "b", states_filter=[], types_filter=[])
        mine = [g for g in answer.groups if g.group_id == side.group]
        return [(g.protocol_type, g.group_state, g.group_type.lower()) for g in mine]


def _unknown() -> UUID:
    return UUID(int=9)


OTHERS = [
    *("full", "other", "before", "owns", "owns", "odd", "leave", "leave_for_now"),
    *("commit", "commit", "fetch", "describe", "list", "delete_offsets"),
]

ODD: list[dict[str, Any]] = [
    {"member_id": ""},
    {"member_id": " \t "},
    {"instance_id": " "},
    {"instance_id": "i9"},
    {"rack_id": ""},
    {"rack_id": "r1"},
    {"server_assignor": "bogus"},
    {"server_assignor": ""},
    {"subscribed_topic_regex": "("},
    {"subscribed_topic_regex": "(?=x)"},
    {"subscribed_topic_regex": ""},
    {"subscribed_topic_names": [], "member_epoch": -3},
    {"subscribed_topic_regex": "(", "member_epoch": -1},
    {"member_epoch": 0},
    {"member_epoch": 0, "rebalance_timeout_ms": 60_000},
    {"member_epoch": 2**31 - 1},
    {"member_epoch": -(2**31)},
    {"rebalance_timeout_ms": 2**31 - 1},
]
