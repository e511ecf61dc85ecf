"""``rollcall group watch``: follows the state line of a group."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Protocol

import typer
from rich.console import Console
from rich.live import Live
from rich.text import Text

from rollcall.cli.context import GroupId, rest_of
from rollcall.cli.failures import Code, Failure
from rollcall.cli.groups import app, status_lines
from rollcall.cli.output import plain, say

STATES: Final = [
    "Empty",
    "PreparingRebalance",
    "CompletingRebalance",
    "Stable",
    "Assigning",
    "Reconciling",
]
"""Those of a group, as REST has them: for another one ``--until`` would wait for ever."""

CHANGES: Final = ("state", "generation", "member_count", "frozen", "paused", "paused_members")
"""Fields whose changes print a new line without a terminal; the countdown of seconds does not."""


class Display(Protocol):
    """Where the state is shown."""

    def __call__(self, group: dict[str, Any]) -> None: ...


@app.command()
def watch(
    context: typer.Context,
    group: GroupId,
    until: Annotated[
        str | None, typer.Option(help="End when the group is in this state, such as Stable.")
    ] = None,
    interval: Annotated[float, typer.Option(min=0.1, help="Seconds between requests.")] = 1.0,
    timeout: Annotated[
        float | None, typer.Option(min=0, help="Fail after this many seconds.")
    ] = None,
) -> None:
    """Follow a group's state until Ctrl-C, or until it reaches a given state."""
    if until is not None and until.casefold() not in map(str.casefold, STATES):
        raise Failure(Code.USAGE, f"There is no state {until}: {', '.join(STATES)}.")
    rest, end = rest_of(context), time.monotonic() + (float("inf") if timeout is None else timeout)
    try:
        with _display() as display:
            while True:
                row = rest.get("/group", group_id=group)
                display(row)
                if until is not None and row["state"].casefold() == until.casefold():
                    return
                if time.monotonic() + interval > end:
                    break
                time.sleep(interval)
    except KeyboardInterrupt:
        return
    if until is not None:
        raise Failure(Code.OTHER, f"{group} is not {until} yet, but {row['state']}.")


@contextmanager
def _display() -> Iterator[Display]:
    console = Console()
    if not console.is_terminal:
        yield _Lines()
        return
    with Live(console=console, auto_refresh=False) as live:
        yield lambda group: live.update(Text("\n".join(status_lines(group))), refresh=True)


class _Lines:
    """A line for each change."""

    def __init__(self) -> None:
        self._last: tuple[object, ...] | None = None

    def __call__(self, group: dict[str, Any]) -> None:
        now = tuple(group[name] for name in CHANGES)
        if now != self._last:
            self._last = now
            say(f"{datetime.now(UTC):%H:%M:%S}Z  {plain(next(status_lines(group)))}")
