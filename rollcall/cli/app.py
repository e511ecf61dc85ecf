"""The whole command line: its groups of commands, the common options, and its exit."""

import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated

import typer

from rollcall import __version__
from rollcall.cli import (
    acls,
    advice,
    attention,
    doctor,
    facts,
    groups,
    import_kafka,
    journal,
    marks,
    mcp,
    nodes,
    offsets,
    operations,
    quotas,
    reports,
    timeline,
    topics,
    users,
    verbs,
    watch,
    what_if,
)
from rollcall.cli.context import Session
from rollcall.cli.failures import Code, Failure
from rollcall.cli.output import OutputLost, note, plain, say

app = typer.Typer(
    name="rollcall",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Inspect and operate Rollcall's groups over REST (docs/cli.md).",
)

__all__ = [
    "app",
    "facts",
    "offsets",
    "run",
    "timeline",
    "verbs",
    "watch",
    "what_if",
]  # six of these have commands for `group`

app.add_typer(groups.app, name="group")
app.add_typer(topics.app, name="topic")
app.add_typer(nodes.app, name="node")
app.add_typer(acls.app, name="acl")
app.add_typer(quotas.app, name="quota")
app.add_typer(users.app, name="user")
app.add_typer(operations.app, name="operation")
app.add_typer(journal.app, name="journal")
app.add_typer(attention.app, name="attention")
app.add_typer(reports.app, name="report")
app.add_typer(advice.app, name="advice")
app.command("lives")(facts.fleet_lives)
app.command("owners")(facts.fleet_owners)
app.command("progress")(facts.fleet_progress)
app.command()(marks.mark)
app.command()(marks.marks)
app.command()(doctor.doctor)
app.command()(mcp.mcp)
app.command()(import_kafka.import_kafka)


def _version(is_set: bool) -> None:
    if is_set:
        say(f"rollcall {__version__}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    profile: Annotated[
        str | None, typer.Option("--profile", "-p", help="A profile of the configuration file.")
    ] = None,
    url: Annotated[
        str | None, typer.Option("--url", help="The URL of the web; default: ROLLCALL_URL.")
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print it.")
    ] = False,
) -> None:
    """The options of all commands."""
    context.obj = session = Session(profile, url)
    context.call_on_close(session.close)


def run() -> None:
    """Run the given command; the process ends with its exit code."""
    try:
        _check_words(sys.argv)
        app()
    except OutputLost as lost:
        _complain(f"rollcall: the output cannot be written: {lost}")
        sys.exit(int(Code.OTHER))
    except Failure as failure:
        for line in str(failure).splitlines():
            note(f"rollcall: {plain(line)}" if not line.startswith("  ") else plain(line))
        sys.exit(int(failure.code))


def _check_words(words: Sequence[str]) -> None:
    """Bytes of an argument that are no text in the locale's encoding cannot be sent."""
    for word in words:
        try:
            word.encode()
        except UnicodeEncodeError:
            encoding = sys.getfilesystemencoding()
            sentence = f"The argument {word!r} is not text in this locale's encoding ({encoding})."
            raise Failure(Code.USAGE, sentence) from None


def _complain(line: str) -> None:
    """Standard error may be closed, too."""
    with suppress(OSError, AttributeError):
        note(plain(line))
