"""A client of the 0.9 draft, written from the published schemas: struct, and none of our codec.

It is the independent side of every test in this folder. What it sends and reads is spelled out
byte by byte; names are the design's.
"""

import asyncio
import struct
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

METADATA, OFFSET_COMMIT, OFFSET_FETCH, CONSUMER_METADATA = 3, 8, 9, 10
JOIN_GROUP, HEARTBEAT, LEAVE_GROUP = 11, 12, 13

Parts = Mapping[str, Sequence[int]]


def string(value: str) -> bytes:
    """int16 length, UTF-8."""
    encoded = value.encode()
    return struct.pack(">h", len(encoded)) + encoded


def array(items: Sequence[bytes]) -> bytes:
    """int32 count, items."""
    return struct.pack(">i", len(items)) + b"".join(items)


class Reader:
    """Bytes of a response, taken from the front."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def number(self, form: str) -> int:
        (value,) = struct.unpack_from(">" + form, self.data, self.at)
        self.at += struct.calcsize(">" + form)
        assert isinstance(value, int)
        return value

    def text(self) -> str:
        length = self.number("h")
        self.at += length
        return self.data[self.at - length : self.at].decode()

    def end(self) -> None:
        assert self.at == len(self.data), "bytes behind the end"


def join_group(
    group: str, session_ms: int, topics: Sequence[str], consumer_id: str, strategy: str
) -> bytes:
    """GroupId SessionTimeout [Topics] ConsumerId PartitionAssignmentStrategy."""
    topics_bytes = array([string(topic) for topic in topics])
    head = string(group) + struct.pack(">i", session_ms)
    return head + topics_bytes + string(consumer_id) + string(strategy)


def heartbeat(group: str, generation: int, consumer_id: str) -> bytes:
    """GroupId GroupGenerationId ConsumerId."""
    return string(group) + struct.pack(">i", generation) + string(consumer_id)


def offset_commit(
    version: int,
    group: str,
    offsets: Mapping[tuple[str, int], int],
    generation: int = -1,
    consumer_id: str = "",
    metadata: str = "",
) -> bytes:
    """v0 group, topics; v1 adds generation, consumer and a timestamp each; v2 a retention time."""
    topics = []
    for name in sorted({topic for topic, _ in offsets}):
        partitions = []
        for (topic, partition), offset in offsets.items():
            if topic == name:
                when = struct.pack(">q", -1) if version == 1 else b""
                partitions.append(struct.pack(">iq", partition, offset) + when + string(metadata))
        topics.append(string(name) + array(partitions))
    who = struct.pack(">i", generation) + string(consumer_id) if version else b""
    retention = struct.pack(">q", -1) if version == 2 else b""
    return string(group) + who + retention + array(topics)


def offset_fetch(group: str, parts: Parts) -> bytes:
    """GroupId [TopicName [Partition]]."""
    return string(group) + array(
        [string(t) + array([struct.pack(">i", p) for p in ps]) for t, ps in parts.items()]
    )


@dataclass
class Joined:
    """JoinGroupResponse."""

    error: int
    generation: int
    consumer_id: str
    parts: Mapping[str, list[int]]


@dataclass
class Cluster:
    """TopicMetadataResponse: brokers by id, and partitions by topic."""

    brokers: Mapping[int, str]
    topics: Mapping[str, list[int]]
    errors: Mapping[str, int]


def read_joined(data: bytes) -> Joined:
    """ErrorCode GroupGenerationId ConsumerId [TopicName [Partition]]."""
    r = Reader(data)
    error, generation, consumer_id = r.number("h"), r.number("i"), r.text()
    parts = {}
    for _ in range(r.number("i")):
        topic = r.text()
        parts[topic] = [r.number("i") for _ in range(r.number("i"))]
    r.end()
    return Joined(error, generation, consumer_id, parts)


def read_cluster(data: bytes) -> Cluster:
    """[NodeId Host Port] [ErrorCode Topic [ErrorCode Partition Leader [Replica] [Isr]]]."""
    r = Reader(data)
    brokers: dict[int, str] = {}
    for _ in range(r.number("i")):
        node = r.number("i")
        brokers[node] = f"{r.text()}:{r.number('i')}"
    topics: dict[str, list[int]] = {}
    errors: dict[str, int] = {}
    for _ in range(r.number("i")):
        error, name = r.number("h"), r.text()
        errors[name], topics[name] = error, []
        for _ in range(r.number("i")):
            r.number("h")
            topics[name].append(r.number("i"))
            assert r.number("i") in brokers, "a leader that is no broker"
            for _ in range(2):
                assert [r.number("i") for _ in range(r.number("i"))]
    r.end()
    return Cluster(brokers, topics, errors)


def first_code(data: bytes) -> int:
    """The error of a response that begins with it."""
    return Reader(data).number("h")


def last_code(data: bytes) -> int:
    """The error of the last partition of a response that ends with it."""
    (code,) = struct.unpack(">h", data[-2:])
    assert isinstance(code, int)
    return code


@dataclass
class Connection:
    """One socket: requests in turn."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    asked: int = 0

    @classmethod
    async def open(cls, address: str) -> "Connection":
        host, _, port = address.rpartition(":")
        return cls(*await asyncio.open_connection(host, int(port)))

    async def call(self, key: int, body: bytes, version: int = 0) -> bytes:
        """The response's body. Raises ``asyncio.IncompleteReadError`` where it is hung up."""
        self.asked += 1
        head = struct.pack(">hhi", key, version, self.asked) + string("raw draft client")
        self.writer.write(struct.pack(">i", len(head) + len(body)) + head + body)
        (size,) = struct.unpack(">i", await self.reader.readexactly(4))
        frame = await self.reader.readexactly(size)
        assert struct.unpack_from(">i", frame) == (self.asked,), "an answer out of its turn"
        return frame[4:]

    async def is_hung_up(self) -> bool:
        """Wait for the other side to close; it may say nothing before."""
        try:
            return await self.reader.read(1) == b""
        except ConnectionResetError:
            return True

    def close(self) -> None:
        self.writer.close()


