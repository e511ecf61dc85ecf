"""RegisterConsumer: which consumers may offer threads, and what that changes.

Only this file adds consumers. ``rebalance`` decides when one starts to work.
"""

from dataclasses import replace
from uuid import UUID

from groups.core import commands, drains
from groups.core.commanded import awaited, rebalance, thread_offers, topics
from groups.core.commanded.states import EMPTY, STABLE
from groups.core.commanded.work import LAST_COMMAND, Work
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import RegisterConsumer
from groups.core.explanation import End
from groups.core.facts import Departure
from groups.core.journal import Trigger
from groups.core.rebalance_cause import Cause
from groups.core.replies import Registered
from groups.core.rows import MemberRow

PROTOCOL_TYPE = "consumer"

THREADS_MAX = 1_000
"""Threads of one consumer for one topic; more would be a mistake."""

WORKS_ON_NOTHING = -1

FEW_TOPICS = 20
"""Offers of at most this many topics are accepted without summing up those of all consumers."""

OFFERS_MAX = 200_000
"""Total of topics that the consumers of a group name."""

FILTERS_MAX = 100
"""Different filters of a group: each is matched with all topics whenever these change."""


def register(work: Work, event: RegisterConsumer) -> None:
    """Add a consumer, or update its offer."""
    _check_request(work, event)
    consumer = work.members.get(event.consumer_id)
    if event.generation_id != WORKS_ON_NOTHING and (
        consumer is None or commands.is_expelled(consumer)
    ):
        raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID)
    if consumer is None and len(work.members) >= work.rules.group_max_size:
        raise Refuse(ErrorCode.GROUP_MAX_SIZE_REACHED)
    if event.filter is not None or len(event.threads) > FEW_TOPICS:
        _check_room(work, event)
    if work.state == EMPTY:
        work.move_to(STABLE, protocol_type=PROTOCOL_TYPE, protocol_name=thread_offers.STRATEGY)
    consumer_id = event.consumer_id or _new_id(work)
    cause = _welcome(work, event, consumer_id, consumer)
    topics.learn(work, event.counts, event.matches, consumer_id)
    if cause is not None:
        rebalance.queue(work, cause)
    last_command_id = work.row.details.get(LAST_COMMAND, 0)
    row = work.members[consumer_id]
    if row.commands:
        last_command_id = row.commands[0].command_id - 1
    generation_id = work.row.generation
    registered = Registered(
        consumer_id=consumer_id, generation_id=generation_id, last_command_id=last_command_id
    )
    work.answer(event.ticket, registered)


def _check_request(work: Work, event: RegisterConsumer) -> None:
    rules, timeout_ms = work.rules, event.session_timeout_ms
    least, most = rules.group_min_session_timeout_ms, rules.group_max_session_timeout_ms
    if not least <= timeout_ms <= most:
        raise Refuse(ErrorCode.INVALID_SESSION_TIMEOUT, f"it must be {least} to {most} ms")
    if bool(event.threads) == (event.filter is not None):
        raise Refuse(ErrorCode.INVALID_REQUEST, "either topics or a filter, not both or neither")
    numbers = [*event.threads.values(), event.filter_threads]
    if not all(1 <= number <= THREADS_MAX for number in numbers):
        raise Refuse(ErrorCode.INVALID_REQUEST, f"1 to {THREADS_MAX} threads for a topic")


def _check_room(work: Work, event: RegisterConsumer) -> None:
    """Refuse an offer that would let the group's rows grow without limit."""
    consumer, offered = work.members.get(event.consumer_id), work.offered
    before = {} if consumer is None else consumer.details
    if event.filter is not None:
        own = before.get(thread_offers.FILTER)
        others = {key for key, number in offered.filters.items() if number > (key == own)}
        if len(others | {event.filter}) > FILTERS_MAX:
            detail = f"the group's consumers have {FILTERS_MAX} filters already"
            raise Refuse(ErrorCode.GROUP_MAX_SIZE_REACHED, detail)
    elif len(event.threads) > FEW_TOPICS:
        named = offered.named - len(before.get(thread_offers.THREADS, ()))
        if named + len(event.threads) > OFFERS_MAX:
            detail = f"the group's consumers name {OFFERS_MAX} topics at most"
            raise Refuse(ErrorCode.GROUP_MAX_SIZE_REACHED, detail)


def _new_id(work: Work) -> str:
    return f"{work.row.group_id}-{UUID(int=work.rng.getrandbits(128), version=4)}"


def _welcome(
    work: Work, event: RegisterConsumer, consumer_id: str, consumer: MemberRow | None
) -> Cause | None:
    """Write its row; returns the cause if that requires a rebalance, else None."""
    details = thread_offers.offers(event.threads, event.filter, event.filter_threads)
    if consumer is not None and event.generation_id != WORKS_ON_NOTHING:
        return _offer_again(work, event, consumer, details)
    is_same = consumer is not None and thread_offers.same_offer(consumer, details)
    if consumer is not None and is_same and not _has_anything(consumer):
        work.hear(consumer_id)  # it did not receive the reply, and asks again
        return None
    row = MemberRow(
        member_id=consumer_id,
        instance_id=None,
        client_id=event.client_id,
        client_host=event.client_host,
        session_timeout_ms=event.session_timeout_ms,
        rebalance_timeout_ms=event.session_timeout_ms,
        position=consumer.position if consumer is not None else _next_position(work),
        details={**details, **drains.carried(consumer)},
    )
    if consumer is not None:
        awaited.ended(work, consumer, End.RETURNED)
        work.drop(consumer_id, Departure.REPLACED)  # it does not work on its partitions any more
    work.put(drains.looked(work, row))
    reason = "a consumer starts anew" if consumer is not None else "a consumer has registered"
    return Cause(Trigger.MEMBER_JOINED, reason, consumer_id, event.client_id)


def _next_position(work: Work) -> int:
    return work.offered.next_position(work.members.values())


def _has_anything(consumer: MemberRow) -> bool:
    return bool(
        consumer.commands or thread_offers.parts_in(consumer) or commands.is_expelled(consumer)
    )


def _offer_again(
    work: Work, event: RegisterConsumer, consumer: MemberRow, details: thread_offers.Offer
) -> Cause | None:
    """It continues to work; its offer changes."""
    work.hear(consumer.member_id)
    timeout_ms = event.session_timeout_ms
    kept = {
        key: consumer.details[key]
        for key in (thread_offers.OWNED, drains.DRAINED)
        if key in consumer.details
    }
    after = replace(
        consumer,
        session_timeout_ms=timeout_ms,
        rebalance_timeout_ms=timeout_ms,
        details={**details, **kept},
    )
    if after == consumer:
        return None
    work.put(after)
    if thread_offers.same_offer(consumer, details):
        return None
    who = (consumer.member_id, consumer.client_id)
    return Cause(Trigger.METADATA_CHANGED, "a consumer wants other topics", *who)
