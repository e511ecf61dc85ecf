"""Validates bindings and filters: Kafka's checks, and the limits of rows."""

from collections.abc import Sequence
from enum import IntEnum
from typing import Final, TypeVar

from groups.core.acls.bindings import (
    CLUSTER_NAME,
    AclOperation,
    Binding,
    Filter,
    PatternType,
    Permission,
    ResourceType,
)
from groups.core.errors import ErrorCode, Refuse

Word = TypeVar("Word", bound=IntEnum)

NAME_BYTES_MAX: Final = 1_024
PRINCIPAL_BYTES_MAX: Final = 1_024
HOST_BYTES_MAX: Final = 255
"""A binding is the key of an index, whose entries have at most 2,704 bytes."""

NO_COLON: Final = (
    "Could not parse principal from `{}` (no colon is present separating the principal type from"
    " the principal name)"
)


def word(kind: type[Word], number: int) -> Word:
    """The word for a number; UNKNOWN (0 in every enumeration) if there is none."""
    try:
        return kind(number)
    except ValueError:
        return kind(0)


def binding(
    resource_type: int,
    name: str,
    pattern: int,
    principal: str,
    host: str,
    operation: int,
    permission: int,
) -> Binding:
    """A binding from a request's numbers and names; INVALID_REQUEST with Kafka's messages."""
    made = Binding(
        word(ResourceType, resource_type),
        name,
        word(PatternType, pattern),
        principal,
        host,
        word(AclOperation, operation),
        word(Permission, permission),
    )
    check(made)
    return made


def check(asked: Binding) -> None:
    """Refuse an invalid binding (Kafka's AclControlManager.validateNewAcl)."""
    found = fault(asked)
    if found is not None:
        raise _invalid(found[1])


def fault(asked: Binding) -> tuple[str, str] | None:
    """The invalid field, and the reason; None if the binding is valid."""
    if asked.resource_type is ResourceType.CLUSTER and asked.name != CLUSTER_NAME:
        return "name", f"The only valid name for the CLUSTER resource is {CLUSTER_NAME}"
    if not asked.name:
        return "name", "Invalid empty resource name"
    for field, what, value, first in (
        ("resource_type", "resourceType", asked.resource_type, ResourceType.TOPIC),
        ("pattern", "patternType", asked.pattern, PatternType.LITERAL),
        ("operation", "operation", asked.operation, AclOperation.ALL),
        ("permission", "permissionType", asked.permission, Permission.DENY),
    ):
        if value < first:  # UNKNOWN, and values that exist only in filters
            return field, f"Invalid {what} {value.name}"
    if ":" not in asked.principal:
        return "principal", NO_COLON.format(asked.principal)
    if not asked.host:
        return "host", "Invalid empty host"
    return _oversized(asked)


def _oversized(asked: Binding) -> tuple[str, str] | None:
    for field, what, text, most in (
        ("name", "resource name", asked.name, NAME_BYTES_MAX),
        ("principal", "principal", asked.principal, PRINCIPAL_BYTES_MAX),
        ("host", "host", asked.host, HOST_BYTES_MAX),
    ):
        if "\0" in text or len(text.encode(errors="replace")) > most:
            return field, f"The {what} has more than {most} bytes, or U+0000"
    return None


def filter_of(numbers: Sequence[int], names: Sequence[str | None]) -> Filter:
    """A filter of (type, pattern, operation, permission) and (name, principal, host), with
    INVALID_REQUEST for a number that Kafka does not know."""
    made = Filter(
        word(ResourceType, numbers[0]),
        names[0],
        word(PatternType, numbers[1]),
        names[1],
        names[2],
        word(AclOperation, numbers[2]),
        word(Permission, numbers[3]),
    )
    if 0 in (made.resource_type, made.pattern, made.operation, made.permission):
        raise _invalid("The filter contains UNKNOWN elements")
    return made


def _invalid(sentence: str) -> Refuse:
    return Refuse(ErrorCode.INVALID_REQUEST, sentence)


def check_principals(text: str) -> tuple[str, ...]:
    """The principals of ``super.users``: ``User:ann;User:CN=ben``. Raises ``ValueError`` for an
    invalid one."""
    found = tuple(part.strip() for part in text.split(";") if part.strip())
    for principal in found:
        kind, colon, name = principal.partition(":")
        if not (kind and colon and name):
            raise ValueError(NO_COLON.format(principal))
    return found
