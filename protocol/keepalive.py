"""Half-open connections: a client that vanished without a word is noticed by the kernel.

Set once on each listener; whatever it accepts inherits it. A parked request holds its connection's
reading side open, so silence alone says nothing: the kernel asks the other end.
"""

import os
import socket
from collections.abc import Iterable, Iterator
from typing import Final

PROBES: Final = 3
"""In the time after which a connection counts as gone: one may be lost, and one on its way back."""

USER_TIMEOUT: Final = getattr(socket, "TCP_USER_TIMEOUT", None)
"""Linux only: for data that nobody acknowledges, which no probe is sent beside."""


def keep_alive(file_descriptors: Iterable[int], gone_ms: int) -> None:
    """Let the kernel close a connection whose other end answers nothing for so long; 0: never."""
    if not gone_ms:
        return
    for number in file_descriptors:
        with socket.socket(fileno=os.dup(number)) as listener:
            for level, option, value in options(gone_ms):
                listener.setsockopt(level, option, value)


def options(gone_ms: int) -> Iterator[tuple[int, int, int]]:
    """What to set, where the system knows it: level, option and value."""
    every_s = max(1, gone_ms // 1000 // PROBES)
    yield socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1
    for name, value in (("IDLE", every_s), ("INTVL", every_s), ("CNT", PROBES)):
        option = getattr(socket, f"TCP_KEEP{name}", None)
        if option is not None:
            yield socket.IPPROTO_TCP, option, value
    if USER_TIMEOUT is not None:
        yield socket.IPPROTO_TCP, USER_TIMEOUT, gone_ms
