"""The process's file descriptors: a connection takes one."""

import logging
import resource
import sys
from typing import Final

logger = logging.getLogger(__name__)

FEW: Final = 4_096
"""With fewer file descriptors (a consumer has three sockets) a warning is logged at the start."""


def raise_limit() -> None:
    """Raise the limit of file descriptors to the maximum; log a warning if that is low."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        except (ValueError, OSError):
            hard = soft  # macOS has a hard limit that it does not grant
    if hard != resource.RLIM_INFINITY and hard < FEW:
        logger.warning(
            "only %d file descriptors: about %d consumers can connect (ulimit -n)", hard, hard // 3
        )


def left(reserved: int) -> int:
    """How many file descriptors are left for connections, besides those that the node reserves."""
    soft, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if soft == resource.RLIM_INFINITY else max(1, soft - reserved)
