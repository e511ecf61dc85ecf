"""``rollcall doctor``: problems of an installation, in words.

Checks run from the outside inwards, and those that cannot run any more are skipped: a user without
access sees that first. Each finding is a row; the worst one determines the exit code.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Final, NamedTuple
from urllib.parse import urlsplit

import typer

from rollcall.cli.context import Form, rest_of
from rollcall.cli.failures import Code, Failure
from rollcall.cli.output import Column, Output, show
from rollcall.cli.rest import Rest

GOOD, WARN, BAD = "ok", "warn", "bad"

SLOTS: Final = 64

AHEAD_S_MAX: Final = 30.0
"""The difference between this clock and the nodes' from which on entered times would be wrong."""

USEFUL: Final = ("groups.view_group", "groups.view_operation", "groups.view_node")
"""Scopes that the reading commands need."""

LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")

COLUMNS: Final = (
    Column("", "tone"),
    Column("CHECK", "check"),
    Column("FINDING", "finding"),
    Column("DETAIL", "detail"),
)


class Finding(NamedTuple):
    """The result of one check."""

    tone: str
    check: str
    finding: str
    detail: str = ""


def doctor(context: typer.Context, output: Form = Output.TABLE) -> None:
    """Check the installation; the exit code is 1 if there is a serious problem."""
    results = list(findings(rest_of(context)))
    show([one._asdict() for one in results], COLUMNS, output)
    bad = sum(one.tone == BAD for one in results)
    if bad:
        raise Failure(Code.OTHER, f"{bad} of {len(results)} findings are bad.")


def findings(rest: Rest) -> Iterator[Finding]:
    """All findings, from the outside inwards."""
    try:
        yield from _web(rest)
        yield from _token(rest)
        yield from _nodes(rest)
        yield from _attention(rest)
    except Failure as failure:
        yield Finding(BAD, "rest", str(failure))


def _web(rest: Rest) -> Iterator[Finding]:
    url = rest.profile.url
    status, text = rest.plain("/readyz?verbose")
    failed = ", ".join(line[3:] for line in text.splitlines() if line.startswith("[-]"))
    if status == HTTPStatus.OK:
        yield Finding(GOOD, "web", f"{url} answers and is ready")
    else:
        yield Finding(BAD, "web", f"{url} is not ready", failed or f"HTTP {status}")
    at = urlsplit(url)
    if at.scheme == "http" and at.hostname not in LOOPBACK:
        detail = "The token can be read on the network: use https."
        yield Finding(WARN, "web", "The connection is not encrypted", detail)


def _token(rest: Rest) -> Iterator[Finding]:
    me = rest.get("/me")
    held = set(me["permissions"])
    missing = [] if "*" in held else [name for name in USEFUL if name not in held]
    if missing:
        detail = f"It lacks {', '.join(missing)}: some commands are refused."
        yield Finding(
            WARN, "token", f"The token's user is {me['username']}, with few rights", detail
        )
    else:
        yield Finding(GOOD, "token", f"The token's user is {me['username']}")


def _nodes(rest: Rest) -> Iterator[Finding]:
    nodes = list(rest.pages("/nodes"))
    owned = sum(node["slots"] for node in nodes)
    if not nodes:
        yield Finding(BAD, "nodes", "No node has ever started", "No node serves the Kafka port.")
    elif owned == 0:
        yield Finding(BAD, "nodes", "No node owns a slot", "Clients get retriable errors.")
    else:
        working = [node for node in nodes if node["slots"]]
        names = ", ".join(f"{n['node_id']} at {n['host']}:{n['port']}" for n in working)
        yield Finding(GOOD, "nodes", f"{owned} of {SLOTS} slots are served", names)
    if nodes:
        newest = max(datetime.fromisoformat(node["beat_at"]) for node in nodes)
        ahead = (newest - datetime.now(UTC)).total_seconds()
        if ahead > AHEAD_S_MAX:
            detail = "Times that you enter mean different times there."
            yield Finding(WARN, "clock", f"This clock is {ahead:.0f} s behind", detail)


def _attention(rest: Rest) -> Iterator[Finding]:
    lines = rest.get("/attention")["data"]
    for line in lines:
        tone = BAD if line["tone"] == "bad" else WARN
        yield Finding(tone, line["rule"], line["sentence"], line["detail"])
    if not lines:
        yield Finding(GOOD, "attention", "Nothing needs attention")
