"""``rollcall node``: the coordinator processes."""

from collections.abc import Sequence
from typing import Final

import typer

from rollcall.cli.context import Form, rest_of
from rollcall.cli.output import Column, Output, show

app = typer.Typer(no_args_is_help=True, help="Coordinator processes.")

LISTED: Final[Sequence[Column]] = (
    Column("ID", "node_id"),
    Column("HOST", "host"),
    Column("PORT", "port"),
    Column("SLOTS", "slots"),
    Column("STARTED", "started_at"),
    Column("LAST-BEAT", "beat_at"),
)


@app.command("list")
def list_nodes(context: typer.Context, output: Form = Output.TABLE) -> None:
    """List nodes, and how many of the 64 slots each owns."""
    show(rest_of(context).pages("/nodes"), LISTED, output)
