"""Messages to test with: every class in every version, filled by chance or by Hypothesis.

No test stands here, and no bytes: only values that a declaration allows.
"""

import os
from random import Random
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from rollcall.wire.declare import Message, layout
from rollcall.wire.kinds import Array, Blob, Fixed, Kind, Struct, Text, boolean, float64, uuid
from rollcall.wire.messages import MESSAGES, PRIVATE_FROM
from rollcall.wire.messages.consumer_protocol_assignment import ConsumerProtocolAssignment
from rollcall.wire.messages.consumer_protocol_subscription import ConsumerProtocolSubscription

CLASSES: list[type[Message]] = [
    *(message for api in MESSAGES.values() for message in (api.request, api.response)),
    ConsumerProtocolSubscription,
    ConsumerProtocolAssignment,
]
KAFKAS = [cls for cls in CLASSES if cls.api_key is None or cls.api_key < PRIVATE_FROM]
"""Those of which somebody else can tell whether we are right; private ones are in ``CLASSES``."""

every_message = pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
every_message_of_kafka = pytest.mark.parametrize("cls", KAFKAS, ids=lambda cls: cls.__name__)
"""A test of a message is one of all its versions: a test of each costs more than what it does."""


def versions(cls: type[Message]) -> range:
    """All that the message has."""
    first, last = cls.versions
    return range(first, last + 1)


VERSIONS = [(cls, version) for cls in CLASSES for version in versions(cls)]

OURS = PRIVATE_FROM
"""Tags from here on are our own too: no other implementation has them."""


def without_ours(value: Any) -> Any:
    """The same message with nothing in our own tagged fields."""
    fresh = type(value)()
    for field in value.wire_fields:
        if field.tag is not None and field.tag >= OURS:
            setattr(value, field.name, getattr(fresh, field.name))
    return value


FUZZ_FACTOR = float(os.environ.get("ROLLCALL_FUZZ_FACTOR", "1"))
"""How many times the usual number of examples; above 1 they differ from run to run."""


def times(usual: int) -> int:
    """So many, by the factor; one at least."""
    return max(1, round(usual * FUZZ_FACTOR))


def often(examples: int) -> settings:
    """Hypothesis settings: the same examples each time, unless a longer run is requested."""
    return settings(
        max_examples=times(examples),
        derandomize=FUZZ_FACTOR <= 1,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


def chance(*seed: object) -> Random:
    """A generator for one test case; a longer run has others."""
    return Random(f"{seed}" if FUZZ_FACTOR <= 1 else None)


def filled(cls: type[Struct], version: int, rng: Random) -> Any:
    """An instance with a value in every field that the version has.

    Values stay within what Kafka would send (known error codes, times of some
    seconds), so that oracles which know more than bytes accept them.
    """
    here = layout(cls, version)
    return cls(
        **{
            field.name: None
            if field.nullable(version) and rng.random() < 0.3
            else _value(field.name, field.kind, version, rng)
            for field in (*here.plain, *here.tagged)
        }
    )


def _value(name: str, kind: Kind, version: int, rng: Random) -> Any:
    if isinstance(kind, Array):
        return [_value(name, kind.element, version, rng) for _ in range(rng.randrange(4))]
    if isinstance(kind, type):
        return filled(kind, version, rng)
    if isinstance(kind, Text):
        return rng.choice(["", "orders", "κόσμος", "a-group " * 20, "m" * rng.randrange(300)])
    if isinstance(kind, Blob):
        return rng.randbytes(rng.choice([0, 1, 60, 126, 127, 128, 300]))
    if kind is boolean:
        return rng.random() < 0.5
    if kind is uuid:
        return UUID(bytes=rng.randbytes(16))
    if "error_code" in name:
        return rng.randrange(-1, 90)
    return rng.randrange(100 if kind.size == 1 else 10_000)


_MADE: dict[tuple[Any, int], st.SearchStrategy[Any]] = {}


def messages(cls: type[Struct], version: int) -> st.SearchStrategy[Any]:
    """Any instance that this version can carry without loss. The strategy is made once: it costs
    more than some examples."""
    if (cls, version) not in _MADE:
        _MADE[cls, version] = _messages(cls, version)
    return _MADE[cls, version]


def _messages(cls: type[Struct], version: int) -> st.SearchStrategy[Any]:
    here = layout(cls, version)
    values = {
        field.name: st.none() | _values(field.kind, version)
        if field.nullable(version)
        else _values(field.kind, version)
        for field in (*here.plain, *here.tagged)
    }
    return st.builds(cls, **values)


def _values(kind: Kind, version: int) -> st.SearchStrategy[Any]:
    if isinstance(kind, Array):
        return st.lists(_values(kind.element, version), max_size=3)
    if isinstance(kind, type):
        return messages(kind, version)
    if isinstance(kind, Text):
        return st.text(st.characters(exclude_categories=["Cs"]), max_size=200)
    if isinstance(kind, Blob):
        return st.binary(max_size=300)
    return _fixed(kind)


def _fixed(kind: Fixed) -> st.SearchStrategy[Any]:
    if kind is boolean:
        return st.booleans()
    if kind is uuid:
        return st.uuids()
    if kind is float64:
        return st.floats(allow_nan=False)
    bits = 8 * kind.size - 1
    return st.integers(-(1 << bits), (1 << bits) - 1)
