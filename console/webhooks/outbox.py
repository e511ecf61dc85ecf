"""Finds events and inserts their deliveries, in one transaction.

So a worker that is killed neither loses nor repeats an event: the position is a row of the same
transaction, which one worker at a time locks. ``console.queries.journal_position`` handles late
entries of the journal.
"""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from django.db import connection, transaction
from django.utils import timezone

from console.queries import attention, journal_rows, overview
from console.queries.journal_position import Gap, Position
from console.queries.journal_rows import JournalRow
from console.queries.overview import LISTED_MAX
from console.webhooks import endpoints, events, sql
from console.webhooks.endpoints import CURSOR, kept
from groups.models import Journal, Webhook, WebhookCursor

PAGES_A_TURN: Final = 20

RULES_EVERY_S: Final = 15.0
"""The rules read the whole fleet: a dozen statements. After the clock was set back they are read at
once: the time of the last look is a row."""

Queued = tuple[events.Event, list[int]]
"""An event, and the endpoints that want it."""


def turn() -> int:
    """Queue the events since the last run; returns how many."""
    queued = 0
    for _ in range(PAGES_A_TURN):
        with transaction.atomic():
            count, is_more = _page()
        queued += count
        if not is_more:
            break
    return queued


def _page() -> tuple[int, bool]:
    with connection.cursor() as cursor:
        cursor.execute(sql.CURSOR, {"name": CURSOR})
        row = cursor.fetchone()
    if row is None:
        return 0, False  # no endpoint is enabled, or another worker does this
    enabled = list(Webhook.objects.filter(enabled=True))
    if not enabled:
        _end()
        return 0, False
    state = json.loads(row[0]) if isinstance(row[0], str) else row[0]
    position = _position(state)
    page = journal_rows.beyond(position)
    deliveries = _of_entries(page, enabled)
    fired, looked_at = state["fired"], state["looked_at"]
    if not 0 <= time.time() - looked_at < RULES_EVERY_S and _is_for_rules(enabled):
        lines, looked_at = _lines(), time.time()
        fired, changes = _changed(fired, lines)
        deliveries += [(each, _who(enabled, each.name, each.group_id)) for each in changes]
    queued = endpoints.queue(deliveries) if deliveries else 0
    now = time.time()
    for entry in page:
        position.note(entry.seq, now)
    position.forget(now)
    left = kept(position, fired, looked_at)
    if left != state:
        WebhookCursor.objects.filter(name=CURSOR).update(state=left)
    return queued, len(page) == journal_rows.PAGE


def _end() -> None:
    """No endpoint is enabled: delete the position, unless one was enabled in the meantime."""
    with connection.cursor() as cursor:
        cursor.execute(sql.CURSOR_LOCK, [sql.CURSOR_LOCK_KEY])
        cursor.execute(sql.END, {"name": CURSOR})


def _position(state: Mapping[str, Any]) -> Position:
    """The position where the last run ended; the current end, if that is before it: a restored
    database."""
    position = Position(state["greatest"], [Gap(*gap) for gap in state["gaps"]])
    return journal_rows.end(time.time()) if journal_rows.is_behind(position) else position


def _of_entries(page: Sequence[JournalRow], enabled: Sequence[Webhook]) -> list[Queued]:
    """The wanted entries as events: others are not read."""
    who = {entry.seq: _who(enabled, events.name_of(entry.kind), entry.group_id) for entry in page}
    seqs = [seq for seq, webhooks in who.items() if webhooks]
    rows = Journal.objects.filter(id__in=seqs).order_by("id") if seqs else ()
    return [(events.of_entry(row), who[row.pk]) for row in rows]


def _who(enabled: Sequence[Webhook], name: str, group_id: str) -> list[int]:
    return [webhook.pk for webhook in enabled if events.matches(webhook, name, group_id)]


def _is_for_rules(enabled: Sequence[Webhook]) -> bool:
    return any(
        not webhook.events or any(name.startswith("attention.") for name in webhook.events)
        for webhook in enabled
    )


def _lines() -> dict[str, dict[str, str]]:
    """The current findings, by rule and subject."""
    fired = attention.fired(overview.look())
    return {f"{line.rule} {line.key}": events.line_fields(line) for line in fired}


def _changed(
    before: Mapping[str, dict[str, str]] | None, now: dict[str, dict[str, str]]
) -> tuple[dict[str, dict[str, str]], list[events.Event]]:
    """What fires, and which rules began and ended. The first check has nothing to compare with."""
    if before is None:
        return now, []
    # With a full list, a finding that is missing may still fire.
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
