"""Library members against a whole installation: the draft, commanded groups, and
patterns of every protocol."""

import asyncio
from typing import Any

import pytest

from benchmarks.wire import create_topic
from launcher.installation import Installation
from rollcall.client import CommitRefused, Refused, TopicPartition
from tests.client_library.watching import Watched, share, until
from tests.draft import raw
from tests.draft.test_installation import coordinator_of
from tests.nodes import all_nodes, kill_node

Options = dict[str, Any]

DRAFT: Options = {"protocol": "draft", "session_timeout_ms": 10_000, "heartbeat_frequency": 20}
"""A heartbeat each half second: rebalances are told soon."""

COMMANDED: Options = {"protocol": "commanded", "session_timeout_ms": 10_000}

OFTEN: Options = {"metadata_max_age_ms": 300}


pytestmark = pytest.mark.timeout(200)


async def test_members_of_the_draft_share_commit_and_leave(
    installation: Installation, name: str
) -> None:
    await create_topic(installation.kafka, name, 6)
    anna = Watched(installation.draft, name, name, **DRAFT)
    async with anna:
        await until(lambda: len(anna.owned) == 6, "all six are Anna's")
        async with Watched(installation.draft, name, name, **DRAFT) as ben:
            await until(lambda: share(anna, ben, of=6), "three and three")
            assert anna.member.epoch == ben.member.epoch == 2
            one = min(ben.owned)
            assert ben.member.token(one) == (name, *one, 2)
            ben.member.note(one, 7)
            with pytest.raises(CommitRefused, match="CommittingPartitionsNotAssigned"):
                await ben.member.commit({min(anna.owned): 1})
        await until(lambda: len(anna.owned) == 6, "all six again")
        assert await anna.member.committed([one]) == {one: 7}, "committed before it was given up"
        await anna.member.commit({one: 8})
    assert [each.split()[0] for each in anna.told] == ["assigned", "revoked"] * 3


@pytest.mark.parametrize("protocol", ["draft", "commanded"])
async def test_offsets_can_be_set_while_the_group_has_no_members(
    protocol: str, installation: Installation, name: str
) -> None:
    """``assign`` joins nothing; the group's first member begins there."""
    await create_topic(installation.kafka, name, 2)
    bootstrap = installation.draft if protocol == "draft" else installation.kafka
    one = TopicPartition(name, 1)
    async with Watched(bootstrap, name, protocol=protocol) as nobody:
        nobody.member.assign([one])
        await nobody.member.commit({one: 41})
        assert await nobody.member.committed() == {one: 41}
    async with Watched(bootstrap, name, name, protocol=protocol) as anna:
        await until(lambda: len(anna.owned) == 2, "both")
        assert await anna.member.committed() == {TopicPartition(name, 0): None, one: 41}
    assert nobody.told == []


async def test_a_member_of_the_draft_and_a_client_of_that_time_share_a_group(
    installation: Installation, name: str
) -> None:
    """The other one is built from the published schemas (``tests.draft.raw``)."""
    await create_topic(installation.kafka, name, 4)
    old = raw.Consumer(installation.draft, name, [name])
    async with Watched(installation.draft, name, name, **DRAFT) as ours:
        await until(lambda: len(ours.owned) == 4, "all four are ours")
        reply = await old.join()
        assert reply.error == 0 and len(reply.parts[name]) == 2
        await until(lambda: len(ours.owned) == 2, "two and two")
        assert {p.partition for p in ours.owned}.isdisjoint(reply.parts[name])
    await old.until_rejoin()
    assert (await old.join()).parts == {name: [0, 1, 2, 3]}
    old.close()


async def test_a_refused_join_is_reported_with_the_drafts_error(
    installation: Installation, name: str
) -> None:
    too_long = Watched(installation.draft, name, name, protocol="draft", session_timeout_ms=40_000)
    nobody_knows = Watched(installation.draft, name, name, protocol="draft", assignor="astrology")
    async with too_long, nobody_knows:
        for each, code in ((too_long, 26), (nobody_knows, 24)):
            with pytest.raises(Refused) as refused:
                async for _ in each.member:
                    pass
            assert refused.value.code == code
    assert "UnknownPartitionAssignmentStrategy" in str(nobody_knows.member.failure)


@pytest.mark.parametrize(
    ("protocol", "pattern"), [("draft", r"{}\.[ab]"), ("classic", r"{}\.[ab]")]
)
async def test_a_member_that_matches_its_pattern_itself_finds_new_topics(
    protocol: str, pattern: str, installation: Installation, name: str
) -> None:
    """Whole names only; a topic that comes later is worked on, another one never is."""
    await create_topic(installation.kafka, f"{name}.a", 2)
    await create_topic(installation.kafka, f"{name}.abc", 2)
    bootstrap = installation.draft if protocol == "draft" else installation.kafka
    options: Options = {"protocol": protocol, "pattern": pattern.format(name), **OFTEN}
    times: Options = {
        "session_timeout_ms": 10_000,
        "heartbeat_interval_ms": 500,
        "heartbeat_frequency": 20,
    }
    anna = Watched(bootstrap, name, **options, **times)
    ben = Watched(bootstrap, name, **options, **times)
    async with anna, ben:
        await until(lambda: share(anna, ben, of=2), "one and one")
        await create_topic(installation.kafka, f"{name}.b", 2)
        await until(lambda: share(anna, ben, of=4), "two and two")
        assert anna.topics | ben.topics == {f"{name}.a", f"{name}.b"}


