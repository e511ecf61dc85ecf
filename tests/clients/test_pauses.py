"""One of two nodes is suspended and resumes: its members move over, and nothing is lost."""

import asyncio
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from launcher.installation import Installation
from tests.clients.conftest import Start, topic
from tests.clients.test_sharing import LONG_SESSION_MS, share

PAUSE_S = 10

OWNER = "SELECT node_id FROM rollcall_slot JOIN rollcall_group USING (slot) WHERE group_id = %s"
OFFSETS = "SELECT partition, committed_offset FROM rollcall_offset WHERE group_id = %s"
GROUP = (
    "SELECT generation, (SELECT count(*) FROM rollcall_member WHERE group_id = g.group_id)"
    " FROM rollcall_group g WHERE group_id = %s"
)
CHANGES = "SELECT kind, reason FROM rollcall_journal WHERE group_id = '' ORDER BY id"


@pytest.mark.long
@pytest.mark.xdist_group("pair")
@pytest.mark.timeout(240)
def test_a_suspended_node_loses_no_commit_and_no_member(
    pair: Installation, start: Start, name: str
) -> None:
    url = (pair.data_dir / "database-url").read_text().strip()
    with psycopg.connect(url, autocommit=True) as database:
        asyncio.run(topic(pair.kafka, name))
        one = start("confluent-kafka", pair.kafka, name, LONG_SESSION_MS)
        other = start("confluent-kafka", pair.kafka, name, LONG_SESSION_MS)
        one.until(lambda: share(one, other), "three and three")
        one.commit(1)
        ((owner,),) = database.execute(OWNER, [name]).fetchall()
        before = database.execute(GROUP, [name]).fetchall()
        seen = len(database.execute(CHANGES).fetchall())

        paused = pair.node_pid(owner)
        os.kill(paused, signal.SIGSTOP)
        with ThreadPoolExecutor() as meanwhile:
            waiting = meanwhile.submit(one.commit, 2)  # sent to the suspended node
            time.sleep(PAUSE_S)  # the fault itself: so long it is suspended
            assert database.execute(OWNER, [name]).fetchall() != [(owner,)]
            os.kill(paused, signal.SIGCONT)
            last = {**waiting.result(), **other.commit(3)}

        stored: dict[int, int] = dict(database.execute(OFFSETS, [name]).fetchall())
        assert stored == {int(partition): offset for partition, offset in last.items()}
        assert database.execute(GROUP, [name]).fetchall() == before
        changes = [reason for _, reason in database.execute(CHANGES).fetchall()[seen:]]
        assert any(f"slots of node {owner}" in reason for reason in changes), changes
