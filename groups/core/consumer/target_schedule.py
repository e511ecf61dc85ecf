"""When a target is worked out, and where: at most once per interval, and not in the step if large.

KIP-1263. Until there is a new target, members keep the old one; only what a member no longer
subscribes to it gives up at once. The first target of a group, and the first that this owner
works out, wait for nothing. (Why the interval is shorter than Kafka's: decision 16.)
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
"""The size of a question (``targets.size_of``) up to which it is answered within the step: 30 ms of
the event loop in the worst case, a few as a rule (docs/assignors.md). Kafka always goes to another
thread."""

ANSWER_MS_MAX: Final[Millis] = 60_000
"""An answer that has not come by then is lost, and asked for again."""

RETRY_MS: Final[Millis] = 1_000
"""After an assignor has failed."""


def reloaded(schedule: TargetSchedule) -> TargetSchedule:
    """After the rows were read again: what was asked for may have come to nothing."""
    return replace(schedule, asked=0)


def begins_at(schedule: TargetSchedule, rules: Rules) -> Millis | None:
    """From when on the next target may be worked out; None: from the beginning of time."""
    if schedule.asked:
        return schedule.asked_until
    if schedule.last_at is None:
        return schedule.not_before or None
    return max(schedule.last_at + rules.group_consumer_assignment_interval_ms, schedule.not_before)


def waits(work: Work) -> bool:
    """Whether a target that is called for has to wait, or is on its way."""
    at = begins_at(work.live.schedule, work.rules)
    return at is not None and work.now < at


def due(row: GroupRow, schedule: TargetSchedule, rules: Rules) -> Millis | None:
    """When the target that a heartbeat called for is worked out; None: no heartbeat did.

    What nobody has asked for yet is worked out with the next heartbeat, as with Kafka.
    """
    if not schedule.is_wanted or row.generation == row.details.get("target_epoch"):
        return None
    return begins_at(schedule, rules) or 0


def want(work: Work) -> None:
    """A heartbeat calls for a target that has to wait."""
    if not work.live.schedule.is_wanted:
        work.change().schedule = replace(work.live.schedule, is_wanted=True)


def forget_wish(work: Work) -> None:
    """A guard rail holds the target up: when it comes is not for the interval to say."""
    if work.live.schedule.is_wanted:
        work.change().schedule = replace(work.live.schedule, is_wanted=False)


def is_coming(work: Work) -> bool:
    """Whether members should look again soon: a target has been called for."""
    is_asked = bool(work.live.schedule.asked) or client_rounds.is_open(
        work.live.client_round, work.row
    )
    return work.live.schedule.is_wanted or is_asked


def is_elsewhere(is_foreign: bool, size: int, rules: Rules) -> bool:
    """Whether a target is worked out beside the event loop, which would stand still for too long:
    for how long somebody else's assignor takes, nobody knows."""
    return rules.group_consumer_assignor_offload_enable and (is_foreign or size > INLINE_MAX)


def asked(work: Work, question: AssignmentTask) -> None:
    """The target of this epoch is being worked out elsewhere; an older question is forgotten."""
    until = work.now + ANSWER_MS_MAX
    work.change().schedule = replace(
        work.live.schedule, is_wanted=False, asked=question.epoch, asked_until=until
    )


def came(work: Work) -> None:
    """There is a new target. Another may be called for already."""
    is_wanted = work.live.schedule.is_wanted and work.target_epoch < work.row.generation
    work.change().schedule = TargetSchedule(last_at=work.now, is_wanted=is_wanted)


def failed(work: Work, name: str, reason: str) -> None:
    """There is none, and everybody keeps what there was; it is tried again. Said once an epoch."""
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
        asked=0,
        not_before=work.now + RETRY_MS,
        failed=work.row.generation,
    )
