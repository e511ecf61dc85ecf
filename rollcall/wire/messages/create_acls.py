"""CreateAcls: create access rules (KIP-140, KIP-290)."""

from collections.abc import Sequence

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, int8, int16, int32, string


@struct
class AclCreation(Struct):
    """A rule to create."""

    resource_type: int = wire(int8)
    resource_name: str = wire(string)
    resource_pattern_type: int = wire(int8, since=1, default=3)
    principal: str = wire(string)
    host: str = wire(string)
    operation: int = wire(int8)
    permission_type: int = wire(int8)


@message(api_key=30, versions="1-3", flexible="2+")
class CreateAclsRequest(Message):
    """The rules to create."""

    creations: Sequence[AclCreation] = wire(array(AclCreation))


@struct
class AclCreationResult(Struct):
    """The result for one rule."""

    error_code: int = wire(int16)
    error_message: str | None = wire(string, nullable_since=0)


@message(api_key=30, versions="1-3", flexible="2+")
class CreateAclsResponse(Message):
    """The results, in the request's order."""

    throttle_time_ms: int = wire(int32)
    results: Sequence[AclCreationResult] = wire(array(AclCreationResult))
