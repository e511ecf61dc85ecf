"""What a node refuses of groups' own settings."""

import gc

from groups.coordinator.totals import CONFIGS
from groups.core.configs.entries import Change, Operation
from groups.core.errors import ErrorCode, Refuse
from tests.node.running import Running


async def test_what_is_refused_needs_no_collection_to_go(one: Running) -> None:
    """Each of 10,000 refusals was kept by its own traceback until a collection found them: it held
    the event loop for 80 ms, again and again while one client asked for too much."""
    wanted = {"g": [Change("no.such.setting", Operation.SET, "1")]}
    gc.collect()
    gc.disable()
    try:
        refused = await one.node.configs.alter(wanted)
        assert refused["g"].code is ErrorCode.INVALID_CONFIG
        del refused
        left = [it for it in gc.get_objects() if isinstance(it, Refuse)]
    finally:
        gc.enable()
    assert left == []


async def test_settings_of_one_request_are_counted_once_each(one: Running) -> None:
    """Each counted as all before it in the request: of 1,000 groups' new settings 447 were 100,000,
    as many as there may be, and nobody else got any until they were counted anew."""
    counted = one.node.totals.rows[CONFIGS]
    before = counted.figure[0]
    change = Change("consumer.session.timeout.ms", Operation.SET, "50000")
    wanted = {f"g{number}": [change] for number in range(5)}
    assert await one.node.configs.alter(wanted) == {}
    assert counted.figure[0] == before + 5
