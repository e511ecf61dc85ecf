"""Celery's settings: the broker, and what makes a periodic task harmless. No task is here.

By default the queue is in the same PostgreSQL (kombu's pgmq transport), so that Rollcall needs no
second server; ``ROLLCALL_BROKER_URL`` names a Redis or a RabbitMQ instead.
"""

from collections.abc import Mapping
from typing import Any

from psycopg.conninfo import make_conninfo

QUEUE = "rollcall"

VISIBILITY_S = 30
"""How long a task that a killed worker had taken stays hidden before another may take it. Long work
runs in a separate process, so no task of ours takes this long."""

PGMQ_OPTIONS: Mapping[str, Any] = {
    "init_extension": False,  # `manage.py setup` loads the SQL: no superuser, no extension
    "use_notify": True,  # a task starts in about 20 ms, without polling
    "visibility_timeout": VISIBILITY_S,
    "wait_time_seconds": 0,
    "pool_size": 1,  # each statement takes milliseconds; an idle connection, 3 MiB of the server
}


def settings(broker_url: str, database_url: str, **libpq: str) -> dict[str, Any]:
    """Celery's settings, by Django's names for them.

    ``broker_url`` "" means the PostgreSQL of ``database_url``, connected to with ``libpq``'s
    parameters besides.
    """
    own = not broker_url
    return {
        "CELERY_BROKER_URL": "pgmq://localhost" if own else broker_url,
        **(
            {"CELERY_BROKER_TRANSPORT": "groups.postgres.message_queue_transport:Transport"}
            if own
            else {}
        ),
        "CELERY_BROKER_TRANSPORT_OPTIONS": (
            {**PGMQ_OPTIONS, "conn_string": make_conninfo(database_url, **libpq)}
            if own
            else {"visibility_timeout": VISIBILITY_S}
        ),
        "CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP": True,
        "CELERY_BROKER_CONNECTION_MAX_RETRIES": None,
        "CELERY_TASK_IGNORE_RESULT": True,
        "CELERY_TASK_ACKS_LATE": True,
        "CELERY_WORKER_PREFETCH_MULTIPLIER": 1,
        "CELERY_WORKER_ENABLE_REMOTE_CONTROL": False,  # unused, and it would poll
        "CELERY_WORKER_SEND_TASK_EVENTS": False,
        "CELERY_WORKER_HIJACK_ROOT_LOGGER": False,
        "CELERY_WORKER_POOL": "groups.sweeps.pool:Pool",
        "CELERY_BEAT_SCHEDULER": "groups.sweeps.beat:Scheduler",
        "CELERY_BEAT_MAX_LOOP_INTERVAL": 1,
        "CELERY_TIMEZONE": "UTC",
        # One connection per task would cost more than the sweep that it is for.
        "CELERY_DB_REUSE_MAX": 10_000,
    }
