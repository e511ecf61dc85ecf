"""``rollcall group``: the commands that request operations on groups, and wait for their end."""

from collections.abc import Callable, Mapping
from inspect import Parameter, Signature
from typing import Annotated, Any, Final

import typer

from rollcall.cli.asking import DryRun, OperationOptions
from rollcall.cli.context import (
    TIMEOUT_S,
    At,
    Form,
    GroupId,
    Reason,
    Timeout,
    Wait,
)
from rollcall.cli.groups import app
from rollcall.cli.member_names import member_of
from rollcall.cli.operation_table import COMMANDS, path_of
from rollcall.cli.output import Output, note, plain
from rollcall.cli.rest import Rest

REQUIRED: Final = Parameter.empty

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


Expected = Annotated[
    int | None,
    typer.Option(
        "--expected-generation", min=0, help="Fail if the group is in another generation."
    ),
]
Rejects = Annotated[
    bool, typer.Option("--reject-in-progress", help="Refuse if a rebalance is in progress.")
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]

OPTIONS: Final[Mapping[str, Mapping[str, tuple[Any, Any]]]] = {
    "rebalance": {"expected_generation": (Expected, None), "on_in_progress": (Rejects, False)},
    "freeze": {"until": (At, None)},
    "delete": {"yes": (Yes, False)},
}
"""What a command takes besides the common options, and its default: a field of the request's body,
but for ``--yes``."""

MEMBERS: Final[Mapping[tuple[str, ...], Mapping[str, tuple[Any, Any]]]] = {
    ("group",): {},
    ("member",): {"member": (Member, REQUIRED)},
    ("group", "member"): {"member": (SomeMember, None)},
}


def _taken(name: str, targets: tuple[str, ...]) -> Mapping[str, tuple[Any, Any]]:
    """The parameters of a command: the type of each, and its default."""
    return {
        "context": (typer.Context, REQUIRED),
        "group": (GroupId, REQUIRED),
        **MEMBERS[targets],
        "reason": (Reason, REQUIRED),
        **OPTIONS.get(name, {}),
        "dry_run": (DryRun, False),
        "wait": (Wait, True),
        "timeout": (Timeout, TIMEOUT_S),
        "output": (Form, Output.TABLE),
    }


def _command(name: str, method: str, tail: str, targets: tuple[str, ...]) -> Callable[..., None]:
    """The command of an operation on a group, on a member, or on either."""

    def operate(
        *,
        context: typer.Context,
        group: str,
        dry_run: bool,
        wait: bool,
        timeout: float,
        output: Output,
        member: str | None = None,
        yes: bool = True,
        **body: Any,
    ) -> None:
        if not yes and not dry_run:
            typer.confirm(f"Delete {plain(group)} and its offsets?", abort=True, err=True)
        options = OperationOptions(context, wait, timeout, output)
        given = {name: at for name, at in body.items() if at is not None and at is not False}
        sent = {name: "reject" if at is True else at for name, at in given.items()}
        ids = {"group_id": group}
        if member is not None:
            ids["member_id"] = member_of(options.rest, group, member)
        options.request_or_try(method, path_of(tail, member), sent, dry_run, **ids)
        if name == "pause" and options.wait_s and not dry_run:
            _note_obedience(options.rest, group)

    taken = _taken(name, targets)
    operate.__annotations__ = {parameter: kind for parameter, (kind, _) in taken.items()}
    parameters = [
        Parameter(parameter, Parameter.KEYWORD_ONLY, annotation=kind, default=default)
        for parameter, (kind, default) in taken.items()
    ]
    operate.__signature__ = Signature(parameters)  # type: ignore[attr-defined]  # typer reads it
    return operate


def _note_obedience(rest: Rest, group: str) -> None:
    work = rest.get("/group", group_id=group)["work"]
    stopping, deaf = work["asked"], work["not_supported"]
    note(f"{work['obeyed']} of {stopping} members have stopped; {deaf} do not support stopping.")


for _name, _method, _tail, _targets, _sentence in COMMANDS:
    app.command(_name, help=_sentence)(_command(_name, _method, _tail, _targets))
