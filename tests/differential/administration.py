"""Single requests as operators and odd clients send them, to a small world of groups, topics and
offsets: every version, null and empty, what is named twice, what is not there, bounds."""

from collections.abc import Callable
from random import Random
from typing import Any
from uuid import UUID

from groups.core.assignment import assignment_of
from tests.core.consumer.wire_bytes import subscription
from tests.differential.plays import Play, Step
from tests.differential.talking import BY_NAME, Answer, Side, in_order, plain, prune

Said = dict[str, Any]

GROUPS = ("$simple", "$classic", "$consumer", "$empty", "$none", "")
TOPICS = ("@A", "@B", "@A", "@none", "", "a b")
PARTITIONS = (0, 1, 2, 3, 99, -1, 2**31 - 1, -(2**31))


class Administration(Play):
    """``$word`` stands for a group, ``@letter`` for a topic's name, ``#letter`` for its id, ``%n``
    for a text of so many letters."""

    counts = {"A": 3, "B": 1}
    letters = "AB"
    steps_max = 25

    async def prepare(self, side: Side) -> None:
        """A group of every kind: with offsets alone, live ones, one that was left."""
        for group in ("$simple", "$empty"):
            await self._commit(side, group)
        await self._classic(side, "$classic")
        await self._consumer(side, "$consumer")
        await self._consumer(side, "$empty")
        leaves = {"group_id": "$empty", "member_id": "m", "member_epoch": -1}
        await self.request(side, "ConsumerGroupHeartbeat", 1, leaves)

    async def _commit(self, side: Side, group: str) -> None:
        at = [{"partition_index": p, "committed_offset": 7 + p} for p in (0, 1)]
        topics = [{"name": "@A", "partitions": at}]
        said = {"group_id": group, "generation_id_or_member_epoch": -1, "topics": topics}
        answer = await self.request(side, "OffsetCommit", 8, said)
        assert "error_code" not in repr(answer), answer

    async def _classic(self, side: Side, group: str) -> None:
        names = {"group_id": self._read(side, group), "group_instance_id": "i"}
        protocol = {"name": "range", "metadata": subscription([side.topics["A"]])}
        joined = await side.ask_again(
            "JoinGroup", 5, **names, session_timeout_ms=60_000, rebalance_timeout_ms=60_000,
            protocol_type="consumer", protocols=[protocol],
        )  # fmt: skip
        mine = {"member_id": joined.member_id, "assignment": assignment_of({("a", 0)}, 1)}
        synced = await side.ask(
            "SyncGroup", 3, **names, member_id=joined.member_id,
            generation_id=joined.generation_id, assignments=[mine],
        )  # fmt: skip
        assert joined.error_code == synced.error_code == 0

    async def _consumer(self, side: Side, group: str) -> None:
        said = {
            "group_id": self._read(side, group),
            "member_id": "m",
            "rebalance_timeout_ms": 60_000,
        }
        answer = await side.ask_again(
            "ConsumerGroupHeartbeat", 1, **said, subscribed_topic_names=[side.topics["A"]],
            topic_partitions=[],
        )  # fmt: skip
        assert answer.error_code == 0, answer

    def choose(self, rnd: Random, side: Side) -> Step:
        """A request of any API here, in any version."""
        name = rnd.choice(list(REQUESTS))
        low, high = REQUESTS[name][0]
        version = rnd.randint(low, high)
        return ("request", name, version, REQUESTS[name][1](rnd, version))

    async def request(self, side: Side, name: str, version: int, said: Said) -> Answer:
        """The request, and all of its answer that can be compared."""
        read = prune(BY_NAME[name].request, self._read(side, said), version)
        return in_order(side, plain(await side.ask_again(name, version, **read)))

    def _read(self, side: Side, said: Any) -> Any:
        if isinstance(said, dict):
            return {k: self._read(side, v) for k, v in said.items()}
        if isinstance(said, list):
            return [self._read(side, v) for v in said]
        if not isinstance(said, str) or not said:
            return said
        mark, word = said[0], said[1:]
        if mark == "$":
            return f"{word}-{side.tag}"
        if mark == "@":
            return side.topics.get(word, f"{word}-{side.tag}")
        if mark == "%":
            return "x" * int(word)
        if mark == "#":
            return side.ids.get(word, UUID(int=int(word) if word.isdigit() else 0))
        return said


