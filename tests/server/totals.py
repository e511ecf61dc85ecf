"""What the tests of totals ask of a server and of its rows."""

from functools import partial

from groups.postgres.connections import Connection
from rollcall.wire.messages.create_topics import CreatableTopic, CreateTopicsRequest
from tests.server.client import Client

NOTES = "SELECT details ->> 'what', details -> 'count' FROM rollcall_journal WHERE kind = %s"

KINDS = """
SELECT (SELECT count(*) FROM rollcall_topic), (SELECT sum(partitions) FROM rollcall_topic),
       (SELECT count(*) FROM rollcall_group), (SELECT count(*) FROM rollcall_producer),
       (SELECT count(*) FROM rollcall_group_config), (SELECT count(*) FROM rollcall_offset)
"""


async def make(client: Client, partitions: int, *names: str) -> list[int]:
    """CreateTopics: the code of each."""
    one = partial(CreatableTopic, num_partitions=partitions, replication_factor=1)
    wanted = [one(name=name) for name in names]
    request = CreateTopicsRequest(topics=wanted, timeout_ms=5000)
    return [topic.error_code for topic in (await client.call(request, 5)).topics]


async def row(other: Connection, question: str) -> tuple[int, ...]:
    """The only row."""
    found = await (await other.execute(question.encode())).fetchone()
    assert found is not None
    return tuple(map(int, found))
