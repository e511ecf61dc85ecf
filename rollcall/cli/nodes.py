"""``rollcall node``: the coordinator processes."""

from collections.abc import Sequence
from typing import Annotated, Any, Final

import typer

from rollcall.cli.context import Form, Reason, complete_group, rest_of
from rollcall.cli.output import Column, Output, note, show, show_one
from rollcall.cli.words import Commands

app = typer.Typer(cls=Commands, no_args_is_help=True, help="Coordinator processes.")

LISTED: Final[Sequence[Column]] = (
    Column("ID", "node_id"),
    Column("HOST", "host"),
    Column("PORT", "port"),
    Column("SLOTS", "slots"),
    Column("DRAINED", "drain", lambda row: (row["drain"] or {}).get("since", "")),
    Column("STARTED", "started_at"),
    Column("LAST-BEAT", "beat_at"),
)


@app.command("list")
def list_nodes(context: typer.Context, output: Form = Output.TABLE) -> None:
    """List nodes, and how many of the 64 slots each owns."""
    show(rest_of(context).pages("/nodes"), LISTED, output)


DRAINED: Final[Sequence[Column]] = (
    Column("ID", "node_id"),
    Column("DRAINED", "drained"),
    Column("SLOTS", "slots"),
    Column("GROUPS", "groups"),
    Column("NODES", "nodes", lambda row: _counts(row["nodes"])),
)

DRAINS: Final[Sequence[Column]] = (
    Column("ID", "node_id"),
    Column("SINCE", "since"),
    Column("BY", "actor"),
    Column("REASON", "reason"),
)

NodeId = Annotated[int, typer.Argument(metavar="ID", min=0, help="The node's id.")]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Show what it would move now, and change nothing.")
]


def _counts(nodes: Sequence[dict[str, Any]]) -> str:
    return ", ".join(f"node {each['node_id']}: {each['slots']}" for each in nodes)


@app.command()
def drain(
    context: typer.Context,
    node: NodeId,
    reason: Reason,
    dry_run: DryRun = False,
    output: Form = Output.TABLE,
) -> None:
    """Drain a node: it gives its slots to the others, and takes none until `undrain`."""
    _request(context, f"/nodes/{node}/drain", reason, dry_run, output)


@app.command()
def undrain(
    context: typer.Context,
    node: NodeId,
    reason: Reason,
    dry_run: DryRun = False,
    output: Form = Output.TABLE,
) -> None:
    """Withdraw the drain of a node: it takes its share of the slots again."""
    _request(context, f"/nodes/{node}/undrain", reason, dry_run, output)


FORGOTTEN: Final[Sequence[Column]] = (Column("ID", "node_id"), Column("DRY-RUN", "dry_run"))


@app.command()
def forget(
    context: typer.Context,
    node: NodeId,
    reason: Reason,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check whether it can be, and change nothing.")
    ] = False,
    output: Form = Output.TABLE,
) -> None:
    """Forget a node that has left: it is not called silent any more."""
    query = {"dry_run": "true"} if dry_run else {}
    path, body = f"/nodes/{node}/forget", {"reason": reason}
    show_one(rest_of(context).request("POST", path, query, body)[1], FORGOTTEN, output)


def _request(context: typer.Context, path: str, reason: str, is_dry: bool, output: Output) -> None:
    query = {"dry_run": "true"} if is_dry else {}
    response = rest_of(context).request("POST", path, query, {"reason": reason})[1]
    show_one(response, DRAINED, output)
    note(response["detail"])


@app.command()
def drains(context: typer.Context, output: Form = Output.TABLE) -> None:
    """List drained nodes, those that are away too."""
    show(rest_of(context).pages("/nodes/drains"), DRAINS, output)


CONNECTIONS: Final[Sequence[Column]] = (
    Column("NODE", "node_id"),
    Column("CLIENT-ID", "client_id"),
    Column("SOFTWARE", "software", lambda row: f"{row['software']} {row['software_version']}"),
    Column("ADDRESS", "address"),
    Column("PRINCIPAL", "principal"),
    Column("LISTENER", "listener"),
    Column("GROUPS", "groups", lambda row: ", ".join(row["groups"])),
    Column("SINCE", "connected_at"),
)


@app.command()
def connections(
    context: typer.Context,
    node: Annotated[int | None, typer.Option(min=0, help="Of one node.")] = None,
    group: Annotated[
        str | None, typer.Option(help="Of a group's members.", autocompletion=complete_group)
    ] = None,
    client_id: Annotated[str | None, typer.Option(help="Of one client id.")] = None,
    principal: Annotated[
        str | None, typer.Option(help="Of one principal, such as User:ann.")
    ] = None,
    address: Annotated[str | None, typer.Option(help="Of one address.")] = None,
    listener: Annotated[str | None, typer.Option(help="Of one listener.")] = None,
    software: Annotated[str | None, typer.Option(help="Of one client library.")] = None,
    output: Form = Output.TABLE,
) -> None:
    """List the clients that are connected, by node."""
    query: dict[str, Any] = {
        "node_id": node,
        "group_id": group,
        "client_id": client_id,
        "principal": principal,
    }
    query |= {"address": address, "listener": listener, "software": software}
    show(rest_of(context).pages("/connections", **query), CONNECTIONS, output)
