"""``rollcall mark`` and ``marks``: what people did at a time."""

from collections.abc import Sequence
from typing import Annotated, Final

import typer

from rollcall.cli.context import At, Form, complete_group, rest_of
from rollcall.cli.facts import short
from rollcall.cli.output import Column, Output, show, show_one

PATH: Final = "/marks"

LISTED: Final[Sequence[Column]] = (
    short("at"),
    Column("ID", "id"),
    Column("GROUP", "group_id"),
    Column("BY", "actor"),
    Column("MARK", "text"),
)

Group = Annotated[
    str | None, typer.Option("--group", help="Of one group.", autocompletion=complete_group)
]


def mark(
    context: typer.Context,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What was done.")],
    group: Group = None,
    at: At = None,
    output: Form = Output.TABLE,
) -> None:
    """Mark a time, now or --at, for a group or for all: a deploy, for instance."""
    said = {"text": text, "group_id": group, "at": at}
    body = {name: value for name, value in said.items() if value is not None}
    show_one(rest_of(context).request("POST", PATH, {}, body)[1], LISTED, output)


def marks(
    context: typer.Context,
    group: Group = None,
    since: At = None,
    until: At = None,
    output: Form = Output.TABLE,
) -> None:
    """List marks in order of time, those of all groups among them."""
    show(rest_of(context).pages(PATH, group_id=group, since=since, until=until), LISTED, output)
