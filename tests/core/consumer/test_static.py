"""Static members: they go for a while and find their place again (cases CG-14 to CG-17, CG-25)."""

from groups.core import events
from groups.core.errors import ErrorCode
from groups.core.replies import Left
from tests.core.consumer.talk import Client, Talk


def settled() -> tuple[Talk, Client, Client]:
    talk = Talk({"foo": 4})
    a, b = talk.join("a", instance_id="i1"), talk.join("b", instance_id="i2")
    talk.converge(a, b)
    return talk, a, b


def test_cg_14_a_static_member_returns_without_a_rebalance() -> None:
    talk, a, b = settled()
    epoch, had, entries = talk.epoch, talk.assigned(a), len(talk.journal)
    reply = talk.beat(a, member_epoch=-2)
    assert (reply.member_epoch, reply.heartbeat_interval_ms) == (-2, 0)
    assert (talk.state, talk.epoch) == ("Reconciling", epoch)
    back = talk.join("a2", instance_id="i1")
    assert (back.epoch, back.told) == (epoch, had)
    assert (talk.state, talk.epoch) == ("Stable", epoch)
    assert len(talk.journal) == entries, "nothing was rebalanced"
    assert talk.code(b) is ErrorCode.NONE
    assert talk.code(a) is ErrorCode.FENCED_INSTANCE_ID


def test_cg_14_a_static_member_may_return_under_its_own_id() -> None:
    talk, a, _b = settled()
    epoch, had = talk.epoch, talk.assigned(a)
    talk.beat(a, member_epoch=-2)
    talk.beat(a, member_epoch=0)
    assert (a.epoch, a.told, talk.epoch) == (epoch, had, epoch)


def test_cg_14_an_inflight_heartbeat_does_not_bring_it_back() -> None:
    talk, a, _b = settled()
    had = talk.assigned(a)
    talk.beat(a, member_epoch=-2)
    assert talk.code(a, owned=had) is ErrorCode.FENCED_MEMBER_EPOCH
    assert talk.code(a) is ErrorCode.FENCED_MEMBER_EPOCH
    back = talk.join("a2", instance_id="i1")
    assert back.told == had


def test_cg_14_a_returning_member_may_commit_with_any_epoch_of_the_group() -> None:
    talk, a, _b = settled()
    talk.beat(a, member_epoch=-2)
    back = talk.join("a2", instance_id="i1")
    assert set((talk.group.members["a2"].since or {}).values()) == {0}
    assert back.told


def test_cg_15_an_instance_id_in_use_is_refused() -> None:
    talk, a, _b = settled()
    thief = Client("t", ("foo",), instance_id="i1")
    assert talk.code(thief) is ErrorCode.UNRELEASED_INSTANCE_ID
    assert talk.code(thief, member_epoch=a.epoch) is ErrorCode.FENCED_INSTANCE_ID
    assert talk.code(thief, member_epoch=-1) is ErrorCode.FENCED_INSTANCE_ID
    assert talk.code(a, instance_id="i9", member_epoch=3) is ErrorCode.UNKNOWN_MEMBER_ID
    assert talk.code(a) is ErrorCode.NONE


def test_cg_16_a_static_member_that_never_returns_is_removed() -> None:
    talk, a, b = settled()
    epoch = talk.epoch
    talk.beat(a, member_epoch=-2)
    for _ in range(5):
        talk.sleep(10_000)
        if talk.epoch == epoch:
            assert talk.assigned(b) == {"foo": b.owned["foo"]}, "its partitions are held"
        talk.beat(b)
    assert talk.epoch == epoch + 1
    talk.converge(b)
    assert talk.assigned(b) == {"foo": [0, 1, 2, 3]}
    assert "session-expired" in talk.triggers()


