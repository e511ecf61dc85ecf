"""Members of the classic protocol in a consumer group (cases MG-10, MG-05; KIP-848, migration)."""

from dataclasses import replace

import pytest

from groups.core import events
from groups.core.assignment import partitions_of
from groups.core.assignors.client_side import ClientAssignor
from groups.core.errors import ErrorCode
from groups.core.replies import Joined, Synced
from tests.core.consumer.crossing import Classic, Crossing, classic_group, upgraded
from tests.core.consumer.talk import Client
from tests.core.consumer.wire_bytes import subscription


def test_mg_10_a_member_told_to_rejoin_that_does_not_is_fenced() -> None:
    a = Classic(rebalance_ms=10_000)
    talk, _ = upgraded(a)
    for _ in range(3):
        talk.sleep(3_333)
        talk.code_of(a)
    assert a.member_id in talk.group.members
    talk.sleep(1)
    assert a.member_id not in talk.group.members
    assert talk.journal[-1].trigger == "rebalance-timeout"
    assert talk.code_of(a) is ErrorCode.UNKNOWN_MEMBER_ID


def test_mg_10_a_member_that_joins_but_does_not_sync_is_fenced() -> None:
    a = Classic(rebalance_ms=10_000)
    talk, m2 = upgraded(a)
    talk.pulse(a)
    joined = talk.ask(talk.join_event(a))
    assert isinstance(joined, Joined)
    a.generation = joined.generation_id
    for _ in range(2):
        talk.sleep(4_999)
        assert talk.code_of(a) is ErrorCode.NONE
    talk.sleep(2)
    assert talk.code_of(a) is ErrorCode.UNKNOWN_MEMBER_ID
    assert set(talk.group.members) == {"m2"} and talk.code(m2) is ErrorCode.NONE


def test_mg_10_a_session_has_the_length_of_its_join() -> None:
    a = Classic(session_ms=7_000)
    talk, m2 = upgraded(a)
    talk.pulse(a)
    talk.live(a)
    talk.sleep(6_999)
    assert talk.code_of(a) is ErrorCode.NONE
    talk.sleep(6_999)
    assert a.member_id in talk.group.members
    talk.sleep(1)
    assert a.member_id not in talk.group.members
    talk.converge_mixed(m2)
    assert m2.owned == {"foo": [0, 1, 2]}


def test_a_classic_member_leaves_by_itself_and_others_by_an_administrator() -> None:
    a, b = Classic(), Classic(instance_id="i1")
    talk = classic_group(a, b)
    talk.join("m2", instance_id="i2")
    leavers = (
        events.Leaver(a.member_id, None),
        events.Leaver("m2", "i2"),
        events.Leaver("other", "i1"),
        events.Leaver("", "i1"),
        events.Leaver("nobody", None),
    )
    left = talk.ask(events.LeaveGroup(members=leavers))
    unknown = ErrorCode.UNKNOWN_MEMBER_ID
    done = ErrorCode.NONE
    codes = (done, done, ErrorCode.FENCED_INSTANCE_ID, done, unknown)
    assert getattr(left, "members", ()) == codes
    assert talk.state == "Empty"


def test_each_protocol_serves_only_its_own_members() -> None:
    a = Classic()
    talk, _ = upgraded(a)
    stolen = Client(a.member_id, ("foo",), epoch=1)
    assert talk.code(stolen) is ErrorCode.UNKNOWN_MEMBER_ID
    thief = talk.ask(talk.join_event(Classic(member_id="m2")))
    assert thief == Joined(error=ErrorCode.UNKNOWN_MEMBER_ID, member_id="m2")
    sync = events.SyncGroup(generation_id=2, member_id="m2", instance_id=None, assignments={})
    assert talk.ask(sync) == Synced(error=ErrorCode.UNKNOWN_MEMBER_ID)


def test_mg_06_the_protocols_of_a_join_are_checked_before_its_member() -> None:
    a = Classic(instance_id="i1")
    talk, _ = upgraded(a)
    inconsistent = ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    gone = Classic(instance_id="i9", member_id="gone", names=("x",))
    assert talk.ask(talk.join_event(gone)).error is inconsistent
    gone.names = ("range",)
    assert talk.ask(talk.join_event(gone)).error is ErrorCode.UNKNOWN_MEMBER_ID
    other = talk.join_event(Classic(member_id="m2"), protocol_type="connect")
    assert talk.ask(other).error is inconsistent


def test_mg_09_where_conversion_is_disabled_no_classic_member_joins() -> None:
    talk = Crossing({"foo": 3}, group_consumer_migration_policy="disabled")
    talk.join("m")
    for newcomer in (Classic(), Classic(instance_id="i1"), Classic(member_id="known")):
        refused = talk.ask(talk.join_event(newcomer))
        assert refused.error is ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    assert set(talk.group.members) == {"m"}


def test_a_member_with_an_old_epoch_must_join_before_it_syncs() -> None:
    a = Classic()
    talk, _ = upgraded(a)
    sync = events.SyncGroup(
        generation_id=1, member_id=a.member_id, instance_id=None, assignments={}
    )
    assert talk.ask(sync) == Synced(error=ErrorCode.REBALANCE_IN_PROGRESS)


