"""A member whose topic is not there says so: else nothing tells why it has no partitions."""

import asyncio
import logging

import pytest

from rollcall.client import Kind, Member
from rollcall.testing import Coordinator


@pytest.mark.parametrize("protocol", ["consumer", "classic"])
async def test_a_topic_that_is_not_there_is_logged(
    protocol: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Once, by name; the others are worked on, and it is, too, when it is created."""
    caplog.set_level(logging.WARNING, "rollcall.client")
    with Coordinator({"orders": 2}) as coordinator:
        topics = ["orders", "ordres"]
        async with Member(coordinator.bootstrap, "g", topics, protocol=protocol) as member:
            change = await anext(member.changes())
            assert (change.kind, len(change.partitions)) == (Kind.ASSIGNED, 2)
            while not caplog.messages:  # the test's own time limit ends it
                await asyncio.sleep(0.01)
            (said,) = caplog.messages
            assert said.startswith("g: topic ordres does not exist")
