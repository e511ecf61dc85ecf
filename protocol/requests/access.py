"""What one connection's client may do: the node's access rules, and a cache of decisions.

A decision is cached until a rule changes (``Acls.version``), so repeated requests are checked once.
Without an authorizer everything is allowed (``OPEN``), and nothing is looked up.
"""

import logging
from typing import Final, Protocol

from groups.core.acls.bindings import (
    CLUSTER_NAME,
    OPERATIONS,
    AclOperation,
    ResourceType,
)
from groups.core.acls.index import AclIndex, Who, host

logger = logging.getLogger(__name__)

KEPT_MAX: Final = 256
"""Decisions that are cached for one connection; when there are more, the cache is cleared."""

NAME_SHOWN_CHARS: Final = 200
"""Length of a resource's name in the log, since clients choose names."""


class ClientIdentity(Protocol):
    """The client of the connection (``protocol.requests.session.Session``)."""

    principal: str
    address: str


class Rules(Protocol):
    """The node's rules (``groups.clients.acls.Acls``)."""

    version: int
    index: AclIndex


class Open:
    """No authorizer is configured: every operation that exists for a resource is allowed."""

    is_on = False

    def may(self, _operation: AclOperation, _kind: ResourceType, _name: str = CLUSTER_NAME) -> bool:
        """Whether this operation is allowed."""
        return True

    def may_any(self, _operation: AclOperation, _kind: ResourceType) -> bool:
        """Whether the operation is allowed on at least one name."""
        return True

    def may_all(self, _operation: AclOperation, _kind: ResourceType, _prefix: str = "") -> bool:
        """Whether the operation is allowed on every name with this prefix."""
        return True

    def operations(self, kind: ResourceType, _name: str = CLUSTER_NAME) -> int:
        """The allowed operations, a bit for each (KIP-430)."""
        return ALL_OPERATIONS[kind]


ALL_OPERATIONS: Final = {
    kind: sum(1 << operation for operation in known) for kind, known in OPERATIONS.items()
}

OPEN: Final = Open()


class Judged(Open):
    """What the rules allow to one connection's principal and address."""

    is_on = True

    def __init__(self, rules: Rules, identity: ClientIdentity) -> None:
        self._rules = rules
        self._identity = identity
        self._kept: dict[tuple[AclOperation, ResourceType, str], bool] = {}
        self._found = (-1, "")
        self._who = Who("", "")

    def may(self, operation: AclOperation, kind: ResourceType, name: str = CLUSTER_NAME) -> bool:
        """Whether this operation is allowed."""
        if self._found != (self._rules.version, self._identity.principal):
            self._begin_anew()
        key = operation, kind, name
        found = self._kept.get(key)
        if found is None:
            if len(self._kept) >= KEPT_MAX:
                self._kept.clear()
            found = self._kept[key] = self._rules.index.allows(self._who, operation, kind, name)
            if not found:
                self._log_refusal(operation, kind, name)
        return found

    def may_any(self, operation: AclOperation, kind: ResourceType) -> bool:
        """Whether the operation is allowed on at least one name."""
        self._begin_anew()
        return self._rules.index.allows_any(self._who, operation, kind)

    def may_all(self, operation: AclOperation, kind: ResourceType, prefix: str = "") -> bool:
        """Whether the operation is allowed on every name with this prefix."""
        self._begin_anew()
        return self._rules.index.allows_all(self._who, operation, kind, prefix)

    def operations(self, kind: ResourceType, name: str = CLUSTER_NAME) -> int:
        """The allowed operations, a bit for each (KIP-430)."""
        self._begin_anew()
        allows, who = self._rules.index.allows, self._who
        return sum(1 << each for each in OPERATIONS[kind] if allows(who, each, kind, name))

    def _begin_anew(self) -> None:
        """Clear the cache if the rules have changed, or the client has authenticated."""
        found = self._rules.version, self._identity.principal
        if found != self._found:
            self._kept.clear()
            self._found = found
            self._who = Who(self._identity.principal, host(self._identity.address))

    def _log_refusal(self, operation: AclOperation, kind: ResourceType, name: str) -> None:
        shown = name[:NAME_SHOWN_CHARS]
        who = self._who
        logger.debug(
            "%s of %s may not %s %s %r", who.principal, who.host, operation.name, kind.name, shown
        )
