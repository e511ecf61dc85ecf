"""What counts as one address for limits: of IPv6 a network."""

from ipaddress import IPv6Address, ip_address
from typing import Final

PREFIX: Final = 64
"""Bits of an IPv6 address: whoever has one has all that begin so."""


def network_of(address: str) -> str:
    """What counts as one address for every limit, quota and lock-out of addresses: of IPv6 the
    network, since whoever has one address of it has all. What is none counts as it stands."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(found, IPv6Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return f"{IPv6Address(int(found) >> PREFIX << PREFIX)}/{PREFIX}"
