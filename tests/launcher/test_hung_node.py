"""A node whose event loop does not turn any more, in a whole installation."""

import asyncio

import pytest

from benchmarks.wire import Peer
from launcher.installation import Installation
from rollcall.client import Member
from rollcall.wire.messages.create_topics import CreatableTopic, CreateTopicsRequest
from tests.launcher import hanging_strategy

SETTINGS = {
    "ROLLCALL_PARTITION_ASSIGNMENT_STRATEGIES": "hangs=tests.launcher.hanging_strategy:assign",
    "ROLLCALL_NODE_STILL_MAX_MS": "10000",
}

TOPIC = CreatableTopic(name="t", num_partitions=1, replication_factor=1)


async def assigned(installation: Installation) -> int:
    """How many partitions a member of the draft gets, as soon as it gets any."""
    peer = await Peer.connect(installation.kafka)
    await peer.call(CreateTopicsRequest(topics=[TOPIC]), 4)
    peer.close()
    async with Member(installation.draft, "g", ["t"], protocol="draft", assignor="hangs") as member:
        async for change in member:
            if change.partitions:
                return len(change.partitions)
    raise AssertionError("the member ended")


@pytest.mark.long
def test_a_node_that_hangs_is_started_again_and_serves() -> None:
    """A member waits for it, and gets its partitions from the next one."""
    with Installation(SETTINGS) as installation:
        before = installation.node_pid(0)
        assert asyncio.run(assigned(installation)) == 1
        assert (installation.data_dir / hanging_strategy.MARK).exists()
        assert installation.node_pid(0) != before
        said = "".join(installation.log)
    assert "was ended by its watch" in said
    assert "hanging_strategy.py" in said
