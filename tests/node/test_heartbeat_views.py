"""Watchers of a group's view are notified, but not thousands in one turn of the loop."""

import asyncio

import pytest

from groups.core.classic.group import ClassicGroup
from groups.core.group import Rules
from groups.runtime.heartbeat_views import AT_ONCE, HeartbeatViews

pytestmark = pytest.mark.asyncio


class Held:
    """A held heartbeat: it ends when it is notified."""

    def __init__(self, views: HeartbeatViews, told: list["Held"]) -> None:
        self.views, self.told = views, told
        views.watch("g", self)

    def view_changed(self) -> None:
        self.told.append(self)
        self.views.unwatch("g", self)

    def topics_changed(self) -> bool:
        return False


async def turns(number: int) -> None:
    for _ in range(number):
        await asyncio.sleep(0)


async def test_few_members_are_notified_during_the_change() -> None:
    views, told = HeartbeatViews(), list[Held]()
    all_held = [Held(views, told) for _ in range(AT_ONCE)]
    put(views)
    assert told == all_held


async def test_many_members_are_notified_in_order_in_several_turns_of_the_loop() -> None:
    views, told = HeartbeatViews(), list[Held]()
    all_held = [Held(views, told) for _ in range(3 * AT_ONCE + 1)]
    put(views)
    for turn in (1, 2, 3):
        assert told == all_held[: turn * AT_ONCE]
        await turns(1)
    assert told == all_held


async def test_members_already_answered_are_not_notified() -> None:
    views, told = HeartbeatViews(), list[Held]()
    all_held = [Held(views, told) for _ in range(2 * AT_ONCE)]
    put(views)
    gone = all_held[-1]
    views.unwatch("g", gone)
    await turns(3)
    assert told == all_held[:-1]


async def test_a_member_that_is_not_registered_may_be_taken_off() -> None:
    """A heartbeat that was answered, and whose connection ends afterwards."""
    views, told = HeartbeatViews(), list[Held]()
    held = Held(views, told)
    for _ in range(2):
        views.unwatch("g", held)
    assert views.watched() == []


async def test_a_second_change_during_notification_notifies_each_once() -> None:
    views, told = HeartbeatViews(), list[Held]()
    all_held = [Held(views, told) for _ in range(5 * AT_ONCE)]
    put(views)
    views.drop("g")
    await turns(6)
    assert len(told) == len(set(told)) == len(all_held)


def put(views: HeartbeatViews) -> None:
    views.put("g", ClassicGroup.absent("g", Rules(), 0).heartbeat_view())
