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


def check(binding: Binding) -> None:
    """Refuse an invalid binding (Kafka's AclControlManager.validateNewAcl)."""
    found = fault(binding)
    if found is not None:
        raise _invalid(found[1])


def fault(binding: Binding) -> tuple[str, str] | None:
    """The invalid field, and the reason; None if the binding is valid."""
    if binding.resource_type is ResourceType.CLUSTER and binding.name != CLUSTER_NAME:
        return "name", f"The only valid name for the CLUSTER resource is {CLUSTER_NAME}"
    if not binding.name:
        return "name", "Invalid empty resource name"
    for field, what, value, first in (
        ("resource_type", "resourceType", binding.resource_type, ResourceType.TOPIC),
        ("pattern", "patternType", binding.pattern, PatternType.LITERAL),
        ("operation", "operation", binding.operation, AclOperation.ALL),
        ("permission", "permissionType", binding.permission, Permission.DENY),
    ):
        if value < first:  # UNKNOWN, and values that exist only in filters
            return field, f"Invalid {what} {value.name}"
    if ":" not in binding.principal:
        return "principal", NO_COLON.format(binding.principal)
    if not binding.host:
        return "host", "Invalid empty host"
    return _oversized(binding)


def _oversized(binding: Binding) -> tuple[str, str] | None:
    for field, what, text, most in (
        ("name", "resource name", binding.name, NAME_BYTES_MAX),
        ("principal", "principal", binding.principal, PRINCIPAL_BYTES_MAX),
        ("host", "host", binding.host, HOST_BYTES_MAX),
    ):
        if "\0" in text or len(text.encode(errors="replace")) > most:
            return field, f"The {what} has more than {most} bytes, or U+0000"
    return None


def filter_of(numbers: Sequence[int], names: Sequence[str | None]) -> Filter:
    """A filter of (type, pattern, operation, permission) and (name, principal, host), with
    INVALID_REQUEST for a number that Kafka does not know."""
    acl_filter = Filter(
        word(ResourceType, numbers[0]),
        names[0],
        word(PatternType, numbers[1]),
        names[1],
        names[2],
        word(AclOperation, numbers[2]),
        word(Permission, numbers[3]),
    )
    if 0 in (
        acl_filter.resource_type,
        acl_filter.pattern,
        acl_filter.operation,
        acl_filter.permission,
    ):
        raise _invalid("The filter contains UNKNOWN elements")
    return acl_filter


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
