"""ApiVersions (18): the supported APIs, and the features of the cluster (KIP-511, KIP-584).

From v5 on a client says which node of which cluster it expects at this address (KIP-1242). At an
address that another cluster or node has got, it starts again from its bootstrap addresses.
"""

import re
from collections.abc import Sequence
from sys import intern

from groups.core.errors import ErrorCode
from protocol.handlers.support import validation
from protocol.requests.call import Call, Served
from rollcall.wire.codec import encode
from rollcall.wire.messages.api_versions import (
    ApiVersion,
    ApiVersionsRequest,
    ApiVersionsResponse,
    FinalizedFeatureKey,
    SupportedFeatureKey,
)

API_KEY = 18

CONSUMER_GROUP_HEARTBEAT = 68

END_TXN = 26

GROUP_VERSION = "group.version"

FEATURES = {
    GROUP_VERSION: (1, CONSUMER_GROUP_HEARTBEAT),
    "transaction.version": (2, END_TXN),
}
"""Feature: its level (supported from 0), and the API without which it is not returned.
group.version 1 is KIP-848's consumer protocol, transaction.version 2 KIP-890's epoch for each
transaction."""

FEATURES_EPOCH = 0
"""Clients use finalized features only with an epoch of at least 0; ours never change."""

ANY_NODE = -1
"""The node that a client expects which knows only an address."""

CLIENT_NAMED_SINCE = 3
FEATURE_LEVEL_ZERO_SINCE = 4
"""Admin clients of earlier versions fail on a feature whose minimum level is 0: they receive 1."""

_SOFTWARE = re.compile(r"[a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?", re.ASCII)


async def handle(request: ApiVersionsRequest, call: Call) -> ApiVersionsResponse:
    """The table of APIs. A client with an invalid software name or version, or that knows only one
    of cluster and node, receives INVALID_REQUEST; one that expects another, REBOOTSTRAP_REQUIRED.
    """
    names = (request.client_software_name, request.client_software_version)
    if call.version >= CLIENT_NAMED_SINCE and not all(map(_SOFTWARE.fullmatch, names)):
        return ApiVersionsResponse(error_code=ErrorCode.INVALID_REQUEST)
    code = _expectation(request, call)
    if code is not ErrorCode.NONE:
        return ApiVersionsResponse(error_code=code)
    if all(names):
        software = (intern(validation.shown(name)) for name in names)
        call.session.software, call.session.software_version = software
    served = call.served()
    keys = {key for key, _, _ in served}
    levels = {name: level for name, (level, needed) in FEATURES.items() if needed in keys}
    final = {name: level for name, level in levels.items() if _is_on(name, call)}
    lowest = 0 if call.version >= FEATURE_LEVEL_ZERO_SINCE else 1
    return ApiVersionsResponse(
        api_keys=_listed(served),
        supported_features=[
            SupportedFeatureKey(name=name, min_version=lowest, max_version=level)
            for name, level in levels.items()
        ],
        finalized_features_epoch=FEATURES_EPOCH,
        finalized_features=[
            FinalizedFeatureKey(name=name, max_version_level=level, min_version_level=level)
            for name, level in final.items()
        ],
    )


def _expectation(request: ApiVersionsRequest, call: Call) -> ErrorCode:
    """Whether the client has reached whom it expected."""
    if (request.cluster_id is None) is not (request.node_id == ANY_NODE):
        return ErrorCode.INVALID_REQUEST
    expected = request.cluster_id, request.node_id
    if request.cluster_id is None or expected == (call.node.cluster.cluster_id, call.node.node_id):
        return ErrorCode.NONE
    return ErrorCode.REBOOTSTRAP_REQUIRED


def _is_on(feature: str, call: Call) -> bool:
    """Whether the cluster has the feature, at its level; a feature at level 0 is not returned."""
    on = validation.CONSUMER_PROTOCOL in call.node.settings.group_coordinator_rebalance_protocols
    return on or feature != GROUP_VERSION


def unsupported_version_body(served: Sequence[Served]) -> bytes:
    """The answer to an ApiVersions request of an unknown version, in the form of version 0.

    UNSUPPORTED_VERSION with the range of ApiVersions alone: franz-go asks above
    our last version first, reads this, and asks again within the range.
    """
    own = [api for api in served if api[0] == API_KEY]
    answer = ApiVersionsResponse(error_code=ErrorCode.UNSUPPORTED_VERSION, api_keys=_listed(own))
    return encode(answer, 0)


def _listed(apis: Sequence[Served]) -> list[ApiVersion]:
    return [
        ApiVersion(api_key=key, min_version=first, max_version=last) for key, first, last in apis
    ]
