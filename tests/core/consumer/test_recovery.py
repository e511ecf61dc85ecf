"""Rows and memory joined again: a takeover, a reload, a node that slept."""

from dataclasses import replace

from groups.core import events
from groups.core.consumer.group import ConsumerGroup
from groups.core.errors import ErrorCode
from groups.core.group import NOBODY
from tests.core.consumer.talk import Client, Talk


def in_the_middle() -> tuple[Talk, Client, Client]:
    """a must give up two partitions that b waits for; thirty seconds have passed."""
    talk = Talk({"foo": 4})
    a, b = talk.join("a", rebalance_timeout_ms=40_000), talk.join("b")
    talk.beat(a)
    talk.sleep(30_000)
    talk.beat(a), talk.beat(b)
    return talk, a, b


def test_a_takeover_keeps_epochs_and_revocations_and_restarts_every_timer() -> None:
    talk, a, b = in_the_middle()
    members = dict(talk.group.members)
    talk.sleep(5_000)
    talk.reload()
    assert dict(talk.group.members) == members
    talk.sleep(39_999)
    assert set(talk.group.members) == {"a", "b"}
    talk.beat(a), talk.beat(b)
    talk.sleep(1)
    assert set(talk.group.members) == {"b"}, "the rebalance timeout began at the takeover"


def test_after_a_takeover_the_group_continues_where_it_was() -> None:
    talk, a, b = in_the_middle()
    talk.reload()
    talk.converge(a, b)
    assert (a.owned, b.owned) == ({"foo": [0, 1]}, {"foo": [2, 3]})
    assert talk.journal[-1].kind == "rebalance-completed"
    assert talk.journal[-1].duration_ms is None, "nobody here saw it begin"


def test_topics_that_changed_during_a_takeover_are_found_after_it() -> None:
    """FO-05: the next heartbeat of any member finds them, more partitions or fewer topics."""
    talk = Talk({"foo": 2, "bar": 1})
    a, b = talk.join("a", "foo", "bar"), talk.join("b", "foo", "bar")
    talk.converge(a, b)
    epoch = talk.epoch
    talk.catalogue["foo"] = ("id-foo", 4)
    del talk.catalogue["bar"]
    talk.reload()
    assert talk.epoch == epoch, "nothing is decided before somebody asks"
    talk.beat(b)
    assert talk.epoch == epoch + 1
    talk.converge(a, b)
    assert sorted(a.owned["foo"] + b.owned["foo"]) == [0, 1, 2, 3]
    assert not a.owned.get("bar") and not b.owned.get("bar")


def test_a_takeover_in_which_nothing_changed_raises_no_epoch() -> None:
    """FO-05: a member that was silent for as long as the takeover took is a member still."""
    talk = Talk({"foo": 2})
    a, b = talk.join("a"), talk.join("b")
    talk.converge(a, b)
    epoch, owned = talk.epoch, (a.owned, b.owned)
    talk.sleep(44_000)
    talk.reload()
    talk.sleep(44_000)
    assert (talk.code(a), talk.code(b)) == (ErrorCode.NONE, ErrorCode.NONE)
    assert (talk.epoch, (a.owned, b.owned)) == (epoch, owned)


def test_a_reload_by_the_same_owner_keeps_its_timers() -> None:
    talk, _a, _b = in_the_middle()
    due = talk.group.due(talk.now)
    talk.reload(keep_live=True)
    assert talk.group.due(talk.now) == due


def test_rows_newer_than_memory_win() -> None:
    """A batch committed, but its node never heard so: rows of after, memory of before."""
    talk = Talk({"foo": 6})
    a = talk.join("a", rebalance_timeout_ms=10_000)
    b = talk.join("b", rebalance_timeout_ms=10_000)
    talk.beat(a)
    before = talk.group.live
    talk.now += 5_000
    talk.join("c")
    talk.beat(a, owned={"foo": [0, 1, 2]})
    talk.beat(b)
    ahead = talk.group
    assert ahead.members["a"].revoking != before.timers["a"].revoking
    talk.group = ConsumerGroup.merge(ahead.durable, before, talk.rules, talk.now)
    talk.check()
    assert talk.group.live.timers["a"].deadline == talk.now + 10_000


