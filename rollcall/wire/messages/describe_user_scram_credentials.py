"""DescribeUserScramCredentials: the users and their mechanisms (KIP-554)."""

from collections.abc import Sequence

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, int8, int16, int32, string


@struct
class UserName(Struct):
    """A requested user."""

    name: str = wire(string)


@message(api_key=50, versions="0", flexible="0+")
class DescribeUserScramCredentialsRequest(Message):
    """The requested users; null or none: all of them."""

    users: Sequence[UserName] | None = wire(array(UserName), nullable_since=0)


@struct
class CredentialInfo(Struct):
    """A mechanism (1: SCRAM-SHA-256, 2: SCRAM-SHA-512), and its iterations."""

    mechanism: int = wire(int8)
    iterations: int = wire(int32)


@struct
class DescribeUserScramCredentialsResult(Struct):
    """One user."""

    user: str = wire(string)
    error_code: int = wire(int16)
    error_message: str | None = wire(string, nullable_since=0)
    credential_infos: Sequence[CredentialInfo] = wire(array(CredentialInfo))


@message(api_key=50, versions="0", flexible="0+")
class DescribeUserScramCredentialsResponse(Message):
    """A result for each user."""

    throttle_time_ms: int = wire(int32)
    error_code: int = wire(int16)
    error_message: str | None = wire(string, nullable_since=0)
    results: Sequence[DescribeUserScramCredentialsResult] = wire(
        array(DescribeUserScramCredentialsResult)
    )
