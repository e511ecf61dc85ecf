"""``rollcall advice``: what the pipeline advises, and deciding about it."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

import typer

from rollcall.cli.context import At, Form, complete_group, rest_of
from rollcall.cli.failures import Code, Failure
from rollcall.cli.output import Column, Output, note, show, show_one
from rollcall.cli.words import Commands

app = typer.Typer(cls=Commands, no_args_is_help=True, help="Advice of the pipeline.")

PATH: Final = "/advice"

DECISIONS: Final = f"{PATH}/decisions"


def _decided(row: Mapping[str, Any]) -> str:
    decision = row["decision"]
    return "" if decision is None else f"{decision['verdict']} by {decision['actor']}"


LISTED: Final[Sequence[Column]] = (
    Column("GROUP", "group_id"),
    Column("RULE", "rule"),
    Column("SUBJECT", "subject"),
    Column("FINDING", "finding"),
    Column("CHANGE", "change"),
    Column("CONFIDENCE", "confidence"),
    Column("SAVES-PARTITION-MS", "saves_partition_ms"),
    Column("TRY", "what_if"),
    Column("DECIDED", "decision", _decided),
)

DECIDED: Final[Sequence[Column]] = (
    Column("GROUP", "group_id"),
    Column("RULE", "rule"),
    Column("SUBJECT", "subject"),
    Column("VERDICT", "verdict"),
    Column("BY", "actor"),
    Column("UNTIL", "until"),
    Column("REASON", "reason"),
)

Group = Annotated[
    str, typer.Argument(metavar="GROUP", help="The group's id.", autocompletion=complete_group)
]
Rule = Annotated[str, typer.Argument(metavar="RULE", help="The rule's name, as in the list.")]
Subject = Annotated[str, typer.Argument(metavar="SUBJECT", help="The subject, as in the list.")]
Reason = Annotated[str, typer.Option("--reason", "-r", help="Why.", show_default=False)]


@app.command("list")
def list_advice(
    context: typer.Context,
    group: Annotated[
        str | None, typer.Option(help="Of one group.", autocompletion=complete_group)
    ] = None,
    period: Annotated[str, typer.Option(help="24h, 7d, 30d or all.")] = "7d",
    muted: Annotated[bool, typer.Option(help="Muted ones, too.")] = False,
    output: Form = Output.TABLE,
) -> None:
    """List what the newest run advises, the greatest effect first."""
    query = {"period": period, "group_id": group, "muted": "true" if muted else None}
    show(rest_of(context).get(PATH, **query)["data"], LISTED, output)


@app.command()
def accept(
    context: typer.Context,
    group: Group,
    rule: Rule,
    subject: Subject,
    reason: Reason,
    output: Form = Output.TABLE,
) -> None:
    """Accept an advice: it stays listed, with who does it."""
    _decide(context, output, group, rule, subject, verdict="accepted", reason=reason)


@app.command()
def mute(
    context: typer.Context,
    group: Group,
    rule: Rule,
    subject: Subject,
    reason: Reason,
    until: At = None,
    output: Form = Output.TABLE,
) -> None:
    """Mute an advice: later runs do not list it either, until a time or until it is withdrawn."""
    _decide(context, output, group, rule, subject, verdict="muted", reason=reason, until=until)


@app.command()
def withdraw(context: typer.Context, group: Group, rule: Rule, subject: Subject) -> None:
    """Withdraw a decision about an advice."""
    rest = rest_of(context)
    for row in rest.pages(DECISIONS):
        if (row["group_id"], row["rule"], row["subject"]) == (group, rule, subject):
            rest.request("DELETE", f"{DECISIONS}/{row['id']}", {})
            note(f"The decision about {rule} of {subject} was withdrawn.")
            return
    raise Failure(Code.NOT_FOUND, f"There is no decision about {rule} of {subject}.")


def _decide(
    context: typer.Context, output: Output, group: str, rule: str, subject: str, **body: str | None
) -> None:
    named = {"group_id": group, "rule": rule, "subject": subject}
    decision = rest_of(context).request("POST", DECISIONS, {}, {**named, **body})[1]
    show_one(decision, DECIDED, output)
