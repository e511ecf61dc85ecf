"""The console's tasks of Celery. Their names begin with ``groups.tasks``: the schedule's rows have
them."""

import time

from celery import shared_task

from console.webhooks import delivering, outbox
from groups.tasks import recorded

WEBHOOKS_CLEANED_EVERY_S = 60.0

_webhooks_cleaned_at = 0.0


def _webhooks() -> str:
    global _webhooks_cleaned_at
    queued = outbox.turn()
    begun = delivering.SENDERS.begin(delivering.due())
    removed = 0
    if time.monotonic() - _webhooks_cleaned_at >= WEBHOOKS_CLEANED_EVERY_S:
        _webhooks_cleaned_at = time.monotonic()
        removed = delivering.clean_up()
    return f"queued {queued}, serving {begun} endpoints, deleted {removed}"


@shared_task(name="groups.tasks.webhooks")
def webhooks() -> None:
    """Queue events for endpoints, and begin to send what is due."""
    recorded("webhooks", _webhooks)
