"""A text that no row or index can hold, in any field of any request: that request is refused, the
group's good member continues, and PostgreSQL is never asked to take it."""

import asyncio
import logging
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from groups.core.errors import ErrorCode
from rollcall.wire.declare import Message, layout
from rollcall.wire.kinds import Array, Struct, Text
from rollcall.wire.limits import TAGGED_FIELD_BYTES_MAX
from rollcall.wire.messages import MESSAGES
from rollcall.wire.messages.create_topics import CreatableTopic, CreateTopicsRequest
from rollcall.wire.messages.describe_groups import DescribeGroupsRequest
from rollcall.wire.messages.heartbeat import HeartbeatRequest
from rollcall.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from rollcall.wire.messages.offset_fetch import OffsetFetchRequest
from rollcall.wire.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from tests.core.conversation import subscription
from tests.server.client import Client, consumer_join, join
from tests.server.serving import Serving
from tests.wire.samples import filled

MARK = "\x7f\x7f\x7f"
SURROGATE = b"\xed\xa0\x80"
"""Half of a pair, which UTF-8 does not allow; as long as ``MARK``, whose place it takes. It is read
as three U+FFFD, as Kafka does."""

TEXTS = {
    "6,000": "".join(Random(5).choices("abcdefghijklmnopqrstuvwxyz0123456789", k=6_000)),
    "32,767": "".join(Random(6).choices("abcdefghijklmnopqrstuvwxyz0123456789", k=32_767)),
    "U+0000": "a\0b",
    "a lone surrogate": f"a{MARK}b",
    "empty": "",
}

USUAL: dict[str, Any] = {
    "group_id": "g",
    "group_instance_id": None,
    "instance_id": None,
    "key": "g",
    "name": "t",
    "topic": "t",
    "member_id": "",
    "consumer_id": "",
    "transactional_id": "pay",
    "protocol_type": "consumer",
    "protocol_name": "range",
    "session_timeout_ms": 300,
    "rebalance_timeout_ms": 300,
    "transaction_timeout_ms": 1_000,
    "max_wait_ms": 0,
    "timeout_ms": 1_000,
    "member_epoch": 0,
    "generation_id": -1,
    "generation_id_or_member_epoch": -1,
    "producer_id": -1,
    "producer_epoch": -1,
    "partition_index": 0,
    "partition": 0,
    "num_partitions": 1,
    "replication_factor": 1,
    "resource_type": 32,
    "resource_name": "g",
    "config_operation": 0,
    "committed_metadata": "",
    "subscribed_topic_regex": None,
    "server_assignor": None,
}
"""What makes a request come far; whatever else is in it is as chance has it."""

USUAL_OF = {"JoinGroupRequestProtocol": {"name": "range"}}

PARKED_S = 0.03
"""An answer that is not here by then waits for others; its connection is given up."""

Path = tuple[str | int, ...]


def usual(value: Any) -> Any:
    """The same message with what is usual in it, and one element in each array."""
    if isinstance(value, list):
        return [usual(element) for element in value]
    if not isinstance(value, Struct):
        return value
    names = [field.name for field in value.wire_fields]
    here = USUAL_OF.get(type(value).__name__, USUAL)
    changes = {name: here[name] if name in here else usual(getattr(value, name)) for name in names}
    return replace(value, **changes)  # type: ignore[type-var]


def sample(cls: type[Message], version: int) -> Any:
    """A request that has something in every field."""
    for seed in range(50):
        value = usual(filled(cls, version, Random(seed)))
        if all(_has_elements(value, version)):
            return value
    return value


def _has_elements(value: Any, version: int) -> Iterator[bool]:
    here = layout(type(value), version)
    for field in (*here.plain, *here.tagged):
        inner = getattr(value, field.name)
        if isinstance(field.kind, Array):
            yield bool(inner)
            for element in inner or ():
                if isinstance(element, Struct):
                    yield from _has_elements(element, version)


def texts(value: Any, version: int) -> Iterator[Path]:
    """Where in the message texts stand: the first element of each array."""
    here = layout(type(value), version)
    for field in (*here.plain, *here.tagged):
        kind, inner = field.kind, getattr(value, field.name)
        if isinstance(kind, Text):
            yield (field.name,)
        elif isinstance(kind, Array) and inner:
            if isinstance(kind.element, Text):
                yield (field.name, 0)
            elif isinstance(inner[0], Struct):
                yield from ((field.name, 0, *path) for path in texts(inner[0], version))


def put(value: Any, path: Path, text: str) -> Any:
    """The same message with another text in that place."""
    here, *rest = path
    if isinstance(here, int):
        return [put(value[here], tuple(rest), text) if rest else text, *value[1:]]
    inner = put(getattr(value, here), tuple(rest), text) if rest else text
    return replace(value, **{here: inner})


REQUESTS = [
    (api.request, version)
    for api in MESSAGES.values()
    for version in (api.request.versions[1],)
    if api.request.api_key is not None
]

PARTS = 4
"""Of the requests, each before one server: its start costs more than a request's odd texts."""


