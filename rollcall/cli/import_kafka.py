"""``rollcall import-kafka``: topics, committed offsets and access rules of Apache Kafka, moved to
Rollcall's Kafka port (docs/migration.md). The only command that speaks Kafka's protocol."""

import asyncio
import tomllib
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from rollcall.cli.context import Form
from rollcall.cli.failures import Code, Failure
from rollcall.cli.output import Column, Output, note, show

TARGET: Final = "127.0.0.1:9092"
"""The Kafka port's default address under ``make run``."""

COLUMNS: Final = (
    Column("SUBJECT", "subject"),
    Column("NAME", "name"),
    Column("ACTION", "action"),
    Column("DETAIL", "detail"),
)

PATTERNS: Final = ["*"]

From = Annotated[str, typer.Option("--from", help="HOST:PORT of Kafka.", show_default=False)]
To = Annotated[str, typer.Option("--to", help="HOST:PORT of Rollcall's Kafka port.")]
Groups = Annotated[list[str], typer.Option("--groups", help="A group, or a pattern; repeatable.")]
Topics = Annotated[list[str], typer.Option("--topics", help="A topic, or a pattern; repeatable.")]
Acls = Annotated[bool, typer.Option("--acls/--no-acls", help="Access rules, too.")]
Execute = Annotated[
    bool, typer.Option("--execute/--dry-run", help="Do it, or show what would be done.")
]
FromOptions = Annotated[
    Path | None, typer.Option("--from-options", help="A TOML file: TLS and SASL towards Kafka.")
]
ToOptions = Annotated[Path | None, typer.Option("--to-options", help="The same towards Rollcall.")]


def import_kafka(
    source: From,
    target: To = TARGET,
    groups: Groups = PATTERNS,
    topics: Topics = PATTERNS,
    acls: Acls = True,
    execute: Execute = False,
    from_options: FromOptions = None,
    to_options: ToOptions = None,
    output: Form = Output.TABLE,
) -> None:
    """Move topics, committed offsets and access rules from Kafka; a dry run by default."""
    from rollcall.importing.cluster import Unavailable  # the other commands start without asyncio
    from rollcall.importing.moving import End, move
    from rollcall.importing.plan import Wanted

    kafka, rollcall = End(source, _options(from_options)), End(target, _options(to_options))
    try:
        steps = asyncio.run(move(kafka, rollcall, Wanted(groups, topics, acls), is_dry=not execute))
    except ValueError as error:
        raise Failure(Code.USAGE, str(error)) from None
    except Unavailable as error:
        raise Failure(Code.OTHER, str(error)) from None
    rows = [
        {column.field: str(getattr(step, column.field)) for column in COLUMNS} for step in steps
    ]
    show(rows, COLUMNS, output)
    if not execute:
        note("Nothing was changed: --execute does it.")
    if refused := sum(row["action"] == "cannot" for row in rows):
        raise Failure(Code.CONFLICT, f"{refused} of {len(rows)} cannot be done.")


def _options(path: Path | None) -> dict[str, Any]:
    """What a file says about TLS and SASL."""
    try:
        return tomllib.loads(path.read_text()) if path else {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise Failure(Code.USAGE, f"{path} cannot be read: {error}") from None
