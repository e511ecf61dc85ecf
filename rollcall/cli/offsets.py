"""``rollcall group restore``, ``delete-offsets``, and ``reset-offsets`` with the options of
kafka-consumer-groups.

The latter two are dry runs without ``--execute``, and print what they would do.
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from rollcall.cli.asking import DryRun, OperationOptions, await_operation, check_plan
from rollcall.cli.context import (
    A_TIME,
    TIMEOUT_S,
    Form,
    GroupId,
    Reason,
    Timeout,
    Wait,
    moment,
    rest_of,
)
from rollcall.cli.failures import Code, Failure
from rollcall.cli.groups import app
from rollcall.cli.output import Column, Output, note, show

RESTORES: Final = "/group/offsets/restores"
RESETS: Final = "/group/offsets/resets"
OFFSETS: Final = "/group/offsets"

PLANNED: Final[Sequence[Column]] = (
    Column("GROUP", "group_id"),
    Column("TOPIC", "topic"),
    Column("PARTITION", "partition"),
    Column("NEW-OFFSET", "after"),
    Column("CURRENT-OFFSET", "before"),
)

DRY: Final = "a dry run"
"""The reason of a dry run."""


@app.command()
def restore(
    context: typer.Context,
    group: GroupId,
    to: Annotated[str, A_TIME],
    reason: Reason,
    dry_run: DryRun = False,
    wait: Wait = True,
    timeout: Timeout = TIMEOUT_S,
    output: Form = Output.TABLE,
) -> None:
    """Restore the offsets of a group without members to those at a time."""
    body, query = {"reason": reason, "to": to}, {"group_id": group}
    if dry_run:
        tried = {**query, "dry_run": "true"}
        plan = rest_of(context).request("POST", RESTORES, tried, body)[1]
        _show_plan(plan, group, output, is_dry=True)
    else:
        OperationOptions(context, wait, timeout, output).request("POST", RESTORES, body, **query)


@app.command("reset-offsets")
def reset_offsets(
    context: typer.Context,
    group: GroupId,
    topic: Annotated[
        list[str] | None, typer.Option("--topic", help="All partitions of this one; repeatable.")
    ] = None,
    all_topics: Annotated[
        bool, typer.Option("--all-topics", help="All partitions that the group has committed.")
    ] = False,
    to_earliest: Annotated[bool, typer.Option("--to-earliest", help="To 0.")] = False,
    to_latest: Annotated[
        bool, typer.Option("--to-latest", help="To the end offset of the catalogue.")
    ] = False,
    to_offset: Annotated[int | None, typer.Option("--to-offset", help="To this offset.")] = None,
    shift_by: Annotated[
        int | None,
        typer.Option("--shift-by", help="Forward by this number, or back if it is negative."),
    ] = None,
    to_datetime: Annotated[
        str | None,
        typer.Option(
            help="To the offsets at this time: 2026-01-31T12:00:00Z; without a zone it is in UTC.",
            parser=moment,
        ),
    ] = None,
    from_group: Annotated[
        str | None, typer.Option("--from-group", help="To the offsets of another group.")
    ] = None,
    from_file: Annotated[
        Path | None,
        typer.Option(
            "--from-file",
            help="To the offsets of a file with lines topic,partition,offset; -: stdin.",
        ),
    ] = None,
    execute: Annotated[bool, typer.Option("--execute", help="Do it.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Change nothing (the default).")
    ] = False,
    reason: Annotated[
        str | None, typer.Option("--reason", "-r", help="The reason; required with --execute.")
    ] = None,
    timeout: Timeout = TIMEOUT_S,
    output: Form = Output.TABLE,
) -> None:
    """Reset the offsets of a group without members; a dry run by default."""
    ways = {
        "earliest": to_earliest or None,
        "latest": to_latest or None,
        "offset": to_offset,
        "shift": shift_by,
        "moment": to_datetime,
        "group": from_group,
        "csv": None if from_file is None else _lines(from_file),
    }
    body = _wish({way: value for way, value in ways.items() if value is not None})
    body |= _scope(topic or [], all_topics, body["to"])
    if execute and (dry_run or not reason):
        raise Failure(Code.USAGE, "--execute requires --reason, and excludes --dry-run.")
    rest = rest_of(context)
    tried = {"group_id": group, "dry_run": "true"}
    _, plan = rest.request("POST", RESETS, tried, {**body, "reason": DRY})
    if _show_plan(plan, group, output, is_dry=not execute) and execute:
        await_operation(rest, RESETS, {**body, "reason": reason}, timeout, group, group_id=group)


@app.command("delete-offsets")
def delete_offsets(
    context: typer.Context,
    group: GroupId,
    topic: Annotated[str, typer.Option("--topic", help="The topic.", show_default=False)],
    partition: Annotated[
        int | None, typer.Option("--partition", min=0, help="One partition; default: all.")
    ] = None,
    execute: Annotated[bool, typer.Option("--execute", help="Do it.")] = False,
    reason: Annotated[
        str | None, typer.Option("--reason", "-r", help="The reason; required with --execute.")
    ] = None,
    timeout: Timeout = TIMEOUT_S,
    output: Form = Output.TABLE,
) -> None:
    """Delete offsets of a group without members; a dry run by default."""
    if execute and not reason:
        raise Failure(Code.USAGE, "--execute requires --reason.")
    rest, query = rest_of(context), {"group_id": group, "topic": topic, "partition": partition}
    _, plan = rest.request("DELETE", OFFSETS, {**query, "dry_run": "true"}, {"reason": DRY})
    if _show_plan(plan, group, output, is_dry=not execute) and execute:
        await_operation(rest, OFFSETS, {"reason": reason}, timeout, group, method="DELETE", **query)


def _show_plan(plan: Mapping[str, Any], group: str, output: Output, *, is_dry: bool) -> bool:
    """Print the plan; returns whether it has changes. A dry run fails if the act would."""
    show([{"group_id": group, **change} for change in plan["changes"]], PLANNED, output)
    note(f"{len(plan['changes'])} offsets {plan['how']}; {plan['unchanged']} are there already.")
    if is_dry:
        check_plan(plan)
    return bool(plan["changes"])


def _wish(ways: dict[str, Any]) -> dict[str, Any]:
    if len(ways) != 1:
        raise Failure(
            Code.USAGE, "Exactly one target is required: --to-earliest, --to-offset 7 ... (--help)."
        )
    ((way, value),) = ways.items()
    return {"to": way} if value is True else {"to": way, way: value}


def _scope(topics: list[str], all_topics: bool, way: str) -> dict[str, Any]:
    """As in Kafka's tool, the scope has to be given; a file contains it."""
    if bool(topics) + all_topics != 1 and not (way == "csv" and not all_topics):
        raise Failure(Code.USAGE, "--topic NAME or --all-topics is required.")
    return {"topics": topics} if topics else {}


def _lines(path: Path) -> str:
    try:
        return sys.stdin.read() if str(path) == "-" else path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise Failure(Code.USAGE, f"{path} cannot be read: {error}") from None
