"""``rollcall topic``: the catalogue of topics."""

from collections.abc import Sequence
from typing import Annotated, Any, Final

import typer

from rollcall.cli import journal
from rollcall.cli.context import Form, Part, TopicName, rest_of
from rollcall.cli.output import Column, Output, plain, show, show_one
from rollcall.cli.rest import segment
from rollcall.cli.words import Commands

app = typer.Typer(cls=Commands, no_args_is_help=True, help="Topics of the catalogue.")

LISTED: Final[Sequence[Column]] = (
    Column("TOPIC", "name"),
    Column("PARTITIONS", "partitions"),
    Column("TOPIC-ID", "topic_id"),
    Column("CREATED", "created_at"),
)

PARTITIONS: Final[Sequence[Column]] = (
    Column("TOPIC", "topic"),
    Column("PARTITION", "partition"),
    Column("LOG-START-OFFSET", "log_start_offset"),
    Column("LOG-END-OFFSET", "log_end_offset"),
    Column("RACKS", "racks", lambda row: ",".join(row["racks"])),
)

PLANNED: Final[Sequence[Column]] = (
    Column("TOPIC", "topic", lambda row: (row["topic"] or {}).get("name", "deleted")),
    Column("PARTITIONS", "partitions", lambda row: (row["topic"] or {}).get("partitions")),
    Column("BEFORE", "partitions_before"),
    Column("DELETED-OFFSETS", "offsets_deleted"),
    Column("GROUPS", "groups"),
    Column("USED-BY", "used_by", lambda row: _uses(row["used_by"])),
)

DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")
]
Count = Annotated[
    int, typer.Option("--partitions", help="The new total number.", show_default=False)
]


@app.command("list")
def list_topics(context: typer.Context, query: Part = None, output: Form = Output.TABLE) -> None:
    """List topics by name."""
    show(rest_of(context).pages("/topics", q=query), LISTED, output)


@app.command()
def describe(context: typer.Context, topic: TopicName, output: Form = Output.TABLE) -> None:
    """Show a topic's partitions with end offsets and racks."""
    rest = rest_of(context)
    path = f"/topics/{segment(topic)}"
    told = rest.get(path)
    racks, ends = told["racks"], told["end_offsets"]
    rows: list[dict[str, Any]] = [
        {
            "topic": topic,
            "partition": number,
            "log_start_offset": 0,
            "log_end_offset": ends[number] if number < len(ends) else None,
            "racks": racks[number] if number < len(racks) else [],
        }
        for number in range(told["partitions"])
    ]
    show(rows, PARTITIONS, output)


@app.command()
def create(
    context: typer.Context,
    topic: TopicName,
    partitions: Count,
    dry_run: DryRun = False,
    output: Form = Output.TABLE,
) -> None:
    """Create a topic."""
    body = {"name": topic, "partitions": partitions}
    _change(context, "POST", "/topics", body, dry_run, output)


@app.command()
def grow(
    context: typer.Context,
    topic: TopicName,
    partitions: Count,
    dry_run: DryRun = False,
    output: Form = Output.TABLE,
) -> None:
    """Add partitions to a topic; groups that subscribe to it rebalance."""
    path, body = f"/topics/{segment(topic)}", {"partitions": partitions}
    _change(context, "PATCH", path, body, dry_run, output)


@app.command()
def delete(
    context: typer.Context,
    topic: TopicName,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
    dry_run: DryRun = False,
    output: Form = Output.TABLE,
) -> None:
    """Delete a topic with all offsets that groups have committed for it, and show it."""
    if not yes and not dry_run:
        typer.confirm(f"Delete {plain(topic)} and all offsets of it?", abort=True, err=True)
    _change(context, "DELETE", f"/topics/{segment(topic)}", None, dry_run, output)


def _change(
    context: typer.Context,
    method: str,
    path: str,
    body: dict[str, Any] | None,
    is_dry: bool,
    output: Output,
) -> None:
    query = {"dry_run": "true"} if is_dry else {}
    response = rest_of(context).request(method, path, query, body)[1]
    show_one(response, PLANNED if is_dry else LISTED, output)


def _uses(uses: Sequence[dict[str, Any]]) -> str:
    return ", ".join(f"{use['group_id']}: {use['partitions']}" for use in uses)


@app.command("journal")
def topic_journal(
    context: typer.Context,
    topic: TopicName,
    lines: journal.Lines = journal.LINES,
    output: Form = Output.TABLE,
) -> None:
    """Show the changes of a topic and their authors; also of a deleted topic."""
    path = f"/topics/{segment(topic)}/journal"
    show(list(rest_of(context).pages(path, most=lines))[::-1], journal.COLUMNS, output)
