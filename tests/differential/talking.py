"""One server and what its members know; requests by name, answers as plain data.

What must differ between two servers does not count: addresses, texts of errors, ids of topics,
members and producers. Names of a scenario are told by their letters.
"""

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from groups.core.errors import ErrorCode
from protocol.handlers.support.wire_codes import WireCode
from rollcall.wire.kinds import Array, Struct
from rollcall.wire.messages import MESSAGES
from tests.server.client import Client

Answer = Any
"""A literal: tuples, lists, dicts, strings and numbers, as ``ast.literal_eval`` reads them."""

BY_NAME = {api.name: api for api in MESSAGES.values()}

ZERO = UUID(int=0)

RETRIABLE = (14, 15, 16, 51)
"""The coordinator loads, or a transaction is still ending: a client asks again."""

TRIES = 200


def named(code: int) -> str | int:
    """An error's name."""
    for codes in (ErrorCode, WireCode):
        if code in list(codes):
            return codes(code).name
    return code


def build(kind: type[Struct], said: Mapping[str, Any]) -> Any:
    """A request of plain data: a dict for each struct."""
    fields = {f.name: f.kind for f in kind.wire_fields}
    return kind(**{name: _built(fields[name], value) for name, value in said.items()})


def prune(kind: type[Struct], said: Mapping[str, Any], version: int) -> dict[str, Any]:
    """What of it the request has in this version."""
    fields = {f.name: f.kind for f in kind.wire_fields if f.present(version)}
    return {k: _pruned(fields[k], v, version) for k, v in said.items() if k in fields}


def _pruned(kind: object, value: Any, version: int) -> Any:
    if isinstance(kind, Array) and isinstance(kind.element, type) and value is not None:
        return [prune(kind.element, each, version) for each in value]
    return value


def _built(kind: object, value: Any) -> Any:
    if isinstance(kind, Array) and value is not None:
        return [_built(kind.element, each) for each in value]
    if isinstance(kind, type) and value is not None:
        return build(kind, value)
    return value


@dataclass
class Member:
    """What one member was told. ``is_in``: as far as it knows; ``gave``: what it sent as owned;
    ``was_handed_out``: it was given its id, and has not joined with it yet; ``left_an_id``: it was
    given one, and joined without it."""

    member_id: str
    instance_id: str | None = None
    is_in: bool = False
    epoch: int = 0
    before: int = 0
    told: dict[str, list[int]] = field(default_factory=dict)
    gave: dict[str, list[int]] = field(default_factory=dict)
    topics: str = ""
    generation: int = -1
    leads: bool = False
    others: list[str] = field(default_factory=list)
    protocol: str = ""
    waits: "asyncio.Task[Any] | None" = None
    wants: str = ""
    was_handed_out: bool = False
    left_an_id: bool = False


