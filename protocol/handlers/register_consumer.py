"""RegisterConsumer (10000): a consumer offers its threads to a commanded group.

A private API: docs/commanded.md.
"""

from groups.catalogue import regex
from groups.catalogue.cache import Unavailable
from groups.core.commanded.thread_offers import BLACK_LIST, WHITE_LIST, filter_key
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import RegisterConsumer
from groups.core.kinds import COMMANDED
from groups.core.replies import Registered
from groups.topics.commanded_topics import CommandedTopics
from protocol.handlers.support import patterns, validation
from protocol.requests.access import Open
from protocol.requests.call import Call
from rollcall.wire.messages.register_consumer import (
    RegisterConsumerRequest,
    RegisterConsumerResponse,
)

FILTERS = {1: WHITE_LIST, 2: BLACK_LIST}
"""``filter_type`` to the kind of filter; 0: no filter, topics are named."""


async def handle(request: RegisterConsumerRequest, call: Call) -> RegisterConsumerResponse:
    """Validate the request, look up the topics, submit the event, and return the group's
    decision."""
    try:
        event = await _event(request, call)
    except Refuse as refusal:
        return _response(Registered(refusal.code, refusal.detail, request.consumer_id))
    reply = await call.decide(request.group_id, event)
    if not isinstance(reply, Registered):
        reply = Registered(reply.error, consumer_id=request.consumer_id)
    if reply.error is ErrorCode.NONE:
        call.node.topics_of_kinds[COMMANDED].knows(request.group_id)
        call.session.member = (request.group_id, reply.consumer_id)
    return _response(reply)


async def _event(request: RegisterConsumerRequest, call: Call) -> RegisterConsumer:
    threads = {topic.name: topic.threads for topic in request.topics}
    key = _filter(request, call.access)
    _check_form(request, call)
    await call.available_or_refuse(request.group_id)
    try:
        found = await call.node.catalogue.find_many(threads)
    except Unavailable:
        raise Refuse(ErrorCode.COORDINATOR_NOT_AVAILABLE) from None
    topics = call.node.topics_of_kinds[COMMANDED]
    assert isinstance(topics, CommandedTopics)
    matches = {} if key is None else await topics.matched((key,))
    counts = {name: entry.partitions for name, entry in found.items()}
    counts.update({name: topics.count(name) for names in matches.values() for name in names})
    return RegisterConsumer(
        ticket=call.ticket,
        consumer_id=request.consumer_id,
        generation_id=request.generation_id,
        client_id=call.client_id,
        client_host=call.client_host,
        session_timeout_ms=request.session_timeout_ms,
        threads=threads,
        filter=key,
        filter_threads=request.pattern_threads,
        counts=counts,
        matches=matches,
        client=call.client,
    )


def _check_form(request: RegisterConsumerRequest, call: Call) -> None:
    names = [topic.name for topic in request.topics]
    validation.group_id(request.group_id, call.node.settings)
    validation.name("member id", request.consumer_id)
    validation.metadata(call.node.settings, (request.pattern, *names))
    if len(set(names)) < len(names):
        raise Refuse(ErrorCode.INVALID_REQUEST, "a topic is named twice")


def _filter(request: RegisterConsumerRequest, access: Open) -> str | None:
    """The key of its filter; None if it names topics."""
    if request.filter_type == 0:
        return None
    kind = FILTERS.get(request.filter_type)
    if kind is None or request.pattern is None:
        raise Refuse(ErrorCode.INVALID_REQUEST, "a filter has a type, 1 or 2, and a pattern")
    fault = regex.problem(request.pattern)
    if fault is not None:
        raise Refuse(ErrorCode.INVALID_REGULAR_EXPRESSION, fault)
    patterns.check(request.pattern if kind == WHITE_LIST else patterns.ANYTHING, access)
    return filter_key(kind, request.pattern)


def _response(reply: Registered) -> RegisterConsumerResponse:
    return RegisterConsumerResponse(
        error_code=reply.error,
        error_message=reply.detail,
        consumer_id=reply.consumer_id,
        generation_id=reply.generation_id,
        last_command_id=reply.last_command_id,
    )
