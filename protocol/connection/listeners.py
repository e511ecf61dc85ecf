"""Where a node listens, how each listener is secured, and what its clients are told.

Reads and checks Kafka's settings ``listeners``, ``advertised.listeners`` and
``listener.security.protocol.map``. Nothing is bound here.
"""

import ipaddress
import re
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from groups.cluster.view import DRAFT, Endpoint
from protocol.requests.session import PLAINTEXT

HOST_BYTES_MAX, PORT_MAX = 255, 65_535
"""The maximum of a DNS name, and of a TCP port."""

META_ADDRESSES = ("0.0.0.0", "::")
"""The addresses of all interfaces: clients cannot connect to them."""

_LISTENER = re.compile(r"([A-Za-z0-9_]+)://(\[[0-9A-Fa-f:.]+\]|[^:\[\]/]+):([0-9]{1,5})", re.ASCII)


class ListenerError(ValueError):
    """A node cannot use these listeners; the text says why."""


class Security(StrEnum):
    """Kafka's security protocols."""

    PLAINTEXT = "PLAINTEXT"
    SSL = "SSL"
    SASL_PLAINTEXT = "SASL_PLAINTEXT"
    SASL_SSL = "SASL_SSL"

    @property
    def has_tls(self) -> bool:
        """Whether the connection is encrypted."""
        return self in (Security.SSL, Security.SASL_SSL)

    @property
    def has_sasl(self) -> bool:
        """Whether clients authenticate by SASL."""
        return self in (Security.SASL_PLAINTEXT, Security.SASL_SSL)


@dataclass(frozen=True, slots=True)
class Listener:
    """One address that a node binds. Port 0: any free one; an advertised port None: the bound
    one."""

    name: str
    host: str
    port: int
    security: Security = Security.PLAINTEXT
    advertised_host: str = ""
    advertised_port: int | None = None

    def endpoint(self, bound: int) -> Endpoint:
        """The address that its clients receive, once it is bound to this port."""
        return Endpoint(self.name, self.advertised_host or self.host, self.advertised_port or bound)


@dataclass(frozen=True, slots=True)
class ListenerSettings:
    """The settings as texts, and whether clients must have a certificate."""

    listeners: str
    advertised: str
    security_map: str
    has_certificate: bool = False
    needs_client_certificate: bool = False
    may_be_insecure: bool = False


def read(settings: ListenerSettings) -> tuple[Listener, ...]:
    """The listeners of ``listeners``; raises ``ListenerError`` for invalid or unsafe ones."""
    securities = _securities(settings.security_map)
    bound = _endpoints(settings.listeners, "listeners")
    advertised = {e.listener: e for e in _endpoints(settings.advertised, "advertised.listeners")}
    if unknown := advertised.keys() - {e.listener for e in bound}:
        raise ListenerError(f"advertised.listeners names {min(unknown)}, which is no listener")
    found = tuple(_listener(each, advertised.get(each.listener), securities) for each in bound)
    for listener in found:
        check(listener, settings)
    return found


def _listener(
    bound: Endpoint, advertised: Endpoint | None, securities: Mapping[str, Security]
) -> Listener:
    security = securities.get(bound.listener)
    if security is None:
        raise ListenerError(f"listener.security.protocol.map does not have {bound.listener}")
    advertised = advertised or bound
    return Listener(*bound, security, advertised.host, advertised.port or None)


def check(listener: Listener, settings: ListenerSettings) -> None:
    """Raise ``ListenerError`` if the listener is not secure, or its address is useless for
    clients."""
    _check_security(listener, settings)
    advertised = listener.advertised_host or listener.host
    if advertised in META_ADDRESSES:
        raise ListenerError(f"clients of {listener.name} need an address: set advertised.listeners")
    if problem := address_problem(advertised, listener.advertised_port):
        raise ListenerError(problem)


def _check_security(listener: Listener, settings: ListenerSettings) -> None:
    name = listener.name
    if listener.security.has_tls and not settings.has_certificate:
        raise ListenerError(f"{name} needs a certificate: ssl.keystore.location")
    if settings.may_be_insecure or is_loopback(listener.host):
        return
    is_known = listener.security.has_sasl or settings.needs_client_certificate
    if not (listener.security.has_tls and is_known):
        raise ListenerError(
            f"{listener.host} is not a loopback address. Any other one needs TLS and"
            f" authentication, which {name} ({listener.security}) does not have:"
            " SASL_SSL, or SSL with ssl.client.auth=required. insecure.listeners.allow=true admits"
            " every client that can connect."
        )


def _endpoints(text: str, setting: str) -> list[Endpoint]:
    found = [_endpoint(part.strip(), setting) for part in text.split(",") if part.strip()]
    for what, kept in (
        ("name", [e.listener for e in found]),
        ("address", [(e.host, e.port) for e in found if e.port]),
    ):
        if len(set(kept)) < len(kept):
            raise ListenerError(f"{setting} has the same {what} twice")
    return found


def _endpoint(text: str, setting: str) -> Endpoint:
    match = _LISTENER.fullmatch(text)
    if match is None or int(match[3]) > PORT_MAX or match[1].upper() == DRAFT:
        raise ListenerError(f"{setting} is a list of NAME://host:port, not {text!r}")
    return Endpoint.parse(text)._replace(listener=match[1].upper())


def _securities(text: str) -> dict[str, Security]:
    found: dict[str, Security] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        name, _, security = part.partition(":")
        try:
            found[name.strip().upper()] = Security(security.strip().upper())
        except ValueError:
            raise ListenerError(
                f"listener.security.protocol.map is a list of NAME:PROTOCOL, with one of"
                f" {', '.join(Security)}, not {part!r}"
            ) from None
    return found


def plain(host: str, port: int, advertised_host: str, advertised_port: int | None) -> Listener:
    """The listener of a node without the setting."""
    return Listener(PLAINTEXT, host, port, Security.PLAINTEXT, advertised_host, advertised_port)


def endpoints(
    listeners: Sequence[Listener], bound: Sequence[int], draft: Endpoint | None
) -> tuple[Endpoint, ...]:
    """All addresses that a node advertises, once its listeners are bound to these ports."""
    own = (listener.endpoint(port) for listener, port in zip(listeners, bound, strict=True))
    return (*own, *((draft,) if draft else ()))


def address_problem(host: str, port: int | None) -> str | None:
    """Why no client could ever connect to such an address; None if one could."""
    try:
        labels = host.encode("idna")
    except UnicodeError as error:
        return f"{host!r} is not a host that clients can connect to: {error}"
    if not labels or b"\0" in labels or len(labels) > HOST_BYTES_MAX:
        return f"{host!r} is not a host that clients can connect to"
    if port is not None and not 1 <= port <= PORT_MAX:
        return f"{port} is not a port that clients can connect to"
    return None


@cache
def is_loopback(host: str) -> bool:
    """Whether an address, or every address of a name, can be reached from this machine only. A name
    is looked up once: connections need the result too, and a resolver may take seconds."""
    try:
        found = {info[4][0] for info in socket.getaddrinfo(host, None)}
    except OSError:
        return False
    return all(ipaddress.ip_address(address).is_loopback for address in found)
