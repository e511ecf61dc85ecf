"""``rollcall user``: the users of the Kafka port (SASL/SCRAM). No option takes a password: other
users of the machine can see a command's arguments."""

import sys
from collections.abc import Sequence
from enum import StrEnum
from getpass import getpass
from typing import Annotated, Any, Final

import typer

from rollcall.cli.context import Form, Part, rest_of
from rollcall.cli.failures import Code, Failure
from rollcall.cli.output import Column, Output, Row, show, show_one
from rollcall.cli.rest import segment
from rollcall.cli.words import Commands

app = typer.Typer(cls=Commands, no_args_is_help=True, help="Users of the Kafka port (SASL/SCRAM).")


class Mechanism(StrEnum):
    """Kafka's mechanisms of SCRAM."""

    SHA_256 = "SCRAM-SHA-256"
    SHA_512 = "SCRAM-SHA-512"


def _mechanisms(row: Row) -> str:
    return ", ".join(f"{name}={count}" for name, count in sorted(row["mechanisms"].items()))


LISTED: Final[Sequence[Column]] = (
    Column("USER", "name"),
    Column("MECHANISMS", "mechanisms", _mechanisms),
    Column("CHANGED", "updated_at"),
)

UserName = Annotated[str, typer.Argument(metavar="USER", help="The user's name.")]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Show what would be done, and change nothing.")
]


@app.command("list")
def list_users(context: typer.Context, query: Part = None, output: Form = Output.TABLE) -> None:
    """List users by name, with their mechanisms and iterations."""
    show(rest_of(context).pages("/users", q=query), LISTED, output)


@app.command("set")
def set_password(
    context: typer.Context,
    user: UserName,
    mechanism: Annotated[
        list[Mechanism] | None, typer.Option("--mechanism", help="Only for these mechanisms.")
    ] = None,
    iterations: Annotated[
        int | None, typer.Option("--iterations", help="Number of hash iterations.")
    ] = None,
    dry_run: DryRun = False,
    output: Form = Output.TABLE,
) -> None:
    """Create a user, or change its password (standard input's first line, or a prompt)."""
    body: dict[str, Any] = {"password": _password()}
    if mechanism:
        body["mechanisms"] = [each.value for each in mechanism]
    if iterations is not None:
        body["iterations"] = iterations
    query = {"dry_run": "true"} if dry_run else {}
    response = rest_of(context).request("PUT", f"/users/{segment(user)}", query, body)[1]
    show_one(response, LISTED, output)


@app.command()
def delete(
    context: typer.Context,
    user: UserName,
    mechanism: Annotated[
        Mechanism | None, typer.Option("--mechanism", help="Only the password for this mechanism.")
    ] = None,
    dry_run: DryRun = False,
    output: Form = Output.TABLE,
) -> None:
    """Delete a user and show it; its connections are closed."""
    query: dict[str, Any] = {"mechanism": mechanism and mechanism.value}
    query |= {"dry_run": "true"} if dry_run else {}
    response = rest_of(context).request("DELETE", f"/users/{segment(user)}", query)[1]
    show_one(response, LISTED, output)


def _password() -> str:
    """Read a password; ``Failure`` if there is none."""
    if not sys.stdin.isatty():
        password = sys.stdin.readline().rstrip("\r\n")
    else:
        password = getpass()
        if password != getpass("Password again: "):
            raise Failure(Code.USAGE, "The passwords differ.")
    if not password:
        raise Failure(Code.USAGE, "A password is required: the first line of standard input.")
    return password
