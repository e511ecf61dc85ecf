"""Server-sent events of the journal (docs/rest.md, *Following the journal*), with as many
connections as needed: each entry once."""

import json
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final, Self

import httpx

from rollcall.cli.failures import Code, Failure
from rollcall.cli.output import note
from rollcall.cli.rest import Rest, Row

PATH: Final = "/journal/events"
LAST_EVENT_ID: Final = "Last-Event-ID"

SILENT_S: Final = 60.0
"""The server sends a comment every fifteen seconds; after four missing ones the connection is
dead."""

AGAIN_S: Final = 2.0
"""The pause before the next attempt, unless the server sends another one."""

ENDED: Final = "end"
WENT_BACK: Final = "time_went_back"
FOREVER: Final = frozenset({"forbidden", WENT_BACK})
"""Ends after which the same request would be refused."""

PASSING: Final = frozenset({HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE})


@dataclass
class Event:
    """One event. ``id`` is None if the stream sent none with it."""

    name: str = "message"
    data: list[str] = field(default_factory=list)
    id: str | None = None
    retry_s: float | None = None

    def take(self, line: str) -> None:
        """Process a line of it; comments and unknown fields are ignored."""
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self.data.append(value)
        elif name == "event":
            self.name = value
        elif name == "id":
            self.id = value
        elif name == "retry" and value.isdecimal():
            self.retry_s = int(value) / 1_000


def parsed(lines: Iterable[str]) -> Iterator[Event]:
    """The events of a stream, including those without data: their ids are the client's position."""
    event = Event()
    for line in lines:
        if line:
            event.take(line)
        else:
            yield event
            event = Event()


class Follower:
    """A stream that is opened again when it breaks; ``entries`` reads it."""

    def __init__(self, rest: Rest, **query: Any) -> None:
        self._rest = rest
        self._query = query
        self._last_id: str | None = None
        self._again_s = AGAIN_S
        self._open = ExitStack()
        try:
            self._answer: httpx.Response | None = self._connected()
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise rest.unreachable(error) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def entries(self) -> Iterator[Row]:
        """Entries as they arrive, until the server ends the stream: ``Failure``."""
        while True:
            try:
                answer = self._answer or self._connected()
                self._answer = None
                yield from self._read(answer)
                why = "the server has ended the stream"
            except _Passing as error:
                why = str(error)
            except httpx.HTTPError as error:
                why = str(error) or type(error).__name__
            self._open.close()
            note(f"The stream broke ({why}); it goes on in {self._again_s:g} s.")
            time.sleep(self._again_s)

    def _read(self, answer: httpx.Response) -> Iterator[Row]:
        for event in parsed(answer.iter_lines()):
            self._again_s = event.retry_s or self._again_s
            if event.name == ENDED:
                self._end(json.loads("".join(event.data)))
                return
            if event.data:
                yield json.loads("\n".join(event.data))
            # After the entry: if the program is interrupted while it is shown, it is repeated, not
            # lost.
            self._last_id = self._last_id if event.id is None else event.id

    def _connected(self) -> httpx.Response:
        headers = {} if self._last_id is None else {LAST_EVENT_ID: self._last_id}
        answer = self._open.enter_context(
            self._rest.stream(PATH, self._query, headers, silent_s=SILENT_S)
        )
        if answer.status_code in PASSING and self._last_id is not None:
            raise _Passing(f"HTTP {answer.status_code}")
        if answer.status_code != HTTPStatus.OK:
            answer.read()
            self._rest.json_of(answer)
        return answer

    def _end(self, end: Any) -> None:
        if end["code"] in FOREVER:
            raise Failure(Code.OTHER, end["detail"])


class _Passing(Exception):
    """The server cannot serve the stream at present."""
