"""Entities with quotas, and the kinds of quotas (KIP-13, KIP-55, KIP-124, KIP-546, KIP-599,
KIP-612).

An entity is a user, a client id, both together, or an address. Each part has a name, or is the
default, which applies to all without a quota of their own.
"""

from collections.abc import Mapping
from typing import Final

USER: Final = "user"
CLIENT_ID: Final = "client-id"
IP: Final = "ip"
TYPES: Final = (CLIENT_ID, IP, USER)

Entity = tuple[tuple[str, str | None], ...]
"""Pairs of a type and a name, None the default, in the order of ``TYPES``."""

REQUEST_BYTES: Final = "producer_byte_rate"
ANSWER_BYTES: Final = "consumer_byte_rate"
REQUEST_TIME: Final = "request_percentage"
MUTATIONS: Final = "controller_mutation_rate"
CONNECTIONS: Final = "connection_creation_rate"

RATES: Final = (REQUEST_BYTES, ANSWER_BYTES, REQUEST_TIME)
"""Quotas for which every request of a client counts."""

LONG_MAX: Final = 2**63
"""Kafka compares floats, and 2**63 - 1 is not representable as one."""
INT_MAX: Final = 2**31 - 1

WHOLE: Final[Mapping[str, tuple[int, str]]] = {
    REQUEST_BYTES: (LONG_MAX, "a LONG"),
    ANSWER_BYTES: (LONG_MAX, "a LONG"),
    CONNECTIONS: (INT_MAX, "an INT"),
}
"""Quotas that are whole numbers: the maximum, and Kafka's name of their type."""

CLIENT_KEYS: Final = frozenset((*RATES, MUTATIONS))
ADDRESS_KEYS: Final = frozenset((CONNECTIONS,))


def entity(parts: Mapping[str, str | None]) -> Entity:
    """An entity from its parts by type."""
    return tuple(sorted(parts.items()))


def of_client(user: str | None = "", client_id: str | None = "") -> Entity:
    """A user, a client id, or both; "" (not a valid name) omits a part; None is the default."""
    parts = ((CLIENT_ID, client_id), (USER, user))
    return tuple((kind, name) for kind, name in parts if name != "")


def shown(entity: Entity) -> str:
    """For display: ``user ann, every client-id``."""
    return ", ".join(f"every {kind}" if name is None else f"{kind} {name}" for kind, name in entity)
