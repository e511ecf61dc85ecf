"""Common parts of all commands: options with the same name and meaning, and the installation.

Typer reads the options from the annotations, so they are declared here once.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Annotated, Any, Final

import typer
from rich.console import Console

from rollcall.cli.failures import Code, Failure
from rollcall.cli.output import Output
from rollcall.cli.profiles import Profile, chosen, environment
from rollcall.cli.rest import Rest

COMPLETED_MAX: Final = 50
"""Names that completion offers; for others more characters have to be typed."""


@dataclass
class Session:
    """The selected installation; requests are made when a command needs it."""

    profile_name: str | None = None
    url: str | None = None

    @cached_property
    def profile(self) -> Profile:
        """The selected profile."""
        return chosen(self.profile_name, self.url, environment())

    @cached_property
    def rest(self) -> Rest:
        """The profile's REST."""
        return Rest(self.profile)

    def close(self) -> None:
        """Close the connections."""
        if "rest" in self.__dict__:
            self.rest.close()


def rest_of(context: typer.Context) -> Rest:
    """The REST of the selected installation."""
    session = context.find_object(Session) or Session()
    return session.rest


@contextmanager
def patience(what: str) -> Iterator[None]:
    """A progress indicator on a terminal during a long wait; nothing elsewhere."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with console.status(what):
        yield


def check_ended(operation: Mapping[str, Any]) -> None:
    """Raise ``Failure`` for an operation that has not ended in time."""
    if operation["state"] != "succeeded":
        number = operation["id"]
        sentence = (
            f"Operation {number} has not ended: `rollcall operation show {number}` shows it later."
        )
        raise Failure(Code.OTHER, sentence)


def _completed(context: typer.Context, path: str, field: str, begun: str) -> Iterable[str]:
    """Names with this prefix; none if the installation cannot be reached."""
    session = Session(*_common_options(context))
    try:
        rows = session.rest.pages(path, most=COMPLETED_MAX, q=begun or None)
        return [str(row[field]) for row in rows if str(row[field]).startswith(begun)]
    except (Failure, KeyError):
        return []
    finally:
        session.close()


def _common_options(context: typer.Context) -> tuple[str | None, str | None]:
    """The common options, which no callback has processed during completion."""
    root = context.find_root().params
    return root.get("profile"), root.get("url")


def complete_group(context: typer.Context, incomplete: str) -> Iterable[str]:
    """Groups whose id has this prefix."""
    return _completed(context, "/groups", "group_id", incomplete)


def complete_topic(context: typer.Context, incomplete: str) -> Iterable[str]:
    """Topics whose name has this prefix."""
    return _completed(context, "/topics", "name", incomplete)


GroupId = Annotated[
    str,
    typer.Argument(metavar="GROUP", help="The group's id.", autocompletion=complete_group),
]
TopicName = Annotated[
    str,
    typer.Argument(metavar="TOPIC", help="The topic's name.", autocompletion=complete_topic),
]
Form = Annotated[Output, typer.Option("--output", "-o", help="The output format.")]
Reason = Annotated[
    str,
    typer.Option("--reason", "-r", help="The reason; the journal shows it.", show_default=False),
]
Wait = Annotated[
    bool,
    typer.Option("--wait/--no-wait", help="Wait until the operation ends, or print it at once."),
]
Timeout = Annotated[float, typer.Option("--timeout", min=0, help="The longest wait, in seconds.")]


def moment(text: str) -> str:
    """The time as REST takes it."""
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        raise Failure(Code.USAGE, f"{text} is not a time such as 2026-01-31T12:00:00Z.") from None
    return (read if read.tzinfo is not None else read.replace(tzinfo=UTC)).isoformat()


A_TIME: Final = typer.Option(
    help="A time, such as 2026-01-31T12:00:00Z; without a zone it is in UTC.", parser=moment
)
At = Annotated[str | None, A_TIME]
Part = Annotated[str | None, typer.Option("--query", "-q", help="Only names that contain this.")]

TIMEOUT_S: Final = 60.0
"""A rebalance waits for members up to their rebalance timeout, of a minute or more."""