def test_in_a_frozen_group_no_member_is_told_to_rejoin() -> None:
    a = Classic()
    talk, _ = upgraded(a)
    talk.pulse(a)
    talk.live(a)
    talk.guard(frozen=True)
    late = Client("m3", ("foo",))
    assert talk.code(late) is ErrorCode.NONE
    assert (talk.state, talk.code_of(a)) == ("Assigning", ErrorCode.NONE)
    talk.guard()
    assert talk.code_of(a) is ErrorCode.REBALANCE_IN_PROGRESS


def test_an_epoch_without_a_target_causes_no_rejoin_while_a_target_is_due() -> None:
    a = Classic()
    talk, m2 = upgraded(a)
    m3 = talk.join("m3")
    for _ in range(3):
        talk.live(a)
        talk.converge_mixed(m2, m3)
    assert talk.state == "Stable"
    talk.beat(m3, member_epoch=-1)
    assert (talk.state, talk.code_of(a)) == ("Assigning", ErrorCode.NONE)
    talk.beat(m2)
    assert talk.code_of(a) is ErrorCode.REBALANCE_IN_PROGRESS


def test_a_member_told_to_rejoin_again_has_its_full_time_again() -> None:
    a = Classic(rebalance_ms=10_000, cooperative=True)
    talk, _ = upgraded(a)
    for _ in range(2):
        assert talk.code_of(a) is ErrorCode.REBALANCE_IN_PROGRESS
        talk.sleep(6_000)
        assert a.member_id in talk.group.members
        joined = talk.ask(talk.join_event(a))
        assert isinstance(joined, Joined) and joined.error is ErrorCode.NONE
        a.generation = joined.generation_id
        sync = events.SyncGroup(
            generation_id=a.generation, member_id=a.member_id, instance_id=None, assignments={}
        )
        assert talk.ask(sync).error is ErrorCode.NONE


def test_classic_members_are_told_to_rejoin_when_they_are_the_last_unless_postponed() -> None:
    """Nobody else's heartbeat would compute the target."""
    a, b = Classic(), Classic()
    talk = classic_group(a, b, group_consumer_migration_policy="upgrade")
    m2 = talk.join("m2")
    for frozen in (False, True):
        for _ in range(3):
            talk.live(a, b)
            talk.converge_mixed(m2)
        talk.guard(frozen=frozen)
        talk.beat(m2, member_epoch=-1)
        called = ErrorCode.NONE if frozen else ErrorCode.REBALANCE_IN_PROGRESS
        assert (talk.kind, talk.code_of(a), talk.code_of(b)) == ("consumer", called, called)
        m2 = talk.join("m3")


def test_a_classic_member_gets_the_first_of_its_protocols() -> None:
    talk = Crossing({"foo": 1})
    talk.join("m")
    joined = talk.ask(talk.join_event(Classic(names=("range", "roundrobin"), member_id="a")))
    assert isinstance(joined, Joined) and joined.protocol_name == "range"


def test_a_member_waiting_for_several_partitions_is_told_to_rejoin_when_all_are_free() -> None:
    talk = Crossing({"foo": 6})
    m, n = talk.join("m"), talk.join("n")
    talk.converge(m, n)
    a = Classic()
    assert talk.enter(a) is ErrorCode.NONE
    talk.converge_mixed(m)
    assert (len(m.owned["foo"]), talk.code_of(a)) == (2, ErrorCode.NONE)
    talk.converge_mixed(n)
    assert talk.code_of(a) is ErrorCode.REBALANCE_IN_PROGRESS
    talk.live(a)
    assert len(a.owned) == 2 and talk.state == "Stable"


def test_topics_of_a_new_classic_member_are_known_at_once() -> None:
    talk = Crossing({"foo": 1, "bar": 2})
    talk.join("m")
    a = Classic(("bar",))
    assert talk.enter(a) is ErrorCode.NONE
    assert a.works_on == {"bar": [0, 1]}


@pytest.mark.parametrize("version", [0, 1, 2, 3, 4])
def test_every_version_of_the_embedded_protocol_is_read_and_answered(version: int) -> None:
    talk = Crossing({"foo": 2})
    m = talk.join("m")
    owned = [("foo", 1)] if version else []
    metadata = subscription(["foo"], owned, version, "here")
    talk.ask(talk.join_event(Classic(member_id="a"), protocols=(("range", metadata),)))
    assert talk.group.members["a"].rack_id == ("here" if version >= 3 else None)
    talk.converge_mixed(m)
    joined = talk.ask(talk.join_event(Classic(member_id="a"), protocols=(("range", metadata),)))
    assert isinstance(joined, Joined)
    sync = events.SyncGroup(
        generation_id=joined.generation_id, member_id="a", instance_id=None, assignments={}
    )
    synced = talk.ask(sync)
    assert isinstance(synced, Synced)
    assert set(partitions_of(synced.assignment) or ()) == {("foo", 1)}
    assert synced.assignment[:2] == bytes([0, min(version, 3)])


