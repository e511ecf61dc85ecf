"""The log of a process whose database is away: one line an outage, no traceback."""

import inspect
import logging
import sys

import psycopg
import pytest
from billiard.exceptions import RestartFreqExceeded
from celery.worker.consumer import consumer
from django.db.utils import OperationalError
from kombu import Connection
from kombu.exceptions import OperationalError as BrokerError

from groups.postgres.message_queue_transport import Channel, Transport
from web.outages import QUIET_S, RESTARTS, Outages, is_outage


class Clock:
    """Seconds that pass when a test says so."""

    now = 1_000.0

    def __call__(self) -> float:
        return self.now


def record(error: BaseException | None, *args: object) -> logging.LogRecord:
    """What a library logs while it handles the error."""
    text = "it failed: %s" if args else "it failed"
    made = logging.LogRecord("celery", logging.ERROR, "", 0, text, args, None)
    if error is not None:
        try:
            raise error
        except BaseException:
            made.exc_info = sys.exc_info()
    return made


def lost() -> OperationalError:
    """What Django raises where PostgreSQL has gone."""
    error = OperationalError("the connection is lost\nmore of it")
    error.__cause__ = psycopg.OperationalError("the connection is lost")
    return error


def test_an_outage_is_logged_once_however_often_it_is_reported() -> None:
    clock = Clock()
    outages = Outages(clock)
    first = record(lost())
    assert outages.filter(first)
    assert first.getMessage() == "the database is away: the connection is lost"
    assert first.exc_info is None
    for _ in range(100):
        clock.now += 1
        assert not outages.filter(record(lost()))
        assert not outages.filter(record(None, BrokerError("refused")))
    clock.now += QUIET_S
    assert outages.filter(record(lost())), "the next outage is told of again"


@pytest.mark.parametrize("missing", [psycopg.errors.UndefinedTable, psycopg.errors.UndefinedColumn])
def test_tables_of_an_older_version_are_told_in_a_line(missing: type[psycopg.Error]) -> None:
    logged = record(missing("rollcall_beat_lease does not exist\nLINE 2: INSERT"))
    assert Outages().filter(logged) and logged.exc_info is None
    assert "newer than the database, run its setup" in logged.getMessage()
    assert logged.getMessage().endswith("rollcall_beat_lease does not exist")


@pytest.mark.parametrize(
    "error",
    [ValueError("a defect"), psycopg.errors.QueryCanceled("timeout"), psycopg.DataError("U+0000")],
    ids=lambda error: type(error).__name__,
)
def test_other_errors_keep_their_traceback(error: Exception) -> None:
    logged = record(error)
    assert Outages().filter(logged) and logged.exc_info is not None


@pytest.mark.parametrize(
    "error",
    [
        psycopg.errors.ReadOnlySqlTransaction("cannot execute UPDATE in a read-only transaction"),
        psycopg.errors.DiskFull("could not extend file"),
        psycopg.errors.TooManyConnections("sorry, too many clients already"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_server_that_refuses_writes_or_connections_is_an_outage(error: Exception) -> None:
    logged = record(error)
    assert Outages().filter(logged) and logged.exc_info is None


def test_a_line_without_an_error_is_unchanged() -> None:
    assert Outages().filter(record(None)) and not is_outage(None)


def test_a_task_that_ends_after_its_connection_was_lost_reports_an_outage() -> None:
    """It acknowledges over a channel that was closed; Celery logs whatever that fails over."""
    channel = Channel(Transport(Connection("pgmq://")))  # type: ignore[no-untyped-call]
    channel.close()
    with pytest.raises(BrokerError) as failed:
        _ = channel.pgmq
    assert is_outage(failed.value)


def test_errors_caused_by_an_outage_are_part_of_it() -> None:
    """A pool's log of its broken connections, and each request that was answered 503."""
    clock = Clock()
    outages = Outages(clock)
    assert outages.filter(record(lost()))
    pooled, refused, other, task = (record(None) for _ in range(4))
    pooled.name, refused.status_code, other.status_code = "psycopg.pool", 503, 500
    task.msg = vars(consumer)["TERMINATING_TASK_ON_RESTART_AFTER_A_CONNECTION_LOSS"]
    filtered = [outages.filter(each) for each in (pooled, refused, task, other)]
    assert filtered == [False, False, False, True]
    clock.now += QUIET_S
    assert outages.filter(pooled), "and where nobody told of one, it does"


def test_a_queue_that_fails_repeatedly_logs_no_traceback() -> None:
    assert RESTARTS in inspect.getsource(consumer), "Celery's own word"
    outages = Outages(Clock())
    often = record(RestartFreqExceeded("5 in 1s"))
    often.msg = f"{RESTARTS}: %r"
    assert outages.filter(often)
    assert often.exc_info is None
    assert not outages.filter(record(lost())), "one outage, told of once"
