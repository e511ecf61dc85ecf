"""The declarations say what Kafka's message definitions say: ``schemas.json`` holds the facts.

There, "n" is a field's name, "t" its type, "v" the versions that have it, "null" those in
which it may be null, "tag" and "tagv" its tag and the versions in which it is tagged,
"d" its default, "f" the fields of its struct; "structs" are those used more than once.
"""

import dataclasses
import json
import pathlib
import types
from collections.abc import Sequence
from typing import Any, Union, get_args, get_origin
from uuid import UUID

import pytest

from rollcall.wire.declare import Message, layout
from rollcall.wire.kinds import Array, Kind, Struct, string
from rollcall.wire.messages import MESSAGES, PRIVATE_FROM
from tests.wire.samples import KAFKAS, OURS, every_message, every_message_of_kafka, versions

SCHEMAS = json.loads(pathlib.Path(__file__).with_name("schemas.json").read_text())
INTEGERS = {"int8", "int16", "int32", "int64"}
ZERO = {
    "bool": False,
    "float64": 0.0,
    "string": "",
    "bytes": b"",
    "records": None,
    "uuid": UUID(int=0),
}


def schema_of(cls: type[Message]) -> dict[str, Any]:
    for part in ("Request", "Response"):
        if cls.__name__.endswith(part):
            return SCHEMAS[cls.__name__.removesuffix(part)][part.lower()]  # type: ignore[no-any-return]
    return SCHEMAS[cls.__name__]["data"]  # type: ignore[no-any-return]


def within(spec: str | None, version: int) -> bool:
    """Whether "3+", "0-4" or "7" has the version."""
    if spec in (None, "none"):
        return False
    assert spec is not None
    if spec.endswith("+"):
        return version >= int(spec[:-1])
    first, _, last = spec.partition("-")
    return int(first) <= version <= int(last or first)


def default_of(field: dict[str, Any]) -> object:
    """A field's default; a struct's is the name of its class."""
    kind, default = field["t"], field.get("d")
    if default == "null":
        return None
    if kind.startswith("[]"):
        return []
    if kind in INTEGERS:
        return int(str(default or 0), 0)
    if kind in ZERO:
        return default == "true" if kind == "bool" else default or ZERO[kind]
    return f"{kind}()"


def told(schema: dict[str, Any], fields: list[dict[str, Any]], version: int) -> list[object]:
    """What the facts say of one version: name, type, null, tag, default, fields within."""
    return [
        (
            field["n"],
            field["t"],
            within(field.get("null"), version),
            field["tag"] if within(field.get("tagv"), version) else None,
            default_of(field),
            told(schema, inner, version)
            if (inner := field.get("f") or schema.get("structs", {}).get(field["t"].strip("[]")))
            else [],
        )
        for field in fields
        if within(field["v"], version)
    ]


KAFKAS_NAMES = {"[]EntryResult": "[]EntryData"}
"""Ours for structs of a request and its response that Kafka calls the same."""


def declared(cls: type[Struct], version: int) -> list[object]:
    """What a declaration says of one version, in the same form."""
    plain, tagged, _ = layout(cls, version)
    fresh = cls()
    return [
        (
            field.name,
            KAFKAS_NAMES.get(called, called),
            field.nullable(version),
            field.tag,
            f"{type(value).__name__}()" if isinstance(value, Struct) else value,
            declared(inner, version) if (inner := struct_within(field.kind)) else [],
        )
        for field in cls.wire_fields
        if field in plain or (field in tagged and (field.tag or 0) < OURS)
        for value in [getattr(fresh, field.name)]
        for called in [field.kind.__name__ if isinstance(field.kind, type) else field.kind.name]
    ]


def struct_within(kind: Kind) -> type[Struct] | None:
    if isinstance(kind, Array):
        return struct_within(kind.element)
    return kind if isinstance(kind, type) else None


@every_message_of_kafka
def test_a_version_has_kafkas_fields(cls: type[Message]) -> None:
    schema = schema_of(cls)
    for version in versions(cls):
        assert declared(cls, version) == told(schema, schema["f"], version), version
        assert cls.flexible(version) == within(schema["flex"], version), version


def test_every_message_has_kafkas_key_and_versions() -> None:
    for cls in KAFKAS:
        schema = schema_of(cls)
        first, _, last = schema["valid"].partition("-")
        assert cls.api_key == schema["key"]
        assert cls.versions == (int(first), int(last or first))


def test_the_table_has_every_api_under_its_key_and_name() -> None:
    names = {
        schema["request"]["key"]: name for name, schema in SCHEMAS.items() if "data" not in schema
    }
    kafkas = {key: api.name for key, api in MESSAGES.items() if key < PRIVATE_FROM}
    assert kafkas == names


def python_type(kind: Kind) -> Any:
    if isinstance(kind, Array):
        return Sequence[python_type(kind.element)]  # type: ignore[misc]
    if isinstance(kind, type):
        return kind
    if kind is string:
        return str
    others = {"bool": bool, "bytes": bytes, "float64": float, "records": bytes, "uuid": UUID}
    return others.get(kind.name, int)


def structs_of(cls: type[Struct]) -> list[type[Struct]]:
    inner = [struct for field in cls.wire_fields if (struct := struct_within(field.kind))]
    return [cls, *(deeper for struct in inner for deeper in structs_of(struct))]


@every_message
def test_annotations_match_the_wire_types(cls: type[Message]) -> None:
    for struct in structs_of(cls):
        hints = {field.name: field.type for field in dataclasses.fields(struct)}  # type: ignore[arg-type]
        for field in struct.wire_fields:
            hint = hints[field.name]
            optional = get_origin(hint) in (Union, types.UnionType)
            bare = [part for part in get_args(hint) if part is not types.NoneType]
            assert optional == (field.nullable_since is not None), (struct, field.name)
            assert (bare[0] if optional else hint) == python_type(field.kind), (struct, field.name)


def test_lists_and_structs_of_defaults_are_not_shared() -> None:
    join = MESSAGES[11].request
    assert getattr(join(), "protocols") is not getattr(join(), "protocols")  # noqa: B009
    fetch = MESSAGES[1].request
    assert getattr(fetch(), "replica_state") is not getattr(fetch(), "replica_state")  # noqa: B009


@every_message
def test_a_message_equals_only_one_of_its_class_with_the_same_values(cls: type[Message]) -> None:
    same, other = cls(), cls()
    assert same == other
    assert same != object()
    with pytest.raises(TypeError, match="unhashable"):
        hash(same)
    for field in cls.wire_fields:
        setattr(other, field.name, "another value")
        assert same != other
        assert f"{field.name}='another value'" in repr(other)
        setattr(other, field.name, getattr(same, field.name))
    assert same == other
    assert repr(other) == repr(same)
