"""Free ports of an address: ask the kernel for them, or check whether one is free."""

import errno
import socket
import time

from launcher.environment import LOOPBACK as LOOPBACK
from launcher.errors import LaunchError

PATIENCE_S = 3.0
"""How long to wait: a process of an earlier run that was killed may still be ending."""

LOOK_AGAIN_S = 0.05


def is_free(port: int, host: str = LOOPBACK) -> bool:
    """Whether a listener could bind the port now. This reserves nothing."""
    with socket.socket(family(host)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as failure:
            if failure.errno == errno.EADDRINUSE:
                return False
            where = address(host, port)
            raise LaunchError(f"{where} cannot be bound: {failure.strerror}.") from None
        return True


def family(host: str) -> socket.AddressFamily:
    """Of an address or a name."""
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def address(host: str, port: int) -> str:
    """``HOST:PORT`` as clients take it: an IPv6 address is in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def free(count: int, host: str = LOOPBACK) -> tuple[int, ...]:
    """So many different free ports. All are held until the last one is found. ``LaunchError`` for
    an address of another machine."""
    probes = [socket.socket(family(host)) for _ in range(count)]
    try:
        for probe in probes:
            probe.bind((host, 0))
    except OSError as failure:
        raise LaunchError(f"{host} cannot be bound: {failure.strerror}.") from None
    else:
        return tuple(probe.getsockname()[1] for probe in probes)
    finally:
        for probe in probes:
            probe.close()


def demand(port: int, variable: str, host: str = LOOPBACK) -> None:
    """Check that the port can be bound; ``LaunchError`` names the variable that set it."""
    deadline = time.monotonic() + PATIENCE_S
    while not is_free(port, host):
        if time.monotonic() > deadline:
            raise LaunchError(
                f"Port {port} of {host} is in use by another program ({variable})."
                f" Stop that program, or set {variable} to another port (0: any free one)."
            )
        time.sleep(LOOK_AGAIN_S)
