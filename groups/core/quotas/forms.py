"""Validates entities and their quotas: Kafka's checks and messages (ClientQuotaControlManager of
4.3.1), and the limits of rows."""

import ipaddress
from collections.abc import Iterable, Mapping
from math import isnan
from typing import Final, NamedTuple

from groups.core.errors import ErrorCode, Refuse
from groups.core.quotas.entities import (
    ADDRESS_KEYS,
    CLIENT_ID,
    CLIENT_KEYS,
    IP,
    TYPES,
    USER,
    WHOLE,
    Entity,
)

NAME_BYTES_MAX: Final = 1_024
"""An entity is the key of an index, whose entries have at most 2,704 bytes."""

EPSILON: Final = 1e-6
"""Tolerance for a quota that has to be a whole number."""


class Change(NamedTuple):
    """One quota to set; None: to remove."""

    key: str
    value: float | None


def check(entity: Entity, changes: Iterable[Change]) -> dict[str, float | None]:
    """The changes by key. Refuses INVALID_REQUEST."""
    requested = tuple(changes)
    if len({change.key for change in requested}) < len(requested):
        raise twice(entity)
    keys = _keys(entity)
    for change in requested:
        if change.value is not None:
            _check_value(keys, change.key, change.value)
    return {change.key: change.value for change in requested}


def twice(entity: Entity) -> Refuse:
    """A request names an entity, or one of its quotas, more than once: Kafka has the same message
    for both."""
    return _invalid(f"Ignoring duplicate entity {kafka_form(entity)}")


def kafka_form(entity: Entity) -> str:
    """A number as in Kafka's messages."""
    parts = ", ".join(f"{kind}={'null' if name is None else name}" for kind, name in entity)
    return f"ClientQuotaEntity(entries={{{parts}}})"


def _keys(entity: Entity) -> frozenset[str]:
    """The quotas that such an entity may have."""
    if not entity:
        raise _invalid("Invalid empty client quota entity")
    parts = dict(entity)
    for kind, name in entity:
        if kind not in TYPES:
            raise _invalid(f"Unhandled client quota entity type: {kind}")
        if name == "":
            raise _invalid(f"Empty {kind} not supported")
    if IP in parts and (USER in parts or CLIENT_ID in parts):
        # Kafka's message, including the missing space.
        detail = "Invalid quota entity combination, IP entity should"
        raise _invalid(f"{detail}not be combined with User or ClientId")
    _check_names(parts)
    return ADDRESS_KEYS if IP in parts else CLIENT_KEYS


def _check_names(parts: Mapping[str, str | None]) -> None:
    for kind, name in parts.items():
        if name is not None and ("\0" in name or len(name.encode()) > NAME_BYTES_MAX):
            raise _invalid(f"The {kind} has more than {NAME_BYTES_MAX} bytes, or U+0000")
    where = parts.get(IP)
    if where is not None and address(where) is None:
        raise _invalid(f"{where} is not a valid IP or resolvable host.")


def address(text: str) -> str | None:
    """An address in the form for comparison: IPv6 has several spellings, and IPv4 may be mapped to
    IPv6. None: it is no address; names are not resolved."""
    try:
        found = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = getattr(found, "ipv4_mapped", None)
    return str(mapped or found)


def _check_value(keys: frozenset[str], key: str, value: float) -> None:
    if key not in keys:
        raise _invalid(f"Invalid configuration key {key}")
    if isnan(value) or value <= 0:
        raise _invalid(f"Quota {key} must be greater than 0")
    if key not in WHOLE:
        return
    most, kind = WHOLE[key]
    if value > most:
        raise _invalid(f"Proposed value for {key} is too large for {kind}.")
    if abs(value - int(value + EPSILON)) > EPSILON:
        raise _invalid(f"{key} cannot be a fractional value.")


def _invalid(sentence: str) -> Refuse:
    return Refuse(ErrorCode.INVALID_REQUEST, sentence)
