"""Kafka's model of access: a binding allows or denies a principal an operation on a resource.

Numbers and names are Apache Kafka's (KIP-11, KIP-290 for prefixes); rows contain the names.
"""

from enum import IntEnum
from typing import Final, NamedTuple, Self

ANY_NAME: Final = "*"
"""A literal resource name for every resource, and a host for every host."""

EVERYBODY: Final = "User:*"
"""The principal for every user."""

CLUSTER_NAME: Final = "kafka-cluster"
"""The name of the one resource of type CLUSTER."""


class ResourceType(IntEnum):
    """Types of resources that can be protected. Kafka also has delegation tokens, which do not
    exist here."""

    UNKNOWN = 0
    ANY = 1
    TOPIC = 2
    GROUP = 3
    CLUSTER = 4
    TRANSACTIONAL_ID = 5
    DELEGATION_TOKEN = 6
    USER = 7


class PatternType(IntEnum):
    """How a binding's name is compared; ANY and MATCH exist only in filters."""

    UNKNOWN = 0
    ANY = 1
    MATCH = 2
    LITERAL = 3
    PREFIXED = 4


class AclOperation(IntEnum):
    """The operations on resources; ALL means each of them."""

    UNKNOWN = 0
    ANY = 1
    ALL = 2
    READ = 3
    WRITE = 4
    CREATE = 5
    DELETE = 6
    ALTER = 7
    DESCRIBE = 8
    CLUSTER_ACTION = 9
    DESCRIBE_CONFIGS = 10
    ALTER_CONFIGS = 11
    IDEMPOTENT_WRITE = 12
    CREATE_TOKENS = 13
    DESCRIBE_TOKENS = 14
    TWO_PHASE_COMMIT = 15


class Permission(IntEnum):
    """Whether a binding allows or denies; ANY exists only in filters."""

    UNKNOWN = 0
    ANY = 1
    DENY = 2
    ALLOW = 3


IMPLIED_BY: Final = {
    AclOperation.DESCRIBE: frozenset(
        (AclOperation.READ, AclOperation.WRITE, AclOperation.DELETE, AclOperation.ALTER)
    ),
    AclOperation.DESCRIBE_CONFIGS: frozenset((AclOperation.ALTER_CONFIGS,)),
}
"""By operation: the operations that imply it when they are allowed. Denials imply nothing."""

OPERATIONS: Final = {
    ResourceType.TOPIC: (
        AclOperation.READ,
        AclOperation.WRITE,
        AclOperation.CREATE,
        AclOperation.DELETE,
        AclOperation.ALTER,
        AclOperation.DESCRIBE,
        AclOperation.DESCRIBE_CONFIGS,
        AclOperation.ALTER_CONFIGS,
    ),
    ResourceType.GROUP: (
        AclOperation.READ,
        AclOperation.DELETE,
        AclOperation.DESCRIBE,
        AclOperation.DESCRIBE_CONFIGS,
        AclOperation.ALTER_CONFIGS,
    ),
    ResourceType.CLUSTER: (
        AclOperation.CREATE,
        AclOperation.ALTER,
        AclOperation.DESCRIBE,
        AclOperation.CLUSTER_ACTION,
        AclOperation.DESCRIBE_CONFIGS,
        AclOperation.ALTER_CONFIGS,
        AclOperation.IDEMPOTENT_WRITE,
    ),
    ResourceType.TRANSACTIONAL_ID: (
        AclOperation.WRITE,
        AclOperation.DESCRIBE,
        AclOperation.TWO_PHASE_COMMIT,
    ),
}
"""The operations that exist for each type (KIP-430): the bits of authorized operations."""


class Binding(NamedTuple):
    """One access rule. ``principal`` is ``User:name``; ``host`` an address or ``*``."""

    resource_type: ResourceType
    name: str
    pattern: PatternType
    principal: str
    host: str
    operation: AclOperation
    permission: Permission

    @classmethod
    def of_words(
        cls,
        resource_type: str,
        name: str,
        pattern: str,
        principal: str,
        host: str,
        operation: str,
        permission: str,
    ) -> Self:
        """From the words of a row, a form or a body; KeyError for an unknown word."""
        return cls(
            ResourceType[resource_type],
            name,
            PatternType[pattern],
            principal,
            host,
            AclOperation[operation],
            Permission[permission],
        )


class Filter(NamedTuple):
    """Matches bindings: None and ANY match every value (Kafka's AclBindingFilter)."""

    resource_type: ResourceType = ResourceType.ANY
    name: str | None = None
    pattern: PatternType = PatternType.ANY
    principal: str | None = None
    host: str | None = None
    operation: AclOperation = AclOperation.ANY
    permission: Permission = Permission.ANY

    @property
    def binding(self) -> Binding | None:
        """The only binding that the filter matches, if it has no open part."""
        is_open = (
            None in (self.name, self.principal, self.host)
            or self.pattern in (PatternType.ANY, PatternType.MATCH)
            or self.resource_type == ResourceType.ANY
            or self.operation == AclOperation.ANY
            or self.permission == Permission.ANY
        )
        return None if is_open else Binding(*self)  # type: ignore[arg-type]

    def matches(self, binding: Binding) -> bool:
        """Whether the filter matches the binding."""
        return (
            self.resource_type in (ResourceType.ANY, binding.resource_type)
            and self.operation in (AclOperation.ANY, binding.operation)
            and self.permission in (Permission.ANY, binding.permission)
            and self.principal in (None, binding.principal)
            and self.host in (None, binding.host)
            and self._names(binding)
        )

    def _names(self, binding: Binding) -> bool:
        """KIP-290: MATCH matches every binding that applies to a resource of this name."""
        if self.pattern not in (PatternType.ANY, PatternType.MATCH, binding.pattern):
            return False
        if self.name is None:
            return True
        if self.pattern is not PatternType.MATCH:
            return self.name == binding.name
        if binding.pattern is PatternType.PREFIXED:
            return self.name.startswith(binding.name)
        return binding.name in (self.name, ANY_NAME)
