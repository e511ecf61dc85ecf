"""A node matches its groups' patterns with the catalogue, and notifies the groups (KIP-848)."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from random import Random

import pytest

from groups.catalogue import regex as regexes
from groups.catalogue.cache import Catalogue, CatalogueEntry
from groups.catalogue.regex import Matching
from groups.core.consumer.group import ConsumerGroup
from groups.core.errors import ErrorCode
from groups.core.events import ConsumerHeartbeat
from groups.core.replies import ConsumerBeaten
from groups.topics import regex_subscriptions
from groups.topics.regex_subscriptions import LastMatch, Patterns
from tests.node.running import Running, running

PATIENCE_S = 30


async def heartbeat(
    one: Running, regex: str | None, epoch: int = 0, group_id: str = "g"
) -> ConsumerBeaten:
    """A member of a group joins with a pattern, or beats."""
    joins = epoch == 0
    reply = await one.ask(
        group_id,
        ConsumerHeartbeat(
            ticket=one.counter.ticket(), member_id="m", member_epoch=epoch, instance_id=None,
            rack_id=None, client_id="c", client_host="/h",
            rebalance_timeout_ms=9_000 if joins else -1, subscribed_topic_names=None,
            server_assignor=None, owned={} if joins else None, subscribed_topic_regex=regex,
            looked_up=frozenset(),
        ),
    )  # fmt: skip
    assert isinstance(reply, ConsumerBeaten)
    one.node.patterns.watch(group_id)
    return reply


def group(one: Running, group_id: str = "g") -> ConsumerGroup:
    found = one.node.coordinator.group(group_id)
    assert isinstance(found, ConsumerGroup)
    return found


async def until(holds: Callable[[], bool]) -> None:
    """Wait for what the node does by itself."""
    async with asyncio.timeout(PATIENCE_S):
        while not holds():
            await asyncio.sleep(0.01)


@pytest.fixture
async def quick(_prepared: None, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Running]:
    """A node that takes changes of the catalogue one by one."""
    monkeypatch.setattr(regex_subscriptions, "AFTER_A_CHANGE_MS", 10)
    async with running() as started:
        yield started


async def test_present_and_future_topics_are_matched(quick: Running) -> None:
    await quick.node.catalogue.create("foo1", 2)
    await quick.node.catalogue.create("bar", 1)
    first = await heartbeat(quick, "foo.*")
    assert (first.error, first.assignment) == (ErrorCode.NONE, {})

    await until(lambda: group(quick).matches == {"foo.*": ("foo1",)})
    await quick.node.catalogue.create("foo2", 1)
    await until(lambda: group(quick).matches == {"foo.*": ("foo1", "foo2")})
    await quick.node.catalogue.delete("foo1")
    await until(lambda: group(quick).matches == {"foo.*": ("foo2",)})

    second = await heartbeat(quick, None, epoch=1)
    assert second.assignment is not None and [len(p) for p in second.assignment.values()] == [1]


async def test_patterns_are_matched_outside_the_event_loop(
    quick: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 20,000 that is 50 ms, for each group; one that was removed meanwhile gets none."""
    await quick.node.catalogue.create("foo1", 2)
    await quick.node.catalogue.create("foo2", 3)
    usual, looked = Catalogue.get, []

    def get(catalogue: Catalogue, name: str) -> CatalogueEntry | None:
        if threading.current_thread() is not threading.main_thread():
            looked.append(name)
            return None if name == "foo2" else usual(catalogue, name)
        return usual(catalogue, name)

    monkeypatch.setattr(Catalogue, "get", get)
    await heartbeat(quick, "foo.*")
    await until(lambda: group(quick).matches == {"foo.*": ("foo1", "foo2")})
    assert sorted(looked) == ["foo1", "foo2"]
    assert list(group(quick).topics) == ["foo1"]


