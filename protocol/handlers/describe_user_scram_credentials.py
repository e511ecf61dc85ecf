"""DescribeUserScramCredentials (50): the users and their mechanisms (KIP-554)."""

from collections import Counter
from typing import Final

from groups.clients.scram_credentials import HASHES
from groups.core.errors import ErrorCode
from protocol.handlers.support.validation import shown
from protocol.handlers.support.wire_codes import WireCode
from protocol.requests.call import Call
from rollcall.wire.messages.describe_user_scram_credentials import (
    CredentialInfo,
    DescribeUserScramCredentialsRequest,
    DescribeUserScramCredentialsResponse,
    DescribeUserScramCredentialsResult,
)

NUMBERS: Final = {name: number for number, name in enumerate(HASHES, 1)}
"""Kafka's numbers of the mechanisms."""

OFF: Final = "Users are looked at over the wire only where an authorizer is on (docs/acls.md)."
TWICE: Final = "Cannot describe SCRAM credentials for the same user twice in a single request: {}"
MISSING: Final = "Attempt to describe a user credential that does not exist: {}"


async def handle(
    request: DescribeUserScramCredentialsRequest, call: Call
) -> DescribeUserScramCredentialsResponse:
    """The users that this node has in memory; an empty request means all. Without an authorizer the
    request is refused, except where there are no users: ``kafka-configs --describe`` of users,
    which shows their quotas, sends it too."""
    if not call.access.is_on and call.node.credentials.iterations():
        return DescribeUserScramCredentialsResponse(
            error_code=ErrorCode.CLUSTER_AUTHORIZATION_FAILED, error_message=OFF
        )
    users = call.node.credentials.iterations()
    times = Counter(user.name for user in request.users or ()) or Counter(sorted(users))
    return DescribeUserScramCredentialsResponse(
        error_message=None,
        results=[
            _failed(name, WireCode.DUPLICATE_RESOURCE, TWICE)
            if often > 1
            else _failed(name, WireCode.RESOURCE_NOT_FOUND, MISSING)
            if name not in users
            else DescribeUserScramCredentialsResult(
                user=name,
                error_message=None,
                credential_infos=[
                    CredentialInfo(mechanism=NUMBERS[mechanism], iterations=iterations)
                    for mechanism, iterations in sorted(users[name].items())
                ],
            )
            for name, often in times.items()
        ],
    )


def _failed(name: str, code: WireCode, sentence: str) -> DescribeUserScramCredentialsResult:
    return DescribeUserScramCredentialsResult(
        user=name, error_code=code, error_message=sentence.format(shown(name))
    )
