"""What is done to three hosts and two databases, and how it is undone."""

import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from enum import Enum
from typing import Final

from tests.hosts import network
from tests.hosts.network import CLIENTS, DATABASES
from tests.hosts.site import Host, Site

LASTS_S: Final = 8.0
"""How long a fault lasts that ends nothing by itself: longer than a lease, and than a client's
patience with one request; shorter than a session."""


class Outage(Enum):
    """How soon the groups have to be served again, in seconds; NONE: they were served all along,
    or could not be reached as long as the fault lasted."""

    NONE = 0.0
    CRASH = 1.5
    HANG = 3.5
    PROMOTION = 5.0


Inflict = Callable[[Site, Host], AbstractContextManager[None]]


@dataclass(frozen=True, slots=True)
class Fault:
    """``inflict``: on entering, to this host; what can be undone is undone on leaving."""

    meaning: str
    outage: Outage
    inflict: Inflict


@contextmanager
def kill_node(_site: Site, host: Host) -> Iterator[None]:
    host.node().kill()
    yield


@contextmanager
def hang_node(_site: Site, host: Host) -> Iterator[None]:
    node = host.node()
    node.send_signal(signal.SIGSTOP)
    yield
    if node.is_running():
        node.send_signal(signal.SIGCONT)


@contextmanager
def lose_host(_site: Site, host: Host) -> Iterator[None]:
    with network.unplugged(host.name):
        host.kill()
        yield
    host.begin()
    host.serves()


@contextmanager
def kill_primary(site: Site, _host: Host) -> Iterator[None]:
    site.databases.promote()
    yield
    site.databases.follow()


def cut(*ways: str, lasts: bool = False) -> Inflict:
    """Packets vanish between the host and others: ``>`` those from it, ``<`` those to it, then who
    the others are. ``lasts``: nothing ends by it, so it takes its time."""

    @contextmanager
    def inflict(site: Site, host: Host) -> Iterator[None]:
        others = {
            "clients": (CLIENTS,),
            "databases": DATABASES,
            "nodes": [each.address for each in site.hosts.values() if each is not host],
        }
        with ExitStack() as cuts:
            for way in ways:
                for other in others[way[1:]]:
                    ends = (host.address, other) if way[0] == ">" else (other, host.address)
                    cuts.enter_context(network.cut(*ends))
            if lasts:
                time.sleep(LASTS_S)
            yield

    return inflict


FAULTS: Final[Mapping[str, Fault]] = {
    "kill-node": Fault("kill -9 of a node", Outage.CRASH, kill_node),
    "hang-node": Fault("SIGSTOP of a node", Outage.HANG, hang_node),
    "lose-host": Fault("a host loses power and network at once", Outage.HANG, lose_host),
    "kill-primary": Fault("kill -9 of the primary, promotion", Outage.PROMOTION, kill_primary),
    "host-to-database": Fault("packets to the database", Outage.HANG, cut(">databases")),
    "database-to-host": Fault("packets of the database", Outage.HANG, cut("<databases")),
    "host-and-database": Fault("both", Outage.HANG, cut(">databases", "<databases")),
    "node-to-nodes": Fault("packets to the others", Outage.NONE, cut(">nodes", lasts=True)),
    "nodes-to-node": Fault("packets of the others", Outage.NONE, cut("<nodes", lasts=True)),
    "clients-to-node": Fault("packets of clients", Outage.NONE, cut("<clients", lasts=True)),
    "node-to-clients": Fault("packets to clients", Outage.NONE, cut(">clients", lasts=True)),
}
"""In the order of the rounds."""
