"""``rollcall group what-if``: what would become of a group (docs/what-if.md)."""

from collections.abc import Sequence
from typing import Annotated, Final

import typer

from rollcall.cli.context import Form, GroupId, rest_of
from rollcall.cli.groups import app
from rollcall.cli.output import Column, Output, note, show, show_one

SHARES: Final[Sequence[Column]] = (
    Column("MEMBER", "name"),
    Column("HOST", "host"),
    Column("NOW", "before"),
    Column("THEN", "after"),
    Column("NEW", "gained"),
)


@app.command("what-if")
def what_if(
    context: typer.Context,
    group: GroupId,
    host: Annotated[str | None, typer.Option(help="This host dies.")] = None,
    member: Annotated[str | None, typer.Option(help="The member with this id dies.")] = None,
    members: Annotated[
        int | None, typer.Option(help="So many members more; negative: fewer.")
    ] = None,
    partitions: Annotated[int | None, typer.Option(help="So many partitions more.")] = None,
    topic: Annotated[str | None, typer.Option(help="The topic that gets these.")] = None,
    assignor: Annotated[str | None, typer.Option(help="Another assignor.")] = None,
    deploy_at_once: Annotated[
        int | None, typer.Option(help="A deploy that restarts so many at a time.")
    ] = None,
    static_ids: Annotated[
        bool, typer.Option("--static-ids", help="In it, members have instance ids.")
    ] = False,
    session_timeout_ms: Annotated[
        int | None, typer.Option(help="A host or a member dies under this session timeout.")
    ] = None,
    protocol: Annotated[
        str | None, typer.Option(help="Members speak it: classic or consumer.")
    ] = None,
    output: Form = Output.TABLE,
) -> None:
    """Say what would become of a group, without a change; without an option: if it rebalances."""
    found = rest_of(context).get(
        "/group/foresight",
        group_id=group,
        host=host,
        gone=member,
        more=members,
        partitions=partitions,
        grown=topic,
        assignor=assignor,
        at_once=deploy_at_once,
        static="true" if static_ids else None,
        session_timeout_ms=session_timeout_ms,
        protocol=protocol,
    )
    if output in (Output.TABLE, Output.CSV):
        note(f"{found['question']}: {found['text']}")
        show(found["shares"], SHARES, output)
    else:
        show_one(found, SHARES, output)
