"""Decides requests by a set of bindings, without reading bindings of other names.

As in Kafka's StandardAuthorizer: of all bindings that apply to a resource (its name, ``*``, a
prefix of it), one that denies wins; otherwise one that allows; otherwise the request is denied,
unless ``allow.everyone.if.no.acl.found`` is set and no binding applies to the resource.
"""

import ipaddress
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from groups.core.acls.bindings import (
    ANY_NAME,
    EVERYBODY,
    IMPLIED_BY,
    AclOperation,
    Binding,
    PatternType,
    Permission,
    ResourceType,
)

Rules = Mapping[str, list[Binding]]
"""The bindings of one name, by principal."""

NOTHING: Rules = {}


@dataclass(frozen=True, slots=True)
class Who:
    """The client of a request: its principal, and its address in the form of ``host``."""

    principal: str
    host: str


def host(address: str) -> str:
    """One form for each address: Java writes IPv6 without ``::``, others abbreviate it."""
    try:
        return str(ipaddress.ip_address(address))
    except ValueError:
        return address


@dataclass(slots=True)
class OfType:
    """Bindings of one type of resource. ``lengths``: those of all prefixes, in increasing order."""

    literal: dict[str, dict[str, list[Binding]]] = field(default_factory=dict)
    prefixed: dict[str, dict[str, list[Binding]]] = field(default_factory=dict)
    lengths: tuple[int, ...] = ()

    def add(self, binding: Binding) -> None:
        """Add a binding. ``lengths`` is computed at the end."""
        names = self.prefixed if binding.pattern is PatternType.PREFIXED else self.literal
        names.setdefault(binding.name, {}).setdefault(binding.principal, []).append(binding)

    def about(self, name: str) -> Iterator[Rules]:
        """The bindings of every name that applies to this one."""
        if name in self.literal:
            yield self.literal[name]
        if ANY_NAME in self.literal and name != ANY_NAME:
            yield self.literal[ANY_NAME]
        for length in self.lengths:
            if (found := self.prefixed.get(name[:length])) is not None:
                yield found

    def denies_prefix(self, prefix: str, who: Who, operation: AclOperation) -> bool:
        """Whether the whole prefix is denied; a denial of a single name leaves the others."""
        above = (self.prefixed.get(prefix[:length], NOTHING) for length in self.lengths)
        return any(_has_binding(rules, who, operation, Permission.DENY) for rules in above)


class AclIndex:
    """A set of bindings that never changes. ``super_users`` are allowed everything."""

    def __init__(
        self,
        bindings: Iterable[Binding] = (),
        super_users: Iterable[str] = (),
        *,
        allow_everyone: bool = False,
    ) -> None:
        self.bindings = frozenset(bindings)
        self._super_users = frozenset(super_users)
        self._allow_everyone = allow_everyone
        self._types: dict[ResourceType, OfType] = defaultdict(OfType)
        for binding in self.bindings:
            self._types[binding.resource_type].add(binding._replace(host=host(binding.host)))
        for of_type in self._types.values():
            of_type.lengths = tuple(sorted({len(name) for name in of_type.prefixed}))

    def allows(self, who: Who, operation: AclOperation, kind: ResourceType, name: str) -> bool:
        """Whether this operation is allowed."""
        if who.principal in self._super_users:
            return True
        is_allowed, has_rules = False, False
        for rules in self._types[kind].about(name):
            has_rules = True
            decision = _decision(rules, who, operation)
            if decision is Permission.DENY:
                return False
            is_allowed = is_allowed or decision is Permission.ALLOW
        return is_allowed or (self._allow_everyone and not has_rules)

    def allows_any(self, who: Who, operation: AclOperation, kind: ResourceType) -> bool:
        """Whether the operation is allowed on at least one name (KIP-679:
        authorizeByResourceType)."""
        if who.principal in self._super_users:
            return True
        of_type = self._types[kind]
        if _has_binding(of_type.literal.get(ANY_NAME, NOTHING), who, operation, Permission.DENY):
            return False
        if self._allow_everyone:
            return True
        return any(
            _has_binding(rules, who, operation, Permission.ALLOW)
            and (name == ANY_NAME or self.allows(who, operation, kind, name))
            for name, rules in of_type.literal.items()
        ) or any(
            _has_binding(rules, who, operation, Permission.ALLOW)
            and not of_type.denies_prefix(name, who, operation)
            for name, rules in of_type.prefixed.items()
        )

    def allows_all(
        self, who: Who, operation: AclOperation, kind: ResourceType, prefix: str = ""
    ) -> bool:
        """Whether the operation is allowed on every name with this prefix, including future
        ones."""
        if who.principal in self._super_users:
            return True
        of_type, denied = self._types[kind], Permission.DENY
        overlapping = [rules for name, rules in of_type.literal.items() if name.startswith(prefix)]
        overlapping += [
            rules for name, rules in of_type.prefixed.items() if name.startswith(prefix)
        ]
        above = list(of_type.about(prefix))
        if any(_has_binding(rules, who, operation, denied) for rules in (*overlapping, *above)):
            return False
        covering = [of_type.literal.get(ANY_NAME, NOTHING)]
        covering += [of_type.prefixed.get(prefix[:n], NOTHING) for n in of_type.lengths]
        if any(_has_binding(rules, who, operation, Permission.ALLOW) for rules in covering):
            return True
        return self._allow_everyone and not overlapping and not above


def _decision(rules: Rules, who: Who, operation: AclOperation) -> Permission:
    """The result of one name's bindings; ANY: none applies."""
    if _has_binding(rules, who, operation, Permission.DENY):
        return Permission.DENY
    allows = _has_binding(rules, who, operation, Permission.ALLOW)
    return Permission.ALLOW if allows else Permission.ANY


def _has_binding(rules: Rules, who: Who, operation: AclOperation, permission: Permission) -> bool:
    """Whether one of the bindings has this permission for the client and the operation."""
    return any(
        binding.permission is permission
        and binding.host in (ANY_NAME, who.host)
        and _means(binding, operation)
        for principal in (who.principal, EVERYBODY)
        for binding in rules.get(principal, ())
    )


def _means(binding: Binding, operation: AclOperation) -> bool:
    if binding.operation in (AclOperation.ALL, operation):
        return True
    is_allowing = binding.permission is Permission.ALLOW
    return is_allowing and binding.operation in IMPLIED_BY.get(operation, ())
