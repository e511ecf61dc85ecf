"""One POST, and its result: to a checked address, with a time limit, without redirects.

Standard library only; knows no rows.
"""

import re
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from functools import lru_cache
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from console.webhooks.addresses import EndpointRefused, resolved
from console.webhooks.settings import WebhookSettings

ANSWER_BYTES_MAX: Final = 1_024
"""Maximum length of a response's body that is kept for display."""

LEAST_S: Final = 0.001
"""The rest of a delivery's time if resolving the name took all of it: a timeout of 0 would mean
none."""

DIGITS: Final = re.compile("[0-9]{1,18}")
USER_AGENT: Final = "Rollcall-Webhooks/1"
OK: Final = range(200, 300)
GONE: Final = 410
"""A receiver's status for "send nothing any more"."""

TOO_MANY, UNAVAILABLE = 429, 503
"""The statuses with which a receiver may say when it takes more (``Retry-After``)."""

ASKED_MAX_S: Final = 3_600.0
"""The longest pause that a receiver may ask for: a mistaken header must not end its events."""


class Outcome(NamedTuple):
    """The result of a POST. ``status`` 0: there was no response, ``error`` says why. ``asked_s``:
    the pause that the receiver asks for; 0: none."""

    status: int
    error: str
    body: str
    took_ms: int
    asked_s: float = 0.0

    @property
    def is_delivered(self) -> bool:
        """Whether the receiver accepted it."""
        return self.status in OK

    @property
    def pauses(self) -> bool:
        """Whether other deliveries wait, too: there was no response, for which the next attempt
        would wait as long, or the receiver asks for a pause."""
        return self.status in (0, TOO_MANY) or self.asked_s > 0


AUTHORITIES_S: Final = 300
"""How often the system's trusted authorities are read again, so that changes need no restart.
Reading them for each delivery would take longer than most receivers."""


@lru_cache(maxsize=1)
def _trusted(_period: int) -> ssl.SSLContext:
    return ssl.create_default_context()


def _tls() -> ssl.SSLContext:
    """The system's trusted authorities, as of the last minutes."""
    return _trusted(int(time.monotonic() // AUTHORITIES_S))


class _Connection(HTTPConnection):
    """A connection to one address, whatever the name resolves to now. TLS verifies the name's
    certificate."""

    def __init__(self, host: str, at: tuple[str, int], timeout_s: float, is_tls: bool) -> None:
        super().__init__(host, at[1], timeout=timeout_s)
        self._at, self._is_tls = at, is_tls
        self.was_cut = False
        self.default_port = HTTPSConnection.default_port if is_tls else HTTPConnection.default_port

    def connect(self) -> None:
        """Connect, or fail if the time is over by then: before that there was nothing to abort."""
        self.sock: Any = socket.create_connection(self._at, self.timeout)
        if self._is_tls:
            self.sock = _tls().wrap_socket(self.sock, server_hostname=self.host)
        if self.was_cut:
            raise TimeoutError

    def cut(self) -> None:
        """Abort it from another thread: its time is over, however slowly data arrives."""
        self.was_cut = True
        if self.sock is not None:
            try:
                self.sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                return


def post(url: str, body: bytes, fields: Mapping[str, str], settings: WebhookSettings) -> Outcome:
    """Send it. Never raises for errors of the receiver or the network."""
    begun, timeout_s = time.monotonic(), settings.webhooks_timeout_ms / 1000
    status, answer_text, asked_s = 0, "", 0.0
    try:
        status, answer_text, asked_s = _post(url, body, fields, settings, timeout_s)
    except EndpointRefused as refusal:
        error = str(refusal)
    except (OSError, HTTPException, ValueError) as failure:
        late = time.monotonic() - begun >= timeout_s
        error = "There was no answer in time." if late else f"{type(failure).__name__}: {failure}"
    else:
        error = "" if status in OK else _refusal(status)
    took_ms = round((time.monotonic() - begun) * 1000)
    return Outcome(status, _printable(error[:500]), answer_text, took_ms, asked_s)


def _post(
    url: str, body: bytes, fields: Mapping[str, str], settings: WebhookSettings, timeout_s: float
) -> tuple[int, str, float]:
    parts, ends = urlsplit(url), time.monotonic() + timeout_s
    at = resolved(url, settings, timeout_s)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    left_s = max(ends - time.monotonic(), LEAST_S)
    connection = _Connection(str(parts.hostname), at, left_s, parts.scheme == "https")
    cut = threading.Timer(left_s, connection.cut)
    cut.daemon = True
    cut.start()
    try:
        connection.request("POST", path, body, {**fields, "User-Agent": USER_AGENT})
        answer = connection.getresponse()
        if connection.was_cut:
            raise TimeoutError  # headers that end because of the abort look complete
        return answer.status, _beginning(answer), _asked_s(answer)
    finally:
        cut.cancel()
        connection.close()


def _beginning(answer: HTTPResponse) -> str:
    """The beginning of the body, as far as it arrives: the status is the receiver's answer."""
    try:
        data = answer.read(ANSWER_BYTES_MAX)
    except (OSError, HTTPException):
        return ""
    return data.decode(errors="replace").replace("\0", "")


def _asked_s(answer: HTTPResponse) -> float:
    """``Retry-After`` (RFC 9110), in seconds or as a date; 0: it says nothing."""
    text = answer.getheader("Retry-After", "").strip()
    if answer.status not in (TOO_MANY, UNAVAILABLE):
        return 0.0
    if DIGITS.fullmatch(text):
        return min(float(text), ASKED_MAX_S)
    try:
        left_s = parsedate_to_datetime(text).timestamp() - time.time()
    except (ValueError, OverflowError):
        return 0.0
    return min(max(left_s, 0.0), ASKED_MAX_S)


def _printable(text: str) -> str:
    """Some errors contain bytes from the other server."""
    return "".join(each if each.isprintable() else "?" for each in text)


def _refusal(status: int) -> str:
    if 300 <= status < 400:
        return f"It was answered {status}: redirects are not followed."
    return f"It was answered {status}."
