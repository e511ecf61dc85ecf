"""SaslHandshake: selects the mechanism of authentication (KIP-43, KIP-152)."""

from collections.abc import Sequence

from rollcall.wire.declare import Message, message, wire
from rollcall.wire.kinds import array, int16, string


@message(api_key=17, versions="0-1")
class SaslHandshakeRequest(Message):
    """After v0 tokens would follow without Kafka's frames, after v1 in SaslAuthenticate."""

    mechanism: str = wire(string)


@message(api_key=17, versions="0-1")
class SaslHandshakeResponse(Message):
    """With the enabled mechanisms."""

    error_code: int = wire(int16)
    mechanisms: Sequence[str] = wire(array(string))
