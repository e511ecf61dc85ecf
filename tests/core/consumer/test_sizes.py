"""What all members of a group say together, in bytes and in names; and what their rows take."""

import json

import pytest

from groups.core.assignors.client_side import ClientAssignor
from groups.core.consumer import heartbeat
from groups.core.consumer.member import Member
from groups.core.conversion.step import LONG_STEP_MIN, may_take_long
from groups.core.errors import ErrorCode
from groups.core.events import ConsumerHeartbeat, TopicsMatched
from groups.core.group import Decision, Rules
from groups.core.kinds import KINDS
from groups.core.rows import MemberRow
from groups.store.apply import Write, size_of, size_of_group
from tests.core.consumer.talk import Client, Talk

LONG = tuple(f"{'x' * 90}{i:010}" for i in range(10))


def test_the_total_size_of_subscriptions_is_limited() -> None:
    """Who would go beyond is turned away; who is in may say less, and others the more."""
    talk = Talk({"t": 1}, group_consumer_metadata_max_bytes=1_500)
    one, two = Client("one", LONG), Client("two", LONG)
    assert talk.beat(one).error is ErrorCode.NONE
    assert talk.beat(two).error is ErrorCode.GROUP_MAX_SIZE_REACHED
    assert set(talk.group.members) == {"one"}
    assert talk.beat(one, subscribed_topic_names=("t",)).error is ErrorCode.NONE
    assert talk.beat(two).error is ErrorCode.NONE
    longer = talk.beat(one, subscribed_topic_names=LONG)
    assert longer.error is ErrorCode.GROUP_MAX_SIZE_REACHED
    assert talk.group.members["one"].topics == ("t",)


@pytest.mark.parametrize("short_by", [0, 1])
def test_names_pattern_and_assignor_metadata_have_the_same_size_sent_and_stored(
    short_by: int,
) -> None:
    """Who says the same again takes no more; and there is no room for more."""
    said = (ClientAssignor("mine", 0, 1, 1, 1, b"some metadata"),)
    one = Client("one", ("topic", "other"), said=said)
    size = len("topicothert.*minesome metadata")
    talk = Talk({"t": 1}, group_consumer_metadata_max_bytes=size - short_by)
    full = ErrorCode.GROUP_MAX_SIZE_REACHED
    assert talk.code(one, subscribed_topic_regex="t.*") is (full if short_by else ErrorCode.NONE)
    if not short_by:
        again = {"subscribed_topic_names": one.names, "subscribed_topic_regex": "t.*"}
        assert talk.code(one, **again, client_assignors=said) is ErrorCode.NONE
        assert talk.code(Client("two", ("t",))) is full


def test_the_total_size_of_names_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of others cost nothing."""
    monkeypatch.setattr(heartbeat, "NAMES_MAX", 12)
    talk = Talk({"t": 1})
    for name in ("one", "two", "three"):
        assert talk.beat(Client(name, LONG)).error is ErrorCode.NONE
    more = Client("more", tuple("abc"))
    assert talk.beat(more).error is ErrorCode.GROUP_MAX_SIZE_REACHED
    assert talk.beat(Client("few", tuple("ab"))).error is ErrorCode.NONE


def test_a_rows_size_approximates_its_json() -> None:
    """Else a large group would be taken for a small one, and written with all others."""
    for names, partitions in ((2_000, 10), (5, 3_000), (300, 300)):
        topics = {f"topic-{i}": partitions if i == 0 else 0 for i in range(names)}
        talk = Talk(topics)
        client = Client("one", tuple(topics))
        absent = talk.group.durable
        talk.beat(client)
        talk.beat(client)
        (row,) = talk.group.durable.members.values()
        took = len(json.dumps(dict(row.details)))
        assert took / 3 <= size_of(row) <= took * 3
        write = Write(absent, Decision(group=talk.group))
        group_row = talk.group.durable.group
        took = len(json.dumps(dict(group_row.details)))
        assert took / 3 <= size_of_group(group_row) <= took * 3
        assert write.size() == size_of(row) + size_of_group(group_row)
        assert Write(talk.group.durable, Decision(group=talk.group)).size() == 0
    assert size_of(MemberRow("m", None, "", "", 1, 1, 0, b"12", b"345", {"filter": "12345"})) == 10


def test_a_member_that_equals_its_row_is_the_same_object() -> None:
    """The store writes the rows of those only who became others."""
    saved = Member(MemberRow("m", None, "c", "/h", 1, 1, 0), topics=("t",)).saved()
    assert saved.written is not None and saved.saved() is saved
    read = Member.load(saved.row)
    assert read.saved().written is not None and read.saved().row is saved.row


def test_a_long_subscription_is_decided_outside_the_event_loop() -> None:
    absent = KINDS["consumer"].absent("g", Rules(), 0)
    for names, is_long in ((("t",), False), (("t",) * LONG_STEP_MIN, True), (None, False)):
        assert may_take_long(absent, [_beat(names)]) is is_long


def test_the_matches_of_a_pattern_count_as_well() -> None:
    """Ten groups whose patterns matched 20,000 long names were written together, with each of their
    steps, put together on the event loop; and the step with the names was taken there."""
    names = tuple("x" * 200 + f"-{i}" for i in range(LONG_STEP_MIN))
    talk = Talk({})
    talk.beat(Client("one", ()), subscribed_topic_regex="x.*")
    facts = dict.fromkeys(names, ("0" * 32, 1))
    few = TopicsMatched(matches={"x.*": names[:1]}, topics={names[0]: facts[names[0]]})
    found = TopicsMatched(matches={"x.*": names}, topics=facts)
    none = TopicsMatched(matches={"x.*": ()}, topics={})
    assert not may_take_long(talk.group, [few])
    assert may_take_long(talk.group, [found])
    before = talk.group.durable
    talk.step(found)
    write = Write(before, Decision(group=talk.group))
    took = len(json.dumps(dict(talk.group.durable.group.details)))
    assert took / 2 <= write.size() <= took * 2
    assert may_take_long(talk.group, [none]), "these go"


def _beat(names: tuple[str, ...] | None) -> ConsumerHeartbeat:
    return ConsumerHeartbeat(
        member_id="m", member_epoch=0, instance_id=None, rack_id=None, client_id="c",
        client_host="/h", rebalance_timeout_ms=1, subscribed_topic_names=names,
        server_assignor=None, owned=None, topics={},
    )  # fmt: skip
