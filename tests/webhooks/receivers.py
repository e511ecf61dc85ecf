"""Receivers of webhooks: real servers of HTTP in the test's own process, on loopback."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answer = Callable[[BaseHTTPRequestHandler], None]


@dataclass
class Received:
    """One request."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """What a server was sent, and how it answers: a status, or by hand."""

    url: str = ""
    answer: int | Answer = 204
    got: list[Received] = field(default_factory=list)

    def handle(self, request: BaseHTTPRequestHandler) -> None:
        """Take a request."""
        body = request.rfile.read(int(request.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.got.append(Received(request.path, headers, body))
        if callable(self.answer):
            self.answer(request)
            return
        request.send_response(self.answer)
        request.send_header("Content-Length", "0")
        if 300 <= self.answer < 400:
            request.send_header("Location", f"{self.url}/elsewhere")
        request.end_headers()


@contextmanager
def receiving() -> Iterator[Receiver]:
    """A server, until its test ends."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            receiver.handle(self)

        def log_message(self, *_told: object) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    receiver.url = f"http://127.0.0.1:{server.server_port}"
    serving = threading.Thread(target=server.serve_forever, args=(0.01,))
    serving.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        serving.join()
        server.server_close()
