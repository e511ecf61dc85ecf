"""Keys of batches: an Idempotency-Key covers the whole request, its filters too.

Each operation of a batch has a key of its own, made of digests: of the client's key, of the request
and of the group. So a repeated request is found by the first, and told from another one by the
second.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

from django.db import connection

from console.api.problems import Problem
from groups.models import Operation

REQUEST_HEX: Final = 32

LOCK: Final = "SELECT pg_advisory_xact_lock(%s, hashtext(%s))"
LOCK_KEY: Final = 0x526C6264
"""The first key of the lock ("Rlbd"): of two batches with one key at a time, the second finds the
operations of the first, whatever groups each matches."""

UNSEEN: Final = "dry_run"


class Reused(Problem):
    """422: the key was used for another request."""

    def __init__(self) -> None:
        detail = "The Idempotency-Key was used before for a different request."
        super().__init__(HTTPStatus.UNPROCESSABLE_ENTITY, "idempotency_key_reused", detail)


def digest_of(verb: str, query: Mapping[str, Any], body: Mapping[str, Any]) -> str:
    """The request without its key: differs for each verb, filter and field."""
    filters = {name: value for name, value in query.items() if name != UNSEEN}
    document = json.dumps([verb, filters, body], sort_keys=True, default=str)
    return _digest(document)[:REQUEST_HEX]


def key_of_group(key: str, request: str, group_id: str) -> str:
    """The key of one operation of a batch: short for any group id."""
    return f"{_begin(key)}{request}/{_digest(group_id)}"


def hold(key: str) -> None:
    """Wait until no other transaction answers a batch with this key."""
    with connection.cursor() as cursor:
        cursor.execute(LOCK, [LOCK_KEY, key])


def operations_of_batch(key: str) -> Sequence[Operation]:
    """The operations that an earlier batch with this key created."""
    operations = Operation.objects.filter(idempotency_key__startswith=_begin(key))
    return list(operations.order_by("id"))


def check_same(before: Sequence[Operation], key: str, request: str) -> None:
    """Raise 422 unless these operations are those of the same request."""
    begin = f"{_begin(key)}{request}/"
    if not all(str(each.idempotency_key).startswith(begin) for each in before):
        raise Reused


def check_no_batch(key: str) -> None:
    """Raise 422 if a batch had this key."""
    if Operation.objects.filter(idempotency_key__startswith=_begin(key)).exists():
        raise Reused


def check_only_batches(key: str) -> None:
    """Raise 422 if a request for one group had this key."""
    if Operation.objects.filter(idempotency_key=key).exists():
        raise Reused


def _begin(key: str) -> str:
    return f"{_digest(key)}/"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
