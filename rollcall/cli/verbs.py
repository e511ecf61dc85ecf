"""``rollcall group``: what is asked of groups. Each is an operation, and its end is awaited."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

import typer

from rollcall.cli.context import (
    TIMEOUT_S,
    Form,
    GroupId,
    Reason,
    Timeout,
    Wait,
    check_ended,
    patience,
    rest_of,
)
from rollcall.cli.groups import app
from rollcall.cli.output import Column, Output, note, plain, show_one
from rollcall.cli.rest import Rest

OPERATION: Final[Sequence[Column]] = (
    Column("OPERATION", "id"),
    Column("VERB", "verb"),
    Column("GROUP", "group_id"),
    Column("STATE", "state"),
    Column("OUTCOME", "outcome"),
    Column("DETAIL", "detail"),
)

PREVIEW: Final[Sequence[Column]] = (
    Column("VERB", "verb"),
    Column("GROUP", "group_id"),
    Column("WOULD", "would"),
    Column("DETAIL", "detail"),
)

DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Show what it would do now, and change nothing.")
]
Member = Annotated[str, typer.Argument(metavar="MEMBER", help="The member's id.")]
SomeMember = Annotated[
    str | None,
    typer.Argument(
        metavar="[MEMBER]", help="One member, by member id or instance id; default: all."
    ),
]


def await_operation(
    rest: Rest,
    path: str,
    body: Mapping[str, Any],
    timeout_s: float,
    group: str,
    *,
    method: str = "POST",
    **query: Any,
) -> None:
    """Ask for a verb whose rows were printed already; only its end is told, beside them."""
    with patience(f"offsets of {group}: waiting for the end"):
        operation = rest.operation(method, path, body, timeout_s, **query)
    check_ended(operation)
    note(f"Operation {operation['id']}: {operation['detail']}.")


class Asking:
    """How a command asks: for how long it waits, and how it prints the operation."""

    def __init__(self, context: typer.Context, wait: bool, timeout: float, output: Output) -> None:
        self.rest = rest_of(context)
        self.wait_s = timeout if wait else 0.0
        self.output = output

    def ask(self, method: str, path: str, body: Mapping[str, Any], **query: Any) -> None:
        """Ask for a verb, and print what became of it.

        Raises ``Failure`` where it was refused, has failed, or has not ended in time.
        """
        with patience(f"{path.rpartition('/')[2]} of {query['group_id']}: waiting for its end"):
            operation = self.rest.operation(method, path, body, self.wait_s, **query)
        show_one(operation, OPERATION, self.output)
        if self.wait_s:
            check_ended(operation)

    def ask_or_try(
        self, method: str, path: str, body: Mapping[str, Any], dry_run: bool, **query: Any
    ) -> None:
        """The same, or what it would do."""
        if not dry_run:
            self.ask(method, path, body, **query)
            return
        found = self.rest.ask(method, path, {**query, "dry_run": "true"}, body)[1]
        show_one(found, PREVIEW, self.output)


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
    asking = Asking(context, wait, timeout, output)
    asking.ask_or_try("POST", "/group/rebalances", body, dry_run, group_id=group)


@app.command()
def evict(
    context: typer.Context,
    group: GroupId,
    member: Member,
    reason: Reason,
    dry_run: DryRun = False,
    wait: Wait = True,
    timeout: Timeout = TIMEOUT_S,
    output: Form = Output.TABLE,
) -> None:
    """Evict a member; the others rebalance. A live client joins again."""
    asking = Asking(context, wait, timeout, output)
    body = {"reason": reason}
    asking.ask_or_try("DELETE", "/group/members", body, dry_run, group_id=group, member_id=member)


def _pausing(verb: str, sentence: str) -> None:
    """The command ``verb``, for a group or for one member."""

    @app.command(verb, help=sentence)
    def asked(
        context: typer.Context,
        group: GroupId,
        reason: Reason,
        member: SomeMember = None,
        dry_run: DryRun = False,
        wait: Wait = True,
        timeout: Timeout = TIMEOUT_S,
        output: Form = Output.TABLE,
    ) -> None:
        asking = Asking(context, wait, timeout, output)
        path = f"/group/{verb}" if member is None else f"/group/members/{verb}"
        ids = {"group_id": group, "member_id": member}
        asking.ask_or_try("POST", path, {"reason": reason}, dry_run, **ids)
        if verb == "pause" and asking.wait_s and not dry_run:
            _tell_obedience(asking.rest, group)


_pausing(
    "pause",
    "Stop the work of all members, new ones too, or of one. They keep their partitions.",
)
_pausing("resume", "Start the work of a stopped group, or of one stopped member.")


def _tell_obedience(rest: Rest, group: str) -> None:
    work = rest.get("/group", group_id=group)["work"]
    asked, deaf = work["asked"], work["not_supported"]
    note(f"{work['obeyed']} of {asked} members have stopped; {deaf} do not support stopping.")


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
    asking = Asking(context, wait, timeout, output)
    body = {"reason": reason} if until is None else {"reason": reason, "until": until}
    asking.ask_or_try("POST", "/group/freeze", body, dry_run, group_id=group)


@app.command()
def thaw(
    context: typer.Context,
    group: GroupId,
    reason: Reason,
    dry_run: DryRun = False,
    wait: Wait = True,
    timeout: Timeout = TIMEOUT_S,
    output: Form = Output.TABLE,
) -> None:
    """Thaw a group: rebalances begin again."""
    asking = Asking(context, wait, timeout, output)
    asking.ask_or_try("POST", "/group/thaw", {"reason": reason}, dry_run, group_id=group)


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
    asking = Asking(context, wait, timeout, output)
    asking.ask_or_try("DELETE", "/group", {"reason": reason}, dry_run, group_id=group)


@app.command()
def restore(
    context: typer.Context,
    group: GroupId,
    to: Annotated[
        str, typer.Option("--to", help="A time, such as 2026-01-31T12:00:00Z.", show_default=False)
    ],
    reason: Reason,
    wait: Wait = True,
    timeout: Timeout = TIMEOUT_S,
    output: Form = Output.TABLE,
) -> None:
    """Restore the offsets of a group without members to those at a time."""
    asking = Asking(context, wait, timeout, output)
    body = {"reason": reason, "to": to}
    asking.ask("POST", "/group/offsets/restores", body, group_id=group)
