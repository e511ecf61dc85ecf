"""Operations on a group, requested by people and programs: a row to insert. The group's owner
executes it (``groups.operations.requests``)."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from console.plain_text import text_problem
from groups.core.rows import slot_of
from groups.models import Operation
from groups.operations.requests import notify
from groups.tracing import context


def request(
    group_id: str,
    verb: str,
    *,
    reason: str,
    actor: str,
    member_id: str = "",
    expected_generation: int | None = None,
    restore_to: datetime | None = None,
    offsets: Mapping[str, Any] | None = None,
    until: datetime | None = None,
    prediction: Mapping[str, Any] | None = None,
    idempotency_key: str | None = None,
) -> Operation:
    """Insert an operation on a group, and notify the group's owner.

    ``prediction``: what it is expected to do, kept beside what it does. Returns the operation,
    pending. A known idempotency key returns its existing operation. Raises
    ValueError for a reason that is empty or cannot be displayed. A node that does not know the verb
    leaves the operation pending.
    """
    check_reason(reason)
    values = {
        "group_id": group_id,
        "slot": slot_of(group_id),
        "verb": verb,
        "member_id": member_id,
        "reason": reason,
        "actor": actor,
        "expected_generation": expected_generation,
        "restore_to": restore_to,
        "offsets": offsets,
        "until": until,
        "prediction": prediction,
        "traceparent": context.traceparent(),
    }
    with transaction.atomic():
        operation = _inserted(values, idempotency_key)
        notify([operation.slot])
    return operation


def _inserted(values: Mapping[str, Any], idempotency_key: str | None) -> Operation:
    if idempotency_key is None:
        return Operation.objects.create(**values)
    return Operation.objects.get_or_create(idempotency_key=idempotency_key, defaults=values)[0]


def check_reason(reason: str) -> None:
    """Raise ValueError for a reason that must not be displayed in the journal."""
    if not reason.strip():
        raise ValueError("an operation requires a reason")
    problem = text_problem(reason)
    if problem is not None:
        raise ValueError(problem)
