"""Nobody writes for a partition that is not its own any more: late commits, topics that were made
anew, and tokens that do not fence."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from benchmarks.wire import create_topic
from rollcall.client import Assignor, CommitRefused, Ended, Member, TopicPartition, Unfenced
from rollcall.client.assignors import Candidate
from rollcall.client.assignors.shape import Assignment, Counts
from rollcall.wire.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from rollcall.wire.messages.leave_group import LeaveGroupRequest, MemberIdentity
from tests.client_library.line import line_to
from tests.client_library.test_callbacks import TIMES, _prepared, halves
from tests.nodes import ask
from tests.server.serving import Serving, until

__all__ = ["_prepared"]

OFFSET_COMMIT = 8
BY_ID = ("consumer", "classic", "commanded")
"""Protocols whose members know the ids of topics."""


async def evict(served: Serving, group: str, member_id: str) -> None:
    """As an operator's tool does it: a leave in the member's name."""
    leave = LeaveGroupRequest(group_id=group, members=[MemberIdentity(member_id=member_id)])
    answer = await ask([served.address], leave)
    assert answer.error_code == 0


@pytest.mark.parametrize("protocol", ["consumer", "classic"])
async def test_a_failed_commit_is_not_retried_for_partitions_lost_since(
    protocol: str, served: Serving
) -> None:
    """Anna's commit does not get through; she is evicted, and joins again; Ben works on it."""
    await create_topic(served.address, "t", 2)
    back = asyncio.Event()

    async def wait(partitions: object) -> None:
        await back.wait()

    options: dict[str, Any] = {"protocol": protocol, **TIMES}
    if protocol == "classic":
        options["assignor"] = "cooperative-sticky"  # what Ben has, he keeps
    async with line_to(served.address) as line:
        anna = Member(line.address, "g", ["t"], on_lost=wait, **options)
        ben = Member(served.address, "g", ["t"], **options)
        async with anna, ben:
            await until(lambda: len(anna.assigned) == len(ben.assigned) == 1)
            (mine,) = anna.assigned
            line.cut.add(OFFSET_COMMIT)
            anna.note(mine, 100)
            late = asyncio.ensure_future(anna.commit({mine: 100}))
            await until(lambda: line.ended)

            await evict(served, "g", anna.member_id)
            await until(lambda: mine in ben.assigned and not anna.assigned)
            await ben.commit({mine: 5_000})
            back.set()
            await until(lambda: len(anna.assigned) == len(ben.assigned) == 1)
            line.cut.clear()

            with pytest.raises(CommitRefused):
                await late
            await anna.commit()  # what she noted is lost
            (other,) = ben.assigned
            with pytest.raises(CommitRefused, match="ILLEGAL_GENERATION"):
                await anna.commit({other: 101})
            assert await ben.committed([mine]) == {mine: 5_000}


async def test_progress_of_a_deleted_topic_is_not_that_of_its_successor(
    served: Serving,
) -> None:
    """The loss is reported; at the latest with the next commit."""

    async def scenario(protocol: str) -> None:
        topic = f"{protocol}-t"
        await create_topic(served.address, topic, 1)
        one = TopicPartition(topic, 0)
        told: list[str] = []
        member = Member(
            served.address,
            protocol,
            [topic],
            protocol=protocol,
            on_assigned=lambda _: told.append("assigned"),
            on_revoked=lambda _: told.append("revoked"),
            on_lost=lambda _: told.append("lost"),
            **TIMES,
        )
        async with member:
            await until(lambda: one in member.workable)
            await member.commit({one: 400})
            member.note(one, 500)
            gone = DeleteTopicsRequest(
                topics=[DeleteTopicState(name=topic)], topic_names=[topic], timeout_ms=5_000
            )
            assert (await ask([served.address], gone)).responses[0].error_code == 0
            await create_topic(served.address, topic, 1)
            while told.count("assigned") < 2:
                try:
                    await member.commit()
                except CommitRefused:
                    await asyncio.sleep(0)
                await asyncio.sleep(0.01)
            # Revoked, where the coordinator said so before there was anything else to lose.
            assert told[0] == told[2] == "assigned" and told[1] in ("lost", "revoked")
            assert await member.committed([one]) == {one: None}
            await member.commit({one: 7})
            assert await member.committed([one]) == {one: 7}

    await asyncio.gather(*map(scenario, BY_ID))


