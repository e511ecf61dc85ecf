"""SaslHandshake (17): begin an exchange of this mechanism, for the first time or again."""

from groups.core.errors import ErrorCode
from protocol.handlers.support.wire_codes import WireCode
from protocol.requests.call import Call
from rollcall.wire.messages.sasl_handshake import SaslHandshakeRequest, SaslHandshakeResponse

FRAMED_SINCE = 1
"""In earlier versions tokens come outside of Kafka's frames; recent clients do not do that."""


async def handle(request: SaslHandshakeRequest, call: Call) -> SaslHandshakeResponse:
    """Returns the enabled mechanisms. If the request is refused, the connection is closed, unless
    it only came too soon after the last authentication."""
    session, sasl = call.session, call.session.sasl
    if sasl is None:
        return SaslHandshakeResponse(error_code=WireCode.ILLEGAL_SASL_STATE)
    if session.is_valid() and sasl.now() < session.again_at:
        return SaslHandshakeResponse(
            error_code=WireCode.ILLEGAL_SASL_STATE, mechanisms=session.mechanisms
        )
    code: int = ErrorCode.NONE
    if call.version < FRAMED_SINCE:
        code = ErrorCode.UNSUPPORTED_VERSION
    elif session.exchange is not None:
        code = WireCode.ILLEGAL_SASL_STATE  # otherwise it could begin one after the other
    elif request.mechanism not in session.mechanisms:
        code = WireCode.UNSUPPORTED_SASL_MECHANISM
    if code == ErrorCode.NONE:
        session.exchange = sasl.begin(request.mechanism, session.address)
    else:
        session.refused()
    return SaslHandshakeResponse(error_code=code, mechanisms=session.mechanisms)
