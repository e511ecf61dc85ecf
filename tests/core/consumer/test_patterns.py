"""Subscriptions by pattern, as the group sees them: results come later (CG-28; KIP-848)."""

import re

from groups.core import events
from groups.core.errors import ErrorCode
from groups.core.replies import OffsetsDeleted
from tests.core.consumer.talk import Client, Talk


def matched(talk: Talk, *patterns: str) -> None:
    """The node has matched these with the catalogue."""
    found = {
        pattern: tuple(sorted(n for n in talk.catalogue if re.fullmatch(pattern, n)))
        for pattern in patterns
    }
    topics = {name: talk.catalogue[name] for names in found.values() for name in names}
    talk.step(events.TopicsMatched(matches=found, topics=topics))


def join(talk: Talk, member_id: str, regex: str, *names: str) -> Client:
    """A member that subscribes by pattern, and to names where there are any."""
    client = Client(member_id, names)
    said = names or None
    assert talk.code(client, subscribed_topic_names=said, subscribed_topic_regex=regex) == 0
    return client


def test_cg_28_the_topics_of_a_pattern_are_resolved_after_the_join() -> None:
    talk = Talk({"foo1": 2, "foo2": 1, "bar": 3})
    m = join(talk, "m", "foo.*")
    assert (m.epoch, m.told, talk.state) == (1, {}, "Stable")
    matched(talk, "foo.*")
    assert (talk.epoch, talk.state) == (2, "Assigning")
    assert talk.beat(m).assignment == {"id-foo1": (0, 1), "id-foo2": (0,)}
    assert talk.state == "Stable" and talk.triggers() == ["topics-changed"]


def test_a_member_with_an_unresolved_pattern_gets_a_short_interval() -> None:
    """They are found a moment after its join; an interval later it would have had nothing for five
    seconds, as with Kafka."""
    talk = Talk({"foo1": 2})
    m = Client("m", ())
    joined = talk.beat(m, subscribed_topic_names=None, subscribed_topic_regex="foo.*")
    short = talk.rules.group_consumer_pending_heartbeat_interval_ms
    usual = talk.rules.group_consumer_heartbeat_interval_ms
    assert joined.heartbeat_interval_ms == short < usual
    matched(talk, "foo.*")
    while talk.beat(m).assignment is not None:
        pass
    assert (talk.beat(m).heartbeat_interval_ms, m.told) == (usual, {"foo1": [0, 1]})


def test_cg_28_a_topic_created_later_is_found_by_the_next_match() -> None:
    talk = Talk({"foo1": 1})
    m = join(talk, "m", "foo.*")
    matched(talk, "foo.*")
    talk.beat(m)
    talk.catalogue["foo2"] = ("id-foo2", 2)
    talk.beat(m)
    assert talk.epoch == 2, "a heartbeat matches nothing"
    matched(talk, "foo.*")
    talk.beat(m)
    assert (talk.epoch, m.told) == (3, {"foo1": [0], "foo2": [0, 1]})


def test_cg_28_a_join_needs_names_or_a_pattern() -> None:
    talk = Talk()
    reply = talk.beat(Client("m", ()), subscribed_topic_names=None)
    assert reply.error is ErrorCode.INVALID_REQUEST


def test_an_empty_pattern_is_a_subscription_to_nothing() -> None:
    talk = Talk({"foo": 1})
    m = join(talk, "m", "")
    assert (m.epoch, m.told, talk.group.patterns) == (1, {}, frozenset())


def test_an_unchanged_result_changes_nothing() -> None:
    talk = Talk({"foo": 1})
    join(talk, "m", "foo")
    matched(talk, "foo")
    before = talk.group
    matched(talk, "foo")
    matched(talk, "a pattern that nobody has")
    assert talk.group.durable is before.durable


def test_a_result_for_a_removed_pattern_is_dropped() -> None:
    talk = Talk({"foo": 1})
    matched(talk, "foo")
    assert not talk.group.durable.exists
    talk.beat(talk.join("m"), member_epoch=-1)
    before = talk.group
    matched(talk, "foo")
    assert talk.group is before


def test_a_pattern_without_matches_is_stored() -> None:
    talk = Talk({"foo": 1})
    join(talk, "m", "x.*")
    matched(talk, "x.*")
    assert (talk.epoch, talk.group.matches) == (1, {"x.*": ()})


def test_names_and_a_pattern_are_combined() -> None:
    talk = Talk({"foo": 1, "bar": 1, "baz": 1})
    m = join(talk, "m", "ba.", "bar", "foo")
    matched(talk, "ba.")
    talk.beat(m)
    assert m.told == {"bar": [0], "baz": [0], "foo": [0]}


