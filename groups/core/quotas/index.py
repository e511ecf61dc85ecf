"""Finds the quota of a client: the most specific one, in the order of Kafka's
ClientQuotaManager."""

from collections.abc import Iterator, Mapping
from math import inf, isinf
from typing import Final, NamedTuple

from groups.core.networks import network_of
from groups.core.quotas.entities import CONNECTIONS, IP, Entity, of_client

Quotas = Mapping[Entity, Mapping[str, float]]
"""Values by key, for each entity."""

Scope = tuple[str, str]
"""Clients that share a count: a user and a client id; "" means all."""

KINDS: Final = (
    "user and client-id",
    "user and default client-id",
    "user",
    "default user and client-id",
    "default user and default client-id",
    "default user",
    "client-id",
    "default client-id",
)
"""The kinds of entities, most specific first."""


class Quota(NamedTuple):
    """A bound, the scope that shares it, and the kind of its entity (``KINDS``)."""

    bound: float
    scope: Scope
    kind: str


def levels(user: str, client_id: str) -> Iterator[tuple[Entity, Scope]]:
    """In the order of ``KINDS``: the entities to look up, and their scopes. A client without an id
    has no quota of its own; the default applies."""
    both, of_user, of_id = (user, client_id), (user, ""), ("", client_id)
    named = client_id or None
    yield of_client(user, named), both
    yield of_client(user, None), both
    yield of_client(user), of_user
    yield of_client(None, named), both
    yield of_client(None, None), both
    yield of_client(None), of_user
    yield of_client(client_id=named), of_id
    yield of_client(client_id=None), of_id


class QuotaIndex:
    """All quotas of an installation, for look-up. ``of_clients`` and ``of_addresses``: whether
    there are any of these."""

    def __init__(self, quotas: Quotas) -> None:
        self.quotas = quotas
        self.of_addresses = any(kind == IP for entity in quotas for kind, _ in entity)
        self.of_clients = any(kind != IP for entity in quotas for kind, _ in entity)
        self._connections = _by_address(quotas)

    def of(self, user: str, client_id: str) -> Mapping[str, Quota]:
        """The client's quota for each key."""
        found: dict[str, Quota] = {}
        for kind, (entity, scope) in zip(KINDS, levels(user, client_id), strict=True):
            for key, bound in self.quotas.get(entity, {}).items():
                found.setdefault(key, Quota(bound, scope, kind))
        return {key: quota for key, quota in found.items() if not isinf(quota.bound)}

    def connections(self, address: str) -> float | None:
        """The maximum number of new connections per second from this address, of IPv6 from its
        network; None: no limit."""
        bounds = self._connections
        return bounds.get(network_of(address), bounds.get(None))


def _by_address(quotas: Quotas) -> Mapping[str | None, float]:
    """Bounds of connections by the address that is counted; None is the default. If one has quotas
    in two spellings, or of two addresses of a network, the lower one applies."""
    found: dict[str | None, float] = {}
    for entity, values in quotas.items():
        if CONNECTIONS not in values:
            continue
        name = dict(entity).get(IP)
        form = None if name is None else network_of(name)
        found[form] = min(values[CONNECTIONS], found.get(form, inf))
    return found
