"""The client's side of SASL: PLAIN (RFC 4616), SCRAM (RFC 5802, 7677), OAUTHBEARER (RFC 7628).

An exchange is a generator: it yields the client's messages and receives the server's; it returns
when the server has given the proof that its mechanism requires. No connection and no clock. The
only expensive step is SCRAM's hash, milliseconds, during which other threads run.
"""

import base64
import binascii
import hashlib
import hmac
import re
from collections.abc import Generator, Mapping
from typing import Final

Exchange = Generator[bytes, bytes, None]

PLAIN, OAUTHBEARER = "PLAIN", "OAUTHBEARER"

HASHES: Final[Mapping[str, str]] = {"SCRAM-SHA-256": "sha256", "SCRAM-SHA-512": "sha512"}
"""Kafka's mechanisms of SCRAM, and their hashes."""

MECHANISMS: Final = (PLAIN, *HASHES, OAUTHBEARER)

ITERATIONS_MIN: Final = 4_096
"""Fewer do not protect a password; Kafka's clients refuse them too."""

ITERATIONS_MAX: Final = 1_000_000
"""Half a second of hashing. A server with more wants to keep its clients busy: Kafka's limit for
stored credentials is 16,384."""

EXTENSION: Final = re.compile(r"[A-Za-z]+")
"""The name of an extension of OAUTHBEARER, as Kafka parses it (KIP-342); ``auth`` is the
token's."""


class Distrusted(ValueError):
    """The server has not proved that it knows the password, or violates the mechanism. The text
    says which."""


def plain(name: str, password: str) -> Exchange:
    """One message, with the password."""
    yield f"\0{name}\0{password}".encode()


def scram(mechanism: str, name: str, password: str, nonce: str) -> Exchange:
    """Two messages, without the password. ``nonce`` is new for each exchange, printable ASCII
    without a comma. Passwords are plain UTF-8, as in Kafka (no SASLprep). Raises ``Distrusted``."""
    bare = f"n={_escaped(name)},r={nonce}"
    server_first = _text((yield f"n,,{bare}".encode()))
    full_nonce, salt, iterations = _challenge(server_first, nonce)
    salted = hashlib.pbkdf2_hmac(HASHES[mechanism], password.encode(), salt, iterations)
    without_proof = f"c=biws,r={full_nonce}"
    signed = f"{bare},{server_first},{without_proof}".encode()
    proof = base64.b64encode(_proof(mechanism, salted, signed)).decode()
    server_final = _text((yield f"{without_proof},p={proof}".encode()))
    _verify(mechanism, salted, signed, server_final)


def oauthbearer(token: str, extensions: Mapping[str, str] | None = None) -> Exchange:
    """One message with the token. A server that refuses it may send the reason as JSON: that is
    acknowledged, and the refusal follows."""
    pairs = "".join(f"{key}={value}\x01" for key, value in (extensions or {}).items())
    why = yield f"n,,\x01auth=Bearer {token}\x01{pairs}\x01".encode()
    if why:
        yield b"\x01"


def _challenge(server_first: str, nonce: str) -> tuple[str, bytes, int]:
    """The complete nonce, the salt and the number of iterations."""
    fields = dict(part.partition("=")[::2] for part in server_first.split(","))
    if not fields.keys() >= {"r", "s", "i"} or "m" in fields:
        raise Distrusted("the server's first message is none of SCRAM")
    if not fields["r"].startswith(nonce) or len(fields["r"]) == len(nonce):
        raise Distrusted("the server answers another client's message")
    try:
        salt, iterations = base64.b64decode(fields["s"], validate=True), int(fields["i"])
    except (binascii.Error, ValueError):
        raise Distrusted("the server's salt or number of iterations cannot be read") from None
    if not ITERATIONS_MIN <= iterations <= ITERATIONS_MAX:
        raise Distrusted(
            f"the server wants {iterations} iterations;"
            f" from {ITERATIONS_MIN} to {ITERATIONS_MAX} are accepted"
        )
    return fields["r"], salt, iterations


def _proof(mechanism: str, salted: bytes, signed: bytes) -> bytes:
    """ClientKey XOR ClientSignature, as in RFC 5802."""
    name = HASHES[mechanism]
    client_key = hmac.digest(salted, b"Client Key", name)
    signature = hmac.digest(hashlib.new(name, client_key).digest(), signed, name)
    return bytes(key ^ sign for key, sign in zip(client_key, signature, strict=True))


def _verify(mechanism: str, salted: bytes, signed: bytes, server_final: str) -> None:
    """ServerSignature: a server that cannot compute it does not know the password's verifier."""
    name = HASHES[mechanism]
    expected = hmac.digest(hmac.digest(salted, b"Server Key", name), signed, name)
    kind, _, value = server_final.split(",")[0].partition("=")
    if kind == "e":
        raise Distrusted(f"the server refuses: {value}")
    try:
        shown = base64.b64decode(value, validate=True) if kind == "v" else b""
    except binascii.Error:
        shown = b""
    if not hmac.compare_digest(shown, expected):
        raise Distrusted("the server does not prove that it knows the password")


def _escaped(name: str) -> str:
    return name.replace("=", "=3D").replace(",", "=2C")


def _text(message: bytes) -> str:
    try:
        return message.decode()
    except UnicodeDecodeError:
        raise Distrusted("the server's message is no text") from None