async def test_groups_with_the_same_patterns_share_their_matches(
    quick: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten groups with 20,000 topics each had theirs looked up one after the other, while another
    one's new pattern waited."""
    await quick.node.catalogue.create("foo", 2)
    usual, looked = Catalogue.get, []

    def get(catalogue: Catalogue, name: str) -> CatalogueEntry | None:
        if threading.current_thread() is not threading.main_thread():
            looked.append(name)
        return usual(catalogue, name)

    monkeypatch.setattr(Catalogue, "get", get)
    held: list[str] = []
    with monkeypatch.context() as patched:
        patched.setattr(quick.node.patterns, "watch", held.append)
        for one in ("g", "h"):
            await heartbeat(quick, "fo+", group_id=one)
    for one in held:  # both in one look
        quick.node.patterns.watch(one)
    await until(lambda: all(group(quick, one).matches for one in ("g", "h")))
    assert looked == ["foo"]
    assert group(quick, "g").matches["fo+"] is group(quick, "h").matches["fo+"]


async def test_the_next_owner_continues_with_the_matches(quick: Running) -> None:
    await quick.node.catalogue.create("foo", 2)
    await heartbeat(quick, "f.*")
    await until(lambda: group(quick).matches == {"f.*": ("foo",)})
    quick.task.cancel()
    await asyncio.gather(quick.task, return_exceptions=True)

    async with running() as another:
        await until(lambda: another.node.coordinator.group("g") is not None)
        assert group(another).patterns == {"f.*"}
        assert group(another).matches == {"f.*": ("foo",)}


class Watched(Patterns):
    """Whether a match is due is asked here, with a clock of the test's own."""

    def due(self, one: Running, asked: LastMatch, now: int) -> bool:
        """The question for group g."""
        return self._is_due(group(one), asked, now)


async def test_a_match_is_due_when_patterns_or_topics_change(
    quick: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(regex_subscriptions, "AFTER_A_CHANGE_MS", 1_000)
    node = quick.node
    await heartbeat(quick, "f.*")
    await until(lambda: group(quick).matches == {"f.*": ()})
    watched = Watched(node.coordinator, node.catalogue, 600_000)
    version, mine = node.catalogue.version, frozenset({"f.*"})
    asked = LastMatch(version, 0, mine, {"f.*": ()})

    assert watched.due(quick, LastMatch(), 0), "never matched"
    assert watched.due(quick, LastMatch(version, 0, frozenset({"g"}), {"g": ()}), 0), "a new one"
    assert not watched.due(quick, asked, 599_999)
    assert watched.due(quick, asked, 600_000), "the refresh interval is over"
    lost = LastMatch(version, 0, mine, {"f.*": ("foo",)})
    assert not watched.due(quick, lost, 9_999)
    assert watched.due(quick, lost, 10_000), "the group never heard of it"
    assert watched.due(quick, LastMatch(version, 0, mine, {}), 10_000), "it took too long"
    await node.catalogue.create("bar", 1)
    assert not watched.due(quick, asked, 999)
    assert watched.due(quick, asked, 1_000), "topics have changed"


BOMB = "(.|a)*" * 600
"""Valid, and takes seconds a name where the engine says which group matched what."""

SLOW = "(" + "|".join(f".*(a|b).{{{n}}}a" for n in range(20, 80)) + ").*"
"""Valid, and takes milliseconds a name whatever one does: too many states to remember."""


async def subscribe(
    one: Running, group_id: str, regex: str | None, epoch: int = 0, *, is_watched: bool = True
) -> ConsumerBeaten:
    """A member of that group joins with a pattern, or beats, as the handler has it."""
    problems = one.node.patterns
    wrong = problems.problem_of(group_id, "m") if regex is None else problems.problem(regex)
    joins = epoch == 0
    event = ConsumerHeartbeat(
        ticket=one.counter.ticket(), member_id="m", member_epoch=epoch, instance_id=None,
        rack_id=None, client_id="c", client_host="/h",
        rebalance_timeout_ms=9_000 if joins else -1, subscribed_topic_names=None,
        server_assignor=None, owned={} if joins else None, subscribed_topic_regex=regex,
        looked_up=frozenset(), regex_problem=wrong,
    )  # fmt: skip
    reply = await one.ask(group_id, event)
    assert isinstance(reply, ConsumerBeaten)
    if is_watched:
        one.node.patterns.watch(group_id)
    return reply


def matched(one: Running, group_id: str) -> Mapping[str, tuple[str, ...]]:
    """What the group's patterns stand for."""
    found = one.node.coordinator.group(group_id)
    assert isinstance(found, ConsumerGroup)
    return found.matches


async def fill(one: Running, topics: int) -> None:
    """Topics with long names by chance, that many."""
    chance = Random(1)
    names = [f"{''.join(chance.choices('ab', k=230))}-{n}" for n in range(topics)]
    for at in range(0, topics, 1_000):
        await one.node.catalogue.create_many(dict.fromkeys(names[at : at + 1_000], 1))


async def test_no_groups_pattern_delays_anothers(
    quick: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten groups, each with a pattern of its own that needs many turns, are there first."""
    monkeypatch.setattr(regexes, "TURN_S", 0.001)
    monkeypatch.setattr(regexes, "NAMES_A_TURN_MIN", 1)
    turns: list[str] = []
    taking = regexes.take_turns

    def noted(matchings: Sequence[Matching]) -> int:
        taken = taking(matchings)
        turns.extend(matching.pattern for matching in matchings[:taken])
        return taken

    monkeypatch.setattr(regexes, "take_turns", noted)
    await fill(quick, 1_500)
    await quick.node.catalogue.create("wanted", 1)
    for n in range(10):
        await subscribe(quick, f"slow-{n}", f"{BOMB}(x{n})?", is_watched=False)
    await subscribe(quick, "g", "wanted.*", is_watched=False)
    for group_id in (*(f"slow-{n}" for n in range(10)), "g"):
        quick.node.patterns.watch(group_id)  # all of them at one moment

    await until(lambda: matched(quick, "g") == {"wanted.*": ("wanted",)})

    assert turns.index("wanted.*") <= 2 * 10, "each of the others had two turns at the most"
    slow = [f"slow-{n}" for n in range(10)]
    # And in the end they have what they subscribed to.
    await until(lambda: [[*map(len, matched(quick, g).values())] for g in slow] == [[1_501]] * 10)
    assert len(turns) > 3 * 10


async def test_a_pattern_that_exceeds_its_time_twice_is_refused_alone(quick: Running) -> None:
    await fill(quick, 2_000)
    await quick.node.catalogue.create("wanted", 1)
    await subscribe(quick, "other", "wanted.*")
    first = await subscribe(quick, "slow", SLOW)
    assert first.error == ErrorCode.NONE

    await until(lambda: quick.node.patterns.problem(SLOW) is not None)
    await until(lambda: not quick.node.patterns._waiting)

    for regex, epoch in ((None, 1), (SLOW, 1), (SLOW, 0)):
        again = await subscribe(quick, "slow", regex, epoch)
        assert (again.error, again.detail) == (
            ErrorCode.INVALID_REGULAR_EXPRESSION,
            regexes.refusal(SLOW, regexes.TOO_SLOW),
        )
    assert (await subscribe(quick, "slow", "wanted.*", 1)).error == ErrorCode.NONE
    assert (await subscribe(quick, "other", None, 1)).error == ErrorCode.NONE
    await until(lambda: matched(quick, "other") == {"wanted.*": ("wanted",)})
    assert SLOW not in [pattern for _, pattern in quick.node.patterns._begun], (
        "nor is it tried again"
    )
