"""A network of hosts on one machine: a namespace for each, joined by a bridge.

All of it lies in the namespaces of the process that makes it (``python -m tests.hosts`` enters new
ones), so it ends with that process and the machine's own network never notices. Packets are dropped
by routes and rules, in one direction each, and nobody is told: as by a switch that has failed.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

BRIDGE = "rollcall"
PREFIX = "10.77.0."
CLIENTS = f"{PREFIX}1"
DATABASES = (f"{PREFIX}10", f"{PREFIX}11")
HOSTS = {"one": f"{PREFIX}21", "two": f"{PREFIX}22", "three": f"{PREFIX}23"}

INSIDE = "ROLLCALL_TESTS_OWN_NETWORK"
"""Set in a process that is in namespaces of its own."""

ENTER = ("unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc")


def is_possible() -> bool:
    """Whether this user may make namespaces here."""
    if os.geteuid() != 0 or not (shutil.which("unshare") and shutil.which("ip")):
        return False
    made = subprocess.run([*ENTER, "ip", "netns", "list"], capture_output=True, check=False)
    return made.returncode == 0


def ip(*words: str, host: str = "") -> None:
    """``ip`` with these words, in the namespace of a host or in that of clients and databases."""
    where = ("-n", host) if host else ()
    done = subprocess.run(["ip", *where, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"ip {' '.join((*where, *words))}: {done.stderr}"


def make() -> None:
    """The bridge, which clients and databases share, and a cable to each host."""
    assert os.environ.get(INSIDE), "the machine's own network is not for this"
    subprocess.run(["mount", "-t", "tmpfs", "none", "/run"], check=True)
    ip("link", "set", "lo", "up")
    ip("link", "add", BRIDGE, "type", "bridge")
    ip("link", "set", BRIDGE, "up")
    for address in (CLIENTS, *DATABASES):
        ip("addr", "add", f"{address}/24", "dev", BRIDGE)
    for host, address in HOSTS.items():
        ip("netns", "add", host)
        ip("link", "add", host, "type", "veth", "peer", "name", "eth0", "netns", host)
        ip("link", "set", host, "master", BRIDGE, "up")
        ip("link", "set", "lo", "up", host=host)
        ip("addr", "add", f"{address}/24", "dev", "eth0", host=host)
        ip("link", "set", "eth0", "up", host=host)


def inside(host: str) -> tuple[str, ...]:
    """What runs a command as this host."""
    return "ip", "netns", "exec", host


@contextmanager
def unplugged(host: str) -> Iterator[None]:
    """The host's cable."""
    ip("link", "set", host, "down")
    try:
        yield
    finally:
        ip("link", "set", host, "up")


@contextmanager
def cut(sender: str, receiver: str) -> Iterator[None]:
    """Packets from one address to another vanish; those back arrive."""
    names = {address: host for host, address in HOSTS.items()}
    host = names.get(sender, "")
    rule = ("from", sender, "to", receiver, "pref", "10", "blackhole")
    ip("rule", "add", *rule, host=host)
    try:
        yield
    finally:
        ip("rule", "del", *rule, host=host)
