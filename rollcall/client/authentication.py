"""Authenticates a connection, and again before its session ends (KIP-152, KIP-368).

``Ask`` sends the messages; the connection is not known here.
"""

from collections.abc import Awaitable, Callable
from random import SystemRandom
from typing import Any, Final

from rollcall.client.core.codes import Code, name_of
from rollcall.client.core.sasl import Distrusted, Exchange
from rollcall.client.errors import AuthenticationFailed
from rollcall.client.security import Sasl
from rollcall.client.threads import in_thread
from rollcall.wire.declare import Message
from rollcall.wire.messages.sasl_authenticate import SaslAuthenticateRequest
from rollcall.wire.messages.sasl_handshake import SaslHandshakeRequest

SendRequest = Callable[[Message], Awaitable[Any]]

RENEW_FROM, RENEW_TO = 0.85, 0.95
"""The part of a session after which it is renewed: at random, so that the clients of a restarted
node do not all renew at the same time, as in Kafka's own clients (KIP-368)."""

_CHANCE: Final = SystemRandom()


async def authenticate(send: SendRequest, sasl: Sasl) -> int:
    """Authenticate; returns the session's milliseconds, 0: as long as the connection. Raises
    ``AuthenticationFailed`` with the server's message, ``NoToken``, and errors of ``send``."""
    shaken = await send(SaslHandshakeRequest(mechanism=sasl.mechanism))
    if shaken.error_code:
        raise AuthenticationFailed(_refusal(shaken, sasl.mechanism), shaken.error_code)
    exchange = await sasl.begin()
    message: bytes | None = next(exchange)
    while message is not None:
        answer = await send(SaslAuthenticateRequest(auth_bytes=message))
        if answer.error_code:
            why = answer.error_message or name_of(answer.error_code)
            raise AuthenticationFailed(why, answer.error_code)
        message = await _next(exchange, answer.auth_bytes)
    return int(answer.session_lifetime_ms)


async def _next(exchange: Exchange, challenge: bytes) -> bytes | None:
    """The next message, computed in a thread: SCRAM's hash takes milliseconds."""

    def step() -> bytes | None:
        try:
            return exchange.send(challenge)
        except StopIteration:
            return None

    try:
        return await in_thread(step, "sasl")
    except Distrusted as error:
        raise AuthenticationFailed(str(error), Code.SASL_AUTHENTICATION_FAILED) from None


def renewal_s(lifetime_ms: int) -> float:
    """After how many seconds a session of this lifetime has to be renewed."""
    return lifetime_ms / 1000 * _CHANCE.uniform(RENEW_FROM, RENEW_TO)


def _refusal(shaken: Any, mechanism: str) -> str:
    if shaken.error_code == Code.UNSUPPORTED_SASL_MECHANISM:
        known = ", ".join(shaken.mechanisms) or "none"
        return f"the node does not accept {mechanism}; its mechanisms: {known}"
    return f"the node refuses to authenticate by {mechanism}: {name_of(shaken.error_code)}"
