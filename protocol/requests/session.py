"""The client of a connection, and the listener that accepted it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from groups.core.authors import ANONYMOUS as ANONYMOUS
from groups.core.group import Millis
from protocol.authentication.sasl import Exchange, Sasl
from protocol.requests.access import OPEN, Open

PLAINTEXT = "PLAINTEXT"
"""The default listener of a node."""


def _never(*_facts: object) -> None:
    """The default of callbacks that only connections with SASL need."""


def _is_not() -> bool:
    """The default of a connection without SASL."""
    return False


@dataclass(slots=True)
class Session:
    """What a connection knows of its client: the listener's name, and the principal.

    ``sasl`` is None where the listener has no SASL, ``mechanisms`` are those of this listener.
    ``exchange`` is set between a SaslHandshake and the end of authentication. ``access``: what the
    client may do. ``client_id`` is that of its first request, ``software`` the name in ApiVersions,
    ``member`` (group id, member id) the last one that joined on it: operators see these.
    ``authenticated`` (milliseconds until the client must authenticate again; 0: never) and
    ``refused`` are called with the outcome. ``is_valid``: the client has authenticated and need not
    do so again now; ``again_at``: from when on it may, by the node's clock in milliseconds.
    ``may_still``: whether the client may still send the request that is being served, by the rules
    as they are now; None while none is served. ``look_elsewhere`` makes the client ask
    another node, where this one cannot tell who serves a group.
    """

    listener: str = PLAINTEXT
    principal: str = ANONYMOUS
    address: str = ""
    sasl: Sasl | None = None
    exchange: Exchange | None = None
    has_authenticated: bool = False
    again_at: Millis = 0
    is_valid: Callable[[], bool] = _is_not
    access: Open = OPEN
    may_still: Callable[[], Awaitable[bool]] | None = None
    mechanisms: tuple[str, ...] = ()
    client_id: str = ""
    software: str = ""
    software_version: str = ""
    member: tuple[str, str] = ("", "")
    authenticated: Callable[[int], None] = _never
    refused: Callable[[], None] = _never
    look_elsewhere: Callable[[], None] = _never
