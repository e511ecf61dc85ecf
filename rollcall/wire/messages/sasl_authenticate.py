"""SaslAuthenticate: the mechanism's own messages (KIP-152, KIP-368)."""

from rollcall.wire.declare import Message, message, wire
from rollcall.wire.kinds import blob, int16, int64, string


@message(api_key=36, versions="0-2", flexible="2+")
class SaslAuthenticateRequest(Message):
    """A message of the client."""

    auth_bytes: bytes = wire(blob)


@message(api_key=36, versions="0-2", flexible="2+")
class SaslAuthenticateResponse(Message):
    """The server's answer; from v1 on with the milliseconds until the client must authenticate
    again; 0: never."""

    error_code: int = wire(int16)
    error_message: str | None = wire(string, nullable_since=0)
    auth_bytes: bytes = wire(blob)
    session_lifetime_ms: int = wire(int64, since=1)
