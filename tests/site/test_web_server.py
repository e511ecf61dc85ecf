"""How the web listens and sends, in a process of its own, since its module installs a reactor."""

import subprocess
import sys

from groups.loop_watch import THE_LOOP
from groups.watchdog import SENTENCE
from launcher import ports

LISTENS = """
from web.web_server import BACKLOG, LimitedServer, listening
from daphne.endpoints import build_endpoint_description_strings as described
from twisted.internet import reactor
from twisted.internet.endpoints import serverFromString

found = listening([*described(host="::1", port=0), "unix:/tmp/x"])
print(serverFromString(reactor, found[0])._backlog == BACKLOG, found[1])
"""

SENDS = """
import asyncio, socket, sys
from web import http_limits
from web.web_server import LimitedServer
from twisted.internet import reactor

http_limits.UNREAD_EVENTS_S = 0.2
PORT, PARTS, BLOCK = int(sys.argv[1]), 500, bytes(65_536)
client = socket.socket()

async def endless(scope, receive, send):
    await receive()
    gone = asyncio.ensure_future(receive())
    headers = [(b"Content-Type", b"text/event-stream")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    sent = 0
    while sent < PARTS and not gone.done():
        await send({"type": "http.response.body", "body": BLOCK, "more_body": True})
        await asyncio.sleep(0)
        sent += 1
    print("all" if sent == PARTS else "some", gone.done() and gone.result()["type"])
    reactor.callLater(0, reactor.stop)

def ask():
    client.connect(("127.0.0.1", PORT))
    client.sendall(b"GET /events HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n")  # and reads nothing

endpoints = [f"tcp:port={PORT}:interface=127.0.0.1"]
LimitedServer(
    endless, endpoints=endpoints, signal_handlers=False, ready_callable=ask
).run()
"""

POOLED = """
import sys, threading
from django.conf import settings
settings.DATABASES["default"]["OPTIONS"]["pool"] = {"min_size": 0, "max_size": 2}
from web.web_server import LimitedServer
from twisted.internet import reactor

def tell():
    print(*(each.name for each in threading.enumerate() if each.name.startswith("pool-")))
    reactor.callLater(0, reactor.stop)

endpoints = [f"tcp:port={sys.argv[1]}:interface=127.0.0.1"]
LimitedServer(
    None, endpoints=endpoints, signal_handlers=False, ready_callable=tell
).run()
"""

STANDS_STILL = """
import sys, threading
from web import web_server
from web.web_server import LimitedServer
from groups import watchdog

watchdog.LOOK_S, web_server.STILL_S = 0.01, 0.5
endpoints = [f"tcp:port={sys.argv[1]}:interface=127.0.0.1"]
LimitedServer(
    None, endpoints=endpoints, signal_handlers=False, ready_callable=threading.Event().wait
).run()
"""


def test_a_process_with_a_blocked_loop_ends_with_a_message() -> None:
    """Without memory for a new thread the loop waited for it for ever."""
    argv = [sys.executable, "-c", STANDS_STILL, *map(str, ports.free(1))]
    output = subprocess.run(argv, check=False, capture_output=True)
    assert output.returncode == 1
    assert output.stderr.decode().startswith(SENTENCE % (THE_LOOP, 0.5))


def test_the_threads_of_the_pool_start_before_the_first_request() -> None:
    """A process that had no memory for one at its first request answered 503 for ever."""
    argv = [sys.executable, "-c", POOLED, *map(str, ports.free(1))]
    output = subprocess.run(argv, check=True, capture_output=True)
    threads = {name.rpartition("-")[0] for name in output.stdout.decode().split()}
    assert threads == {"pool-1", "pool-1-worker"}


def test_unread_events_are_dropped_and_their_reader_is_closed() -> None:
    """32 MiB would be in memory else."""
    argv = [sys.executable, "-c", SENDS, *map(str, ports.free(1))]
    output = subprocess.run(argv, check=True, capture_output=True)
    assert output.stdout.decode().split() == ["some", "http.disconnect"]


def test_many_new_connections_wait_in_the_backlog() -> None:
    """Twisted's own 50 make the system drop who comes beyond; it tries again a second later."""
    output = subprocess.run([sys.executable, "-c", LISTENS], check=True, capture_output=True)
    assert output.stdout.decode().split() == ["True", "unix:/tmp/x"]
