"""What a container's health check runs: ``healthcheck.py kafka PORT``, ``web PORT``, ``ready``.

Ends with status 0 when the process of this container serves, 1 when it does not, 2 when asked
for something else. Standard library only: it starts every few seconds.
"""

import http.client
import os
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from pathlib import Path

LOOPBACK = "127.0.0.1"
TIMEOUT_S = 3.0

API_VERSIONS = b"\x00\x12\x00\x00" + b"\x00\x00\x00\x07" + b"\xff\xff"
"""ApiVersions, version 0, correlation id 7, no client id: every broker answers it to anyone."""

HEAD = b"\x00\x00\x00\x07" + b"\x00\x00"
"""How its answer begins: the correlation id, and no error."""


def kafka(port: str) -> bool:
    """Whether a node answers a request."""
    with socket.create_connection((LOOPBACK, int(port)), TIMEOUT_S) as peer:
        peer.sendall(len(API_VERSIONS).to_bytes(4, "big") + API_VERSIONS)
        answer = peer.makefile("rb").read(4 + len(HEAD))
    return answer[4:] == HEAD


def web(port: str) -> bool:
    """Whether the web process answers; whether the database does is not its own health."""
    connection = http.client.HTTPConnection(LOOPBACK, int(port), timeout=TIMEOUT_S)
    connection.request("GET", "/livez")
    return connection.getresponse().status == HTTPStatus.OK


def ready() -> bool:
    """Whether a process without a port has said that it began to serve."""
    return Path(os.environ["ROLLCALL_READY_FILE"]).exists()


CHECKS: Mapping[str, Callable[..., bool]] = {"kafka": kafka, "web": web, "ready": ready}


def main(arguments: Sequence[str]) -> int:
    """Run one check; the result is the exit status."""
    name, *rest = arguments or ("",)
    if name not in CHECKS:
        return 2
    try:
        return 0 if CHECKS[name](*rest) else 1
    except (OSError, http.client.HTTPException):
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
