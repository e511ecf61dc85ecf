"""``rollcall attention``: what needs attention, and taking note of it."""

from collections.abc import Sequence
from typing import Annotated, Final

import typer

from rollcall.cli.context import Form, rest_of
from rollcall.cli.failures import Code, Failure
from rollcall.cli.output import Column, Output, note, show, show_one
from rollcall.cli.rest import Row
from rollcall.cli.words import Commands

app = typer.Typer(cls=Commands, no_args_is_help=True, help="What needs attention.")

LISTED: Final[Sequence[Column]] = (
    Column("RULE", "rule"),
    Column("SUBJECT", "subject"),
    Column("SENTENCE", "sentence"),
    Column("DETAIL", "detail"),
    Column("ACKNOWLEDGED", "acknowledged", lambda row: _noted(row["acknowledged"])),
)

NOTED: Final[Sequence[Column]] = (
    Column("RULE", "rule"),
    Column("SUBJECT", "subject"),
    Column("BY", "actor"),
    Column("AT", "at"),
    Column("UNTIL", "until"),
    Column("NOTE", "note"),
)

Rule = Annotated[str, typer.Argument(metavar="RULE", help="The rule's name, as in the list.")]
Subject = Annotated[
    str,
    typer.Argument(metavar="[SUBJECT]", help="The subject, as in the list."),
]


def _noted(acknowledged: Row | None) -> str:
    return "" if acknowledged is None else f"{acknowledged['actor']}: {acknowledged['note']}"


@app.command("list")
def list_attention(context: typer.Context, output: Form = Output.TABLE) -> None:
    """List what needs attention, most urgent first, with acknowledgements."""
    show(rest_of(context).get("/attention")["data"], LISTED, output)


@app.command()
def acknowledge(
    context: typer.Context,
    rule: Rule,
    text: Annotated[
        str, typer.Option("--note", "-n", help="What is being done about it.", show_default=False)
    ],
    subject: Subject = "",
    until: Annotated[
        str | None, typer.Option("--until", help="A time, such as 2026-01-31T12:00:00Z.")
    ] = None,
    output: Form = Output.TABLE,
) -> None:
    """Acknowledge a firing rule until the situation ends, or until a time."""
    body = {"rule": rule, "subject": subject, "note": text, "until": until}
    acknowledgement = rest_of(context).request("POST", "/attention/acknowledgements", {}, body)[1]
    show_one(acknowledgement, NOTED, output)


@app.command()
def withdraw(context: typer.Context, rule: Rule, subject: Subject = "") -> None:
    """Withdraw an acknowledgement."""
    rest = rest_of(context)
    for row in rest.pages("/attention/acknowledgements"):
        if (row["rule"], row["subject"]) == (rule, subject):
            rest.request("DELETE", f"/attention/acknowledgements/{row['id']}", {})
            note(f"The acknowledgement of {rule} {subject}".rstrip() + " was withdrawn.")
            return
    raise Failure(Code.NOT_FOUND, f"There is no acknowledgement of {rule} {subject}".rstrip() + ".")
