"""``rollcall group owner``, ``lives``, ``rounds`` and ``progress``, and ``rollcall lives`` and
``owners`` of all groups: what was so (docs/facts.md)."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

import typer

from rollcall.cli.context import At, Form, GroupId, TopicName, moment, rest_of
from rollcall.cli.group_tables import CLIENT, GROUP, HOST, INSTANCE, MEMBER
from rollcall.cli.groups import app
from rollcall.cli.output import Column, Output, say, show, show_one


def short(field: str) -> Column:
    """A time, to the second."""
    title = field.removesuffix("_at").upper()
    return Column(title, field, lambda row: row[field] and row[field][:19] + "Z")


def _software(row: Mapping[str, Any]) -> str:
    return f"{row['software_name']} {row['software_version']}".strip() or "-"


OWNERS: Final[Sequence[Column]] = (short("from_at"), short("until_at"), MEMBER, HOST, CLIENT)

LIVES: Final[Sequence[Column]] = (
    short("joined_at"),
    short("left_at"),
    Column("DEPARTURE", "departure"),
    MEMBER,
    INSTANCE,
    HOST,
    CLIENT,
    Column("SOFTWARE", "software", _software),
)


def _longest(row: Mapping[str, Any]) -> str:
    waits = sorted(row["waits"], key=lambda wait: -wait["ms"])
    return f"{waits[0]['member_id'] or '-'} {waits[0]['ms']}" if waits else "-"


ROUNDS: Final[Sequence[Column]] = (
    short("ended_at"),
    Column("GENERATION", "generation"),
    Column("OUTCOME", "outcome"),
    Column("CAUSE", "causes", lambda row: row["causes"][0]["trigger"] if row["causes"] else "-"),
    Column("MEMBERS", "members"),
    Column("MOVED", "moved"),
    Column("STOPPED-MS", "stopped_ms"),
    Column("SILENT-MS", "silent_ms"),
    Column("UNOWNED-MS", "unowned_ms"),
    Column("LONGEST-WAIT-MS", "waits", _longest),
)

PROGRESS: Final[Sequence[Column]] = (
    short("hour"),
    Column("TOPIC", "topic"),
    Column("PARTITION", "partition"),
    Column("COMMITS", "commits"),
    Column("FIRST", "first_offset"),
    Column("LAST", "last_offset"),
    Column("END", "end_offset"),
    Column("PAUSE-MS", "pause_ms"),
    MEMBER,
)


PartitionNumber = Annotated[int, typer.Argument(metavar="PARTITION", min=0)]


Columns = Sequence[Column]


def _listed(
    context: typer.Context, path: str, columns: Columns, output: Output, **query: Any
) -> None:
    show(rest_of(context).pages(path, **query), columns, output)


@app.command()
def owner(
    context: typer.Context,
    group: GroupId,
    topic: TopicName,
    partition: PartitionNumber,
    at: At = None,
    output: Form = Output.TABLE,
) -> None:
    """Show who owned a partition at a time; without --at everyone who did."""
    asked = {"group_id": group, "topic": topic, "partition": partition, "since": at, "until": at}
    _listed(context, "/group/owners", OWNERS, output, **asked)


@app.command()
def lives(
    context: typer.Context,
    group: GroupId,
    since: At = None,
    until: At = None,
    output: Form = Output.TABLE,
) -> None:
    """List members' lives in order of joining, those that are over too."""
    _listed(context, "/group/lives", LIVES, output, group_id=group, since=since, until=until)


@app.command()
def rounds(
    context: typer.Context,
    group: GroupId,
    since: At = None,
    until: At = None,
    output: Form = Output.TABLE,
) -> None:
    """List rebalances that have ended: what they waited for, and what they cost."""
    _listed(context, "/group/rounds", ROUNDS, output, group_id=group, since=since, until=until)


@app.command()
def progress(
    context: typer.Context,
    group: GroupId,
    topic: Annotated[str | None, typer.Option(help="Only this topic.")] = None,
    since: At = None,
    until: At = None,
    output: Form = Output.TABLE,
) -> None:
    """List what was committed in each hour that is over, partition by partition."""
    asked = {"group_id": group, "topic": topic, "since": since, "until": until}
    _listed(context, "/group/progress", PROGRESS, output, **asked)


MOVES: Final[Sequence[Column]] = (
    Column("TOPIC", "topic"),
    Column("PARTITION", "partition"),
    Column("BEFORE", "before"),
    Column("AFTER", "after"),
)


@app.command()
def compare(
    context: typer.Context,
    group: GroupId,
    since: Annotated[str, typer.Option(help="The earlier moment.", parser=moment)],
    until: At = None,
    output: Form = Output.TABLE,
) -> None:
    """Show what differs between two moments: who came and went, and what moved."""
    asked = {"group_id": group, "since": since, "until": until}
    found = rest_of(context).get("/group/comparison", **asked)
    if output in (Output.JSON, Output.YAML):
        show_one(found, MOVES, output)
        return
    if output is Output.TABLE:
        say(found["text"])
    show(found["moves"], MOVES, output)


def fleet_lives(
    context: typer.Context,
    host: Annotated[str | None, typer.Option(help="Only members on this host.")] = None,
    client_id: Annotated[str | None, typer.Option(help="Only members of this client id.")] = None,
    since: At = None,
    until: At = None,
    output: Form = Output.TABLE,
) -> None:
    """List lives of members of all groups: of the last day, or of the time since --since."""
    asked = {"host": host, "client_id": client_id, "since": since, "until": until}
    _listed(context, "/lives", (GROUP, *LIVES), output, **asked)


def fleet_owners(
    context: typer.Context,
    topic: TopicName,
    partition: PartitionNumber,
    at: At = None,
    output: Form = Output.TABLE,
) -> None:
    """Show which groups' members owned a partition at a time; without --at in the last day."""
    asked = {"topic": topic, "partition": partition, "since": at, "until": at}
    _listed(context, "/owners", (GROUP, *OWNERS), output, **asked)


FLEET_PROGRESS: Final[Columns] = (
    GROUP,
    Column("COMMITS", "commits"),
    short("last_hour"),
    short("committed_at"),
)


def fleet_progress(
    context: typer.Context,
    idle: Annotated[bool, typer.Option("--idle", help="Only groups without a commit.")] = False,
    since: At = None,
    until: At = None,
    output: Form = Output.TABLE,
) -> None:
    """List how often groups committed in hours that are over: of the last day, or since --since."""
    asked = {"idle": "true" if idle else None, "since": since, "until": until}
    _listed(context, "/progress", FLEET_PROGRESS, output, **asked)
