"""Our bytes are the bytes of two other implementations, for every version they have.

kio and kafka-python are used in tests only. Neither is a model of robustness: they
see sound messages here, never a client's bytes.
"""

import importlib
import io
from typing import Any

import pytest
from kio.serial import entity_reader, entity_writer

from rollcall.wire.codec import decode, encode
from rollcall.wire.declare import Message, layout
from rollcall.wire.kinds import Array, Kind, Struct, uuid
from tests.wire import kafka_python
from tests.wire.samples import (
    KAFKAS,
    chance,
    every_message_of_kafka,
    filled,
    times,
    versions,
    without_ours,
)

SAMPLES = times(6)


UNKNOWN_TO_KIO = {
    "ApiVersionsRequest": 5,
    "ApiVersionsResponse": 5,
    "DeleteGroupsRequest": 3,
    "DeleteGroupsResponse": 3,
    "TxnOffsetCommitRequest": 6,
    "TxnOffsetCommitResponse": 6,
}
"""Kafka 4.4's versions. Its own Java client speaks these (``tests/clients``)."""


def kio_class(cls: type[Message], version: int) -> Any:
    """kio's class for a version, or None: it has a module for each."""
    name, part = cls.__name__, "data"
    for suffix in ("Request", "Response"):
        if name.endswith(suffix):
            name, part = name.removesuffix(suffix), suffix.lower()
    folder = "".join("_" + c.lower() if c.isupper() else c for c in name).lstrip("_")
    try:
        module = importlib.import_module(f"kio.schema.{folder}.v{version}.{part}")
    except ModuleNotFoundError:
        return None
    return getattr(module, cls.__name__)


@every_message_of_kafka
def test_kio_reads_our_bytes_and_writes_the_same(cls: type[Message]) -> None:
    for version in versions(cls):
        theirs = kio_class(cls, version)
        if UNKNOWN_TO_KIO.get(cls.__name__) == version:
            assert theirs is None, "it has the version now"
            continue
        assert theirs is not None, version
        for sample in range(SAMPLES):
            message = without_ours(filled(cls, version, chance(cls.__name__, version, sample)))
            ours = encode(message, version)
            value, size = entity_reader(theirs)(ours, 0)
            written = io.BytesIO()
            entity_writer(theirs)(written, value)
            assert size == len(ours), version
            assert written.getvalue() == ours, version


def for_kafka_python(theirs: Any, ours: Struct, version: int) -> Any:
    """Our message as kafka-python's: the same values in its own classes."""
    plain, tagged, _ = layout(type(ours), version)
    untouched = type(ours)()
    values = {}
    for field in (*plain, *tagged):
        value = getattr(ours, field.name)
        if field in plain or value != getattr(untouched, field.name):
            name = field.name
            if name not in theirs._struct.fields:  # it has short names for these bits
                name = "authorized_operations"
            values[name] = _value(theirs._struct.fields[name], field.kind, value, version)
    return theirs(version=version, **values)


def _value(field: Any, kind: Kind, value: Any, version: int) -> Any:
    if value is None:
        return None
    if isinstance(kind, Array):
        return [_value(field, kind.element, item, version) for item in value]
    if isinstance(kind, type):
        return for_kafka_python(field.data_class, value, version)
    if getattr(field, "_type_str", None) == "bitfield":
        return {bit for bit in range(32) if value >> bit & 1}
    return str(value) if kind is uuid else value


BOTH = [cls for cls in KAFKAS if cls.__name__ in kafka_python.MESSAGES]


@pytest.mark.parametrize("cls", BOTH, ids=lambda cls: cls.__name__)
def test_kafka_python_writes_the_bytes_that_we_write(cls: type[Message]) -> None:
    theirs = kafka_python.MESSAGES[cls.__name__]
    headless = {"header": False} if cls.api_key is None else {}
    common = [version for version in versions(cls) if version <= theirs.max_version]
    assert common
    for version in common:
        for sample in range(SAMPLES):
            message = filled(cls, version, chance(cls.__name__, version, sample))
            written = for_kafka_python(theirs, message, version).encode(version=version, **headless)
            assert written == encode(message, version), version
            assert decode(cls, version, written) == message, version


def test_both_oracles_cover_what_they_claim() -> None:
    absent = {cls.__name__ for cls in KAFKAS if cls.__name__ not in kafka_python.MESSAGES}
    assert absent == {
        "ConsumerGroupHeartbeatRequest",
        "ConsumerGroupHeartbeatResponse",
        "ConsumerGroupDescribeRequest",
        "ConsumerGroupDescribeResponse",
    }