def test_a_known_pattern_counts_at_once_and_a_new_one_when_it_is_matched() -> None:
    talk = Talk({"foo": 2, "bar": 2})
    a, b = join(talk, "a", "foo"), join(talk, "b", "bar")
    matched(talk, "foo", "bar")
    talk.converge(a, b)
    epoch = talk.epoch
    talk.beat(b, subscribed_topic_regex="foo", owned=b.owned)
    assert talk.epoch == epoch + 1
    talk.converge(a, b)
    assert (a.owned, b.owned) == ({"foo": [0]}, {"foo": [1]}), "and nobody has bar any more"
    epoch = talk.epoch
    talk.beat(b, subscribed_topic_regex="ba.", owned=b.owned)
    assert talk.epoch == epoch and b.told == {"foo": [1]}, "it goes on with what it has"
    matched(talk, "ba.", "foo")
    talk.converge(a, b)
    assert (a.owned, b.owned) == ({"foo": [0, 1]}, {"bar": [0, 1]})


def test_an_empty_pattern_clears_it() -> None:
    talk = Talk({"foo": 1, "bar": 1})
    m = join(talk, "m", "foo", "bar")
    matched(talk, "foo")
    talk.converge(m)
    talk.beat(m, subscribed_topic_regex="")
    talk.converge(m)
    assert (m.owned, talk.group.patterns, talk.group.matches) == ({"bar": [0]}, frozenset(), {})


def test_a_pattern_is_removed_with_its_last_member() -> None:
    talk = Talk({"foo": 2})
    a, b = join(talk, "a", "foo"), join(talk, "b", "foo")
    matched(talk, "foo")
    talk.converge(a, b)
    talk.beat(a, member_epoch=-1)
    assert talk.group.topic_names == {"foo"}
    talk.beat(b, member_epoch=-1)
    assert (talk.group.topic_names, talk.group.patterns) == (frozenset(), frozenset())


def test_partitions_that_are_added_to_a_matched_topic_are_found_by_a_heartbeat() -> None:
    talk = Talk({"foo": 1})
    m = join(talk, "m", "f.*")
    matched(talk, "f.*")
    talk.converge(m)
    talk.catalogue["foo"] = ("id-foo", 3)
    talk.converge(m)
    assert m.owned == {"foo": [0, 1, 2]}


def test_offsets_of_matched_topics_are_protected() -> None:
    talk = Talk({"foo": 1})
    join(talk, "m", "f.*")
    matched(talk, "f.*")
    reply = talk.ask(events.OffsetDelete(partitions=(("foo", 0),)))
    assert isinstance(reply, OffsetsDeleted)
    assert reply.partitions == {("foo", 0): ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC}


def test_patterns_and_their_matches_survive_a_takeover() -> None:
    talk = Talk({"foo": 2, "bar": 1})
    m = join(talk, "m", "f.*")
    matched(talk, "f.*")
    talk.converge(m)
    members = dict(talk.group.members)
    talk.reload()
    assert dict(talk.group.members) == members
    assert talk.group.patterns == {"f.*"}
    assert talk.group.matches == {"f.*": ("foo",)}
    assert talk.code(m) is ErrorCode.NONE and talk.epoch == 2


def test_fo_05_a_takeover_keeps_epochs_revocations_and_temporary_leaves() -> None:
    talk = Talk({"foo": 6})
    a = talk.join("a", rebalance_timeout_ms=40_000)
    s = talk.join("s", instance_id="i1")
    talk.converge(a, s)
    talk.beat(s, member_epoch=-2)
    b = talk.join("b")
    talk.beat(a)
    before = dict(talk.group.members)
    assert {m: member.state for m, member in before.items()}["a"] == "unrevoked-partitions"
    assert (before["s"].epoch, before["b"].state) == (-2, "unreleased-partitions")
    talk.sleep(30_000)
    talk.reload()
    assert dict(talk.group.members) == before and talk.epoch == 4
    talk.sleep(39_999)
    assert "a" in talk.group.members, "its rebalance timer began anew, in full"
    talk.beat(b)
    talk.sleep(1)
    assert "a" not in talk.group.members
    back = Client("s2", ("foo",), instance_id="i1")
    assert talk.code(back) is ErrorCode.NONE
    talk.converge(b, back)
    assert sorted(b.owned["foo"] + back.owned["foo"]) == [0, 1, 2, 3, 4, 5]


def test_cg_27_a_group_has_its_own_session_and_interval() -> None:
    talk = Talk(
        {"foo": 1},
        group_consumer_session_timeout_ms=50_000,
        group_consumer_heartbeat_interval_ms=10_000,
    )
    m = Client("m", ("foo",))
    assert talk.beat(m).heartbeat_interval_ms == 10_000
    talk.sleep(49_999)
    assert "m" in talk.group.members
    talk.sleep(1)
    assert talk.code(m) is ErrorCode.UNKNOWN_MEMBER_ID
