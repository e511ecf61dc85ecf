"""Free ports on loopback: asking the kernel for them, and asking whether one is free."""

import socket
import time

from launcher.errors import LaunchError

LOOPBACK = "127.0.0.1"

PATIENCE_S = 3.0
"""A process of an earlier run that was killed may still be ending."""

LOOK_AGAIN_S = 0.05


def is_free(port: int) -> bool:
    """Whether a listener could bind the port now. Nothing is reserved by asking."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
        return True


def free(count: int) -> tuple[int, ...]:
    """That many different free ports. All are held until the last is found."""
    probes = [socket.socket() for _ in range(count)]
    try:
        for probe in probes:
            probe.bind((LOOPBACK, 0))
        return tuple(probe.getsockname()[1] for probe in probes)
    finally:
        for probe in probes:
            probe.close()


def demand(port: int, variable: str) -> None:
    """Make sure that the port can be bound; ``LaunchError`` names the variable that chose it."""
    deadline = time.monotonic() + PATIENCE_S
    while not is_free(port):
        if time.monotonic() > deadline:
            raise LaunchError(
                f"Port {port} of {LOOPBACK} is in use by another program ({variable})."
                f" Stop that program, or set {variable} to another port (0: any free one)."
            )
        time.sleep(LOOK_AGAIN_S)
