"""What one connection's client may do: the node's access rules, and the decisions kept of them.

A decision is kept for as long as no rule changes (``Acls.version``), so that members who repeat
themselves are judged once. Where no authorizer is on, everybody may everything (``OPEN``), and
nothing is looked up.
"""

import logging
from typing import Final, Protocol

from groups.core.acls.bindings import (
    CLUSTER_NAME,
    OPERATIONS,
    Operation,
    ResourceType,
)
from groups.core.acls.index import AclIndex, Who, host

logger = logging.getLogger(__name__)

KEPT_MAX: Final = 256
"""Decisions kept of one connection; more are forgotten, and found again."""

NAME_SHOWN_CHARS: Final = 200
"""Of a resource's name in the log: names are the client's own."""


class Known(Protocol):
    """Who is at the other end (``protocol.session.Session``)."""

    principal: str
    address: str


class Rules(Protocol):
    """The node's rules (``groups.access.acls.Acls``)."""

    version: int
    index: AclIndex


class Open:
    """No authorizer is on: everybody may everything that exists on a resource."""

    is_on = False

    def may(self, _operation: Operation, _kind: ResourceType, _name: str = CLUSTER_NAME) -> bool:
        """Whether this may be done."""
        return True

    def may_any(self, _operation: Operation, _kind: ResourceType) -> bool:
        """Whether there is a name that this may be done to."""
        return True

    def may_all(self, _operation: Operation, _kind: ResourceType, _prefix: str = "") -> bool:
        """Whether this may be done to every name that begins so."""
        return True

    def operations(self, kind: ResourceType, _name: str = CLUSTER_NAME) -> int:
        """What may be done, a bit for each operation (KIP-430)."""
        return ALL_OPERATIONS[kind]


ALL_OPERATIONS: Final = {
    kind: sum(1 << operation for operation in known) for kind, known in OPERATIONS.items()
}

OPEN: Final = Open()


class Judged(Open):
    """What the rules say of one connection's principal and address."""

    is_on = True

    def __init__(self, rules: Rules, known: Known) -> None:
        self._rules = rules
        self._known = known
        self._kept: dict[tuple[Operation, ResourceType, str], bool] = {}
        self._found = (-1, "")
        self._who = Who("", "")

    def may(self, operation: Operation, kind: ResourceType, name: str = CLUSTER_NAME) -> bool:
        """Whether this may be done."""
        if self._found != (self._rules.version, self._known.principal):
            self._begin_anew()
        asked = operation, kind, name
        found = self._kept.get(asked)
        if found is None:
            if len(self._kept) >= KEPT_MAX:
                self._kept.clear()
            found = self._kept[asked] = self._rules.index.allows(self._who, operation, kind, name)
            if not found:
                self._tell(operation, kind, name)
        return found

    def may_any(self, operation: Operation, kind: ResourceType) -> bool:
        """Whether there is a name that this may be done to."""
        self._begin_anew()
        return self._rules.index.allows_any(self._who, operation, kind)

    def may_all(self, operation: Operation, kind: ResourceType, prefix: str = "") -> bool:
        """Whether this may be done to every name that begins so."""
        self._begin_anew()
        return self._rules.index.allows_all(self._who, operation, kind, prefix)

    def operations(self, kind: ResourceType, name: str = CLUSTER_NAME) -> int:
        """What may be done, a bit for each operation (KIP-430)."""
        self._begin_anew()
        allows, who = self._rules.index.allows, self._who
        return sum(1 << each for each in OPERATIONS[kind] if allows(who, each, kind, name))

    def _begin_anew(self) -> None:
        """The rules have changed, or the client has said who it is."""
        found = self._rules.version, self._known.principal
        if found != self._found:
            self._kept.clear()
            self._found = found
            self._who = Who(self._known.principal, host(self._known.address))

    def _tell(self, operation: Operation, kind: ResourceType, name: str) -> None:
        shown = name[:NAME_SHOWN_CHARS]
        who = self._who
        logger.debug(
            "%s of %s may not %s %s %r", who.principal, who.host, operation.name, kind.name, shown
        )
