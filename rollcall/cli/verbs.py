"""``rollcall group``: the commands that request operations on groups, and wait for their end."""

from typing import Annotated, Any, Final

import typer

from rollcall.cli.asking import DryRun, OperationOptions
from rollcall.cli.context import (
    TIMEOUT_S,
    Form,
    GroupId,
    Reason,
    Timeout,
    Wait,
)
from rollcall.cli.groups import app
from rollcall.cli.member_names import member_of
from rollcall.cli.operation_table import COMMANDS
from rollcall.cli.output import Output, note, plain
from rollcall.cli.rest import Rest

Member = Annotated[
    str,
    typer.Argument(
        metavar="MEMBER", help="The member's id, its instance id, or a client id that only it has."
    ),
]
SomeMember = Annotated[
    str | None,
    typer.Argument(
        metavar="[MEMBER]", help="One member, by member id, instance id or client id; default: all."
    ),
]


@app.command()
def rebalance(
    context: typer.Context,
    group: GroupId,
    reason: Reason,
    expected_generation: Annotated[
        int | None,
        typer.Option(
            "--expected-generation", min=0, help="Fail if the group is in another generation."
        ),
    ] = None,
    reject_in_progress: Annotated[
        bool, typer.Option("--reject-in-progress", help="Refuse if a rebalance is in progress.")
    ] = False,
    dry_run: DryRun = False,
    wait: Wait = True,
    timeout: Timeout = TIMEOUT_S,
    output: Form = Output.TABLE,
) -> None:
    """Force a rebalance; wait for the new generation."""
    body: dict[str, Any] = {"reason": reason}
    if expected_generation is not None:
        body["expected_generation"] = expected_generation
    if reject_in_progress:
        body["on_in_progress"] = "reject"
    options = OperationOptions(context, wait, timeout, output)
    options.request_or_try("POST", "/group/rebalances", body, dry_run, group_id=group)


def _of_group(name: str, method: str, sentence: str) -> None:
    """The command of an operation on a group."""

    @app.command(name, help=sentence)
    def operate(
        context: typer.Context,
        group: GroupId,
        reason: Reason,
        dry_run: DryRun = False,
        wait: Wait = True,
        timeout: Timeout = TIMEOUT_S,
        output: Form = Output.TABLE,
    ) -> None:
        options = OperationOptions(context, wait, timeout, output)
        options.request_or_try(
            method, f"/group/{name}", {"reason": reason}, dry_run, group_id=group
        )


def _of_member(name: str, method: str, sentence: str) -> None:
    """The command of an operation on a member; evicting one is DELETE of the member itself."""

    @app.command(name, help=sentence)
    def operate(
        context: typer.Context,
        group: GroupId,
        member: Member,
        reason: Reason,
        dry_run: DryRun = False,
        wait: Wait = True,
        timeout: Timeout = TIMEOUT_S,
        output: Form = Output.TABLE,
    ) -> None:
        options = OperationOptions(context, wait, timeout, output)
        path = "/group/members" if method == "DELETE" else f"/group/members/{name}"
        ids = {"group_id": group, "member_id": member_of(options.rest, group, member)}
        options.request_or_try(method, path, {"reason": reason}, dry_run, **ids)


def _of_either(name: str, method: str, sentence: str) -> None:
    """The command of an operation on a group or on one of its members."""

    @app.command(name, help=sentence)
    def operate(
        context: typer.Context,
        group: GroupId,
        reason: Reason,
        member: SomeMember = None,
        dry_run: DryRun = False,
        wait: Wait = True,
        timeout: Timeout = TIMEOUT_S,
        output: Form = Output.TABLE,
    ) -> None:
        options = OperationOptions(context, wait, timeout, output)
        path = f"/group/{name}" if member is None else f"/group/members/{name}"
        member_id = None if member is None else member_of(options.rest, group, member)
        ids = {"group_id": group, "member_id": member_id}
        options.request_or_try(method, path, {"reason": reason}, dry_run, **ids)
        if name == "pause" and options.wait_s and not dry_run:
            _note_obedience(options.rest, group)


KINDS: Final = {("group",): _of_group, ("member",): _of_member, ("group", "member"): _of_either}

for _name, _method, _targets, _sentence in COMMANDS:
    KINDS[_targets](_name, _method, _sentence)


def _note_obedience(rest: Rest, group: str) -> None:
    work = rest.get("/group", group_id=group)["work"]
    stopping, deaf = work["asked"], work["not_supported"]
    note(f"{work['obeyed']} of {stopping} members have stopped; {deaf} do not support stopping.")


@app.command()
def freeze(
    context: typer.Context,
    group: GroupId,
    reason: Reason,
    until: Annotated[
        str | None, typer.Option("--until", help="A time, such as 2026-01-31T12:00:00Z.")
    ] = None,
    dry_run: DryRun = False,
    wait: Wait = True,
    timeout: Timeout = TIMEOUT_S,
    output: Form = Output.TABLE,
) -> None:
    """Freeze a group: no rebalance begins; after the thaw one starts if needed."""
    options = OperationOptions(context, wait, timeout, output)
    body = {"reason": reason} if until is None else {"reason": reason, "until": until}
    options.request_or_try("POST", "/group/freeze", body, dry_run, group_id=group)


@app.command()
def delete(
    context: typer.Context,
    group: GroupId,
    reason: Reason,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
    dry_run: DryRun = False,
    wait: Wait = True,
    timeout: Timeout = TIMEOUT_S,
    output: Form = Output.TABLE,
) -> None:
    """Delete a group without members, with its offsets; its journal is kept."""
    if not yes and not dry_run:
        typer.confirm(f"Delete {plain(group)} and its offsets?", abort=True, err=True)
    options = OperationOptions(context, wait, timeout, output)
    options.request_or_try("DELETE", "/group", {"reason": reason}, dry_run, group_id=group)
