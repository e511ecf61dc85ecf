"""Random requests about client quotas, and what Apache Kafka 4.3.1 answered to them.

``python -m tests.server.quota_steps HOST:PORT`` asks a Kafka that has no quotas yet, and writes
``quota_answers.json`` again; ``test_quota_answers.py`` sends Rollcall the same. No entity is
named twice in a request: what becomes of it then is a difference that is meant (docs/quotas.md).
"""

import asyncio
import json
import sys
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.wire import Peer
from rollcall.wire.messages.alter_client_quotas import AlterClientQuotasRequest, EntryData, OpData
from rollcall.wire.messages.describe_client_quotas import (
    ComponentData,
    DescribeClientQuotasRequest,
    EntityData,
)

ANSWERS = Path(__file__).with_name("quota_answers.json")
SEED, STEPS = 48, 200
NAMES = {
    "user": ["ann", "ben", "<default>", "a/b", "é", None, ""],
    "client-id": ["c1", "c2", "User:x", None, ""],
    "ip": ["10.0.0.1", "::1", None, "", "nonsense.."],
}
KEYS = ["producer_byte_rate", "consumer_byte_rate", "request_percentage"]
KEYS += ["controller_mutation_rate", "connection_creation_rate", "foo", "SCRAM-SHA-256"]
VALUES = [1.0, 2.0, 1024.0, 0.5, 0.0, -1.0, 1e-7, 3.0000001, 2.0**31, 2.0**53, 1e19, 250.25]
SETTLED_S = 0.05
"""Kafka's broker hears of what its controller did a moment later."""


def steps() -> list[Any]:
    """The requests."""
    chance = Random(SEED)
    return [_alter(chance) if chance.random() < 0.5 else _describe(chance) for _ in range(STEPS)]


def _alter(chance: Random) -> AlterClientQuotasRequest:
    found = {}
    for _ in range(chance.choice([1, 1, 2, 3])):
        entity = _entity(chance)
        keys = chance.sample(KEYS, chance.choice([0, 1, 1, 2]))
        found[tuple(sorted(kind for kind, _ in entity)), str(sorted(map(str, entity)))] = EntryData(
            entity=[EntityData(entity_type=kind, entity_name=name) for kind, name in entity],
            ops=[
                OpData(key=key, value=chance.choice(VALUES), remove=chance.random() < 0.25)
                for key in keys
            ],
        )
    return AlterClientQuotasRequest(
        entries=list(found.values()), validate_only=chance.random() < 0.1
    )


def _entity(chance: Random) -> list[tuple[str, str | None]]:
    kinds = chance.choice(
        [["user"]] * 4
        + [["client-id"]] * 3
        + [["user", "client-id"]] * 4
        + [["ip"]] * 2
        + [[], ["host"], ["user", "ip"]]
    )
    return [(kind, chance.choice(NAMES.get(kind, ["x", None]))) for kind in kinds]


def _describe(chance: Random) -> DescribeClientQuotasRequest:
    kinds = [chance.choice(["user", "user", "client-id", "client-id", "ip", "host"])]
    kinds += [chance.choice(["user", "client-id"])] * chance.choice([0, 1])
    return DescribeClientQuotasRequest(
        components=[_component(chance, kind) for kind in kinds][: chance.choice([0, 2, 2, 2])],
        strict=chance.random() < 0.4,
    )


def _component(chance: Random, kind: str) -> ComponentData:
    match_type = chance.choice([0, 0, 0, 1, 2, 2, 2, 3])
    names = [name for name in NAMES.get(kind, ["x"]) if name is not None]
    has_name = (match_type == 0) != (chance.random() < 0.1)
    return ComponentData(
        entity_type=kind,
        match_type=match_type,
        match=chance.choice(names) if has_name else None,
    )


def comparable(answer: Any) -> Any:
    """What counts of an answer: of a change the codes, since of several faults each names
    another one; of a description all but its order."""
    if isinstance(answer.entries, list) and hasattr(answer, "error_message"):
        shown = [
            [_parts(entry), sorted([each.key, each.value] for each in entry.values)]
            for entry in answer.entries
        ]
        return [answer.error_code, answer.error_message, sorted(shown, key=str)]
    if hasattr(answer, "error_message"):
        return [answer.error_code, answer.error_message, None]
    return sorted(([_parts(entry), entry.error_code] for entry in answer.entries), key=str)


def _parts(entry: Any) -> list[Any]:
    parts = {part.entity_type: part.entity_name for part in entry.entity}
    return [[kind, parts[kind]] for kind in sorted(parts)]


async def _record(address: str) -> None:
    peer, found = await Peer.connect(address), list[Any]()
    for request in steps():
        found.append(comparable(await peer.call(request, 1)))
        await asyncio.sleep(SETTLED_S)
    lines = ",\n".join(json.dumps(each, ensure_ascii=False) for each in found)
    ANSWERS.write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    asyncio.run(_record(sys.argv[1]))
