"""AlterUserScramCredentials (51): create users, change their passwords, delete them (KIP-554).

Without an authorizer, any client could create a user for a listener that requires users. So the API
is refused then (docs/acls.md).
"""

from collections import Counter, defaultdict
from typing import Final, NamedTuple

from groups.clients.scram_credentials import (
    HASHES,
    ITERATIONS_MAX,
    ITERATIONS_MIN,
    SALT_BYTES_MIN,
    Change,
    credential,
    is_name,
)
from groups.core.acls.bindings import AclOperation, ResourceType
from groups.core.errors import ErrorCode
from protocol.handlers.support import acl_wire
from protocol.handlers.support.wire_codes import WireCode
from protocol.requests.call import Call
from protocol.requests.refusals import Refusal
from rollcall.wire.messages.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    AlterUserScramCredentialsResponse,
    AlterUserScramCredentialsResult,
    ScramCredentialUpsertion,
)

MECHANISMS: Final = dict(enumerate(HASHES, 1))
"""By Kafka's numbers of the mechanisms."""

OFF: Final = Refusal(
    ErrorCode.CLUSTER_AUTHORIZATION_FAILED,
    "Users are changed over the wire only where an authorizer is on (docs/acls.md).",
)
FORBIDDEN: Final = Refusal(ErrorCode.CLUSTER_AUTHORIZATION_FAILED, "Cluster authorization failed.")
MISSING: Final = Refusal(
    WireCode.RESOURCE_NOT_FOUND, "Attempt to delete a user credential that does not exist"
)
TWICE: Final = Refusal(
    WireCode.DUPLICATE_RESOURCE, "A user credential cannot be altered twice in the same request"
)
UNKNOWN: Final = Refusal(WireCode.UNSUPPORTED_SASL_MECHANISM, "Unknown SCRAM mechanism")
NAMELESS: Final = Refusal(WireCode.UNACCEPTABLE_CREDENTIAL, "Username must not be empty")
ILL_NAMED: Final = Refusal(WireCode.UNACCEPTABLE_CREDENTIAL, "No user can have this name")
FEW: Final = Refusal(WireCode.UNACCEPTABLE_CREDENTIAL, "Too few iterations")
MANY: Final = Refusal(WireCode.UNACCEPTABLE_CREDENTIAL, "Too many iterations")
SHORT: Final = Refusal(WireCode.UNACCEPTABLE_CREDENTIAL, "Too short a salt")


class RequestedChange(NamedTuple):
    """A requested change to one credential. ``upsertion``: None to delete it."""

    name: str
    mechanism: int
    upsertion: ScramCredentialUpsertion | None = None


async def handle(
    request: AlterUserScramCredentialsRequest, call: Call
) -> AlterUserScramCredentialsResponse:
    """All changes of a user or none; those of all users in one transaction."""
    requested = [RequestedChange(each.name, each.mechanism) for each in request.deletions]
    requested += [RequestedChange(each.name, each.mechanism, each) for each in request.upsertions]
    may = call.access.may(AclOperation.ALTER, ResourceType.CLUSTER)
    if not call.access.is_on or not may:
        return _response(
            dict.fromkeys(
                (each.name for each in requested), FORBIDDEN if call.access.is_on else OFF
            )
        )
    refusals = dict.fromkeys((each.name for each in requested), Refusal(ErrorCode.NONE, ""))
    refusals.update(_faults(requested))
    changes = defaultdict[str, list[Change]](list)
    for each in requested:
        if not refusals[each.name].number:
            changes[each.name].append(_change(each))
    try:
        async with acl_wire.asking():
            missing = await call.node.credentials.change(
                changes, call.author.details(), call.node.node_id
            )
    except acl_wire.Unsure:
        return _response(refusals | dict.fromkeys(changes, acl_wire.UNSURE))
    return _response(refusals | dict.fromkeys(missing, MISSING))


def _faults(requested: list[RequestedChange]) -> dict[str, Refusal]:
    """The users with an invalid request, with its error."""
    times = Counter((each.name, each.mechanism) for each in requested)
    found = ((each.name, _fault(each)) for each in requested)
    faults = {name: fault for name, fault in found if fault is not None}
    return faults | {name: TWICE for (name, _), often in times.items() if often > 1}


def _fault(change: RequestedChange) -> Refusal | None:
    if not change.name:
        return NAMELESS
    if change.mechanism not in MECHANISMS:
        return UNKNOWN
    upsertion = change.upsertion
    if upsertion is None:
        return None
    if not is_name(change.name):
        return ILL_NAMED
    if not ITERATIONS_MIN <= upsertion.iterations <= ITERATIONS_MAX:
        return FEW if upsertion.iterations < ITERATIONS_MIN else MANY
    return SHORT if len(upsertion.salt) < SALT_BYTES_MIN else None


def _change(change: RequestedChange) -> Change:
    mechanism, upsertion = MECHANISMS[change.mechanism], change.upsertion
    if upsertion is None:
        return Change(mechanism, None)
    kept = credential(mechanism, upsertion.salted_password, upsertion.salt, upsertion.iterations)
    return Change(mechanism, kept)


def _response(refusals: dict[str, Refusal]) -> AlterUserScramCredentialsResponse:
    return AlterUserScramCredentialsResponse(
        results=[
            AlterUserScramCredentialsResult(
                user=name, error_code=refusal.number, error_message=refusal.detail or None
            )
            for name, refusal in refusals.items()
        ]
    )
