"""A node that starts while PostgreSQL does."""

from typing import Any
from unittest.mock import patch

from django.conf import settings

from groups.core.rows import SLOTS
from proof.chaos.proxy import Proxy
from tests.node.running import running
from tests.node.test_slots import Other, owners

REFUSED = 8


async def test_a_node_notices_that_postgresql_serves_within_a_tenth_of_a_second(
    other: Other,
) -> None:
    """Both were killed, and PostgreSQL recovers from its log. The pool alone would have tried three
    times in as many seconds, and the node would have ended."""
    database = settings.DATABASES["default"]
    proxy, refused = Proxy(int(database["PORT"]), frames=False), list[int]()

    def turns_away(port: int) -> bool:
        if len(refused) < REFUSED:
            refused.append(port)
            return True
        return False

    proxy.weather.turns_away = turns_away
    await proxy.start()
    try:
        behind: dict[str, Any] = {**database, "PORT": str(proxy.port)}
        with patch.dict(settings.DATABASES, {"default": behind}):
            async with running(node_id=3):
                assert len(refused) == REFUSED
                assert await owners(other) == dict.fromkeys(range(SLOTS), (3, 2))
    finally:
        await proxy.stop()
