"""Operations on endpoints: create one, renew its secret, test it, send something again.

The web cannot read secrets: each is returned once, when it is created.
"""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final
from uuid import uuid4

from django.db import IntegrityError, connection, transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from console.journal_subjects import Kinds
from console.queries import journal_rows
from console.queries.journal_position import Position
from console.webhooks import events, sql
from console.webhooks.addresses import EndpointRefused, acceptable, checked
from console.webhooks.settings import WebhookSettings
from console.webhooks.signatures import new_secret
from groups.core.journal import EntryKind
from groups.models import Webhook, WebhookDelivery

CURSOR: Final = "events"


class Conflict(EndpointRefused):
    """Another endpoint, or the maximum number, prevents it."""


def check_events(names: Sequence[str], kinds: Kinds) -> None:
    """Raise ``EndpointRefused`` if somebody who may read only these kinds of entries would have
    others sent to a URL of their choice."""
    wanted = [kind for kind in EntryKind if events.is_selected(names, events.name_of(kind))]
    hidden = sorted(kind for kind in wanted if kind not in kinds)
    if hidden or (kinds.names is not None and events.selects_all(names)):
        raise EndpointRefused(
            f"You may not read {', '.join(hidden) or 'every kind of entry'}: choose among the"
            " other events."
        )


def deliveries(kinds: Kinds) -> QuerySet[WebhookDelivery]:
    """The deliveries of events that somebody may read."""
    rows = WebhookDelivery.objects.all()
    if kinds.names is None:
        return rows
    names = [events.name_of(kind) for kind in sorted(kinds.names)]
    return rows.filter(~Q(type__startswith=events.name_of("")) | Q(type__in=names))


def has_room() -> bool:
    """Whether there may be one more."""
    return Webhook.objects.count() < WebhookSettings.from_django().webhooks_max


def check_url(url: str, *, is_enabled: bool) -> None:
    """Raise ``EndpointRefused``; one that is no longer allowed can still be disabled."""
    if is_enabled:
        acceptable(url, WebhookSettings.from_django())
    else:
        checked(url)


def create(values: Mapping[str, Any]) -> tuple[Webhook, str]:
    """Create an endpoint; returns it with its secret. Raises ``EndpointRefused``."""
    with transaction.atomic():
        if not has_room():
            raise Conflict("There are as many endpoints as there may be (webhooks.max).")
        webhook = Webhook(**values)
        save(webhook)
        return webhook, new_key(webhook)


def save(webhook: Webhook) -> None:
    """Write a valid endpoint. Raises ``EndpointRefused``."""
    check_url(webhook.url, is_enabled=webhook.enabled)
    unknown = set(webhook.events) - set(events.NAMES)
    if unknown:
        raise EndpointRefused(
            f"There are no such events: {', '.join(sorted(map(str, unknown)))[:200]}."
        )
    if webhook.enabled and webhook.disabled_because:
        webhook.disabled_because, webhook.failures = "", 0
        webhook.failing_since = webhook.not_before = None
    try:
        with transaction.atomic():
            webhook.save()
            if webhook.enabled:
                begin()
    except IntegrityError:
        raise Conflict(f"There is an endpoint called {webhook.name}.") from None


def change(webhook: Webhook, values: Mapping[str, Any]) -> Webhook:
    """Set these fields; others that have been set since it was read stay as they are. Returns it as
    it is now. Raises ``EndpointRefused``, and ``Webhook.DoesNotExist``."""
    with _held(webhook) as now:
        for name, value in values.items():
            setattr(now, name, value)
        save(now)
    return now


@contextmanager
def _held(webhook: Webhook) -> Iterator[Webhook]:
    """The endpoint in a transaction in which nobody else changes or deletes it. Raises
    ``Webhook.DoesNotExist``."""
    with transaction.atomic():
        yield Webhook.objects.select_for_update(no_key=True).get(pk=webhook.pk)


def begin() -> None:
    """Deliver events from now on; no effect if events are delivered already. Runs in the
    transaction that enables an endpoint."""
    with connection.cursor() as cursor:
        cursor.execute(sql.CURSOR_LOCK, [sql.CURSOR_LOCK_KEY])
    state = kept(journal_rows.end(time.time()), None)
    with connection.cursor() as cursor:
        cursor.execute(sql.BEGIN, {"name": CURSOR, "state": json.dumps(state)})


def kept(position: Position, fired: Mapping[str, Any] | None, looked_at: float = 0) -> Any:
    """The state of the events found so far, as its row contains it. ``fired``: rules by key; None:
    not checked."""
    gaps = [[gap.first, gap.last, gap.until] for gap in position.gaps]
    return {"greatest": position.greatest, "gaps": gaps, "fired": fired, "looked_at": looked_at}


def new_key(webhook: Webhook) -> str:
    """A new secret; the previous one signs too, for a day. Raises ``Webhook.DoesNotExist``."""
    secret = new_secret()
    with _held(webhook), connection.cursor() as cursor:
        cursor.execute(sql.ADD_SECRET, {"webhook": webhook.pk, "secret": secret})
    return secret


def test(webhook: Webhook, actor: str) -> WebhookDelivery:
    """Send a test event. Raises ``Webhook.DoesNotExist``."""
    now = timezone.now()
    body = events.body_of(events.TEST, now, {"webhook": webhook.name, "asked_by": actor})
    event = events.Event(f"test:{uuid4()}", events.TEST, events.TEST, "", body)
    with _held(webhook):
        queue([(event, [webhook.pk])])
        return WebhookDelivery.objects.get(webhook=webhook, key=event.key)


def queue(deliveries: Sequence[tuple[events.Event, Sequence[int]]]) -> int:
    """Insert deliveries of each event to its endpoints; returns how many. Existing ones are not
    changed. An event's body is sent to the database once, for any number of endpoints."""
    parameters: dict[str, Any] = {
        "keys": [event.key for event, _ in deliveries],
        "types": [event.type for event, _ in deliveries],
        "bodies": [event.body for event, _ in deliveries],
        "webhooks": [webhook for _, webhooks in deliveries for webhook in webhooks],
        "events": [n for n, (_, webhooks) in enumerate(deliveries, 1) for _ in webhooks],
    }
    with connection.cursor() as cursor:
        cursor.execute(sql.QUEUE, parameters)
        queued: int = cursor.rowcount
    return queued


def redeliver(delivery: WebhookDelivery) -> None:
    """Send it again at once, with the same id. Raises ``WebhookDelivery.DoesNotExist``."""
    with transaction.atomic():
        WebhookDelivery.objects.filter(pk=delivery.pk).update(
            state=WebhookDelivery.State.PENDING, next_at=Now(), finished_at=None
        )
        delivery.refresh_from_db()
