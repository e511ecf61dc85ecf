"""AlterUserScramCredentials: create users, change their passwords, delete them (KIP-554)."""

from collections.abc import Sequence

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, blob, int8, int16, int32, string


@struct
class ScramCredentialDeletion(Struct):
    """A user's credential for one mechanism (1: SCRAM-SHA-256, 2: SCRAM-SHA-512) to delete."""

    name: str = wire(string)
    mechanism: int = wire(int8)


@struct
class ScramCredentialUpsertion(Struct):
    """A credential to create or replace; the client has salted the password."""

    name: str = wire(string)
    mechanism: int = wire(int8)
    iterations: int = wire(int32)
    salt: bytes = wire(blob)
    salted_password: bytes = wire(blob)


@message(api_key=51, versions="0", flexible="0+")
class AlterUserScramCredentialsRequest(Message):
    """Credentials to delete, and to create or replace."""

    deletions: Sequence[ScramCredentialDeletion] = wire(array(ScramCredentialDeletion))
    upsertions: Sequence[ScramCredentialUpsertion] = wire(array(ScramCredentialUpsertion))


@struct
class AlterUserScramCredentialsResult(Struct):
    """The result for one user: all of its changes, or none."""

    user: str = wire(string)
    error_code: int = wire(int16)
    error_message: str | None = wire(string, nullable_since=0)


@message(api_key=51, versions="0", flexible="0+")
class AlterUserScramCredentialsResponse(Message):
    """A result for each user."""

    throttle_time_ms: int = wire(int32)
    results: Sequence[AlterUserScramCredentialsResult] = wire(
        array(AlterUserScramCredentialsResult)
    )
