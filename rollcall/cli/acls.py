"""``rollcall acl``: who may do what on the Kafka port, by the words of kafka-acls."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Any, Final

import typer

from rollcall.cli.context import Form, rest_of
from rollcall.cli.failures import Code, Failure
from rollcall.cli.output import Column, Output, note, show, show_one
from rollcall.cli.words import Commands

app = typer.Typer(cls=Commands, no_args_is_help=True, help="Access rules of the Kafka port.")

LISTED: Final[Sequence[Column]] = (
    Column("PERMISSION", "permission"),
    Column("PRINCIPAL", "principal"),
    Column("HOST", "host"),
    Column("OPERATION", "operation"),
    Column("TYPE", "resource_type"),
    Column("NAME", "name"),
    Column("PATTERN", "pattern"),
)


class Permission(StrEnum):
    """Whether a rule allows or denies."""

    ALLOW = "allow"
    DENY = "deny"


class Pattern(StrEnum):
    """How a rule's name is compared."""

    LITERAL = "literal"
    PREFIXED = "prefixed"


class Patterns(StrEnum):
    """Patterns in filters: ``match`` matches all rules that apply to a resource of this name."""

    ANY = "any"
    MATCH = "match"
    LITERAL = "literal"
    PREFIXED = "prefixed"


def _option(name: str, meaning: str) -> Any:
    return typer.Option(name, help=meaning, show_default=False)


Principal = Annotated[str, _option("--principal", "User:NAME, or User:* for everyone.")]
Operation = Annotated[str, _option("--operation", "read, write, describe, all ...")]
Type = Annotated[str, _option("--type", "topic, group, cluster or transactional_id.")]
Name = Annotated[str, _option("--name", "The resource's name; * means every one.")]

SomePrincipal = Annotated[str | None, _option("--principal", "Rules of this principal.")]
SomeHost = Annotated[
    str | None, _option("--host", "Rules for this address; * matches rules for any address.")
]
SomeOperation = Annotated[str | None, _option("--operation", "Rules for this operation.")]
SomeType = Annotated[str | None, _option("--type", "Rules for resources of this type.")]
SomeName = Annotated[str | None, _option("--name", "Rules for this resource name.")]
SomePermission = Annotated[
    Permission | None, _option("--permission", "Rules with this permission.")
]
SomePattern = Annotated[Patterns, typer.Option("--pattern", help="How --name is compared.")]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Show what would be done, and change nothing.")
]


def _filter(**options: Any) -> dict[str, Any]:
    """The filter for REST; options that were not given match everything."""
    query = {name: value for name, value in options.items() if value is not None}
    if query["pattern"] is Patterns.ANY:
        del query["pattern"]
    return query


def _dry(is_dry: bool) -> dict[str, str]:
    return {"dry_run": "true"} if is_dry else {}


@app.command("list")
def list_acls(
    context: typer.Context,
    principal: SomePrincipal = None,
    operation: SomeOperation = None,
    resource_type: SomeType = None,
    name: SomeName = None,
    pattern: SomePattern = Patterns.ANY,
    host: SomeHost = None,
    permission: SomePermission = None,
    output: Form = Output.TABLE,
) -> None:
    """List access rules: all, or those that match."""
    query = _filter(
        principal=principal,
        operation=operation,
        resource_type=resource_type,
        name=name,
        pattern=pattern,
        host=host,
        permission=permission,
    )
    show(rest_of(context).pages("/acls", **query), LISTED, output)


@app.command()
def create(
    context: typer.Context,
    principal: Principal,
    operation: Operation,
    resource_type: Type,
    name: Name,
    pattern: Annotated[
        Pattern, typer.Option("--pattern", help="How a name is compared.")
    ] = Pattern.LITERAL,
    host: Annotated[str, typer.Option("--host", help="An address; * means any.")] = "*",
    permission: Annotated[
        Permission, typer.Option("--permission", help="Denials take precedence.")
    ] = Permission.ALLOW,
    dry_run: DryRun = False,
    output: Form = Output.TABLE,
) -> None:
    """Create an access rule, in force at once. An existing rule is unchanged."""
    body = {
        "principal": principal,
        "operation": operation.upper(),
        "resource_type": resource_type.upper(),
        "name": name,
        "pattern": pattern.upper(),
        "host": host,
        "permission": permission.upper(),
    }
    show_one(rest_of(context).request("POST", "/acls", _dry(dry_run), body)[1], LISTED, output)


@app.command()
def delete(
    context: typer.Context,
    principal: SomePrincipal = None,
    operation: SomeOperation = None,
    resource_type: SomeType = None,
    name: SomeName = None,
    pattern: SomePattern = Patterns.ANY,
    host: SomeHost = None,
    permission: SomePermission = None,
    dry_run: DryRun = False,
    output: Form = Output.TABLE,
) -> None:
    """Delete all access rules that match, and list them. A filter is required."""
    query = _filter(
        principal=principal,
        operation=operation,
        resource_type=resource_type,
        name=name,
        pattern=pattern,
        host=host,
        permission=permission,
    )
    if not query:
        raise Failure(Code.USAGE, "A filter is required; --type any selects all rules.")
    query.setdefault("resource_type", "any")
    deleted = rest_of(context).request("DELETE", "/acls", {**query, **_dry(dry_run)})[1]
    show(deleted["acls"], LISTED, output)
    note(
        f"{len(deleted['acls'])} would be deleted."
        if dry_run
        else f"{len(deleted['acls'])} deleted."
    )
