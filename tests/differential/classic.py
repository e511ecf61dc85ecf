"""Members of the classic protocol, static and dynamic, eager and cooperative, of several versions:
they join, sync, beat, leave several at once, commit, and come back with what they were."""

import asyncio
from random import Random
from typing import Any

from groups.core.assignment import assignment_of, partitions_of
from tests.core.consumer.wire_bytes import subscription
from tests.differential.plays import HELD, Play, Step
from tests.differential.talking import Answer, Member, Side, named

INSTANCES = {0: "i0", 1: "i1"}
PROTOCOLS = (("range",), ("range",), ("range", "roundrobin"), ("x", "range"), ("x",), ())


class Classic(Play):
    """Four members, the first two of them static. A request that is held is looked for again by
    its member's next step. Ids that the server made are written as their members' names."""

    first = 0
    count = 4

    def choose(self, rnd: Random, side: Side) -> Step:
        """Members that are in speak more often than those that are not."""
        everybody = range(self.first, self.first + self.count)
        live = [i for i in everybody if self.member(side, i).is_in]
        i = rnd.choice(live) if live and rnd.random() < 0.8 else rnd.choice(everybody)
        joins = 2 if self.member(side, i).is_in else 5
        return self.choose_classic(rnd, i, rnd.choice(["cjoin"] * joins + VERBS))

    def choose_classic(self, rnd: Random, i: int, verb: str) -> Step:
        """The arguments of a member's step."""
        match verb:
            case "cjoin":
                known, cooperative = rnd.random() < 0.85, rnd.random() < 0.5
                version = rnd.choice([5, 7, 8, 9, 9] if i in INSTANCES else [3, 4, 7, 9])
                offered = list(rnd.choice(PROTOCOLS))
                return (
                    "cjoin",
                    i,
                    rnd.choice(["A", "A", "AB"]),
                    cooperative,
                    offered,
                    known,
                    version,
                )
            case "csync":
                return ("csync", i, rnd.choice([0, 0, 0, -1, 1]), rnd.choice(["", "", "x"]))
            case "cbeat":
                return ("cbeat", i, rnd.choice([0, 0, 0, -1, 1]), rnd.random() < 0.1)
            case "cleave":
                others = range(self.first, self.first + self.count)
                named_ = [i, *rnd.sample(others, rnd.choice([0, 0, 0, 1, 2]))]
                return ("cleave", named_, rnd.choice(["", "", "nameless", "foreign"]))
            case "ccommit":
                return ("ccommit", i, rnd.choice([0, 0, -1, 1]), rnd.choice([2, 7, 8, 9, 10]))
        return (verb,) if verb in ALONE else (verb, i)

    def number(self, side: Side, number: int) -> int:
        """A generation as it is compared."""
        return number - side.shift if number > 0 else number

    def _name(self, side: Side, member_id: str) -> str:
        return side.ours.get(member_id, "" if not member_id else "?")

    # -- joining and syncing

    async def _send(self, side: Side, member: Member, api: str, version: int, **said: Any) -> None:
        over = f"of {member.instance_id or member.member_id} {id(member)}"
        member.waits = asyncio.create_task(side.ask(api, version, over, **said))
        member.wants = api

    async def _heard(self, side: Side, i: int) -> Answer:
        member = self.member(side, i)
        answer = await self.hear(member)
        if answer == HELD:
            return HELD
        joins = member.wants == "JoinGroup"
        return await (self._joined if joins else self._synced)(side, i, answer)

    async def poll(self, side: Side, i: int) -> Answer:
        """Look for an answer that was held."""
        if self.member(side, i).waits is None:
            return "nothing is held"
        return await self._heard(side, i)

    async def cjoin(
        self, side: Side, i: int, topics: str, cooperative: bool, offered: list[str],
        known: bool, version: int,
    ) -> Answer:  # fmt: skip
        """JoinGroup; ``known``: with the id that it was given, if it was."""
        member = self.member(side, i)
        if member.waits is not None:
            return await self._heard(side, i)
        if member.generation < 0:
            member.member_id = member.member_id if member.was_handed_out else ""
        member.instance_id = INSTANCES.get(i - self.first)
        owned = {(side.topics[t], p) for t, ps in member.told.items() for p in ps}
        names = [side.topics[t] for t in topics]
        metadata = subscription(tuple(names), frozenset(owned if cooperative else ()), 1)
        member.told = member.told if cooperative else {}
        await self._send(
            side, member, "JoinGroup", version, group_id=side.group, session_timeout_ms=60_000,
            rebalance_timeout_ms=60_000, member_id=member.member_id if known else "",
            group_instance_id=member.instance_id, protocol_type="consumer",
            protocols=[{"name": name, "metadata": metadata} for name in offered],
        )  # fmt: skip
        return await self._heard(side, i)

    async def _joined(self, side: Side, i: int, r: Any) -> Answer:
        member = self.member(side, i)
        if r.member_id:
            side.ours[r.member_id] = f"m{i}"
        if r.error_code == 0:
            member.left_an_id |= member.was_handed_out and r.member_id != member.member_id
            member.member_id, member.generation, member.is_in = r.member_id, r.generation_id, True
            member.was_handed_out = False
            member.leads, member.protocol = r.leader == r.member_id, r.protocol_name or ""
            member.others = [m.member_id for m in r.members]
        elif r.error_code == 79:
            member.member_id, member.was_handed_out = r.member_id, True
        elif r.error_code in (25, 82):
            member.generation, member.is_in, member.was_handed_out = -1, False, False
        leader = "" if not r.leader else "self" if r.leader == member.member_id else "other"
        return (
            *("join", named(r.error_code), self.number(side, r.generation_id)),
            *(r.protocol_type, r.protocol_name, leader),
            sorted(self._name(side, m.member_id) or "?" for m in r.members),
            r.skip_assignment,
        )

    async def csync(self, side: Side, i: int, by: int, protocol: str) -> Answer:
        """SyncGroup; a leader gives topic A out, in the order of names."""
        member = self.member(side, i)
        if member.waits is not None:
            return await self._heard(side, i)
        order = sorted(member.others, key=lambda m: self._name(side, m)) if member.leads else []
        name, count = side.topics["A"], self.now["A"]
        plan = [{(name, p) for p in range(count) if p % len(order) == k} for k in range(len(order))]
        await self._send(
            side, member, "SyncGroup", 5, group_id=side.group, member_id=member.member_id,
            generation_id=member.generation + by, group_instance_id=member.instance_id,
            protocol_type="consumer", protocol_name=protocol or member.protocol,
            assignments=[
                {"member_id": m, "assignment": assignment_of(parts, 1)}
                for m, parts in zip(order, plan, strict=True)
            ],
        )  # fmt: skip
        return await self._heard(side, i)

    async def _synced(self, side: Side, i: int, r: Any) -> Answer:
        member = self.member(side, i)
        if r.error_code == 0:
            member.told = self._parts(side, bytes(r.assignment))
        told = member.told if r.error_code == 0 else None
        return "sync", named(r.error_code), r.protocol_type, r.protocol_name, told

    def _parts(self, side: Side, assignment: bytes) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for name, p in sorted(partitions_of(assignment) or ()):
            found.setdefault(side.short(name), []).append(p)
        return found

    # -- the rest

    async def cbeat(self, side: Side, i: int, by: int, foreign: bool) -> Answer:
        """Heartbeat; ``foreign``: with another member's instance."""
        member = self.member(side, i)
        instance_id = "i1" if foreign else member.instance_id
        answer = await side.ask(
            "Heartbeat", 4, "b", group_id=side.group, generation_id=member.generation + by,
            member_id=member.member_id, group_instance_id=instance_id,
        )  # fmt: skip
        return (named(answer.error_code),)

    async def cleave(self, side: Side, leavers: list[int], how: str) -> Answer:
        """LeaveGroup, also of several, and as administrators ask for it."""
        said = []
        for i in leavers:
            member = self.member(side, i)
            member.instance_id = INSTANCES.get(i - self.first)
            id_ = {"nameless": "", "foreign": "somebody"}.get(how, member.member_id)
            said.append({"member_id": id_, "group_instance_id": member.instance_id})
            member.is_in = False
        answer = await side.ask("LeaveGroup", 5, "b", group_id=side.group, members=said)
        codes = [str(named(m.error_code)) for m in answer.members]
        return named(answer.error_code), codes

    async def ccommit(self, side: Side, i: int, by: int, version: int) -> Answer:
        """An offset, with a generation near its own."""
        member = self.member(side, i)
        at = {"partition_index": 0, "committed_offset": 1, "committed_metadata": None}
        topic: dict[str, Any] = {"name": side.topics["A"], "topic_id": side.ids["A"]}
        answer = await side.ask(
            "OffsetCommit", version, "b", group_id=side.group, member_id=member.member_id,
            generation_id_or_member_epoch=member.generation + by,
            group_instance_id=member.instance_id, topics=[{**topic, "partitions": [at]}],
        )  # fmt: skip
        return [str(named(p.error_code)) for t in answer.topics for p in t.partitions]

    async def cdescribe(self, side: Side) -> Answer:
        """DescribeGroups."""
        (group,) = (await side.ask("DescribeGroups", 6, "b", groups=[side.group])).groups
        members = [
            (m.group_instance_id or self._name(side, m.member_id))
            + f" {self._parts(side, bytes(m.member_assignment))} {bool(m.member_metadata)}"
            for m in group.members
        ]
        return (
            *(named(group.error_code), group.group_state, group.protocol_type),
            *(group.protocol_data, sorted(members)),
        )

    async def clist(self, side: Side) -> Answer:
        """Whether the group is listed, and as what."""
        answer = await side.ask("ListGroups", 5, "b", states_filter=[], types_filter=["Classic"])
        mine = [g for g in answer.groups if g.group_id == side.group]
        return [(g.protocol_type, g.group_state, g.group_type.lower()) for g in mine]

    async def cdelete(self, side: Side) -> Answer:
        """DeleteGroups."""
        answer = await side.ask("DeleteGroups", 2, "b", groups_names=[side.group])
        return [str(named(r.error_code)) for r in answer.results]


ALONE = ("cdescribe", "clist", "cdelete")

VERBS = [
    *("csync", "csync", "csync", "csync", "cbeat", "cbeat", "cleave", "ccommit", "poll", "poll"),
    *("cdescribe", "cdescribe", "clist", "cdelete"),
]
