"""The broker inside PostgreSQL: made once, then used as it is by every process that starts."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from django.conf import settings
from django.db import connection
from kombu import Connection, Queue

from coordinator_site import periodic
from groups.postgres import message_queue

QUEUE = "broker_test"


@pytest.fixture
def queue(database_url: str) -> Iterator[Queue]:
    """A queue of this test's own, in the worker's database, that others see: it is made and dropped
    over a connection that commits."""
    with ThreadPoolExecutor(max_workers=1) as another:
        another.submit(message_queue.ensure, QUEUE).result()
        another.submit(lambda: connection.close()).result()
    yield Queue(QUEUE, routing_key=QUEUE)
    with psycopg.connect(database_url, autocommit=True) as database:
        database.execute("SELECT pgmq.drop_queue(%s)", [QUEUE])


def url() -> str:
    """The worker's database in the environment of the processes."""
    known = {**settings.DATABASES["default"], **connection.settings_dict}
    return (
        f"postgresql://{known['USER']}:{known['PASSWORD']}@{known['HOST']}:{known['PORT']}"
        f"/{known['NAME']}"
    )


def connect() -> Connection:
    """As Celery connects in each of its processes."""
    configured = periodic.settings("", url())
    return Connection(
        configured["CELERY_BROKER_URL"],
        transport=configured["CELERY_BROKER_TRANSPORT"],
        transport_options=configured["CELERY_BROKER_TRANSPORT_OPTIONS"],
    )


def test_starting_processes_do_not_wait_for_users_of_the_queue(queue: Queue) -> None:
    """A recreated trigger waits for every reader; two of those wait for each other."""
    heard: list[object] = []
    with (
        psycopg.connect(url()) as reader,
        connect() as takes,
        connect() as gives,
    ):
        reader.execute("SELECT count(*) FROM pgmq.q_broker_test")  # and its transaction stays open
        with takes.Consumer([queue], callbacks=[lambda body, _message: heard.append(body)]):
            gives.Producer().publish("work", routing_key=QUEUE, declare=[queue])
            takes.drain_events(timeout=20)

    assert heard == ["work"]


def test_an_existing_queue_is_not_changed(queue: Queue) -> None:
    before = trigger()

    message_queue.ensure(QUEUE)

    assert before and trigger() == before


def trigger() -> list[object]:
    """What rings for the queue."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT oid, tgname FROM pg_trigger WHERE tgrelid = %s::regclass",
            [f"pgmq.q_{QUEUE}"],
        )
        return list(cursor.fetchall())
