"""From what happened to deliveries that are due: found, matched and written in one transaction.

So a worker that is killed loses nothing and tells nothing twice: how far events were found is a
row of the same transaction, which one worker at a time holds. Late entries of the journal are found
as ``groups.queries.journal_position`` has it.
"""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from django.db import connection, transaction
from django.db.models import Q
from django.utils import timezone

from groups.models import Journal, Webhook, WebhookCursor
from groups.queries import attention, overview
from groups.queries.journal_position import Gap, Position
from groups.queries.overview import LISTED_MAX
from groups.store.sql import webhooks as sql
from groups.webhooks import endpoints, events
from groups.webhooks.endpoints import CURSOR, LOOKED_BACK, kept

PAGE: Final = 500
PAGES_A_TURN: Final = 20

RULES_EVERY_S: Final = 15.0
"""The rules look at the whole fleet: a dozen statements."""


def turn() -> int:
    """Queue what has happened since the last turn; how much."""
    queued = 0
    for _ in range(PAGES_A_TURN):
        with transaction.atomic():
            found, is_more = _page()
        queued += found
        if not is_more:
            break
    return queued


def _page() -> tuple[int, bool]:
    with connection.cursor() as cursor:
        cursor.execute(sql.CURSOR, {"name": CURSOR})
        row = cursor.fetchone()
    if row is None:
        return 0, False  # nobody is told of anything, or another worker does this
    told = list(Webhook.objects.filter(enabled=True))
    if not told:
        WebhookCursor.objects.filter(name=CURSOR).delete()
        return 0, False
    state = json.loads(row[0]) if isinstance(row[0], str) else row[0]
    position = _position(state)
    entries = _entries(position)
    found = [events.of_entry(entry) for entry in entries]
    fired, looked_at = state["fired"], state["looked_at"]
    if time.time() - looked_at >= RULES_EVERY_S and _asks_for_rules(told):
        lines, looked_at = _lines(), time.time()
        fired, changes = _changed(fired, lines)
        found += changes
    pairs = [
        (webhook, event)
        for event in found
        for webhook in told
        if events.wanted(webhook, event.name, event.group_id)
    ]
    if pairs:
        endpoints.queue(pairs)
    WebhookCursor.objects.filter(name=CURSOR).update(state=kept(position, fired, looked_at))
    return len(pairs), len(entries) == PAGE


def _position(state: Mapping[str, Any]) -> Position:
    """Where the journal was left; where it stands now, if that lies behind: a restored database."""
    greatest = Journal.objects.order_by("-id").values_list("id", flat=True).first()
    if greatest is not None and greatest < state["greatest"]:
        newest = Journal.objects.order_by("-id").values_list("id", flat=True)[:LOOKED_BACK]
        return Position.behind(list(newest), time.time())
    return Position(state["greatest"], [Gap(*gap) for gap in state["gaps"]])


def _entries(position: Position) -> Sequence[Journal]:
    """A page of what was not found yet, which is now."""
    beyond = Q(id__gt=position.greatest)
    for gap in position.gaps:
        beyond |= Q(id__range=(gap.first, gap.last))
    entries = list(Journal.objects.filter(beyond).order_by("id")[:PAGE])
    now = time.time()
    for entry in entries:
        position.note(entry.pk, now)
    position.forget(now)
    return entries


def _asks_for_rules(told: Sequence[Webhook]) -> bool:
    return any(
        not webhook.events or any(name.startswith("attention.") for name in webhook.events)
        for webhook in told
    )


def _lines() -> dict[str, dict[str, str]]:
    """What needs attention now, by rule and what it is about."""
    found = attention.fired(overview.look())
    return {f"{line.rule} {line.key}": events.shown(line) for line in found}


def _changed(
    before: Mapping[str, dict[str, str]] | None, now: dict[str, dict[str, str]]
) -> tuple[dict[str, dict[str, str]], list[events.Event]]:
    """What fires, and what began and ended by it. With the first look others are compared."""
    if before is None:
        return now, []
    # A list that is full may have pushed out what still fires.
    counts = [line["rule"] for line in now.values()]
    full = {rule for rule in counts if counts.count(rule) >= LISTED_MAX}
    kept_on = {k: line for k, line in before.items() if k not in now and line["rule"] in full}
    return {**kept_on, **now}, list(_changes(before, {**kept_on, **now}))


def _changes(
    before: Mapping[str, dict[str, str]], after: Mapping[str, dict[str, str]]
) -> Iterator[events.Event]:
    at = timezone.now()
    for key in after.keys() - before.keys():
        yield events.of_rule(after[key], "began", at)
    for key in before.keys() - after.keys():
        yield events.of_rule(before[key], "ended", at)
