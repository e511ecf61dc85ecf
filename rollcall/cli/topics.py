"""``rollcall topic``: the catalogue of topics."""

from collections.abc import Sequence
from typing import Annotated, Any, Final

import typer

from rollcall.cli import journal
from rollcall.cli.context import Form, Part, TopicName, rest_of
from rollcall.cli.output import Column, Output, show, show_one
from rollcall.cli.rest import segment

app = typer.Typer(no_args_is_help=True, help="Topics of the catalogue.")

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
    racks = rest.get(path)["racks"]
    rows: list[dict[str, Any]] = [
        {
            "topic": topic,
            **row,
            "racks": racks[row["partition"]] if row["partition"] < len(racks) else [],
        }
        for row in rest.get(f"{path}/partitions")["data"]
    ]
    show(rows, PARTITIONS, output)


@app.command()
def create(
    context: typer.Context, topic: TopicName, partitions: Count, output: Form = Output.TABLE
) -> None:
    """Create a topic."""
    body = {"name": topic, "partitions": partitions}
    show_one(rest_of(context).ask("POST", "/topics", {}, body)[1], LISTED, output)


@app.command()
def grow(
    context: typer.Context, topic: TopicName, partitions: Count, output: Form = Output.TABLE
) -> None:
    """Add partitions to a topic; groups that subscribe to it rebalance."""
    path, body = f"/topics/{segment(topic)}", {"partitions": partitions}
    show_one(rest_of(context).ask("PATCH", path, {}, body)[1], LISTED, output)


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
