"""NOTIFY: how a statement notifies, and what a listener keeps of what it was told.

PostgreSQL has one queue of notifications for all of its databases. NOTIFY needs no privilege, so
any login can fill the queue, after which every transaction that notifies fails at its COMMIT. No
write may depend on that: a statement notifies only while there is room, and listeners look at their
rows by the clock too (docs/architecture.md, *Notifications*).
"""

import os
import select
from socket import SO_RCVBUF, SOL_SOCKET, socket
from typing import Any, Final

import psycopg

ROOM: Final = 0.5
"""The share of PostgreSQL's queue up to which statements notify. A flood needs half a minute for
the other half, longer than a transaction of ours that has looked takes to commit."""

PAYLOADS_MAX: Final = 200
"""Different payloads of one channel that are kept until its listener is called."""

PAYLOAD_CHARS_MAX: Final = 65_536
"""Their characters in all."""

Rung = tuple[str, ...] | None
"""Payloads, each once, by their last notification; None: anything may have changed."""


def notify(channel: str, payload: str) -> str:
    """The SQL expression that notifies if there is room; both are SQL expressions."""
    return (
        f"CASE WHEN pg_notification_queue_usage() < {ROOM} THEN pg_notify({channel}, {payload}) END"
    )


NOTIFY: Final = f"SELECT {notify('%(bell)s', '%(payload)s')}"
"""The statement, with the parameters ``bell`` and ``payload``."""


RECEIVED_BYTES: Final = 32 * 1024
"""What the system keeps of a listening connection until it is read (it doubles the number): psycopg
makes a list of all that has arrived, and a flood would be hundreds of megabytes of it."""


def receive_little(connection: psycopg.Connection[Any] | psycopg.AsyncConnection[Any]) -> None:
    """Before a connection listens: read notifications by small portions."""
    with socket(fileno=os.dup(connection.fileno())) as line:  # libpq closes its own descriptor
        line.setsockopt(SOL_SOCKET, SO_RCVBUF, RECEIVED_BYTES)


def is_readable(connection: psycopg.Connection[Any] | psycopg.AsyncConnection[Any]) -> bool:
    """Whether the server has sent something that is not read yet."""
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    return bool(poll.poll(0))


class Collected:
    """What rang on a channel since its listener was called last: bounded, whatever arrives."""

    def __init__(self) -> None:
        self._payloads = dict[str, None]()
        self._chars = 0
        self._everything = False

    def add(self, payload: str) -> None:
        """A notification."""
        if self._everything:
            return
        if payload in self._payloads:
            del self._payloads[payload]
        else:
            self._chars += len(payload)
        self._payloads[payload] = None
        if len(self._payloads) > PAYLOADS_MAX or self._chars > PAYLOAD_CHARS_MAX:
            self.everything()

    def everything(self) -> None:
        """Anything may have changed."""
        self._everything = True
        self._payloads.clear()

    def take(self) -> Rung:
        """What was collected; nothing is left."""
        taken = None if self._everything else tuple(self._payloads)
        self._payloads, self._chars, self._everything = {}, 0, False
        return taken
