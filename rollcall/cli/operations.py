"""``rollcall operation``: operations, their authors, and their results."""

from collections.abc import Sequence
from typing import Annotated, Final

import typer

from rollcall.cli.asking import DryRun, OperationOptions
from rollcall.cli.context import (
    TIMEOUT_S,
    Form,
    Reason,
    Timeout,
    Wait,
    complete_group,
    patience,
    rest_of,
)
from rollcall.cli.output import Column, Output, show, show_one
from rollcall.cli.rest import WAIT_S_MAX
from rollcall.cli.words import Commands

app = typer.Typer(cls=Commands, no_args_is_help=True, help="Operations on groups.")

LISTED: Final[Sequence[Column]] = (
    Column("OPERATION", "id"),
    Column("VERB", "verb"),
    Column("GROUP", "group_id"),
    Column("STATE", "state"),
    Column("OUTCOME", "outcome"),
    Column("BY", "actor"),
    Column("REASON", "reason"),
    Column("DETAIL", "detail"),
)

UNDONE: Final[Sequence[Column]] = (
    Column("TOPIC", "topic"),
    Column("PARTITION", "partition"),
    Column("NEW-OFFSET", "after"),
    Column("CURRENT-OFFSET", "before"),
)

MOST: Final = 50


@app.command("list")
def list_operations(
    context: typer.Context,
    group: Annotated[
        str | None, typer.Option(help="Of one group.", autocompletion=complete_group)
    ] = None,
    state: Annotated[
        str | None, typer.Option(help="pending, running, succeeded or failed.")
    ] = None,
    lines: Annotated[int, typer.Option("--lines", "-n", min=0, help="So many.")] = MOST,
    output: Form = Output.TABLE,
) -> None:
    """List operations, newest first."""
    rows = rest_of(context).pages("/operations", most=lines, group_id=group, state=state)
    show(rows, LISTED, output)


@app.command("show")
def show_operation(
    context: typer.Context,
    operation: Annotated[int, typer.Argument(metavar="ID", min=0)],
    timeout: Timeout = 0.0,
    output: Form = Output.TABLE,
) -> None:
    """Show an operation; with a timeout, wait for its end (at most 20 seconds)."""
    wait = {"Prefer": f"wait={min(int(timeout), WAIT_S_MAX)}"} if timeout >= 1 else None
    with patience(f"operation {operation}: waiting for its end"):
        _, row = rest_of(context).request("GET", f"/operations/{operation}", {}, None, wait)
    show_one(row, LISTED, output)


@app.command()
def undo(
    context: typer.Context,
    operation: Annotated[int, typer.Argument(metavar="ID", min=0)],
    reason: Reason,
    dry_run: DryRun = False,
    wait: Wait = True,
    timeout: Timeout = TIMEOUT_S,
    output: Form = Output.TABLE,
) -> None:
    """Undo a reset or deletion of offsets, unless they were set or committed since."""
    path, body = f"/operations/{operation}/undo", {"reason": reason}
    if dry_run:
        plan = rest_of(context).request("POST", path, {"dry_run": "true"}, body)[1]
        show(plan["changes"], UNDONE, output)
        return
    OperationOptions(context, wait, timeout, output).request("POST", path, body)
