"""Checks each request against the table of permissions before its handler runs.

If the whole request is refused, this module answers. If single elements are refused, the handler
gets the others, and the response has Kafka's errors for the refused ones. Refused resources are not
looked up, so the answer does not reveal whether they exist.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final
from uuid import UUID

from groups.catalogue.cache import Unavailable
from groups.core.acls.bindings import CLUSTER_NAME, ResourceType
from groups.core.errors import ErrorCode
from protocol.authorization.table import CLUSTER, NEEDS, TOPIC, Need
from protocol.requests.api_row import Api
from protocol.requests.call import Call
from protocol.requests.refusals import Refusal, elements, whole
from rollcall.wire.declare import Message

REFUSALS: Final = {
    ResourceType.TOPIC: Refusal(
        ErrorCode.TOPIC_AUTHORIZATION_FAILED, "Topic authorization failed."
    ),
    ResourceType.GROUP: Refusal(
        ErrorCode.GROUP_AUTHORIZATION_FAILED, "Group authorization failed."
    ),
    ResourceType.CLUSTER: Refusal(
        ErrorCode.CLUSTER_AUTHORIZATION_FAILED, "Cluster authorization failed."
    ),
    ResourceType.TRANSACTIONAL_ID: Refusal(
        ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, "Transactional Id authorization failed."
    ),
}
"""Kafka's error codes and messages."""

UNSURE: Final = Refusal(ErrorCode.COORDINATOR_NOT_AVAILABLE, "The database did not answer.")
"""For a topic whose id could not be looked up: clients try again."""

OF_RULES: Final = frozenset({30, 31})
"""CreateAcls and DeleteAcls: whoever removes a rule of their own is told that it was done."""

NO_ID: Final = UUID(int=0)
FIRE_AND_FORGET: Final = 0
"""The acks of a producer that expects no response."""

RefusedPart = tuple[Need, list[Any], Refusal]


async def serve(api: Api, request: Message, call: Call) -> Any:
    """The response to a request; the handler gets only the elements that the client may access."""
    needs = [need for need in NEEDS[api.request].needs if _is_due(need, api, call)]
    is_sure = await _look_up(request, needs, call)
    refused = list[RefusedPart]()
    for need in needs:
        if not need.is_each and not await _may_all(need, request, call):
            return _refuse_all(api, request, need, call)
    for need in needs:
        if need.is_each:
            request, found = await _cut(need, request, call, is_sure)
            refused += found
    if api.key not in OF_RULES:
        call.session.may_still = partial(_may_still, request, needs, call)
    try:
        response = await api.handle(request, call)
    finally:
        call.session.may_still = None
    return response if response is None else _with_refused(api, response, refused)


async def _may_still(request: Message, needs: Sequence[Need], call: Call) -> bool:
    """Whether a request that was allowed when it arrived, and may have waited since, still is."""
    for need in needs:
        if not need.is_each:
            if not await _may_all(need, request, call):
                return False
            continue
        async for item in call.each(getattr(request, need.head) or ()):
            if need.when(request, item) and not _may(need, item, call):
                return False
    return True


def _is_due(need: Need, api: Api, call: Call) -> bool:
    """Whether this module checks the permission for this version of the request."""
    if need.in_handler or not need.head:
        return not need.in_handler
    return any(f.name == need.head and f.present(call.version) for f in api.request.wire_fields)


async def _may_all(need: Need, request: Message, call: Call) -> bool:
    if not need.path:
        return call.access.may(need.operation, need.resource, CLUSTER_NAME)
    if not need.when(request, None):
        return True
    found = getattr(request, need.head)
    items = [found] if isinstance(found, str) else found or ()
    async for item in call.each(items):
        if not _may(need, item, call):
            return False
    return True


def _refuse_all(api: Api, request: Any, need: Need, call: Call) -> Any:
    if getattr(request, "acks", None) == FIRE_AND_FORGET:
        return None
    return whole(
        request,
        api.response,
        call.version,
        need.answer_lists,
        _refusal(api, REFUSALS[need.resource]),
    )


async def _cut(
    need: Need, request: Any, call: Call, is_sure: bool
) -> tuple[Any, list[RefusedPart]]:
    """The request without the elements that are not allowed, and those elements."""
    kept, refused, unsure = list[Any](), list[Any](), list[Any]()
    async for item in call.each(getattr(request, need.head) or ()):
        if not need.when(request, item):
            kept.append(item)
        elif not is_sure and _is_unknown(item, call):
            unsure.append(item)
        else:
            (kept if _may(need, item, call) else refused).append(item)
    if not refused and not unsure:
        return request, []
    parts = [(need, refused, REFUSALS[need.resource]), (need, unsure, UNSURE)]
    return replace(request, **{need.head: kept}), parts


def _may(need: Need, item: Any, call: Call) -> bool:
    if need.instead is not None and call.access.may(need.instead, CLUSTER, CLUSTER_NAME):
        return True
    name = CLUSTER_NAME if need.resource is CLUSTER else _name(need, item, call)
    return name is None or call.access.may(need.operation, need.resource, name)


def _name(need: Need, item: Any, call: Call) -> str | None:
    """A resource's name; None if no topic has this id."""
    if isinstance(item, str):
        return item
    if (topic_id := getattr(item, "topic_id", NO_ID)) != NO_ID:
        entry = call.node.catalogue.by_id(topic_id)
        return None if entry is None else entry.name
    name: str | None = getattr(item, need.name)
    return name


def _is_unknown(item: Any, call: Call) -> bool:
    topic_id = getattr(item, "topic_id", NO_ID)
    return bool(topic_id != NO_ID) and call.node.catalogue.by_id(topic_id) is None


async def _look_up(request: Any, needs: Sequence[Need], call: Call) -> bool:
    """Look up the topics that the request names by id and this node does not know, since another
    node may just have created them. Returns False if they could not be looked up."""
    heads = {need.head for need in needs if need.is_each and need.resource is TOPIC}
    items = [item for head in heads for item in getattr(request, head) or ()]
    ids = {item.topic_id for item in items if _is_unknown(item, call)}
    if not ids:
        return True
    try:
        await call.node.catalogue.find_many_by_id(ids)
    except Unavailable:
        return False
    return True


def _with_refused(api: Api, response: Any, refused: Sequence[RefusedPart]) -> Any:
    """The response, with the refused elements added. A response that failed as a whole has no
    elements (``OffsetDeleteResponse.Builder.merge`` of Kafka)."""
    if getattr(response, "error_code", ErrorCode.NONE) != ErrorCode.NONE:
        return response
    for need, items, refusal in refused:
        if items:
            added = elements(items, api.response, need.answer, _refusal(api, refusal))
            theirs = getattr(response, need.answer)
            response = replace(response, **{need.answer: [*theirs, *added]})
    return response


def _refusal(api: Api, refusal: Refusal) -> Refusal:
    return refusal._replace(number=api.number_of(refusal.number))
