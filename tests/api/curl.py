"""The examples of docs/rest.md: found in the page, and sent as curl would send them.

Reads as much of curl's options as the page uses; anything else is an error.
"""

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from string import Template
from typing import Any
from urllib.parse import quote, urlsplit

BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLE = re.compile(r"^# (?P<told>.*)\n(?P<command>(?:curl .*\\\n)?.*)$", re.MULTILINE)
STATUS = re.compile(r"\b[1-5]\d\d\b")

PATIENCE_S = 40


@dataclass
class Request:
    """What one command sends."""

    method: str = ""
    url: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    body: str | None = None
    query: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Example:
    """A command of the page, and the statuses that the line above it allows."""

    command: str
    statuses: frozenset[int]

    def request(self, variables: Mapping[str, str]) -> Request:
        """What it sends, with the page's variables put in."""
        program, *words = shlex.split(
            Template(self.command.replace("\\\n", " ")).substitute(variables)
        )
        assert program == "curl", self.command
        made, rest = Request(), iter(words)
        for word in rest:
            _take(made, word, rest)
        made.url += "?" + "&".join(made.query) if made.query else ""
        made.method = made.method or ("GET" if made.body is None else "POST")
        return made


def _take(made: Request, word: str, rest: Iterator[str]) -> None:
    match word:
        case "-H":
            name, _, value = next(rest).partition(": ")
            made.headers[name] = value
        case "-X":
            made.method = next(rest)
        case "-d":
            made.body = next(rest)
        case "--json":
            made.body = next(rest)
            made.headers["Content-Type"] = "application/json"
        case "-G":
            made.method = "GET"
        case "--data-urlencode":
            name, _, value = next(rest).partition("=")
            made.query.append(f"{name}={quote(value, safe='')}")
        case _:
            assert not word.startswith("-") and not made.url, word
            made.url = word


def examples(page: Path) -> list[Example]:
    """The page's examples in their order; each must say which statuses it may have."""
    found = [
        Example(example["command"], frozenset(map(int, STATUS.findall(example["told"]))))
        for block in BLOCK.findall(page.read_text())
        for example in EXAMPLE.finditer(block)
    ]
    assert all(example.statuses for example in found)
    return found


def send(request: Request) -> tuple[int, Mapping[str, str], bytes]:
    """Status, headers and body of the answer. The path is sent unchanged."""
    url = urlsplit(request.url)
    connection = HTTPConnection(str(url.hostname), url.port, timeout=PATIENCE_S)
    try:
        target = url.path + (f"?{url.query}" if url.query else "")
        connection.request(request.method, target, request.body, request.headers)
        answer = connection.getresponse()
        headers: Any = answer.headers
        return answer.status, headers, answer.read()
    finally:
        connection.close()