@pytest.fixture(autouse=True)
def _quiet(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """No error of ours, and nothing that PostgreSQL had to refuse."""
    yield
    logged = caplog.get_records("call")
    assert not [
        record.getMessage()
        for record in logged
        if record.levelno >= logging.ERROR
        or (record.levelno >= logging.WARNING and record.name.startswith("groups."))
    ]


@pytest.mark.parametrize("part", range(PARTS))
async def test_an_unusual_text_affects_only_its_own_request(served: Serving, part: int) -> None:
    good, _ = await served.connect()
    topic = CreatableTopic(name="t", num_partitions=1, replication_factor=1)
    await good.call(CreateTopicsRequest(topics=[topic], timeout_ms=10_000), 2)
    beat, stranger = await good.settled("g"), await good.settled("stranger")
    for cls, version in REQUESTS[part::PARTS]:
        base = sample(cls, version)
        for path in texts(base, version):
            for text in TEXTS.values():
                said = (cls.__name__, version, path, text[:9])
                was_answered = await _is_handled(served, put(base, path, text), version)
                assert was_answered or _is_too_long(cls, version, path, text), said
                assert (await good.call(stranger, 3)).error_code == ErrorCode.NONE, said
                beat = await _well(good, beat)
                commit = await good.call(_commit(beat), 7)
                assert commit.topics[0].partitions[0].error_code == ErrorCode.NONE, said


async def test_a_go_client_commits_any_bytes_as_metadata(served: Serving) -> None:
    """Strings of Go, and the metadata of librdkafka, are bytes: a client whose commit ends its
    connection commits again for ever."""
    go, _ = await served.connect()
    go.client_id = "größe".encode("latin-1")
    topic = CreatableTopic(name="t", num_partitions=1, replication_factor=1)
    await go.call(CreateTopicsRequest(topics=[topic], timeout_ms=10_000), 2)
    commit = _commit(await go.settled("g"))
    commit.topics[0].partitions[0].committed_metadata = MARK
    go.writer.write(go.packed(commit, 7).replace(MARK.encode(), b"\x01\xfe\xff"))
    assert (await go.receive()).topics[0].partitions[0].error_code == ErrorCode.NONE
    asked = OffsetFetchRequest(group_id="g", topics=None)
    (read,) = (await go.call(asked, 7)).topics
    assert read.partitions[0].metadata == "\x01\ufffd\ufffd"
    described = await go.call(DescribeGroupsRequest(groups=["g"]), 4)
    assert described.groups[0].members[0].client_id == "gr\ufffd\ufffde"


async def test_a_name_in_metadata_that_no_row_can_hold_keeps_nobody_out(served: Serving) -> None:
    """The coordinator reads what classic members say when one of the other protocol joins."""
    old, _ = await served.connect()
    asked = join("g")
    asked.protocols[0].metadata = subscription("t,a\0b")
    joined = await old.call(asked, 3)
    mine = SyncGroupRequestAssignment(member_id=joined.member_id, assignment=b"")
    synced = SyncGroupRequest(
        group_id="g", generation_id=1, member_id=joined.member_id, assignments=[mine]
    )
    assert (await old.call(synced, 2)).error_code == ErrorCode.NONE
    new, _ = await served.connect()
    assert (await new.call(consumer_join("g"), 1)).error_code == ErrorCode.NONE
    another, _ = await served.connect()
    assert (await another.call(asked, 3)).error_code == ErrorCode.NONE


def _is_too_long(cls: type[Message], version: int, path: Path, text: str) -> bool:
    """Longer than a tagged field may be."""
    tagged = {field.name for field in layout(cls, version).tagged}
    return path[0] in tagged and len(text) > TAGGED_FIELD_BYTES_MAX


async def _is_handled(served: Serving, request: Any, version: int) -> bool:
    """Send it by a connection of its own, and wait until it is answered or parked. False: its
    connection was closed instead."""
    client = await Client.connect(served.address)
    try:
        client.writer.write(client.packed(request, version).replace(MARK.encode(), SURROGATE))
        async with asyncio.timeout(PARKED_S):
            await client.receive()
    except TimeoutError:
        pass  # it waits for others
    except (asyncio.IncompleteReadError, ConnectionError):
        return False
    finally:
        client.abort()
    return True


async def _well(good: Client, beat: HeartbeatRequest) -> HeartbeatRequest:
    """The good member continues, joining again where a new member was accepted."""
    while (code := (await good.call(beat, 3)).error_code) != ErrorCode.NONE:
        assert code in (ErrorCode.REBALANCE_IN_PROGRESS, ErrorCode.ILLEGAL_GENERATION), code
        joined = await good.call(join(beat.group_id, beat.member_id), 3)
        if joined.error_code != ErrorCode.NONE:
            continue
        beat = replace(beat, generation_id=joined.generation_id)
        mine = SyncGroupRequestAssignment(member_id=joined.member_id, assignment=b"all")
        await good.call(
            SyncGroupRequest(
                group_id=beat.group_id,
                generation_id=joined.generation_id,
                member_id=joined.member_id,
                assignments=[mine],
            ),
            2,
        )
    return beat


def _commit(beat: HeartbeatRequest) -> OffsetCommitRequest:
    partition = OffsetCommitRequestPartition(partition_index=0, committed_offset=1)
    return OffsetCommitRequest(
        group_id=beat.group_id,
        generation_id_or_member_epoch=beat.generation_id,
        member_id=beat.member_id,
        topics=[OffsetCommitRequestTopic(name="t", partitions=[partition])],
    )
