"""When a target is computed, and where: at most once per interval, and outside of the step if
large.

KIP-1263. Until there is a new target, members keep the old one; only topics that a member
unsubscribes from are revoked at once. The first target of a group, and the first that this owner
computes, need not wait. (Why the interval is shorter than Kafka's: decision 16.)
"""

from dataclasses import replace
from typing import Final

from groups.core.assignors.task import AssignmentTask
from groups.core.consumer import client_rounds
from groups.core.consumer.live import TargetSchedule
from groups.core.consumer.work import Work
from groups.core.group import Millis, Rules
from groups.core.journal import EntryKind, Trigger
from groups.core.rows import GroupRow

INLINE_MAX: Final = 3_000
"""The input size (``targets.size_of``) up to which a target is computed within the step: at most 30
ms of the event loop, usually a few (docs/assignors.md). Kafka always uses another thread."""

ANSWER_MS_MAX: Final[Millis] = 60_000
"""A result that has not arrived by then is lost, and requested again."""

RETRY_MS: Final[Millis] = 1_000
"""The pause after an assignor failed."""


def reloaded(schedule: TargetSchedule) -> TargetSchedule:
    """After a reload of the rows: the requested target may be lost."""
    return replace(schedule, requested_epoch=0)


def begins_at(schedule: TargetSchedule, rules: Rules) -> Millis | None:
    """The earliest time for the next target; None: any time."""
    if schedule.requested_epoch:
        return schedule.requested_until
    if schedule.last_at is None:
        return schedule.not_before or None
    return max(schedule.last_at + rules.group_consumer_assignment_interval_ms, schedule.not_before)


def waits(work: Work) -> bool:
    """Whether a needed target has to wait, or is being computed."""
    at = begins_at(work.live.schedule, work.rules)
    return at is not None and work.now < at


def due(row: GroupRow, schedule: TargetSchedule, rules: Rules) -> Millis | None:
    """When the target that a heartbeat needed is computed; None: no heartbeat needed one.

    Otherwise the next heartbeat computes it, as in Kafka.
    """
    if not schedule.is_wanted or row.generation == row.details.get("target_epoch"):
        return None
    return begins_at(schedule, rules) or 0


def want(work: Work) -> None:
    """A heartbeat needs a target that has to wait."""
    if not work.live.schedule.is_wanted:
        work.change().schedule = replace(work.live.schedule, is_wanted=True)


def forget_wish(work: Work) -> None:
    """A guard rail delays the target: then the interval does not decide when it is computed."""
    if work.live.schedule.is_wanted:
        work.change().schedule = replace(work.live.schedule, is_wanted=False)


def forget(work: Work) -> None:
    """No target is needed any more, not even the one that is being computed."""
    schedule = work.live.schedule
    if schedule.is_wanted or schedule.requested_epoch:
        work.change().schedule = replace(schedule, is_wanted=False, requested_epoch=0)


def is_coming(work: Work) -> bool:
    """Whether members should send their next heartbeat soon: a target is being prepared."""
    is_requested = bool(work.live.schedule.requested_epoch) or client_rounds.is_open(
        work.live.client_round, work.row
    )
    return work.live.schedule.is_wanted or is_requested


def is_elsewhere(is_foreign: bool, size: int, rules: Rules) -> bool:
    """Whether a target is computed outside of the event loop, since it takes too long, or its
    assignor is a plug-in whose run time is unknown."""
    return rules.group_consumer_assignor_offload_enable and (is_foreign or size > INLINE_MAX)


def requested(work: Work, question: AssignmentTask) -> None:
    """The target of this epoch is being computed outside; an older request is dropped."""
    until = work.now + ANSWER_MS_MAX
    work.change().schedule = replace(
        work.live.schedule, is_wanted=False, requested_epoch=question.epoch, requested_until=until
    )


def came(work: Work) -> None:
    """There is a new target. Another one may already be needed."""
    is_wanted = work.live.schedule.is_wanted and work.target_epoch < work.row.generation
    work.change().schedule = TargetSchedule(last_at=work.now, is_wanted=is_wanted)


def failed(work: Work, name: str, reason: str) -> None:
    """The computation failed; members keep their targets, and it is tried again. Journaled once an
    epoch."""
    if work.live.schedule.failed != work.row.generation:
        work.note(
            EntryKind.ASSIGNMENT_FAILED,
            trigger=Trigger.ASSIGNOR_FAILED,
            reason=reason,
            facts={"assignor": name},
        )
    work.change().schedule = replace(
        work.live.schedule,
        is_wanted=True,
        requested_epoch=0,
        not_before=work.now + RETRY_MS,
        failed=work.row.generation,
    )
