"""A primary and its synchronous standby, both named by ``ROLLCALL_DATABASE_URL``: the primary is
killed, the standby promoted, and the hosts follow."""

import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from time import monotonic
from urllib.parse import urlsplit

import psycopg
import pytest
from confluent_kafka import KafkaError

from launcher import postgres, stale_processes
from proof.chaos import replica
from tests.launcher.conftest import Launch
from tests.launcher.test_hosts import GENERATIONS, GROUP, HOSTS, Hosts, Worker, serves
from tests.launcher.waiting import until

pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]

JOIN_AGAIN = {KafkaError.ILLEGAL_GENERATION, KafkaError.UNKNOWN_MEMBER_ID}
"""A promotion raises every generation (docs/backups.md): members join again."""

SYNCHRONOUS = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"
OFFSET = "SELECT committed_offset FROM rollcall_offset WHERE group_id = %s"


class Pair:
    """Two servers; ``urls`` in the order primary, standby."""

    def __init__(self, folder: Path, running: ExitStack) -> None:
        self.folders = folder / "primary", folder / "standby"
        primary = running.enter_context(postgres.serve(self.folders[0], throwaway=True))
        replica.copy(primary, self.folders[1])
        standby = running.enter_context(postgres.serve(self.folders[1], throwaway=True))
        self.urls = primary, standby
        self.ask(0, "ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()")
        until(lambda: self.ask(0, SYNCHRONOUS) == (1,), "the standby is in sync")

    @property
    def url(self) -> str:
        """Both, the standby first: which one is the primary is for the client to find out."""
        parts, other = (urlsplit(url) for url in self.urls)
        at = parts.netloc.rpartition("@")
        return parts._replace(
            netloc=f"{at[0]}@{other.hostname}:{other.port},{at[2]}", query=""
        ).geturl()

    def ask(self, number: int, *statements: str) -> tuple[int, ...] | None:
        with psycopg.connect(self.urls[number], autocommit=True) as connection:
            for statement in statements:
                found = connection.execute(statement.encode())
            return found.fetchone() if found.description else None

    def promote(self) -> None:
        """Kill the primary, and make the standby one."""
        for process in stale_processes.find(self.folders[0] / "postgres" / "data"):
            os.kill(process, signal.SIGKILL)
        self.ask(
            1,
            "ALTER SYSTEM RESET synchronous_standby_names",
            "SELECT pg_reload_conf()",
            "SELECT pg_promote()",
        )


@pytest.fixture
def pair(folder: Path) -> Iterator[Pair]:
    with ExitStack() as running:
        yield Pair(folder, running)


def test_hosts_follow_a_promotion_and_nothing_acknowledged_is_lost(
    pair: Pair, folder: Path, launch: Launch
) -> None:
    hosts = Hosts(folder, pair.url, launch)
    one = hosts.start("one", HOSTS[0], "node")
    serves(one)
    serves(hosts.start("other", HOSTS[1], "node,worker,beat"))
    worker = Worker(",".join(f"{host}:{hosts.port}" for host in HOSTS))
    worker.create_topic()
    worker.start()
    worker.goes_on()
    generation = hosts.value(GENERATIONS, GROUP)

    acknowledged = worker.acknowledged
    pair.promote()
    promoted = monotonic()
    worker.goes_on()
    print(f"served again {monotonic() - promoted:.1f} s after the promotion")
    worker.ended.set()
    worker.join(30)
    hosts.database.close()

    with psycopg.connect(pair.urls[1]) as found:
        raised = found.execute(GENERATIONS.encode(), [GROUP]).fetchone()
        offset = found.execute(OFFSET.encode(), [GROUP]).fetchone()
    assert raised is not None and raised[0] > generation + 999_999
    assert acknowledged <= worker.acknowledged and offset is not None
    assert offset[0] in (worker.acknowledged, worker.commits)
    assert {error.args[0].code() for error in worker.failures} <= JOIN_AGAIN
