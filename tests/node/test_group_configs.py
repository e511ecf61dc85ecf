"""What a node refuses of groups' own settings."""

from groups.coordinator.totals import CONFIGS
from groups.core.configs.entries import Change, Operation
from tests.node.running import Running


async def test_settings_of_one_request_are_counted_once_each(one: Running) -> None:
    """Each counted as all before it in the request: of 1,000 groups' new settings 447 were 100,000,
    as many as there may be, and nobody else got any until they were counted anew."""
    counted = one.node.totals.rows[CONFIGS]
    before = counted.figure[0]
    change = Change("consumer.session.timeout.ms", Operation.SET, "50000")
    wanted = {f"g{number}": [change] for number in range(5)}
    assert await one.node.configs.alter(wanted) == {}
    assert counted.figure[0] == before + 5
