"""Where an issuer's keys come from: a file, or an https address. Never called on the loop.

The address comes from the operator's settings, never from a client.
"""

import asyncio
import os
import ssl
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from http.client import HTTPException, HTTPSConnection
from pathlib import Path
from socket import SHUT_RDWR
from typing import Final
from urllib.parse import SplitResult, unquote, urlsplit

from protocol.authentication.tokens.jwks import JWKS_BYTES_MAX

SILENCE_S: Final = 5.0
"""Time limit of a read from the endpoint."""

ANSWER_S: Final = 10.0
"""Time limit of the complete response."""


class SourceError(Exception):
    """The keys cannot be read, or the source is invalid; the text says why."""


Connect = Callable[[], HTTPSConnection | None]
Get = Callable[[HTTPSConnection | None], bytes]


class Source:
    """``read`` returns what the issuer publishes; one call at a time. Raises ``SourceError``."""

    def __init__(self, get: Get, connect: Connect) -> None:
        self._get = get
        self._connect = connect
        self._beside = ThreadPoolExecutor(1, "issuer's keys")

    async def read(self) -> bytes:
        """At most one byte more than ``JWKS_BYTES_MAX``; raises ``SourceError``."""
        connection = self._connect()
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(ANSWER_S):
                return await loop.run_in_executor(self._beside, self._get, connection)
        except TimeoutError:
            raise SourceError(f"no whole answer within {ANSWER_S:.0f} s") from None
        except (OSError, HTTPException, ValueError) as error:
            raise SourceError(f"{type(error).__name__}: {error}") from None
        finally:
            _abort(connection)

    def close(self) -> None:
        """Stop reading. A read that hangs ends when its socket is closed."""
        self._beside.shutdown(wait=False, cancel_futures=True)


def of(url: str, ca_file: str = "") -> Source:
    """The source at this address; raises ``SourceError`` if it is invalid. ``ca_file``: trusted
    authorities in PEM, instead of the system's."""
    found = urlsplit(url)
    if found.scheme == "file" and found.netloc in ("", "localhost") and found.path:
        path = Path(unquote(found.path))
        return Source(lambda _none: _file(path), lambda: None)
    if found.scheme != "https" or not found.hostname or found.username is not None:
        raise SourceError(f"{url!r} is neither https://host/path nor file:///path")
    return _https(found, ca_file)


def _https(found: SplitResult, ca_file: str) -> Source:
    try:
        context = ssl.create_default_context(cafile=ca_file or None)
        port = found.port or 443
    except (OSError, ValueError) as error:
        raise SourceError(f"{found.geturl()!r} cannot be asked: {error}") from None
    path = (found.path or "/") + (f"?{found.query}" if found.query else "")
    host = found.hostname or ""
    connect = partial(HTTPSConnection, host, port, timeout=SILENCE_S, context=context)
    return Source(partial(_answer, path), connect)


def _answer(path: str, connection: HTTPSConnection | None) -> bytes:
    """Redirections are not followed: the only address is the one in the settings."""
    assert connection is not None
    headers = {"Accept": "application/json", "User-Agent": "rollcall"}
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    if answer.status != 200:
        raise ValueError(f"status {answer.status}")
    return answer.read(JWKS_BYTES_MAX + 1)


def _file(path: Path) -> bytes:
    """Without O_NONBLOCK, opening a named pipe would wait."""
    opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(opened, "rb") as file:
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            raise ValueError(f"{path} is no file")
        return file.read(JWKS_BYTES_MAX + 1)


def _abort(connection: HTTPSConnection | None) -> None:
    """Close the socket that another thread may be reading."""
    if connection is not None and connection.sock is not None:
        with suppress(OSError):
            connection.sock.shutdown(SHUT_RDWR)
        with suppress(OSError):
            connection.close()
