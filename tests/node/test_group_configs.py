"""What a node refuses of groups' own settings."""

import gc

import pytest

from groups.core.configs.entries import Change, ConfigOperation
from groups.core.errors import ErrorCode, Refuse
from groups.core.rows import SLOTS
from groups.event_loop import Slices
from groups.reporting.totals import CONFIGS
from groups.runtime import group_configs
from tests.node.running import Running


async def test_deleted_settings_are_freed_without_a_garbage_collection(one: Running) -> None:
    """Each of 10,000 refusals was kept by its own traceback until a collection found them: it held
    the event loop for 80 ms, again and again while one client requested too much."""
    wanted = {"g": [Change("no.such.setting", ConfigOperation.SET, "1")]}
    gc.collect()
    gc.disable()
    try:
        refused = await one.node.configs.alter(wanted)
        assert refused["g"].code is ErrorCode.INVALID_CONFIG
        del refused
        # Not isinstance: a lazy object of another test would be made to work out its class.
        found = [it for it in gc.get_objects() if issubclass(type(it), Refuse)]
        left = [it for it in found if it.code is ErrorCode.INVALID_CONFIG]
    finally:
        gc.enable()
    assert left == []


async def test_settings_of_one_request_are_counted_once(one: Running) -> None:
    """Each counted as all before it in the request: of 1,000 groups' new settings 447 were 100,000,
    as many as there may be, and others got none until they were counted again."""
    counted = one.node.totals.rows[CONFIGS]
    before = counted.figure[0]
    change = Change("consumer.session.timeout.ms", ConfigOperation.SET, "50000")
    wanted = {f"g{number}": [change] for number in range(5)}
    assert await one.node.configs.alter(wanted) == {}
    assert counted.figure[0] == before + 5


async def test_settings_of_many_groups_are_applied_in_slices_and_for_owned_slots_only(
    one: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """40,000 that rang together held the loop for 370 ms. What a slot's next owner changes, a node
    that has lost it in between would go by for ever after it came back."""
    coordinator, change = (
        one.node.coordinator,
        Change("rollcall.freeze", ConfigOperation.SET, "true"),
    )
    before, pauses = coordinator.epochs, 0

    class Short(Slices):
        is_over = True

        async def pause(self) -> None:
            nonlocal pauses
            pauses += 1
            if pauses == 5 + 2:  # the first five are for what is asked
                coordinator.own.forget(range(SLOTS))
                coordinator.epochs = {}

    monkeypatch.setattr(group_configs, "Slices", Short)
    try:
        await one.node.configs.alter({f"g{number}": [change] for number in range(5)})
        assert pauses >= 5 + 5
        assert coordinator.own.of_slots(range(SLOTS)) == set()
    finally:
        coordinator.epochs = before
