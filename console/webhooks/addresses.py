"""Allowed targets of webhooks: public addresses of the Internet, and configured networks.

Otherwise a user who may create endpoints could let this machine send requests that only it can: to
other programs on it, its network, the metadata service of its cloud. A name is resolved once, each
of its addresses is checked, and the connection goes to exactly the checked address.
"""

import socket
import threading
from collections.abc import Callable, Sequence
from functools import partial
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from queue import Empty, SimpleQueue
from typing import Any, Final
from urllib.parse import urlsplit

from console.webhooks.settings import WebhookSettings

Address = IPv4Address | IPv6Address

NAT64: Final = IPv6Network("64:ff9b::/96")
EVERYBODYS: Final = IPv6Network("2000::/3")
NOBODYS: Final = tuple(
    map(
        ip_network,
        (
            *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16"),
            *("172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24"),
            *("192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"),
            *("224.0.0.0/4", "240.0.0.0/4", "2001::/23", "2001:db8::/32", "3fff::/20"),
        ),
    )
)
"""IANA's registries of special addresses, since Python's knowledge of them depends on its
version."""

V4_BITS: Final = 0xFFFF_FFFF

RESOLVERS_MAX: Final = 32
"""Names that are resolved at the same time, including abandoned ones: a resolver cannot be
interrupted, and each needs a thread. More than there are senders (16)."""

_resolvers: Final = threading.BoundedSemaphore(RESOLVERS_MAX)

AddressInfos = Sequence[tuple[Any, ...]]

URL_MAX: Final = 2_000
NOT_ALLOWED: Final = (
    "The URL leads to no address that may be used: one of a private network has to be in"
    " webhooks.networks.allow, and so has one that is spoken to without TLS."
)
PORTS: Final = {"https": 443, "http": 80}


class EndpointRefused(ValueError):
    """The URL, or its address, is not allowed; the text says why."""


class NotAllowed(EndpointRefused):
    """It is valid, but the settings do not allow its address."""

    def __init__(self) -> None:
        super().__init__(NOT_ALLOWED)


def checked(url: str) -> str:
    """The URL, if its form is valid; its address is resolved when something is sent."""
    if len(url) > URL_MAX or not url.isascii() or not url.isprintable() or " " in url:
        raise EndpointRefused(
            f"A URL has at most {URL_MAX} printable ASCII characters, and no blank."
        )
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise EndpointRefused(f"This is no URL: {error}.") from None
    if parts.scheme not in PORTS or not parts.hostname or port == 0:
        raise EndpointRefused("A URL begins with https:// and a host.")
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise EndpointRefused(
            "A URL has neither a user nor a fragment here; the signature says who sends."
        )
    return url


def acceptable(url: str, settings: WebhookSettings) -> str:
    """The URL, if something could be sent to it. A name may lead elsewhere tomorrow, so it is
    resolved when something is sent."""
    parts = urlsplit(checked(url))
    infos = _literal(str(parts.hostname))
    is_hopeless = parts.scheme == "http" and not settings.networks
    if is_hopeless or (infos and _allowed(infos, parts.scheme, settings) is None):
        raise NotAllowed
    return url


def _literal(host: str) -> AddressInfos:
    """The address if it is written as one, in any form that the system's resolver knows; no name
    is resolved, except that ``localhost`` is this machine, by both of its addresses."""
    if host == "localhost" or host.endswith(".localhost"):
        return (*_literal("127.0.0.1"), *_literal("::1"))
    try:
        return socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    except (OSError, UnicodeError):
        return ()


def embedded(address: Address) -> Address:
    """The IPv4 address in an IPv6 address: mapped, translated (NAT64) or 6to4."""
    if isinstance(address, IPv4Address):
        return address
    if address in NAT64:
        return IPv4Address(int(address) & V4_BITS)
    return address.ipv4_mapped or address.sixtofour or address


def is_public(address: Address) -> bool:
    """Whether the address is public."""
    real = embedded(address)
    if isinstance(real, IPv6Address) and real not in EVERYBODYS:
        return False
    if any(real.version == network.version and real in network for network in NOBODYS):
        return False
    odd = real.is_multicast or real.is_reserved or real.is_unspecified or real.is_link_local
    return real.is_global and not odd and not real.is_loopback


def named(address: Address, networks: Sequence[str]) -> bool:
    """Whether a configured network contains this address."""
    real = embedded(address)
    configured = map(ip_network, networks)
    return any(real.version == network.version and real in network for network in configured)


def resolved(url: str, settings: WebhookSettings, timeout_s: float) -> tuple[str, int]:
    """The address to connect to, and the port; ``EndpointRefused`` if none is allowed, or the name
    is not resolved in time. Plain http is allowed only to configured networks."""
    parts = urlsplit(checked(url))
    port = parts.port or PORTS[parts.scheme]
    infos = _in_time(str(parts.hostname), port, timeout_s)
    address = _allowed(infos, parts.scheme, settings)
    if address is None:
        raise NotAllowed
    return address, port


def _allowed(infos: AddressInfos, scheme: str, settings: WebhookSettings) -> str | None:
    """The first address that may be used."""
    networks = settings.networks
    for *_, where in infos:
        address = ip_address(str(where[0]).partition("%")[0])
        if named(address, networks) or (scheme == "https" and is_public(address)):
            return str(address)
    return None


def _in_time(host: str, port: int, timeout_s: float) -> AddressInfos:
    """The addresses of a name, by the system's resolver, which has no timeout: it runs in another
    thread. Raises ``EndpointRefused``."""
    if not _resolvers.acquire(timeout=timeout_s):
        raise EndpointRefused("The name was not resolved: too many others are being resolved.")
    answer: SimpleQueue[AddressInfos | Exception] = SimpleQueue()
    lookup = partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
    threading.Thread(target=_resolve, args=(lookup, answer), name=host, daemon=True).start()
    try:
        infos = answer.get(timeout=timeout_s)
    except Empty:
        raise EndpointRefused("The name was not resolved in time.") from None
    if isinstance(infos, Exception):
        raise EndpointRefused(f"The name cannot be resolved: {infos}.")
    return infos


def _resolve(
    lookup: Callable[[], AddressInfos], answer: "SimpleQueue[AddressInfos | Exception]"
) -> None:
    try:
        answer.put(lookup())
    except Exception as error:  # any error is passed to the sender
        answer.put(error)
    finally:
        _resolvers.release()
