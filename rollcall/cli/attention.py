"""``rollcall attention``: what needs attention, and taking note of it."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

import typer

from rollcall.cli.context import At, Form, moment, rest_of
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


def _whom(row: Mapping[str, Any]) -> str:
    return f"{row['name']}*" if row["is_prefix"] else str(row["name"])


def _fires(threshold: int | None) -> str:
    return "silenced" if threshold is None else str(threshold)


OWN: Final[Sequence[Column]] = (
    Column("ID", "id"),
    Column("RULE", "rule"),
    Column("GROUPS", "name", _whom),
    Column("THRESHOLD", "threshold", lambda row: _fires(row["threshold"])),
    Column("UNTIL", "until"),
    Column("BY", "actor"),
    Column("REASON", "reason"),
)

APPLIES: Final[Sequence[Column]] = (
    Column("RULE", "rule"),
    Column("THRESHOLD", "text"),
    Column("OF", "own", lambda row: "the setting" if row["own"] is None else _whom(row["own"])),
    Column("SILENCED UNTIL", "silence", lambda row: (row["silence"] or {}).get("until") or ""),
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
    until: At = None,
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


Group = Annotated[str, typer.Argument(metavar="GROUP", help="The group id, or its beginning.")]
Prefix = Annotated[
    bool, typer.Option("--prefix", help='It is the beginning of group ids; "": all groups.')
]
Reason = Annotated[str, typer.Option("--reason", "-r", help="Why.", show_default=False)]


@app.command()
def rules(
    context: typer.Context,
    group: Annotated[
        str | None, typer.Option("--group", "-g", help="How each rule applies to this group.")
    ] = None,
    output: Form = Output.TABLE,
) -> None:
    """List thresholds that groups have of their own, and silences; or what applies to a group."""
    rest = rest_of(context)
    if group is None:
        show(rest.pages("/attention/rules"), OWN, output)
        return
    found = rest.get("/group/attention", group_id=group)
    show(found["rules"], APPLIES, output)
    for proposal in found["proposals"]:
        note(proposal["text"])


@app.command()
def tune(
    context: typer.Context,
    rule: Rule,
    group: Group,
    threshold: Annotated[int, typer.Option("--threshold", "-t", help="As the setting has it.")],
    reason: Reason,
    prefix: Prefix = False,
    until: At = None,
    output: Form = Output.TABLE,
) -> None:
    """Give a group a threshold of its own, or all groups whose ids begin alike."""
    _apply(context, rule, group, threshold, reason, prefix, until, output)


@app.command()
def silence(
    context: typer.Context,
    rule: Rule,
    group: Group,
    until: Annotated[str, typer.Option(help="A time, in UTC unless it says.", parser=moment)],
    reason: Reason,
    prefix: Prefix = False,
    output: Form = Output.TABLE,
) -> None:
    """Silence a rule for a group until a time, or for all groups whose ids begin alike."""
    _apply(context, rule, group, None, reason, prefix, until, output)


def _apply(
    context: typer.Context,
    rule: str,
    group: str,
    threshold: int | None,
    reason: str,
    prefix: bool,
    until: str | None,
    output: Output,
) -> None:
    body: dict[str, Any] = {
        "rule": rule,
        "is_prefix": prefix,
        "name": group,
        "threshold": threshold,
    }
    body |= {"reason": reason, "until": until}
    row = rest_of(context).request("POST", "/attention/rules", {}, body)[1]
    show_one(row, OWN, output)


@app.command()
def untune(context: typer.Context, rule_id: Annotated[int, typer.Argument(metavar="ID")]) -> None:
    """Withdraw a threshold or a silence, by its id in the list."""
    row = rest_of(context).request("DELETE", f"/attention/rules/{rule_id}", {})[1]
    note(f"{row['rule']} of {_whom(row)}: withdrawn.")