def test_cg_17_returning_with_other_topics_raises_the_epoch() -> None:
    talk, a, _b = settled()
    talk.catalogue["bar"] = ("id-bar", 2)
    epoch = talk.epoch
    talk.beat(a, member_epoch=-2)
    back = talk.join("a2", "foo", "bar", instance_id="i1")
    assert (talk.epoch, back.epoch) == (epoch + 1, epoch + 1)
    assert talk.triggers()[-1] == "subscription-changed"


def test_leaving_during_a_revocation_frees_its_partitions() -> None:
    talk = Talk({"foo": 4})
    a = talk.join("a", instance_id="i1", rebalance_timeout_ms=10_000)
    b = talk.join("b")
    talk.beat(a)
    talk.beat(a, member_epoch=-2)
    assert not talk.group.live.timers
    assert talk.beat(b).assignment == {"id-foo": (2, 3)}
    talk.reload()
    assert not talk.group.live.timers, "one that is away has nothing to answer"
    talk.sleep(20_000)
    assert "a" in talk.group.members, "the session counts, not the rebalance timeout"


def test_cg_25_range_puts_static_members_first() -> None:
    talk = Talk({"foo": 4})
    y = talk.join("y", instance_id="b", assignor="range")
    z = talk.join("z", instance_id="a", assignor="range")
    x = talk.join("a", assignor="range")
    talk.converge(x, y, z)
    assert (z.owned, y.owned, x.owned) == ({"foo": [0, 1]}, {"foo": [2]}, {"foo": [3]})


def test_an_administrator_removes_members_by_instance_or_id() -> None:
    talk, a, b = settled()
    leavers = (
        events.Leaver("", "i1"),
        events.Leaver(b.member_id, None),
        events.Leaver("x", "i2"),
        events.Leaver("", "i9"),
        events.Leaver("", None),
    )
    reply = talk.ask(events.LeaveGroup(members=leavers))
    unknown, fenced = ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.FENCED_INSTANCE_ID
    codes = (ErrorCode.NONE, ErrorCode.NONE, fenced, unknown, unknown)
    assert reply == Left(ErrorCode.NONE, codes)
    assert not talk.group.members
    assert talk.code(a) is ErrorCode.UNKNOWN_MEMBER_ID


def test_a_dynamic_member_becomes_static_when_it_rejoins_with_an_instance_id() -> None:
    talk = Talk({"foo": 4})
    m = talk.join("m")
    m.instance_id = "i1"
    assert talk.code(m) is ErrorCode.UNKNOWN_MEMBER_ID, "not before it joins"
    assert talk.code(m, member_epoch=0) is ErrorCode.NONE
    assert talk.code(m) is ErrorCode.NONE
    assert talk.code(Client("n", ("foo",), instance_id="i1")) is ErrorCode.UNRELEASED_INSTANCE_ID


def test_a_member_that_takes_another_ones_place_gives_up_its_own() -> None:
    talk, a, b = settled()
    c = talk.join("c")
    talk.converge(a, b, c)
    talk.beat(a, member_epoch=-2)
    c.instance_id = "i1"
    assert talk.code(c, member_epoch=0) is ErrorCode.NONE
    talk.converge(b, c)
    assert talk.group.members.keys() == {"b", "c"}
    assert sorted(talk.assigned(b)["foo"] + talk.assigned(c)["foo"]) == [0, 1, 2, 3]
    talk.reload()


def test_an_invalid_pattern_removes_no_static_member_and_creates_no_group() -> None:
    """It is refused before the place is taken."""
    wrong = {"subscribed_topic_regex": "(", "regex_problem": "It is none."}
    talk, a, _ = settled()
    talk.beat(a, member_epoch=-2)
    before = talk.group.durable
    again = Client("again", ("foo",), instance_id="i1")
    assert talk.code(again, **wrong) is ErrorCode.INVALID_REGULAR_EXPRESSION
    assert talk.group.durable is before
    nobody = Talk({"foo": 1})
    assert nobody.code(Client("m", ("foo",)), **wrong) is ErrorCode.INVALID_REGULAR_EXPRESSION
    assert not nobody.group.has_row
