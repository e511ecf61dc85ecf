"""SaslHandshake (17): an exchange of this mechanism begins, anew on a connection that had one."""

from groups.core.errors import ErrorCode
from protocol.call import Call
from protocol.handlers.support.wire_codes import WireCode
from rollcall.wire.messages.sasl_handshake import SaslHandshakeRequest, SaslHandshakeResponse

FRAMED_SINCE = 1
"""Before, tokens came outside of Kafka's frames; no client of the last years does that."""


async def handle(request: SaslHandshakeRequest, call: Call) -> SaslHandshakeResponse:
    """The mechanisms that there are. Where it is refused the connection ends."""
    session, sasl = call.session, call.session.sasl
    if sasl is None:
        return SaslHandshakeResponse(error_code=WireCode.ILLEGAL_SASL_STATE)
    code: int = ErrorCode.NONE
    if call.version < FRAMED_SINCE:
        code = ErrorCode.UNSUPPORTED_VERSION
    elif session.exchange is not None and session.exchange.was_refused:
        code = WireCode.ILLEGAL_SASL_STATE  # else it could try again without the delay
    elif request.mechanism not in session.mechanisms:
        code = WireCode.UNSUPPORTED_SASL_MECHANISM
    if code == ErrorCode.NONE:
        session.exchange = sasl.begin(request.mechanism, session.address)
    else:
        session.refused()
    return SaslHandshakeResponse(error_code=code, mechanisms=session.mechanisms)
