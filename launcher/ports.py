"""Free ports on loopback: ask the kernel for them, or check whether one is free."""

import socket
import time

from launcher.errors import LaunchError

LOOPBACK = "127.0.0.1"

PATIENCE_S = 3.0
"""How long to wait: a process of an earlier run that was killed may still be ending."""

LOOK_AGAIN_S = 0.05


def is_free(port: int) -> bool:
    """Whether a listener could bind the port now. This reserves nothing."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
        return True


def free(count: int) -> tuple[int, ...]:
    """So many different free ports. All are held until the last one is found."""
    probes = [socket.socket() for _ in range(count)]
    try:
        for probe in probes:
            probe.bind((LOOPBACK, 0))
        return tuple(probe.getsockname()[1] for probe in probes)
    finally:
        for probe in probes:
            probe.close()


def demand(port: int, variable: str) -> None:
    """Check that the port can be bound; ``LaunchError`` names the variable that set it."""
    deadline = time.monotonic() + PATIENCE_S
    while not is_free(port):
        if time.monotonic() > deadline:
            raise LaunchError(
                f"Port {port} of {LOOPBACK} is in use by another program ({variable})."
                f" Stop that program, or set {variable} to another port (0: any free one)."
            )
        time.sleep(LOOK_AGAIN_S)