def test_the_order_of_rows_does_not_matter() -> None:
    talk = Talk({"foo": 7})
    a, b, c = talk.join("a"), talk.join("b"), talk.join("c")
    talk.converge(a, b, c)
    other = Talk({"foo": 7})
    turned = dict(reversed(list(talk.group.durable.members.items())))
    durable = replace(talk.group.durable, members=turned)
    other.group = ConsumerGroup.merge(durable, None, other.rules, other.now)
    for one in (talk, other):
        one.catalogue["foo"] = ("id-foo", 20)
        one.beat(replace(a))
    mine, theirs = talk.group.members, other.group.members
    assert {m: mine[m].target for m in mine} == {m: theirs[m].target for m in theirs}


def test_a_stalled_node_evicts_nobody() -> None:
    talk, _, _ = in_the_middle()
    due = talk.group.due(talk.now)
    assert due is not None
    talk.now += 100_000
    talk.group = talk.group.rearm(talk.now, 100_000)
    talk.step(events.Tick())
    assert set(talk.group.members) == {"a", "b"}
    assert talk.group.due(talk.now) == due + 100_000


def test_regular_stalls_keep_no_dead_member_alive() -> None:
    talk = Talk({"foo": 1})
    talk.join("dead")
    heard_at = talk.now
    while talk.group.members:
        assert talk.now < heard_at + 60_000, "each stall gave it a whole session"
        talk.now += 10_000
        talk.group = talk.group.rearm(talk.now, 1_000)
        talk.step(events.Tick())


def test_a_tick_that_finds_every_session_fresh_requests_the_next_deadline() -> None:
    talk = Talk({"foo": 1})
    m = talk.join("m")
    first = talk.group.due(talk.now)
    talk.now += 10_000
    talk.beat(m)
    assert talk.group.due(talk.now) == first, "a heartbeat moves no timer"
    talk.now += 35_000
    talk.step(events.Tick())
    assert first is not None
    assert talk.group.due(talk.now) == first + 10_000


def test_a_step_does_not_modify_the_committed_group() -> None:
    """A batch may fail after its step: what it changed must not show."""
    talk, _a, _b = in_the_middle()
    before, members = talk.group, dict(talk.group.members)
    leave = events.EvictMember(operation_id=1, actor="x", reason="", member_id="a")
    before.step([leave], talk.now, talk.rng)
    assert talk.group is before and dict(before.members) == members
    talk.check()


def test_only_changed_rows_are_copied() -> None:
    talk = Talk({"foo": 4})
    a, b = talk.join("a"), talk.join("b")
    talk.converge(a, b)
    rows = talk.group.durable.members
    talk.beat(a, rack_id="r")
    after = talk.group.durable.members
    assert after["a"] is not rows["a"] and after["b"] is rows["b"]


def test_a_change_undone_within_a_batch_is_not_written() -> None:
    talk = Talk({"foo": 2})
    m = talk.join("m")
    talk.beat(m, rack_id="r1")
    durable = talk.group.durable
    there = events.ConsumerHeartbeat(
        member_id="m", member_epoch=m.epoch, instance_id=None, rack_id="r2", client_id="app",
        client_host="/127.0.0.1", rebalance_timeout_ms=-1, subscribed_topic_names=None,
        server_assignor=None, owned=None, topics={"foo": ("id-foo", 2)},
    )  # fmt: skip
    talk.step(there, replace(there, rack_id="r1"))
    assert talk.group.durable is durable


def test_nothing_is_parked_and_the_fast_path_knows_no_member() -> None:
    talk, _a, _b = in_the_middle()
    lost = events.Ticket(1, 99)
    (answer,) = talk.group.resume([lost])
    assert (answer.ticket, answer.reply.error) == (lost, ErrorCode.COORDINATOR_NOT_AVAILABLE)
    assert talk.group.let_go(ErrorCode.NOT_COORDINATOR) == ()
    assert talk.group.heartbeat_view() is NOBODY


def test_events_of_one_batch_see_each_other() -> None:
    talk = Talk({"foo": 2})
    m = talk.join("m")
    beat = events.ConsumerHeartbeat(
        ticket=events.Ticket(2, 1), member_id="m", member_epoch=-1, instance_id=None, rack_id=None,
        client_id="app", client_host="/h", rebalance_timeout_ms=-1, subscribed_topic_names=None,
        server_assignor=None, owned=None,
    )  # fmt: skip
    delete = events.DeleteGroup(ticket=events.Ticket(2, 2))
    decision = talk.step(beat, delete)
    assert [answer.reply.error for answer in decision.answers] == [0, 0]
    assert decision.deleted and isinstance(decision.group, ConsumerGroup)
    assert talk.code(m) is ErrorCode.GROUP_ID_NOT_FOUND