async def test_a_member_that_commits_nothing_notices_a_recreated_topic(
    served: Serving,
) -> None:
    """A classic one compares by itself, as often as it fetches metadata."""
    await create_topic(served.address, "t", 1)
    one = TopicPartition("t", 0)
    told: list[str] = []
    member = Member(
        served.address,
        "g",
        ["t"],
        protocol="classic",
        on_lost=lambda _: told.append("lost"),
        metadata_max_age_ms=100,
        **TIMES,
    )
    async with member:
        await until(lambda: one in member.assigned)
        member.note(one, 500)
        gone = DeleteTopicsRequest(
            topics=[DeleteTopicState(name="t")], topic_names=["t"], timeout_ms=5_000
        )
        assert (await ask([served.address], gone)).responses[0].error_code == 0
        await create_topic(served.address, "t", 1)
        await until(lambda: told and member.assigned)
        assert not member._ledger.noted
        assert await member.committed([one]) == {one: None}


async def test_a_static_member_has_no_token(served: Serving) -> None:
    """The member that replaces it continues in the same epoch."""
    await create_topic(served.address, "t", 1)
    one = TopicPartition("t", 0)
    for protocol in ("classic", "consumer"):
        options: dict[str, Any] = {"protocol": protocol, "instance_id": "i", **TIMES}
        first = Member(served.address, protocol, ["t"], **options)
        await first.start()
        await until(lambda m=first: one in m.assigned)  # type: ignore[misc]
        with pytest.raises(Unfenced):
            first.token(one)
        await first.close()
        async with Member(served.address, protocol, ["t"], **options) as second:
            await until(lambda m=second: one in m.assigned)  # type: ignore[misc]
            with pytest.raises(Unfenced):
                second.token(one)


class Odd:
    """An assignor that fails as often as configured, and then assigns everything to the first."""

    def __init__(self, times: int) -> None:
        self.times = times
        self.calls = 0

    def __call__(self, counts: Counts, members: Sequence[Candidate]) -> Assignment:
        self.calls += 1
        if self.calls <= self.times:
            raise KeyError("the application's own")
        everything = {TopicPartition("t", n) for n in range(counts["t"])}
        return {min(each.member_id for each in members): everything}


def gives_twice(counts: Counts, members: Sequence[Candidate]) -> Assignment:
    return {each.member_id: {TopicPartition("t", 0)} for each in members}


def gives_to_nobody(counts: Counts, members: Sequence[Candidate]) -> Assignment:
    return {"nobody": {TopicPartition("t", 0)}}


def gives_rubbish(counts: Counts, members: Sequence[Candidate]) -> Assignment:
    return {members[0].member_id: {7}}  # type: ignore[arg-type]


async def test_a_leader_whose_assignor_fails_retries_and_then_reports_it(served: Serving) -> None:
    await create_topic(served.address, "t", 4)
    options: dict[str, Any] = {"protocol": "classic", **TIMES}

    once = Odd(times=2)
    async with Member(
        served.address, "once", ["t"], assignor=Assignor("mine", once), **options
    ) as anna:
        await until(lambda: len(anna.assigned) == 4)
        assert once.calls == 3 and anna.failure is None

    for wrong in (Odd(times=10), gives_rubbish, gives_to_nobody):
        member = Member(served.address, "g", ["t"], assignor=Assignor("mine", wrong), **options)
        async with member:
            with pytest.raises(Ended, match="the member has ended"):
                async for _ in member:
                    pass
            assert isinstance(member.failure, Ended) and not member.assigned
            with pytest.raises(Ended):
                member.subscribe(["t"])


async def test_a_leader_that_assigns_a_partition_twice_leaves_and_another_leads(
    served: Serving,
) -> None:
    await create_topic(served.address, "t", 4)
    options: dict[str, Any] = {"protocol": "classic", **TIMES}
    mine = Assignor("mine", gives_twice)
    good = Assignor("mine", Odd(times=0))
    anna = Member(served.address, "g", ["t"], assignor=mine, **options)
    async with anna:
        await until(lambda: len(anna.assigned) == 1)
        async with Member(served.address, "g", ["t"], assignor=good, **options) as ben:
            await until(lambda: anna.failure is not None)
            await until(lambda: len(ben.assigned) == 4)
            assert not halves(anna, ben)
