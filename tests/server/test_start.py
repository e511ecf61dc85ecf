"""When a node says that it serves."""

import pytest

from groups.core.rows import SLOTS
from tests.node.running import running
from tests.server.serving import serving


@pytest.mark.usefixtures("_prepared")
async def test_a_node_that_starts_beside_another_says_so_when_it_has_its_share() -> None:
    """Who waits for the node before it begins with work then meets no groups that are about to
    move."""
    async with running(1) as before:
        assert len(before.node.coordinator.epochs) == SLOTS

        async with serving() as started:
            assert len(started.node.coordinator.epochs) == SLOTS // 2
