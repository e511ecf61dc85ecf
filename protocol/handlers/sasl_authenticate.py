"""SaslAuthenticate (36): the messages of an exchange; at the end the connection has a principal."""

import asyncio
import logging

from groups.clients.wire_audit import Login
from groups.core.authors import Author
from groups.places import Crowded
from protocol.authentication.sasl import Acknowledged, Exchange, Rejected
from protocol.handlers.support.wire_codes import WireCode
from protocol.requests.call import Call
from rollcall.wire.errors import WireError
from rollcall.wire.messages.sasl_authenticate import (
    SaslAuthenticateRequest,
    SaslAuthenticateResponse,
)

logger = logging.getLogger(__name__)

AGAIN_MS = 1_000
"""A client whose session has not expired authenticates again no sooner than this after the last
time, as in Kafka (``KafkaChannel``), or than half of a shorter session: each time costs the node a
row of the audit."""

NO_EXCHANGE = "SaslAuthenticate comes after SaslHandshake, on a listener with SASL."
FAILED = "Authentication failed: invalid credentials with SASL mechanism {}"
"""The message for every failure: clients do not learn whether the user exists or is locked out."""


async def handle(request: SaslAuthenticateRequest, call: Call) -> SaslAuthenticateResponse:
    """The mechanism's answer. After a failure the response is delayed and the connection closed; if
    too many clients authenticate, it is closed without a response, and the client tries again."""
    session, exchange = call.session, call.session.exchange
    if session.sasl is None or exchange is None:
        session.refused()
        return SaslAuthenticateResponse(
            error_code=WireCode.ILLEGAL_SASL_STATE, error_message=NO_EXCHANGE
        )
    began = call.now()
    try:
        answer = await exchange.take(request.auth_bytes)
        if not exchange.is_done:
            return SaslAuthenticateResponse(auth_bytes=answer)
        lifetime_ms = _authenticated(exchange, call)
    except Crowded as error:
        raise WireError(str(error)) from None
    except Rejected as error:
        call.node.audit.add(Login(_by(exchange, call), exchange.mechanism, str(error)))
        logger.warning("%s, %s: authentication failed: %s", call.client_host, call.client_id, error)
        if error.challenge:
            return SaslAuthenticateResponse(auth_bytes=error.challenge)
        return await _failed(exchange, call, began)
    except Acknowledged:
        return await _failed(exchange, call, began)
    return SaslAuthenticateResponse(auth_bytes=answer, session_lifetime_ms=lifetime_ms)


async def _failed(exchange: Exchange, call: Call, began: float) -> SaslAuthenticateResponse:
    """Send the failure a fixed time after the message has come: how long a password took to hash
    depends on the user. The connection is then closed."""
    session = call.session
    assert session.sasl is not None
    session.exchange = None
    await asyncio.sleep(began + session.sasl.delay_ms / 1000 - call.now())
    session.refused()
    return SaslAuthenticateResponse(
        error_code=WireCode.SASL_AUTHENTICATION_FAILED,
        error_message=FAILED.format(exchange.mechanism),
    )


def _by(exchange: Exchange, call: Call) -> Author:
    """The name that the client claims, for the audit."""
    return Author("", call.client_id, call.client_host, f"User:{exchange.name}")


def _authenticated(exchange: Exchange, call: Call) -> int:
    """Set the connection's principal; KIP-368: it never changes."""
    session, principal = call.session, f"User:{exchange.name}"
    assert session.sasl is not None
    if session.has_authenticated and session.principal != principal:
        raise Rejected(f"{session.principal} wants to be {principal}")
    session.exchange = None
    session.principal, session.has_authenticated = principal, True
    lifetime_ms = exchange.lifetime_ms()
    session.again_at = session.sasl.now() + min(AGAIN_MS, lifetime_ms // 2 or AGAIN_MS)
    session.authenticated(lifetime_ms)
    call.node.audit.add(Login(_by(exchange, call), exchange.mechanism))
    return lifetime_ms