# Another owner


def test_classic_members_survive_a_takeover_with_their_metadata() -> None:
    a = Classic(session_ms=7_000, rebalance_ms=9_000, cooperative=True)
    talk, m2 = upgraded(a)
    members = dict(talk.group.members)
    talk.sleep(5_000)
    talk.reload()
    assert dict(talk.group.members) == members
    assert talk.code_of(a) is ErrorCode.REBALANCE_IN_PROGRESS, "still called"
    talk.sleep(6_999)
    assert talk.code_of(a) is ErrorCode.REBALANCE_IN_PROGRESS
    talk.sleep(2_000)
    assert a.member_id in talk.group.members, "the call began at the takeover"
    talk.sleep(1)
    assert a.member_id not in talk.group.members
    assert talk.code(m2) is ErrorCode.NONE


def test_a_reload_by_the_same_owner_keeps_rejoins_and_sessions() -> None:
    a = Classic(session_ms=7_000, rebalance_ms=9_000)
    talk, _ = upgraded(a)
    talk.sleep(3_000)
    due = talk.group.due(talk.now)
    talk.reload(keep_live=True)
    assert talk.group.due(talk.now) == due


def test_a_stalled_node_fences_no_classic_member() -> None:
    a = Classic(session_ms=7_000, rebalance_ms=9_000)
    talk, _ = upgraded(a)
    talk.now += 100_000
    talk.group = talk.group.rearm(talk.now, 100_000)
    talk.step(events.Tick())
    assert a.member_id in talk.group.members


def test_in_a_full_group_members_rejoin_and_a_static_one_is_replaced() -> None:
    a, b = Classic(), Classic(instance_id="i1")
    talk = classic_group(a, b, group_consumer_max_size=3)
    talk.join("m2")
    full = ErrorCode.GROUP_MAX_SIZE_REACHED
    assert talk.ask(talk.join_event(Classic(member_id="new"))).error is full
    assert talk.ask(talk.join_event(Classic())).error is full
    assert talk.ask(talk.join_event(Classic(instance_id="i2"))).error is full
    talk.pulse(a)
    assert talk.ask(talk.join_event(a)).error is ErrorCode.NONE
    taken = talk.ask(talk.join_event(Classic(instance_id="i1")))
    assert taken.error is ErrorCode.NONE and len(talk.group.members) == 3


def test_a_returning_static_client_that_claims_partitions_first_gives_some_up() -> None:
    """It has no generation until then, as with Kafka; its commits are taken meanwhile, and what it
    works on by its own word is given to nobody."""
    a = Classic(instance_id="i1", cooperative=True)
    talk, m2 = upgraded(a)
    claims = replace(a, member_id="", generation=-1)
    joined = talk.ask(talk.join_event(claims))
    assert isinstance(joined, Joined) and (joined.error, joined.generation_id) == (0, 0)
    back = replace(claims, member_id=joined.member_id, generation=0, joined=joined, wants="sync")
    talk.go_on(back)
    lost = a.owned - back.owned
    assert lost and back.wants == "join"
    assert talk.commit(back, *a.owned) is ErrorCode.NONE
    assert talk.code_of(back) is ErrorCode.REBALANCE_IN_PROGRESS
    talk.converge_mixed(m2)
    assert not m2.owned, "the other still works on it"
    talk.live(back)
    talk.converge_mixed(m2)
    assert back.generation == talk.epoch
    assert {("foo", p) for p in m2.owned["foo"]} == lost


def test_a_classic_member_that_goes_on_under_its_id_owes_no_sync() -> None:
    """It was removed when the sync of its last classic join did not come."""
    a = Classic(rebalance_ms=10_000)
    talk, m2 = upgraded(a)
    talk.pulse(a)
    assert talk.ask(talk.join_event(a)).error is ErrorCode.NONE
    again = talk.join(a.member_id)
    for _ in range(4):
        talk.sleep(3_000)
        assert (talk.code(again), talk.code(m2)) == (ErrorCode.NONE, ErrorCode.NONE)


def test_a_classic_member_that_returns_as_a_static_one_of_the_other_protocol_is_static() -> None:
    a = Classic()
    talk, _ = upgraded(a)
    again = Client(a.member_id, ("foo",), instance_id="i1")
    assert talk.code(again) is ErrorCode.NONE
    assert talk.code(again) is ErrorCode.NONE


def test_a_member_that_goes_on_by_the_classic_protocol_is_not_asked_to_assign() -> None:
    talk = Crossing({"foo": 4})
    a = Client("a", ("foo",), instance_id="i1", said=(ClientAssignor("own"),))
    talk.beat(a)
    assert a.is_asked
    b = talk.join("b")
    talk.beat(a, member_epoch=-2)
    assert talk.enter(Classic(instance_id="i1")) is ErrorCode.NONE
    assert talk.target_epoch == talk.epoch, "the coordinator assigns at once"
    assert talk.code(b) is ErrorCode.NONE and talk.target_epoch == talk.epoch