def some(rnd: Random, values: Any, most: int = 3) -> list[Any]:
    """A few of them, perhaps none, perhaps one twice."""
    return [rnd.choice(values) for _ in range(rnd.choice([0, 1, 1, 2, most]))]


def _offset_commit(rnd: Random, version: int) -> Said:
    def part(p: int) -> Said:
        metadata = rnd.choice(["", None, "m", "%4097"])
        at = {"committed_offset": rnd.choice([0, 1, -1, -5, 2**63 - 1])}
        return {"partition_index": p, "committed_metadata": metadata, **at}

    topics = [
        {"name": t, "topic_id": i, "partitions": [part(p) for p in some(rnd, PARTITIONS)]}
        for t, i in some(rnd, list(zip(TOPICS, ("#A", "#B", "#A", "#9", "#0", "#5"), strict=True)))
    ]
    who = rnd.choice([("", -1), ("", -1), ("m", 2), ("m", 9), ("", 0), ("x", -1), ("m", -1)])
    return {
        "group_id": rnd.choice(GROUPS[:-1]),  # the one without a name would be shared by all
        "member_id": who[0],
        "generation_id_or_member_epoch": who[1],
        "group_instance_id": rnd.choice([None, None, "i"]),
        "topics": topics,
    }


def _fetch_topics(rnd: Random) -> Any:
    if rnd.random() < 0.3:
        return None
    pairs = list(zip(TOPICS, ("#A", "#B", "#A", "#9", "#0", "#5"), strict=True))
    return [
        {"name": t, "topic_id": i, "partition_indexes": some(rnd, PARTITIONS)}
        for t, i in some(rnd, pairs)
    ]


def _offset_fetch(rnd: Random, version: int) -> Said:
    topics = _fetch_topics(rnd)
    groups = [
        {
            "group_id": g,
            "topics": _fetch_topics(rnd),
            "member_id": (
                who := rnd.choice([(None, -1), (None, -1), ("m", 2), ("m", 1), ("", -1)])
            )[0],
            "member_epoch": who[1],
        }
        for g in some(rnd, GROUPS)
    ]
    if version < 9:
        groups = [{k: g[k] for k in ("group_id", "topics")} for g in groups]
    if version < 10:
        groups = [{**g, "topics": _without_ids(g["topics"])} for g in groups]
    return {
        "group_id": rnd.choice(GROUPS),
        "topics": _without_ids(topics) or ([] if version < 2 else None),
        "groups": groups,
        "require_stable": rnd.random() < 0.3,
    }


def _without_ids(topics: Any) -> Any:
    return topics and [{k: t[k] for k in ("name", "partition_indexes")} for t in topics]


def _offset_delete(rnd: Random, version: int) -> Said:
    return {
        "group_id": rnd.choice(GROUPS),
        "topics": [
            {
                "name": t,
                "partitions": [
                    {"partition_index": p} for p in dict.fromkeys(some(rnd, PARTITIONS))
                ],
            }
            for t in dict.fromkeys(some(rnd, TOPICS))
        ],
    }


def _list_groups(rnd: Random, version: int) -> Said:
    """Filters of a state that no group is in: all that others have made would be listed, too."""
    states, types = ("Dead", "bogus", ""), ("classic", "Consumer", "CLASSIC", "bogus", "", "share")
    return {"states_filter": [rnd.choice(states)], "types_filter": some(rnd, types)}


def _list_offsets(rnd: Random, version: int) -> Said:
    times = (-1, -2, -3, -4, -5, -6, -7, 0, 5, 2**63 - 1, -(2**63))
    return {
        "replica_id": -1,
        "topics": [
            {
                "name": t,
                "partitions": [
                    {"partition_index": p, "timestamp": rnd.choice(times[1:])}
                    for p in some(rnd, PARTITIONS)
                ],
            }
            for t in some(rnd, TOPICS)
        ],
    }


