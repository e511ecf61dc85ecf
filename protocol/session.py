"""Who is at the other end of a connection, and by which door it came."""

from collections.abc import Callable
from dataclasses import dataclass

from groups.core.authors import ANONYMOUS as ANONYMOUS
from protocol.authorization.access import OPEN, Open
from protocol.sasl import Exchange, Sasl

PLAINTEXT = "PLAINTEXT"
"""The listener that a node has unless it is told of others."""


def _never(*_facts: object) -> None:
    """What a connection without SASL is not told."""


@dataclass(slots=True)
class Session:
    """What a connection knows of its client: the listener's name, and the principal.

    ``sasl`` is None where the listener has no SASL, ``mechanisms`` are those of this
    listener. ``exchange`` is under way between a SaslHandshake and the end of authentication.
    ``access``: what it may do. ``client_id`` is that of its first request, ``software`` what
    ApiVersions named, ``member`` (group id, member id) who last joined by it: for operators, who
    are shown them. ``authenticated`` (milliseconds until it has to be
    done again; 0: never) and ``refused`` are told the outcome.
    """

    listener: str = PLAINTEXT
    principal: str = ANONYMOUS
    address: str = ""
    sasl: Sasl | None = None
    exchange: Exchange | None = None
    has_authenticated: bool = False
    access: Open = OPEN
    mechanisms: tuple[str, ...] = ()
    client_id: str = ""
    software: str = ""
    software_version: str = ""
    member: tuple[str, str] = ("", "")
    authenticated: Callable[[int], None] = _never
    refused: Callable[[], None] = _never
