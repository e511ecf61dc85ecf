"""An issuer of tokens: its keys, what it publishes, and an endpoint of https that does so."""

import asyncio
import hmac
import json
import ssl
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from joserfc.jwk import ECKey, Key
from joserfc.jws import JWSRegistry
from joserfc.util import urlsafe_b64encode

from tests.keys import KEY
from tests.security.certificates import Certificates

NAME, AUDIENCE = "https://issuer.example", "rollcall"

RSA, EC = KEY, ECKey.generate_key("P-256")


def claims(**other: Any) -> dict[str, Any]:
    """What a token says that is for us, and good for five minutes."""
    now = int(time.time())
    said = {"iss": NAME, "aud": AUDIENCE, "sub": "ann", "iat": now, "exp": now + 300}
    return {name: value for name, value in {**said, **other}.items() if value is not None}


def token(
    key: Key = RSA, algorithm: str = "RS256", header: Mapping[str, Any] | None = None, **said: Any
) -> str:
    """One that the issuer signed."""
    return raw(json.dumps(claims(**said)).encode(), key, algorithm, header)


def raw(
    payload: bytes,
    key: Key = RSA,
    algorithm: str = "RS256",
    header: Mapping[str, Any] | None = None,
) -> str:
    """One that says anything: the library's own way would check what it signs."""
    protected = {"alg": algorithm, "kid": "one", **(header or {})}
    protected = {name: value for name, value in protected.items() if value is not None}
    parts = [json.dumps(protected).encode(), payload]
    signed = b".".join(urlsafe_b64encode(part) for part in parts)
    signature = JWSRegistry.algorithms[algorithm].sign(signed, key)
    return b".".join([signed, urlsafe_b64encode(signature)]).decode()


def published(**keys: Key) -> bytes:
    """The set of public keys, by their ids."""
    listed = [{**key.as_dict(private=False), "kid": name} for name, key in keys.items()]
    return json.dumps({"keys": listed}).encode()


KEYS = published(one=RSA, two=EC)


def signed_by_a_public_key() -> str:
    """What a library believes that goes by the token's own ``alg``; ours does not even make it."""
    parts = [json.dumps({"alg": "HS256", "kid": "one"}), json.dumps(claims())]
    signed = b".".join(urlsafe_b64encode(part.encode()) for part in parts)
    signature = hmac.digest(RSA.as_pem(private=False), signed, "sha256")
    return b".".join([signed, urlsafe_b64encode(signature)]).decode()


class Endpoint:
    """``answer`` is sent as it is to each request; None: nothing is, ever."""

    def __init__(self) -> None:
        self.answer: bytes | None = with_length(KEYS)
        self.asked = 0
        self.url = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        try:
            await reader.readuntil(b"\r\n\r\n")
            self.asked += 1
            if self.answer is None:
                await reader.read()
            else:
                writer.write(self.answer)
        except (asyncio.IncompleteReadError, OSError):
            pass
        finally:
            writer.close()


def with_length(body: bytes, status: str = "200 OK", more: str = "") -> bytes:
    """An answer of HTTP."""
    head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n{more}\r\n"
    return head.encode() + body


@asynccontextmanager
async def endpoint(certificates: Certificates) -> AsyncIterator[Endpoint]:
    """It serves on loopback, with a certificate."""
    found = Endpoint()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificates.server)
    server = await asyncio.start_server(found.serve, "127.0.0.1", 0, ssl=context)
    found.url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/keys?v=1"
    try:
        yield found
    finally:
        server.close()
