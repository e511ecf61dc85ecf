"""Limits the replies in the kernel that a client has not read.

Linux lets a connection's send buffer grow to megabytes. Without this limit, for a client that
pipelines Metadata of 10,000 partitions and reads nothing, twenty replies are encoded; with it, two.
Bytes in flight do not count, so distant clients still get as much as their window allows. Set once
on each listener; accepted sockets inherit it.
"""

import os
import socket
from collections.abc import Iterable
from typing import Final

UNSENT_BYTES_MAX: Final = 64 * 1024
"""Bytes of a connection's replies that are written but not in flight (``TCP_NOTSENT_LOWAT``)."""

OPTION: Final = getattr(socket, "TCP_NOTSENT_LOWAT", None)
"""Exists on Linux and macOS."""


def bound_unsent(file_descriptors: Iterable[int]) -> None:
    """Let the kernel hold at most this much for each connection, if the system supports it."""
    if OPTION is None:
        return
    for number in file_descriptors:
        with socket.socket(fileno=os.dup(number)) as listener:
            listener.setsockopt(socket.IPPROTO_TCP, OPTION, UNSENT_BYTES_MAX)
