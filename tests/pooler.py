"""What every connection pooler does to a client: it greets with a number of its own for the server
process. Everything else is passed on, so a session is a session.
"""

import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from psycopg.conninfo import conninfo_to_dict

GREETING = re.compile(rb"(?<=K\0\0\0\x0c)....", re.DOTALL)
"""The process in BackendKeyData, the message in which a server tells it with a secret."""

OWN = b"own."
CHUNK = 65_536


@contextmanager
def pooled(url: str) -> Iterator[int]:
    """The port of a pooler before this database."""
    there = conninfo_to_dict(url)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        target = (str(there["host"]), int(str(there["port"])))
        threading.Thread(target=_serve, args=(listener, target), daemon=True).start()
        try:
            yield listener.getsockname()[1]
        finally:
            with suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)


def _serve(listener: socket.socket, target: tuple[str, int]) -> None:
    with suppress(OSError):
        while True:
            client, _ = listener.accept()
            server = socket.create_connection(target)
            for source, sink in ((client, server), (server, client)):
                threading.Thread(target=_pass, args=(source, sink), daemon=True).start()


def _pass(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError), source:
        while chunk := source.recv(CHUNK):
            sink.sendall(GREETING.sub(OWN, chunk))
        sink.shutdown(socket.SHUT_WR)
