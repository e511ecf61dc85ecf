"""How the web listens: found by a process of its own, since its module installs a reactor."""

import subprocess
import sys

LISTENS = """
from coordinator_site.web_server import BACKLOG, LimitedServer, listening
from daphne.endpoints import build_endpoint_description_strings as described
from twisted.internet import reactor
from twisted.internet.endpoints import serverFromString

found = listening([*described(host="::1", port=0), "unix:/tmp/x"])
print(serverFromString(reactor, found[0])._backlog == BACKLOG, found[1])
"""


def test_a_crowd_of_newcomers_waits_to_be_accepted() -> None:
    """Twisted's own 50 make the system drop who comes beyond; it tries again a second later."""
    said = subprocess.run([sys.executable, "-c", LISTENS], check=True, capture_output=True)
    assert said.stdout.decode().split() == ["True", "unix:/tmp/x"]
