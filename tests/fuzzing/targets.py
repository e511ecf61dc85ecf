"""What is tried with any bytes. A target returns, or raises: then the bytes found a mistake."""

from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import suppress
from random import Random
from typing import Any, Final

from groups.clients.scram_credentials import HASHES, Credentials
from groups.core.subscription import subscription_of, topics_of
from groups.places import Crowded
from protocol.apis import APIS
from protocol.authentication import bearer, scram
from protocol.authentication.lockouts import Lockouts
from protocol.authentication.sasl import EXCHANGES, PLAIN, Exchange, Rejected, Sasl
from protocol.authentication.tokens.verification import TokenError, Verification
from rollcall.wire.codec import FrameBuffer, decode, encode, parse_header
from rollcall.wire.errors import WireError
from tests.wire.samples import VERSIONS, filled

LIMIT: Final = 64 * 1024
"""Of a frame: that of a client which has not authenticated."""

SEEDS: Final = 1
"""Samples of each version of each message, to begin with."""


def frames(data: bytes) -> None:
    """The first byte says in which pieces the others arrive; the frames are those of one piece."""
    size = data[0] + 1 if data else 1
    rest = data[1:]
    pieces = [rest[at : at + size] for at in range(0, len(rest), size)]
    assert _taken(pieces) == _taken([rest]), "frames depend on the pieces that they arrive in"


def _taken(pieces: list[bytes]) -> tuple[list[bytes], bool]:
    """The frames, and whether one was refused."""
    buffer, found = FrameBuffer(LIMIT), list[bytes]()
    try:
        for piece in pieces:
            buffer.feed(piece)
            while (frame := buffer.take()) is not None:
                found.append(frame)
    except WireError:
        return found, True
    return found, False


def header(data: bytes) -> None:
    """A request's header, by the table of APIs."""
    with suppress(WireError):
        found, offset = parse_header(data, _is_flexible)
        assert offset <= len(data)
        assert found.client_id is None or found.client_id.encode() in data


def _is_flexible(key: int, version: int) -> bool:
    return key in APIS and version >= APIS[key].flexible_since


def messages(data: bytes) -> None:
    """Two bytes say which message in which version. What can be read can be written, and is read
    again as the same."""
    cls, version = VERSIONS[int.from_bytes(data[:2], "big") % len(VERSIONS)]
    try:
        message = decode(cls, version, data, 2)
    except WireError:
        return
    assert decode(cls, version, encode(message, version)) == message, (cls, version)


def subscriptions(data: bytes) -> None:
    """What a member's metadata say; half of who reads them reads the topics alone."""
    found = subscription_of(data)
    if found is not None:
        assert topics_of(data) == frozenset(found.topics)


class _Unhashed(Sasl):
    """Passwords are not hashed, which takes a thousand times as long as everything else."""

    async def salted(self, *_facts: object) -> bytes:
        return bytes(32)


JUDGING: Final = Verification(("RS256",), "issuer", ("audience",))


def sasl(data: bytes) -> None:
    """The first byte says how a client authenticates; the rest are its messages, with a line's end
    between them. Nobody gets in: there are no users."""
    mechanisms = (PLAIN, *HASHES)
    chosen, said = (data[0] if data else 0), data[1:]
    if chosen % 4 == 3:
        _bearer(said)
        return
    exchange = _without_users().begin(mechanisms[chosen % 4], "127.0.0.1")
    for message in said.split(b"\n"):
        if not _answered(exchange, message):
            return
        assert not exchange.is_done, "somebody got in"


def _without_users() -> Sasl:
    def never() -> Any:
        raise AssertionError("nobody reads users")

    return _Unhashed(
        credentials=Credentials(never),
        secret=b"a secret of tests",
        mechanisms=(PLAIN, *HASHES),
        lockouts=Lockouts(0, 0),
        now=lambda: 0,
    )


def _answered(exchange: Exchange, message: bytes) -> bool:
    taking: Coroutine[Any, Any, bytes] = exchange.take(message)
    try:
        taking.send(None)
    except StopIteration:
        return True
    except (Rejected, Crowded):
        return False
    raise AssertionError("it waits for something")


def _bearer(data: bytes) -> None:
    with suppress(Rejected, TokenError):
        _, token = bearer.read(data)
        JUDGING.claimed(token)


TARGETS: Final[Mapping[str, Callable[[bytes], None]]] = {
    each.__name__: each for each in (frames, header, messages, subscriptions, sasl)
}


def seeds(target: str, rng: Random) -> Iterator[bytes]:
    """What to begin with: without it, no message of any length is found."""
    first = [
        b"\x04\x00\x00\x00\x05hello\x00\x00\x00\x01x",
        b"\x00\x12\x00\x03\x00\x00\x00\x01\x00\x02me\x00\x02n\x02v\x00",
        b"\x00\x03\x00\x00\x00\x01\x00\x01t\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x01\x00\x01r",
        b"\x00\0ann\0secret",
        b"\x01n,,n=ann,r=abc\nc=biws,r=abc,p=cHJvb2Y=",
        b"\x03n,,\x01auth=Bearer eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.c2ln\x01\x01",
    ]
    yield from first
    if target == "messages":
        for number, (cls, version) in enumerate(VERSIONS):
            for _ in range(SEEDS):
                yield number.to_bytes(2, "big") + encode(filled(cls, version, rng), version)


assert EXCHANGES.keys() >= {PLAIN, *HASHES}, scram
