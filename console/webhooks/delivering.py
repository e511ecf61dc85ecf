"""Sends due deliveries: a thread for each endpoint with some, so that endpoints do not wait for
each other.

The threads are not Celery's: those run the session sweep, which must not wait for other servers.
Each holds a database connection only briefly, and never while it waits for a response.
"""

import logging
import random
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

from django.db import DatabaseError, connection

from console.webhooks import sql
from console.webhooks.sending import GONE, Outcome, post
from console.webhooks.settings import WebhookSettings
from console.webhooks.signatures import headers
from groups.watchdog import WATCHDOG

logger = logging.getLogger(__name__)

THREADS_MAX: Final = 16
"""Further endpoints wait for a turn. One that does not answer gets turns more and more rarely."""

FAILING_MAX: Final = 12
"""Maximum of those threads for endpoints that failed lately, so that others do not wait for
them."""

A_TURN, A_TURN_S = 100, 20.0
"""Deliveries to one endpoint in a turn, and its time limit; then others get the thread, however
slow it answers."""

DATABASE_STILL_S = 300.0
"""A turn that is not over so long after its last response must have come waits for the database."""

LEASE_MARGIN_S: Final = 30
FIRST_S, GROWS, LONGEST_S = 5.0, 4, 6 * 3600.0
"""The times of further attempts: 5 s, 20 s, 80 s, ... six hours; plus or minus half, at random."""

QUIET_S: Final = 300
"""The longest pause for an endpoint that does not answer, or asks for one without saying how
long."""

HOUR_S, DAY_S = 3_600, 86_400


class Claimed(NamedTuple):
    """A delivery that this thread has claimed; ``age_s``: since it was queued."""

    id: int
    message_id: Any
    body: str
    attempts: int
    url: str
    now: int
    age_s: float


class Due(NamedTuple):
    """An endpoint with due deliveries; and whether it failed lately."""

    webhook: int
    fails: bool


class Senders:
    """The threads of a process, by endpoint."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._at_work: set[int] = set()

    def begin(self, waiting: Sequence[Due]) -> int:
        """Start threads for endpoints without one, up to the limit; returns how many."""
        chosen = []
        with self._lock:
            for webhook, fails in sorted(waiting, key=lambda each: each.fails):
                most = FAILING_MAX if fails else THREADS_MAX
                if webhook not in self._at_work and len(self._at_work) < most:
                    self._at_work.add(webhook)
                    chosen.append(webhook)
        for webhook in chosen:
            name = f"webhook {webhook}"
            threading.Thread(target=self._work, args=(webhook,), name=name, daemon=True).start()
        return len(chosen)

    def _work(self, webhook: int) -> None:
        try:
            with WATCHDOG.watching(f"Webhook {webhook}", turn_still_s()):
                deliver(webhook)
        except DatabaseError as error:
            logger.warning("webhooks wait for the database: %s", error)
        except Exception:
            logger.exception("deliveries to an endpoint failed")
        finally:
            with self._lock:
                self._at_work.discard(webhook)


SENDERS: Final = Senders()
"""The senders of this process."""

_database = threading.Lock()


@contextmanager
def _asking() -> Iterator[Any]:
    """A cursor for a short time; its connection is closed, unless it is the caller's own."""
    with _database:
        is_ours = connection.connection is None
        try:
            with connection.cursor() as cursor:
                yield cursor
        finally:
            if is_ours:
                connection.close()


def due() -> list[Due]:
    """Endpoints with due deliveries, in random order."""
    with connection.cursor() as cursor:
        cursor.execute(sql.DUE)
        endpoints = [Due(*row) for row in cursor.fetchall()]
    random.shuffle(endpoints)
    return endpoints


def turn_still_s() -> float:
    """How long a turn may take; then something is wrong with this process."""
    settings = WebhookSettings.from_django()
    return A_TURN_S + settings.webhooks_timeout_ms / 1000 + DATABASE_STILL_S


def deliver(webhook: int) -> int:
    """An endpoint's turn; returns the number of attempts. It ends at an attempt without a
    response, or whose response asks for a pause."""
    settings, ends = WebhookSettings.from_django(), time.monotonic() + A_TURN_S
    for count in range(A_TURN):
        if count and time.monotonic() >= ends:
            return count
        claimed, secrets = _claim(webhook, settings)
        if claimed is None:
            return count
        body = claimed.body.encode()
        signed = headers(f"msg_{claimed.message_id.hex}", claimed.now, body, secrets)
        fields = {**signed, "Content-Type": "application/json"}
        outcome = post(claimed.url, body, fields, settings)
        _note(webhook, claimed, outcome, settings)
        if outcome.pauses:
            return count + 1
    return A_TURN


def _claim(webhook: int, settings: WebhookSettings) -> tuple[Claimed | None, list[str]]:
    lease_s = settings.webhooks_timeout_ms / 1000 + LEASE_MARGIN_S
    with _asking() as cursor:
        cursor.execute(sql.CLAIM, {"webhook": webhook, "lease_s": lease_s})
        row = cursor.fetchone()
        if row is None:
            return None, []
        cursor.execute(sql.SECRETS, {"webhook": webhook})
        return Claimed(*row), [secret for (secret,) in cursor.fetchall()]


def again_s(attempts: int) -> float:
    """The pause before the next attempt, after this many."""
    wait_s = min(FIRST_S * float(GROWS ** (min(attempts, 20) - 1)), LONGEST_S)
    return wait_s * random.uniform(0.5, 1.5)


def _note(webhook: int, claimed: Claimed, outcome: Outcome, settings: WebhookSettings) -> None:
    values: dict[str, Any] = {"id": claimed.id, "webhook": webhook}
    values |= {"status": outcome.status or None, "answer": outcome.body, "took_ms": outcome.took_ms}
    if outcome.is_delivered:
        with _asking() as cursor:
            cursor.execute(sql.DELIVERED, values)
        return
    values |= {
        "error": outcome.error,
        "is_over": claimed.age_s >= settings.webhooks_retry_hours * HOUR_S,
        "again_s": max(again_s(claimed.attempts), outcome.asked_s),
        "pauses": outcome.pauses,
        "quiet_s": QUIET_S,
        "asked_s": outcome.asked_s,
    }
    with _asking() as cursor:
        cursor.execute(sql.FAILED, values)
        row = cursor.fetchone()
        because = row and _why_no_more(outcome, row[0], settings)
        if because:
            cursor.execute(sql.DISABLE, {"webhook": webhook, "because": because})
            fields = {"endpoint": row[1], "reason": because}
            logger.warning("a webhook's endpoint is disabled", extra=fields)


def _why_no_more(outcome: Outcome, failing_s: float, settings: WebhookSettings) -> str:
    """Why the endpoint is disabled; "": it is not."""
    if outcome.status == GONE:
        return "It answered 410 Gone."
    if failing_s >= settings.webhooks_disable_days * DAY_S:
        return f"It took nothing for {settings.webhooks_disable_days} days. {outcome.error}"
    return ""


def clean_up() -> int:
    """Delete deliveries that are old, or too many, and secrets that are not used any more."""
    settings = WebhookSettings.from_django()
    with connection.cursor() as cursor:
        hours = settings.webhooks_deliveries_retention_hours
        cursor.execute(sql.FORGET_OLD, {"hours": hours, "rows": 10_000})
        removed: int = cursor.rowcount
        cursor.execute(sql.FORGET_MANY, {"most": settings.webhooks_deliveries_max})
        removed += cursor.rowcount
        cursor.execute(sql.FORGET_SECRETS)
    return removed