async def test_a_pattern_of_the_consumer_protocol_is_resolved_by_the_coordinator(
    installation: Installation, name: str
) -> None:
    """RE2, whole names; with names beside it; and it can be taken back."""
    for topic in ("a", "abc", "other"):
        await create_topic(installation.kafka, f"{name}.{topic}", 2)
    pattern = rf"{name}\.[ab]"
    anna = Watched(installation.kafka, name, f"{name}.other", pattern=pattern)
    ben = Watched(installation.kafka, name, pattern=pattern)
    async with anna, ben:
        await until(lambda: share(anna, ben, of=4), "the topic by pattern, the other by name")
        assert ben.topics == {f"{name}.a"}
        await create_topic(installation.kafka, f"{name}.b", 2)
        await until(lambda: share(anna, ben, of=6), "the new topic, too")
        anna.member.subscribe([f"{name}.other"])
        await until(lambda: anna.topics == {f"{name}.other"}, "a subscription without a pattern")
        await until(lambda: ben.topics == {f"{name}.a", f"{name}.b"}, "the rest is Ben's")


async def test_an_invalid_pattern_is_refused(installation: Installation, name: str) -> None:
    """INVALID_REGULAR_EXPRESSION; a new subscription lets the member try again."""
    await create_topic(installation.kafka, name, 1)
    async with Watched(installation.kafka, name, pattern="(") as anna:
        await until(lambda: anna.member.failure is not None, "the refusal")
        assert isinstance(anna.member.failure, Refused) and anna.member.failure.code == 128
        anna.member.subscribe(pattern=name)
        await until(lambda: anna.owned == {TopicPartition(name, 0)}, "its partition")


async def test_commanded_members_stop_commit_and_start(
    installation: Installation, name: str
) -> None:
    """A stopped member has committed its progress before another begins."""
    await create_topic(installation.kafka, name, 6)
    async with Watched(installation.kafka, name, name, threads=3, **COMMANDED) as anna:
        await until(lambda: len(anna.owned) == 6, "all six are Anna's")
        assert sorted(anna.member.thread(each) for each in anna.owned) == [0, 0, 1, 1, 2, 2]
        one, epoch = min(anna.owned), anna.member.epoch
        for each in anna.owned:
            anna.member.note(each, 7)
        async with Watched(installation.kafka, name, {name: 3}, **COMMANDED) as ben:
            await until(lambda: share(anna, ben, of=6), "three and three")
            assert set((await ben.member.committed()).values()) == {7}
            token = anna.member.token(min(anna.owned))
            assert token.epoch == anna.member.epoch == ben.member.epoch > epoch
            await ben.member.commit({min(ben.owned): 8})
        await until(lambda: len(anna.owned) == 6, "all six again")
        assert (await anna.member.committed([one])).keys() == {one}
    assert [each.split()[0] for each in anna.told] == ["assigned", "revoked"] * 3


@pytest.mark.parametrize("how", ["pattern", "blacklist"])
async def test_filters_of_commanded_members_are_resolved_by_the_coordinator(
    how: str, installation: Installation, name: str
) -> None:
    await create_topic(installation.kafka, f"{name}.a", 2)
    await create_topic(installation.kafka, f"{name}.abc", 2)
    ours = rf"{name}\.[ab]"
    filters: Options = {"pattern": ours, "blacklist": rf"{name}\.abc|lib-.*"}
    if how == "blacklist":
        await create_topic(installation.kafka, f"other-{name}", 1)
    async with Watched(installation.kafka, name, **{how: filters[how]}, **COMMANDED) as anna:
        if how == "blacklist":
            await until(lambda: f"other-{name}" in anna.topics, "what the list does not name")
            assert not any(topic.startswith(name) for topic in anna.topics)
            return
        await until(lambda: len(anna.owned) == 2, "the one topic")
        await create_topic(installation.kafka, f"{name}.b", 2)
        await until(lambda: anna.topics == {f"{name}.a", f"{name}.b"}, "the new one, too")


@pytest.mark.long
@pytest.mark.xdist_group("pair")
@pytest.mark.parametrize("protocol", ["draft", "commanded"])
async def test_members_keep_working_while_their_coordinator_is_replaced(
    protocol: str, pair: Installation, name: str
) -> None:
    """No partition moves, no generation rises."""
    await create_topic(pair.kafka, name, 6)
    serving = await all_nodes(pair, 2)
    asking = raw.Consumer(pair.draft, name, [name])
    owner = await coordinator_of(asking)
    brokers = (await asking.metadata()).brokers
    asking.close()
    options, nodes = COMMANDED, list(serving.values())
    if protocol == "draft":
        options, nodes = DRAFT, list(brokers.values())
    patient = {**options, "session_timeout_ms": 30_000}  # no session ends during the test
    anna, ben = (Watched(nodes, name, name, **patient) for _ in range(2))
    async with anna, ben:
        await until(lambda: share(anna, ben, of=6), "three and three")
        told, generation = [list(anna.told), list(ben.told)], anna.member.epoch

        kill_node(pair, owner)
        await asyncio.gather(*(w.member.commit(dict.fromkeys(w.owned, 5)) for w in (anna, ben)))

        assert set((await anna.member.committed(anna.owned)).values()) == {5}
        assert [anna.told, ben.told] == told and anna.member.epoch == generation
    await all_nodes(pair, 2)  # other tests want both