def _metadata(rnd: Random, version: int) -> Said:
    pairs = [("@A", "#0"), ("@B", "#0"), ("@none", "#0"), ("a b", "#0"), ("", "#0")]
    by_id = [(None, "#A"), (None, "#9"), ("@B", "#A")] if version >= 12 else []
    topics = [{"name": n, "topic_id": i} for n, i in some(rnd, [*pairs, *by_id])]
    asked = {"include_topic_authorized_operations": rnd.random() < 0.3}
    return {"topics": topics or [{"name": "@A"}], "allow_auto_topic_creation": False, **asked}


def _create_topics(rnd: Random, version: int) -> Said:
    def topic(name: str) -> Said:
        at = [
            {"partition_index": p, "broker_ids": rnd.choice([[], [77]])}
            for p in (some(rnd, (0, 1, 2, -1)) if rnd.random() < 0.2 else [])
        ]
        configs = [{"name": "bogus", "value": "1"}] if rnd.random() < 0.1 else []
        counts = rnd.choice([1, 2, 0, -1 if at else 3, -2, 10_001, -(2**31)])
        copies = rnd.choice([1, 1, -1, 0, 2, -2, 32_767])
        more = {"num_partitions": counts, "replication_factor": copies}
        return {"name": name, "assignments": at, "configs": configs, **more}

    names = some(rnd, ("@new", "@newer", "@A", "a b", "", ".", "..", "%250"))
    return {"topics": [topic(n) for n in names], "timeout_ms": 9_000, "validate_only": True}


def _create_partitions(rnd: Random, version: int) -> Said:
    topics = [
        {
            "name": t,
            "count": rnd.choice([4, 3, 2, 0, -1, 9]),
            "assignments": rnd.choice(
                [None, None, [], [{"broker_ids": []}], [{"broker_ids": [77]}]]
            ),
        }
        for t in some(rnd, TOPICS)
    ]
    return {"topics": topics, "timeout_ms": 9_000, "validate_only": True}


def _heartbeat(rnd: Random, version: int) -> Said:
    epoch = rnd.choice([2, 9, -2, -3, 7, 2**31 - 1])
    return {
        "group_id": rnd.choice((*GROUPS, " ")),
        "member_id": rnd.choice(["m", "x", "", " "]),
        "member_epoch": epoch,
        "instance_id": rnd.choice([None, None, "i", ""]),
        "server_assignor": rnd.choice([None, None, "bogus"]),
        "topic_partitions": rnd.choice([None, [], [{"topic_id": "#9", "partitions": [-1, -1]}]]),
        "subscribed_topic_regex": rnd.choice([None, None, None, "("]),
    }


def _classic_request(rnd: Random, version: int) -> Said:
    """The fields of Heartbeat, SyncGroup and LeaveGroup together: none of it is right."""
    leaver = {"member_id": rnd.choice(["", "x"]), "group_instance_id": rnd.choice([None, "nope"])}
    return {
        "group_id": rnd.choice(GROUPS),
        "generation_id": rnd.choice([1, 2, -1, 2**31 - 1]),
        "member_id": rnd.choice(["", "x", "m"]),
        "group_instance_id": rnd.choice([None, "nope", "i"]),
        "protocol_type": rnd.choice(["consumer", "connect", None]),
        "protocol_name": rnd.choice(["range", None, "x"]),
        "members": [leaver] * rnd.choice([0, 1, 2]),
    }


def _groups(field: str) -> Callable[[Random, int], Said]:
    def make(rnd: Random, version: int) -> Said:
        asked = {"include_authorized_operations": rnd.random() < 0.3}
        # A group that is alive is not deleted; those that are empty are, for good.
        return {field: some(rnd, GROUPS), **asked}

    return make


def _find_coordinator(rnd: Random, version: int) -> Said:
    kind = rnd.choice([0, 1, 0, 3, -1, 127])
    return {"key": rnd.choice(GROUPS), "key_type": kind, "coordinator_keys": some(rnd, GROUPS)}


def _end_transaction(rnd: Random, version: int) -> Said:
    """Of an unknown transactional id, or of none."""
    return {
        "transactional_id": rnd.choice(["$nobody", ""]),
        "producer_id": rnd.choice([-1, 5]),
        "producer_epoch": rnd.choice([-1, 0, 32_767]),
        "committed": rnd.random() < 0.5,
        "group_id": rnd.choice(GROUPS),
        "transactional_ids": some(rnd, ("$nobody", "")),
    }


