"""Whoever waits for a place has their turn by their address, and no address takes all the room."""

import asyncio

import pytest

from groups.places import Crowded, Places


class Queue:
    """Callers that wait for places; ``served`` has those whose turn came, in order."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self.served: list[str] = []
        self.refused: list[str] = []

    async def wait(self, address: str) -> None:
        try:
            await self.places.take(address)
        except Crowded:
            self.refused.append(address)
        else:
            self.served.append(address)

    async def come(self, *addresses: str) -> list["asyncio.Task[None]"]:
        """One after the other, each of them waiting when the next one comes."""
        tasks = []
        for address in addresses:
            tasks.append(asyncio.create_task(self.wait(address)))
            await asyncio.sleep(0)
        return tasks

    async def give(self, count: int) -> None:
        """So many places, one after the other."""
        for _ in range(count):
            self.places.give()
            await asyncio.sleep(0)


async def test_addresses_are_served_in_turn() -> None:
    queue = Queue(Places(1, 100))
    await queue.come("a", *("a",) * 5, "b", "c", "b")
    await queue.give(8)
    assert queue.served == ["a", "a", "b", "c", "a", "b", "a", "a", "a"]


async def test_a_single_address_may_use_all_places() -> None:
    queue = Queue(Places(3, 100))
    await queue.come(*("a",) * 5)
    assert queue.served == ["a"] * 3
    await queue.give(2)
    assert queue.served == ["a"] * 5


async def test_in_a_full_queue_the_address_with_most_places_loses_one() -> None:
    queue = Queue(Places(0, 4))
    await queue.come(*("a",) * 4)
    await queue.come("a", "b")
    await asyncio.sleep(0)
    assert queue.refused == ["a", "a"]  # the new caller, and the last of those that waited
    await queue.come("b", "b")
    await asyncio.sleep(0)
    assert queue.refused == ["a", "a", "a", "b"]
    await queue.give(4)
    assert queue.served == ["a", "b", "a", "b"]


async def test_addresses_of_one_network_count_as_one() -> None:
    queue = Queue(Places(0, 2))
    await queue.come("2001:db8::1", "2001:db8::2", "2001:db8::3", "192.0.2.1")
    await asyncio.sleep(0)
    assert queue.refused == ["2001:db8::3", "2001:db8::2"]


async def test_a_leaving_caller_passes_its_turn_on() -> None:
    """Before it has had it, and in the moment in which it has."""
    places = Places(1, 10)
    queue = Queue(places)
    _, first, second, _third = await queue.come("a", "a", "b", "c")
    first.cancel()
    places.give()  # the first is still in line, cancelled: it is b's turn
    second.cancel()
    await asyncio.wait([first, second])
    assert queue.served == ["a", "c"]
    assert places.waiting == 0
    places.give()
    await places.take("d")


async def test_without_places_everybody_is_refused() -> None:
    with pytest.raises(Crowded):
        await Places(0, 0).take("a")
