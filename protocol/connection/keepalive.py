"""TCP keepalive: the kernel detects clients that vanished without closing their connection.

Set once on each listener; accepted sockets inherit it. A connection with a parked request is
silent, so silence alone says nothing: the kernel probes the client.
"""

import os
import socket
from collections.abc import Iterable, Iterator
from typing import Final

PROBES: Final = 3
"""Probes until a connection counts as gone: one may be lost, and one be on its way back."""

USER_TIMEOUT: Final = getattr(socket, "TCP_USER_TIMEOUT", None)
"""Linux only: for data that is not acknowledged; no probes are sent in that case."""


def keep_alive(file_descriptors: Iterable[int], gone_ms: int) -> None:
    """Let the kernel close a connection whose client does not answer for this time; 0: never."""
    if not gone_ms:
        return
    for number in file_descriptors:
        with socket.socket(fileno=os.dup(number)) as listener:
            for level, option, value in options(gone_ms):
                listener.setsockopt(level, option, value)


def options(gone_ms: int) -> Iterator[tuple[int, int, int]]:
    """The options to set that the system has: level, option and value."""
    every_s = max(1, gone_ms // 1000 // PROBES)
    yield socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1
    for name, value in (("IDLE", every_s), ("INTVL", every_s), ("CNT", PROBES)):
        option = getattr(socket, f"TCP_KEEP{name}", None)
        if option is not None:
            yield socket.IPPROTO_TCP, option, value
    if USER_TIMEOUT is not None:
        yield socket.IPPROTO_TCP, USER_TIMEOUT, gone_ms
