"""Replies that the kernel takes before the client reads: few, so that little is written in vain.

Linux lets the send buffer of a connection grow to megabytes: without this bound who pipelines
Metadata of 10,000 partitions and reads nothing has twenty replies encoded, with it two. What is on
its way is not counted, so a client far away is sent as much as its window takes. Set once on each
listener; whatever it accepts inherits it.
"""

import os
import socket
from collections.abc import Iterable
from typing import Final

UNSENT_BYTES_MAX: Final = 64 * 1024
"""Of a connection's replies, written and not on their way (``TCP_NOTSENT_LOWAT``)."""

OPTION: Final = getattr(socket, "TCP_NOTSENT_LOWAT", None)
"""Of Linux and macOS."""


def bound_unsent(file_descriptors: Iterable[int]) -> None:
    """Let the kernel hold no more than that for each connection, where the system can."""
    if OPTION is None:
        return
    for number in file_descriptors:
        with socket.socket(fileno=os.dup(number)) as listener:
            listener.setsockopt(socket.IPPROTO_TCP, OPTION, UNSENT_BYTES_MAX)
