"""The broker inside PostgreSQL: made once, then used as it is by every process that starts."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, cast

import psycopg
import pytest
from django.conf import settings
from django.db import connection
from kombu import Connection, Queue
from kombu.exceptions import OperationalError

from coordinator_site import periodic
from groups.postgres import message_queue, message_queue_transport

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


def connect(parameters: str = "", **libpq: str) -> Connection:
    """As Celery connects in each of its processes."""
    configured = periodic.settings("", url() + parameters, **libpq)
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


def test_its_sessions_are_as_url_and_role_say(queue: Queue, database_url: str) -> None:
    """pgmq's own client knows neither TLS nor roles, and has no session but of a user with a
    password."""
    role = {"options": "-c role=rollcall_worker", "application_name": "its queue"}
    with connect("?connect_timeout=7", **role) as takes, takes.Consumer([queue]):
        with cast(Any, takes.channel()).pgmq.pool.connection() as session:
            assert session.info.get_parameters()["connect_timeout"] == "7"
            assert session.execute("SELECT current_user").fetchone() == ("rollcall_worker",)
        assert sessions(database_url, "its queue") == 2, "one of them listens"
    assert sessions(database_url, "its queue") == 0


def sessions(database_url: str, name: str) -> int:
    """How many there are of that name, those that end not counted."""
    with psycopg.connect(database_url, autocommit=True) as database:
        while database.execute(
            "SELECT 1 FROM pg_stat_activity WHERE application_name = %s AND state <> 'idle'", [name]
        ).fetchone():
            time.sleep(0.01)
        found = database.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = %s", [name]
        ).fetchone()
        assert found is not None
        return int(found[0])


def test_tls_is_not_given_up_where_it_is_required(
    queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(message_queue_transport, "POOL_WAIT_S", 0.2)
    with (
        connect("?sslmode=require") as connection,
        pytest.raises(OperationalError),
    ):
        connection.ensure_connection(max_retries=1)


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


FLOOD = """
SELECT pg_notify('pgmq.q_broker_test.INSERT', g || repeat('x', 60))
FROM generate_series(1, 20000) AS g
"""


def test_a_flood_on_its_channel_keeps_no_task_from_the_worker(
    queue: Queue, database_url: str
) -> None:
    """The listening session ends, so that PostgreSQL keeps nothing for it."""
    heard: list[object] = []
    with (
        psycopg.connect(database_url, autocommit=True) as stranger,
        connect(application_name="flooded") as takes,
        connect() as gives,
        takes.Consumer([queue], callbacks=[lambda body, _message: heard.append(body)]),
    ):
        while sessions(database_url, "flooded") > 1:
            stranger.execute(FLOOD)
            with suppress(TimeoutError):
                takes.drain_events(timeout=0.1)
        gives.Producer().publish("work", routing_key=QUEUE, declare=[queue])
        takes.drain_events(timeout=20)
        usage = stranger.execute("SELECT pg_notification_queue_usage() < 0.001").fetchone()

    assert (heard, usage) == (["work"], (True,))


def test_a_notification_wakes_the_worker(queue: Queue) -> None:
    """By the trigger of a version of ours, in place of pgmq's."""
    heard: list[object] = []
    with (
        connect() as takes,
        connect() as gives,
        takes.Consumer([queue], callbacks=[lambda body, _message: heard.append(body)]),
    ):
        waiter = cast(Any, takes.transport)._get_notify_waiter()
        assert not waiter.wait(0.01)
        gives.Producer().publish("work", routing_key=QUEUE, declare=[queue])
        assert waiter.wait(20)
    assert trigger() and heard == []