def _topic_partitions(rnd: Random, version: int) -> Said:
    at = {"topic_name": rnd.choice(TOPICS), "partition_index": rnd.choice([0, 1, 2, 3, -1])}
    limits = (2_000, 1, 2, 3, 0, -1, 2**31 - 1)
    return {
        "topics": [{"name": n} for n in some(rnd, (*TOPICS, "%250"), 4)] or [{"name": "@A"}],
        "response_partition_limit": rnd.choice(limits),
        "cursor": rnd.choice([None, at]),
    }


def _delete_topics(rnd: Random, version: int) -> Said:
    """Unknown: by a name and an id, by neither, by an unused one."""
    pairs = [("@none", "#0"), (None, "#9"), ("@A", "#A"), ("", "#0"), (None, "#0"), ("a b", "#0")]
    return {
        "topic_names": some(rnd, ("@none", "", "a b", "@none")),
        "topics": [{"name": n, "topic_id": i} for n, i in some(rnd, pairs)],
        "timeout_ms": 9_000,
    }


RESOURCES = ((32, "$simple"), (32, "$none"), (32, ""), (2, "@none"), (2, ""), (2, "a b"), (99, "x"))


def _describe_configs(rnd: Random, version: int) -> Said:
    """Each once: a resource that is named twice is described once here, of whatever size."""
    return {
        "resources": [
            {
                "resource_type": kind,
                "resource_name": name,
                "configuration_keys": rnd.choice([None, [], ["bogus"]]),
            }
            for kind, name in dict.fromkeys(some(rnd, (*RESOURCES, (4, "77"), (0, "x"))))
        ]
    }


def _alter_configs(rnd: Random, version: int) -> Said:
    """What groups can have, and what nothing can."""
    # Bounds are those that a process was started with: 45,000 to 60,000 wherever this is played.
    values = ("45000", "59999", "999", "60001", "0", "-1", "", "abc", None, " 50000 ", "2147483648")

    def change(name: str) -> Said:
        operation = rnd.choice([0, 0, 0, 1])
        return {"name": name, "config_operation": operation, "value": rnd.choice(values)}

    def resource(kind: int, name: str) -> Said:
        sessions = ("consumer.session.timeout.ms", "consumer.heartbeat.interval.ms", "bogus", "")
        names = some(rnd, sessions if kind == 32 else ("bogus",))
        configs = [change(each) for each in names]
        return {"resource_type": kind, "resource_name": name, "configs": configs}

    resources = [resource(kind, name) for kind, name in some(rnd, RESOURCES)]
    return {"resources": resources, "validate_only": rnd.random() < 0.6}


REQUESTS: dict[str, tuple[tuple[int, int], Callable[[Random, int], Said]]] = {
    "OffsetCommit": ((2, 10), _offset_commit),
    "OffsetFetch": ((1, 10), _offset_fetch),
    "OffsetDelete": ((0, 0), _offset_delete),
    "ListGroups": ((4, 5), _list_groups),
    "ListOffsets": ((1, 11), _list_offsets),
    "Metadata": ((4, 13), _metadata),
    "CreateTopics": ((2, 6), _create_topics),  # v7 tells Kafka's made-up id of what it only tried
    "CreatePartitions": ((0, 3), _create_partitions),
    "ConsumerGroupHeartbeat": ((0, 1), _heartbeat),
    "Heartbeat": ((0, 4), _classic_request),
    "SyncGroup": ((0, 5), _classic_request),
    "LeaveGroup": ((3, 5), _classic_request),
    "DescribeGroups": ((0, 6), _groups("groups")),
    "ConsumerGroupDescribe": ((0, 1), _groups("group_ids")),
    "DeleteGroups": ((0, 2), _groups("groups_names")),
    "FindCoordinator": ((1, 6), _find_coordinator),
    "EndTxn": ((0, 5), _end_transaction),
    "AddOffsetsToTxn": ((0, 4), _end_transaction),
    "DescribeTransactions": ((0, 0), _end_transaction),
    "DescribeTopicPartitions": ((0, 0), _topic_partitions),
    "DeleteTopics": ((1, 6), _delete_topics),
    "DescribeConfigs": ((1, 4), _describe_configs),
    "IncrementalAlterConfigs": ((0, 1), _alter_configs),
}
