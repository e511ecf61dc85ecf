"""Which topics a member's metadata subscribes to: ConsumerProtocolSubscription, v0 to v3.

These bytes are the clients' own affair and pass through the coordinator
unread; only where offsets are protected from deletion does the coordinator
look inside (KIP-496). Metadata that cannot be read never hinders a join: such
a member counts as subscribed to every topic.
"""

import struct
from collections.abc import Iterable

_VERSION = struct.Struct(">h")
_COUNT = struct.Struct(">i")
_LENGTH = struct.Struct(">h")


class _Unreadable(Exception):
    """The bytes are no subscription."""


def topics_of(metadata: bytes) -> frozenset[str] | None:
    """The topic names of one subscription; None when the bytes cannot be read.

    Every version begins with a version number and the topics. Later ones only
    add fields behind them, which are not looked at, as with Kafka.
    """
    try:
        return _read(metadata)
    except (_Unreadable, struct.error, UnicodeDecodeError):
        return None


def topics_of_all(metadatas: Iterable[bytes]) -> frozenset[str] | None:
    """The topics of several subscriptions together; None ("every topic") when one is unreadable."""
    topics: set[str] = set()
    for metadata in set(metadatas):
        some = topics_of(metadata)
        if some is None:
            return None
        topics |= some
    return frozenset(topics)


def _read(metadata: bytes) -> frozenset[str]:
    (version,) = _VERSION.unpack_from(metadata, 0)
    if version < 0:
        raise _Unreadable
    (count,) = _COUNT.unpack_from(metadata, _VERSION.size)
    at = _VERSION.size + _COUNT.size
    # Each topic takes two bytes at least: a count beyond that is a lie, not a reason to loop.
    if count < 0 or count > (len(metadata) - at) // _LENGTH.size:
        raise _Unreadable
    topics = set()
    for _ in range(count):
        (length,) = _LENGTH.unpack_from(metadata, at)
        at += _LENGTH.size
        if length < 0 or at + length > len(metadata):
            raise _Unreadable
        topics.add(metadata[at : at + length].decode())
        at += length
    return frozenset(topics)