class Side:
    """One server, as one scenario sees it. ``shift``: by how much its numbers have gone on where
    the other's began anew."""

    def __init__(self, address: str, tag: str, letters: str) -> None:
        self.address = address
        self.group = f"g{tag}"
        self.tag = tag
        self.topics = {letter: f"{letter.lower()}{tag}" for letter in letters}
        self.ids: dict[str, UUID] = {}
        self.members: dict[int, Member] = {}
        self.ours: dict[str, str] = {}
        self.producers: list[int] = []
        self.claims: dict[int, tuple[int, int]] = {}
        self.shift = 0
        self._clients: dict[str, Client] = {}

    async def client(self, over: str) -> Client:
        """The connection of that name."""
        if over not in self._clients:
            self._clients[over] = await Client.connect(self.address)
        return self._clients[over]

    async def ask(self, api: str, version: int, over: str = "a", /, **said: Any) -> Any:
        """One request and its answer."""
        client = await self.client(over)
        return await client.call(build(BY_NAME[api].request, said), version)

    async def ask_again(self, api: str, version: int, **said: Any) -> Any:
        """The same, again while the coordinator loads or a transaction ends."""
        for _ in range(TRIES):
            answer = await self.ask(api, version, **said)
            codes = {getattr(answer, "error_code", 0), *_codes(answer)}
            if not codes.intersection(RETRIABLE):
                break
            await asyncio.sleep(0.02)
        return answer

    async def close(self) -> None:
        """Close the connections; what waits is given up."""
        for member in self.members.values():
            if member.waits is not None:
                member.waits.cancel()
                await asyncio.gather(member.waits, return_exceptions=True)
        for client in self._clients.values():
            client.close()

    # -- topics

    async def learn(self) -> dict[str, int]:
        """Which topics there are, with their partitions; their ids are remembered."""
        asked = [{"name": name} for name in self.topics.values()]
        answer = await self.ask(
            "Metadata", 12, "admin", topics=asked, allow_auto_topic_creation=False
        )
        letters = {name: letter for letter, name in self.topics.items()}
        found = {letters[t.name]: t for t in answer.topics if t.error_code == 0}
        self.ids |= {letter: topic.topic_id for letter, topic in found.items()}
        return {letter: len(topic.partitions) for letter, topic in found.items()}

    async def create(self, letter: str, count: int) -> Answer:
        """A topic comes into being."""
        topic = {"name": self.topics[letter], "num_partitions": count, "replication_factor": 1}
        answer = await self.ask("CreateTopics", 7, "admin", topics=[topic], timeout_ms=9_000)
        return named(answer.topics[0].error_code)

    async def grow(self, letter: str, count: int) -> Answer:
        """A topic gets more partitions."""
        topic = {"name": self.topics[letter], "count": count, "assignments": None}
        answer = await self.ask("CreatePartitions", 3, "admin", topics=[topic], timeout_ms=9_000)
        return named(answer.results[0].error_code)

    async def drop(self, letter: str) -> Answer:
        """A topic is deleted."""
        topic = {"name": self.topics[letter]}
        answer = await self.ask("DeleteTopics", 6, "admin", topics=[topic], timeout_ms=9_000)
        return named(answer.responses[0].error_code)

    def parts(self, told: Any) -> dict[str, list[int]]:
        """Partitions by letter, of structs with a topic's id or name."""
        letters = {topic_id: letter for letter, topic_id in self.ids.items()}
        found = {letters.get(t.topic_id, "?"): sorted(t.partitions) for t in told}
        return {letter: found[letter] for letter in sorted(found) if found[letter]}

    def wire(self, parts: Mapping[str, list[int]]) -> list[dict[str, Any]]:
        """The same as a request says it."""
        known = [letter for letter in parts if letter in self.ids]
        return [{"topic_id": self.ids[t], "partitions": list(parts[t])} for t in known]

    # -- names

    def short(self, value: Any) -> Any:
        """Data without what only this server says."""
        if isinstance(value, Mapping):
            return {self.short(k): self.short(v) for k, v in value.items()}
        if isinstance(value, list | tuple):
            return type(value)(map(self.short, value))
        if isinstance(value, UUID):
            letters = {topic_id: letter for letter, topic_id in self.ids.items()}
            return "0" if value == ZERO else letters.get(value, "id")
        if isinstance(value, str):
            return self._spelt(value)
        return int(value) if isinstance(value, int) and not isinstance(value, bool) else value

    def _spelt(self, text: str) -> str:
        if text in self.ours:
            return self.ours[text]
        for letter, name in self.topics.items():
            text = text.replace(name, letter)
        return text.replace(self.tag, "")


def in_order(side: Side, answer: Any, without: Collection[str] = ()) -> Any:
    """An answer's data in the order of what is compared (ids differ from server to server), without
    the fields named."""
    if isinstance(answer, dict):
        return {k: in_order(side, v, without) for k, v in answer.items() if k not in without}
    if isinstance(answer, list):
        ordered = [in_order(side, v, without) for v in answer]
        return sorted(ordered, key=lambda v: repr(side.short(v)))
    return answer


def _codes(answer: Any) -> set[int]:
    """The partitions' errors of an answer by topic."""
    topics = getattr(answer, "topics", ())
    return {p.error_code for t in topics for p in getattr(t, "partitions", ())}


LEFT_OUT = frozenset(
    {
        *("throttle_time_ms", "error_message", "cluster_id", "brokers", "controller_id", "host"),
        *("port", "node_id", "leader_id", "replica_nodes", "isr_nodes", "leader_epoch", "configs"),
        *("offline_replicas", "client_host", "producer_id", "documentation", "coordinators_host"),
        *("supported_features", "finalized_features", "eligible_leader_replicas", "member_id"),
    }
)
"""Fields of whole answers that are a server's own."""


def plain(answer: Struct) -> dict[str, Any]:
    """A whole answer as data: without defaults, in an arbitrary order, and of bytes
    only whether there are any."""
    fields = {f.name: (getattr(answer, f.name), f) for f in answer.wire_fields}
    return {
        name: _plain(value)
        for name, (value, f) in fields.items()
        if name not in LEFT_OUT and value not in (f.default, [], ())
    }


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return sorted(map(_plain, value), key=repr)
    if isinstance(value, Struct):
        return plain(value)
    return bool(value) if isinstance(value, bytes | memoryview) else value
