"""What holds of a whole commanded group between two steps, whatever happened."""

from groups.core import commands
from groups.core.commanded import thread_offers
from groups.core.commanded.group import check_owners
from groups.core.commanded.live import Live
from groups.core.commanded.offered import Offered
from groups.core.commanded.states import COMPLETING, EMPTY, PREPARING, STABLE
from groups.core.commanded.work import CAUSE, QUEUED, TOPICS
from groups.core.rows import Durable, MemberRow


def check_thoroughly(durable: Durable, live: Live) -> None:
    """Check one value completely."""
    group, members = durable.group, durable.members
    check_owners(members)
    assert live.beats.keys() == members.keys(), "beats are not the consumers'"
    assert (group.state == EMPTY) == (not members)
    assert group.state in (PREPARING, COMPLETING) or CAUSE not in group.details
    assert members or QUEUED not in group.details, "an emptied group is queued"
    for consumer_id, row in members.items():
        _check_member(consumer_id, row, group.state)
    if live.offered is not None:
        _check_counted(live.offered, durable)
    if group.state in (PREPARING, COMPLETING) and not live.recovering:
        assert any(row.commands for row in members.values()), "nobody is waited for"
    if group.state == STABLE:
        assert not any(row.commands for row in members.values()), "a command was forgotten"


def _check_counted(offered: Offered, durable: Durable) -> None:
    """What is counted step by step is what the rows say."""
    again = Offered.of(durable.members.values(), ())
    topics = {topic: number for topic, number in offered.topics.items() if number}
    filters = {key: number for key, number in offered.filters.items() if number}
    assert (topics, filters) == (dict(again.topics), again.filters), "offers are counted wrongly"
    assert (offered.named, offered.owning) == (again.named, again.owning)
    assert offered.newest in (again.newest, None), "the newest position is another one"
    written = durable.group.details.get(TOPICS, {}).keys()
    assert written ^ topics.keys() <= offered.news, "a topic came or went unnoticed"


def _check_member(consumer_id: str, row: MemberRow, state: str) -> None:
    assert row.member_id == consumer_id
    ids = [command.command_id for command in row.commands]
    assert ids == sorted(set(ids)), "commands out of order"
    assert thread_offers.owned_by(row).keys() == thread_offers.parts_in(row), (
        "threads are not the owners"
    )
    option = {PREPARING: commands.STOP, COMPLETING: commands.START}.get(state)
    assert all(command.option == option for command in row.commands), "another phase's command"
    assert not (row.commands and commands.is_expelled(row)), "a command to one that is out"
