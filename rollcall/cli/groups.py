"""``rollcall group``: the commands that read groups."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Final

import typer

from rollcall.cli import group_tables as tables
from rollcall.cli.context import Form, GroupId, Part, Reason, rest_of
from rollcall.cli.failures import Code, Failure
from rollcall.cli.output import Output, plain, say, show, show_one
from rollcall.cli.rest import Rest, Row, segment
from rollcall.cli.words import Commands

app = typer.Typer(cls=Commands, no_args_is_help=True, help="Consumer groups.")

WHY: Final = ("group_id", "state", "generation", "situation", "waiting", "last_rebalance")

Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Show more columns.")]


@app.command("list")
def list_groups(
    context: typer.Context,
    state: Annotated[str | None, typer.Option(help="A state of Kafka, such as Stable.")] = None,
    kind: Annotated[
        str | None, typer.Option("--type", help="classic, consumer, draft or commanded.")
    ] = None,
    query: Part = None,
    output: Form = Output.TABLE,
) -> None:
    """List groups by id, each with its current activity."""
    rows = rest_of(context).pages("/groups", state=state, type=kind, q=query)
    show(rows, tables.LISTED, output)


@app.command()
def describe(
    context: typer.Context,
    group: GroupId,
    members: Annotated[bool, typer.Option("--members", help="Show its members.")] = False,
    offsets: Annotated[bool, typer.Option("--offsets", help="Show offsets: the default.")] = False,
    state: Annotated[bool, typer.Option("--state", help="Show its state.")] = False,
    verbose: Verbose = False,
    output: Form = Output.TABLE,
) -> None:
    """Show a group with the columns of kafka-consumer-groups --describe."""
    if members + offsets + state > 1:
        raise Failure(Code.USAGE, "Choose one of --members, --offsets and --state.")
    rest = rest_of(context)
    if members:
        _show_members(rest, group, verbose, output)
    elif state:
        columns = [*tables.STATE, *tables.STATE_MORE] if verbose else tables.STATE
        show_one(_with_coordinator(rest, group), columns, output)
    else:
        columns = list(tables.OFFSETS)
        if verbose:
            columns.insert(3, tables.EPOCH)
        show(offsets_of(rest, group), columns, output)


@app.command("members")
def list_members(context: typer.Context, group: GroupId, output: Form = Output.TABLE) -> None:
    """List members with their assignments and last heartbeats."""
    _show_members(rest_of(context), group, True, output)


@app.command()
def why(context: typer.Context, group: GroupId, output: Form = Output.TABLE) -> None:
    """Show a group's current activity and its last rebalance."""
    row = rest_of(context).get("/group", group_id=group)
    if output is Output.TABLE:
        for line in status_lines(row):
            say(line)
        return
    columns = [tables.GROUP, *(c for c in tables.LISTED if c.field in ("state", "situation"))]
    show_one({name: row[name] for name in WHY}, columns, output)


@app.command()
def config(context: typer.Context, group: GroupId, output: Form = Output.TABLE) -> None:
    """List a group's settings, and which of them are set for the group."""
    show(rest_of(context).get("/group/config", group_id=group)["data"], tables.CONFIG, output)


@app.command()
def configure(
    context: typer.Context,
    group: GroupId,
    reason: Reason,
    pairs: Annotated[
        list[str] | None, typer.Option("--set", help="NAME=VALUE; repeatable.")
    ] = None,
    unset: Annotated[
        list[str] | None, typer.Option("--unset", help="NAME: none of its own; repeatable.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")
    ] = False,
    output: Form = Output.TABLE,
) -> None:
    """Change settings of a group, in force at once; no rebalance begins."""
    changes: list[Row] = [{"name": name, "value": None} for name in unset or ()]
    for each in pairs or ():
        name, equals, value = each.partition("=")
        if not equals:
            raise Failure(Code.USAGE, f"--set requires NAME=VALUE, not {each}.")
        changes.append({"name": name, "value": value})
    if not changes:
        raise Failure(Code.USAGE, "--set NAME=VALUE or --unset NAME is required.")
    query = {"group_id": group, **({"dry_run": "true"} if dry_run else {})}
    body = {"reason": reason, "changes": changes}
    response = rest_of(context).request("PATCH", "/group/config", query, body)[1]
    show(response["changed"], tables.CHANGED, output)


def status_lines(group: Mapping[str, Any]) -> Iterator[str]:
    """The state line of the group's page, and the sentence of the newest rebalance."""
    yield plain(f"{group['group_id']}: {group['state']}. {group['situation']}")
    last = group["last_rebalance"]
    if last is not None:
        yield plain(f"last rebalance, {last['at'][:19]}Z: {last['sentence']}")


def _show_members(rest: Rest, group: str, verbose: bool, output: Output) -> None:
    rows = [{"group_id": group, **row} for row in rest.pages("/group/members", group_id=group)]
    show(rows, tables.members(rows, verbose), output)


def _with_coordinator(rest: Rest, group: str) -> Row:
    row = rest.get("/group", group_id=group)
    nodes = {node["node_id"]: node for node in rest.pages("/nodes")}
    coordinator = nodes.get(row["node_id"])
    return {**row, "members": len(row["members"]), "coordinator": coordinator}


def offsets_of(rest: Rest, group: str) -> Sequence[Row]:
    """Every partition that is committed or owned, by topic and number.

    As in kafka-consumer-groups a partition without a commit shows none. The end and the lag are
    those that the catalogue knows: ListOffsets, which the tool asks, must return a number.
    """
    committed = {
        (row["topic"], row["partition"]): row
        for row in rest.pages("/group/offsets", group_id=group)
    }
    owners = {
        (topic, number): member
        for member in rest.pages("/group/members", group_id=group)
        for topic, numbers in (member["assignment"] or {}).items()
        for number in numbers
    }
    places = sorted(committed.keys() | owners.keys())
    ends = {topic: _ends(rest, topic) for topic in dict.fromkeys(topic for topic, _ in places)}
    return [
        _offset(group, place, committed.get(place), owners.get(place), ends[place[0]])
        for place in places
    ]


def _ends(rest: Rest, topic: str) -> Sequence[int]:
    """The known end offset of each of the first partitions; none for a deleted topic."""
    try:
        ends: Sequence[int] = rest.get(f"/topics/{segment(topic)}")["end_offsets"]
    except Failure as failure:
        if failure.code is Code.NOT_FOUND:
            return ()
        raise
    return ends


def _offset(
    group: str,
    place: tuple[str, int],
    committed: Row | None,
    owner: Row | None,
    ends: Sequence[int],
) -> Row:
    topic, partition = place
    end = ends[partition] if partition < len(ends) else None
    offset = None if committed is None else committed["committed_offset"]
    return {
        "group_id": group,
        "topic": topic,
        "partition": partition,
        "leader_epoch": _epoch(committed),
        "committed_offset": offset,
        "log_end_offset": end,
        "lag": None if end is None or offset is None else max(0, end - offset),
        **{name: owner and owner[name] for name in ("member_id", "client_host", "client_id")},
    }


def _epoch(committed: Row | None) -> int | None:
    """None if the client sent none, which is -1 in the rows."""
    return None if committed is None or committed["leader_epoch"] < 0 else committed["leader_epoch"]