@dataclass
class Consumer:
    """One consumer as the design has it: discover, join, heartbeat, commit."""

    bootstrap: str
    group: str
    topics: Sequence[str]
    strategy: str = "range"
    session_ms: int = 10_000
    consumer_id: str = ""
    generation: int = -1
    parts: Mapping[str, list[int]] = field(default_factory=dict)
    connection: Connection | None = None

    async def discover(self) -> None:
        """ConsumerMetadataRequest to a broker, until one knows; then connect (Consumer, 1)."""
        self.close()
        while self.connection is None:
            # The broker may be down, or its answer may be about the coordinator that was.
            with suppress(OSError, asyncio.IncompleteReadError):
                await self._connect()
            if self.connection is None:
                await asyncio.sleep(0.1)

    async def _connect(self) -> None:
        asking = await Connection.open(self.bootstrap)
        try:
            r = Reader(await asking.call(CONSUMER_METADATA, string(self.group)))
        finally:
            asking.close()
        error, _node, host, port = r.number("h"), r.number("i"), r.text(), r.number("i")
        r.end()
        if error == 0:
            self.connection = await Connection.open(f"{host}:{port}")

    async def call(self, key: int, body: bytes, version: int = 0) -> bytes:
        if self.connection is None:
            await self.discover()
        assert self.connection is not None
        return await self.connection.call(key, body, version)

    async def join(self, consumer_id: str | None = None) -> Joined:
        """JoinGroupRequest; what it says is remembered."""
        said = self.consumer_id if consumer_id is None else consumer_id
        body = join_group(self.group, self.session_ms, self.topics, said, self.strategy)
        joined = read_joined(await self.call(JOIN_GROUP, body))
        if joined.error == 0:
            self.consumer_id, self.generation = joined.consumer_id, joined.generation
            self.parts = joined.parts
        return joined

    async def heartbeat(self) -> int:
        """HeartbeatRequest; the error code."""
        body = heartbeat(self.group, self.generation, self.consumer_id)
        r = Reader(await self.call(HEARTBEAT, body))
        error = r.number("h")
        r.end()
        return error

    async def until_rejoin(self) -> None:
        """Heartbeats until IllegalGeneration comes."""
        while (error := await self.heartbeat()) == 0:
            await asyncio.sleep(0.01)
        assert error == 22

    async def leave(self) -> int:
        r = Reader(await self.call(LEAVE_GROUP, string(self.group) + string(self.consumer_id)))
        return r.number("h")

    async def commit(
        self, offsets: Mapping[tuple[str, int], int], version: int = 1, metadata: str = ""
    ) -> Mapping[tuple[str, int], int]:
        """OffsetCommitRequest; error codes by partition."""
        body = offset_commit(
            version, self.group, offsets, self.generation, self.consumer_id, metadata=metadata
        )
        r = Reader(await self.call(OFFSET_COMMIT, body, version))
        codes = {}
        for _ in range(r.number("i")):
            topic = r.text()
            for _ in range(r.number("i")):
                partition = r.number("i")
                codes[topic, partition] = r.number("h")
        r.end()
        return codes

    async def fetch(
        self, parts: Parts, version: int = 1
    ) -> Mapping[tuple[str, int], tuple[int, str, int]]:
        """OffsetFetchRequest; offset, metadata and error code by partition."""
        r = Reader(await self.call(OFFSET_FETCH, offset_fetch(self.group, parts), version))
        found = {}
        for _ in range(r.number("i")):
            topic = r.text()
            for _ in range(r.number("i")):
                partition = r.number("i")
                found[topic, partition] = (r.number("q"), r.text(), r.number("h"))
        r.end()
        return found

    async def metadata(self, topics: Sequence[str] = ()) -> Cluster:
        """TopicMetadataRequest; no topics: all."""
        body = array([string(topic) for topic in topics])
        return read_cluster(await self.call(METADATA, body))

    def close(self) -> None:
        """Close the connection, where there is one; the next request looks for the coordinator."""
        if self.connection is not None:
            self.connection.close()
        self.connection = None
