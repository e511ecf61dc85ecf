"""ConsumerMetadata: the address of a group's coordinator. (Its key is FindCoordinator's now.)"""

from rollcall.wire.declare import Message, message, wire
from rollcall.wire.kinds import int16, int32, string


@message(api_key=10, versions="0")
class ConsumerMetadataRequest(Message):
    """The group whose coordinator is requested."""

    group_id: str = wire(string)


@message(api_key=10, versions="0")
class ConsumerMetadataResponse(Message):
    """The coordinator; without one node -1, no host, port -1."""

    error_code: int = wire(int16)
    coordinator_id: int = wire(int32)
    coordinator_host: str = wire(string)
    coordinator_port: int = wire(int32)
