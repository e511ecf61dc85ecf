"""``rollcall quota``: how much of a node clients may use, by Kafka's keys."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Any, Final

import typer

from rollcall.cli.context import Form, rest_of
from rollcall.cli.failures import Code, Failure
from rollcall.cli.output import Column, Output, Row, note, show, show_one
from rollcall.cli.words import Commands

app = typer.Typer(cls=Commands, no_args_is_help=True, help="Client quotas of the Kafka port.")


class Part(StrEnum):
    """The parts of an entity."""

    USER = "user"
    CLIENT_ID = "client-id"
    IP = "ip"


def _entity(row: Row) -> str:
    return ", ".join(
        f"{part.replace('_', '-')} {'(default)' if name is None else name}"
        for part, name in row["entity"].items()
    )


def _quotas(row: Row) -> str:
    return ", ".join(
        f"{key}={'infinite' if value is None else f'{value:.12g}'}"
        for key, value in row["quotas"].items()
    )


LISTED: Final[Sequence[Column]] = (
    Column("ENTITY", "entity", _entity),
    Column("QUOTAS", "quotas", _quotas),
    Column("CHANGED", "updated_at"),
)


def _option(name: str, meaning: str) -> Any:
    return typer.Option(name, help=meaning, show_default=False)


User = Annotated[str | None, _option("--user", "A user's name.")]
ClientId = Annotated[str | None, _option("--client-id", "A client id.")]
Ip = Annotated[str | None, _option("--ip", "An address.")]
Default = Annotated[
    list[Part] | None,
    _option("--default", "The default of users, client ids or addresses; repeatable."),
]
Values = Annotated[
    list[str],
    typer.Argument(metavar="KEY=VALUE...", help="Quotas, such as request_percentage=20."),
]
Key = Annotated[str | None, _option("--key", "Only this quota.")]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Show what would be done, and change nothing.")
]


def _parts(
    user: str | None, client_id: str | None, ip: str | None, default: Sequence[Part] | None
) -> dict[str, str | None]:
    """By REST's names; None is the default."""
    names = {"user": user, "client_id": client_id, "ip": ip}
    parts: dict[str, str | None] = {part: name for part, name in names.items() if name is not None}
    for each in default or ():
        part = each.value.replace("-", "_")
        if part in parts:
            raise Failure(Code.USAGE, f"--default {each} excludes --{each}.")
        parts[part] = None
    return parts


def _query(parts: dict[str, str | None]) -> dict[str, Any]:
    defaults = ",".join(part for part, name in parts.items() if name is None)
    named = {part: name for part, name in parts.items() if name is not None}
    return {**named, **({"default": defaults} if defaults else {})}


def _dry(is_dry: bool) -> dict[str, str]:
    return {"dry_run": "true"} if is_dry else {}


def _required(parts: dict[str, str | None]) -> dict[str, str | None]:
    if not parts:
        raise Failure(Code.USAGE, "--user, --client-id, --ip or --default is required.")
    return parts


def _value(text: str) -> tuple[str, float]:
    key, _, value = text.partition("=")
    try:
        number = float(value)
    except ValueError:
        raise Failure(Code.USAGE, f"{text} is not KEY=VALUE with a number.") from None
    if abs(number) == float("inf") or number != number:
        raise Failure(Code.USAGE, f"{key} must be a finite number.")
    return key, int(number) if number.is_integer() else number


@app.command("list")
def list_quotas(
    context: typer.Context,
    user: User = None,
    client_id: ClientId = None,
    ip: Ip = None,
    default: Default = None,
    output: Form = Output.TABLE,
) -> None:
    """List quotas by entity: all, or of entities that have the given parts."""
    query = _query(_parts(user, client_id, ip, default))
    show(rest_of(context).pages("/quotas", **query), LISTED, output)


@app.command("set")
def set_quotas(
    context: typer.Context,
    values: Values,
    user: User = None,
    client_id: ClientId = None,
    ip: Ip = None,
    default: Default = None,
    dry_run: DryRun = False,
    output: Form = Output.TABLE,
) -> None:
    """Set quotas of an entity, in force at once. Other quotas of the entity stay."""
    body = {
        "entity": _required(_parts(user, client_id, ip, default)),
        "quotas": dict(map(_value, values)),
    }
    show_one(rest_of(context).request("PUT", "/quotas", _dry(dry_run), body)[1], LISTED, output)


@app.command()
def delete(
    context: typer.Context,
    user: User = None,
    client_id: ClientId = None,
    ip: Ip = None,
    default: Default = None,
    key: Key = None,
    dry_run: DryRun = False,
    output: Form = Output.TABLE,
) -> None:
    """Remove the quotas of exactly this entity, or one of them, and show what was removed."""
    query = _query(_required(_parts(user, client_id, ip, default)))
    only = {"key": key} if key else {}
    removed = rest_of(context).request("DELETE", "/quotas", {**query, **only, **_dry(dry_run)})[1]
    show_one(removed, LISTED, output)
    count = len(removed["quotas"])
    note(f"{count} would be removed." if dry_run else f"{count} removed.")
