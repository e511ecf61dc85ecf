"""The console's tasks of Celery. Their names begin with ``groups.tasks``: the schedule's rows have
them."""

import time
from collections.abc import Iterator

from celery import shared_task

from console.operations import kafka_import
from console.webhooks import delivering, outbox
from groups.sweeps.schedule import Periodic
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


@shared_task(name="groups.tasks.catalogue_import")
def catalogue_import() -> None:
    """Let the catalogue follow the Kafka cluster that the settings name."""
    recorded("catalogue import", kafka_import.run)


def periodic() -> Iterator[Periodic]:
    """Their default schedule; topics are imported if the settings name a cluster."""
    yield Periodic(
        "webhooks",
        "groups.tasks.webhooks",
        2_000,
        "Queues events for the endpoints of webhooks, and sends what is due.",
    )
    settings = kafka_import.ImportSettings.from_django()
    if settings.import_bootstrap_servers:
        yield Periodic(
            "catalogue import",
            "groups.tasks.catalogue_import",
            settings.import_interval_ms,
            "Creates and grows topics as in the cluster of import.bootstrap.servers.",
        )
