"""When the slots of a lost node have other owners: the part of an outage that detection takes."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread

import psycopg

from tests.hosts.databases import Server

EVERY_S = 0.02
NODE = "SELECT incarnation FROM rollcall_node WHERE host = %s"
HELD = "SELECT count(*) FROM rollcall_slot WHERE incarnation = %s"


class Claims(Thread):
    """Looks at the rows until the process that served at an address owns no slot any more, or the
    database is gone. ``at``: when that was seen, by ``time.monotonic``; None: it was not."""

    def __init__(self, database: Server, address: str) -> None:
        super().__init__(daemon=True)
        self.at: float | None = None
        self.ended = Event()
        self._connection = psycopg.connect(database.url, autocommit=True)
        self._node = self._connection.execute(NODE, [address]).fetchone()

    def run(self) -> None:
        with suppress(psycopg.OperationalError), self._connection as connection:
            while self.at is None and not self.ended.wait(EVERY_S):
                if connection.execute(HELD, self._node).fetchone() == (0,):
                    self.at = time.monotonic()


@contextmanager
def watched(database: Server, address: str) -> Iterator[Claims]:
    """It looks meanwhile."""
    claims = Claims(database, address)
    claims.start()
    try:
        yield claims
    finally:
        claims.ended.set()
        claims.join()
