"""SaslAuthenticate (36): the messages of an exchange; at its end the connection has a principal."""

import asyncio
import logging

from groups.access.wire_audit import Login
from groups.core.authors import Author
from groups.places import Crowded
from protocol.call import Call
from protocol.handlers.support.wire_codes import WireCode
from protocol.sasl import Acknowledged, Exchange, Rejected
from rollcall.wire.errors import WireError
from rollcall.wire.messages.sasl_authenticate import (
    SaslAuthenticateRequest,
    SaslAuthenticateResponse,
)

logger = logging.getLogger(__name__)

NO_EXCHANGE = "SaslAuthenticate comes after SaslHandshake, on a listener with SASL."
FAILED = "Authentication failed: invalid credentials with SASL mechanism {}"
"""Clients are told no more: not whether there is such a user, nor that it is locked out."""


async def handle(request: SaslAuthenticateRequest, call: Call) -> SaslAuthenticateResponse:
    """The mechanism's answer. A failure is answered after a while, and ends the connection; where
    there is a crowd it ends unanswered, and the client comes again."""
    session, exchange = call.session, call.session.exchange
    if session.sasl is None or exchange is None:
        session.refused()
        return SaslAuthenticateResponse(
            error_code=WireCode.ILLEGAL_SASL_STATE, error_message=NO_EXCHANGE
        )
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
        return await _failed(exchange, call)
    except Acknowledged:
        return await _failed(exchange, call)
    return SaslAuthenticateResponse(auth_bytes=answer, session_lifetime_ms=lifetime_ms)


async def _failed(exchange: Exchange, call: Call) -> SaslAuthenticateResponse:
    """A failure is told after a while, and ends the connection."""
    session = call.session
    assert session.sasl is not None
    session.exchange = None
    await asyncio.sleep(session.sasl.delay_ms / 1000)
    session.refused()
    return SaslAuthenticateResponse(
        error_code=WireCode.SASL_AUTHENTICATION_FAILED,
        error_message=FAILED.format(exchange.mechanism),
    )


def _by(exchange: Exchange, call: Call) -> Author:
    """Who this client says that it is, for the audit."""
    return Author("", call.client_id, call.client_host, f"User:{exchange.name}")


def _authenticated(exchange: Exchange, call: Call) -> int:
    """The connection has its principal; KIP-368: it keeps it for life."""
    session, principal = call.session, f"User:{exchange.name}"
    assert session.sasl is not None
    if session.has_authenticated and session.principal != principal:
        raise Rejected(f"{session.principal} wants to be {principal}")
    session.exchange = None
    session.principal, session.has_authenticated = principal, True
    lifetime_ms = exchange.lifetime_ms()
    session.authenticated(lifetime_ms)
    call.node.audit.add(Login(_by(exchange, call), exchange.mechanism))
    return lifetime_ms
