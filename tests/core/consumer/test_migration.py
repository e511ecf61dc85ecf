"""A group changes its protocol while it lives (cases MG-01 to MG-11; KIP-848, migration)."""

import struct
from dataclasses import replace

import pytest

from groups.core import events
from groups.core.assignment import assignment_of, partitions_of
from groups.core.classic.group import ClassicGroup
from groups.core.consumer.group import ConsumerGroup
from groups.core.conversion.policy import ALLOWED
from groups.core.errors import ErrorCode
from groups.core.replies import ConsumerBeaten, Joined, Synced
from groups.core.subscription import pack_protocols
from tests.core.consumer.crossing import Classic, Crossing, classic_group, upgraded
from tests.core.consumer.talk import Client
from tests.core.consumer.test_strangers import commit_in_transaction
from tests.core.consumer.wire_bytes import subscription

POLICIES = sorted(ALLOWED)
FOREIGN = ErrorCode.GROUP_ID_NOT_FOUND


# Empty groups


@pytest.mark.parametrize("policy", POLICIES)
def test_mg_01_an_empty_classic_group_takes_the_kind_of_the_next_member(policy: str) -> None:
    talk = Crossing({"foo": 2}, group_consumer_migration_policy=policy)
    alone = Classic()
    assert talk.commit(alone, ("foo", 1), member_id="", generation_id=-1) is ErrorCode.NONE
    m = talk.join("m")
    assert (talk.kind, m.epoch, m.told) == ("consumer", 2, {"foo": [0, 1]})
    assert talk.last is not None and not talk.last.offset_deletes
    entry = next(entry for entry in talk.journal if entry.kind == "group-converted")
    assert (entry.member_id, entry.details["from"], entry.details["to"]) == (
        "m", "classic", "consumer",
    )  # fmt: skip


@pytest.mark.parametrize("policy", POLICIES)
def test_mg_02_an_empty_consumer_group_takes_the_kind_of_the_next_member(policy: str) -> None:
    talk = Crossing({"foo": 2}, group_consumer_migration_policy=policy)
    m = talk.join("m")
    talk.beat(m, member_epoch=-1)
    epoch = talk.epoch
    a = Classic()
    talk.live(a)
    assert (talk.kind, talk.state, a.works_on) == ("classic", "Stable", {"foo": [0, 1]})
    assert a.generation == epoch + 1, "a number is never given out twice"
    assert talk.code(m, member_epoch=2) is FOREIGN


def vacated() -> tuple[Crossing, Client]:
    """A group that had a member, and offsets, and a client whose join was refused."""
    talk = Crossing({"foo": 2})
    m = talk.join("m")
    talk.beat(m, member_epoch=-1)
    assert talk.commit(Classic(), ("foo", 0), member_id="", generation_id=-1) is ErrorCode.NONE
    refused = talk.ask(talk.join_event(Classic(member_id="nope")))
    assert refused == Joined(error=ErrorCode.UNKNOWN_MEMBER_ID, member_id="nope")
    return talk, m


@pytest.mark.parametrize("reloads", [False, True])
def test_after_a_refused_join_former_members_cannot_continue_in_an_empty_group(
    reloads: bool,
) -> None:
    talk, m = vacated()
    if reloads:
        talk.reload()
    assert (talk.kind, talk.state) == ("consumer", "Empty"), "operators see it as it was"
    assert talk.code(m) is FOREIGN and talk.code(m, member_epoch=-1) is FOREIGN
    for epoch in (0, 2):
        gone = Classic(member_id="m", generation=epoch)
        assert talk.commit(gone, ("foo", 0)) is FOREIGN
        assert commit_in_transaction(talk, "m", epoch, ("foo", 0)) is ErrorCode.ILLEGAL_GENERATION
    assert commit_in_transaction(talk, "", -1, ("foo", 0)) is ErrorCode.NONE
    assert talk.ask(events.DeleteGroup()).error is FOREIGN
    epoch = talk.epoch
    n = talk.join("n")
    assert (talk.kind, n.epoch) == ("consumer", epoch + 1), "a number is never given out twice"
    assert talk.offsets == {("foo", 0): 7}
    talk.beat(n, member_epoch=-1)
    assert talk.code(n) is ErrorCode.UNKNOWN_MEMBER_ID, "it is a group as any other again"


def test_a_classic_member_and_a_plain_commit_find_the_emptied_group() -> None:
    talk, _ = vacated()
    epoch = talk.epoch
    a = Classic()
    talk.live(a)
    assert (talk.kind, a.generation) == ("classic", epoch + 1)
    talk, _ = vacated()
    assert talk.commit(Classic(), ("foo", 1), member_id="", generation_id=-1) is ErrorCode.NONE
    assert talk.ask(events.DeleteGroup()).error is ErrorCode.NONE


def test_a_join_with_a_session_out_of_bounds_does_not_change_an_empty_group() -> None:
    talk = Crossing({"foo": 2})
    talk.beat(talk.join("m"), member_epoch=-1)
    before = talk.group
    refused = talk.ask(talk.join_event(Classic(member_id="nope", session_ms=1)))
    assert refused.error is ErrorCode.INVALID_SESSION_TIMEOUT
    assert talk.group is before


def test_a_named_member_is_looked_up_before_its_protocols_are_checked() -> None:
    """Kafka's group is gone before it checks anything else than the session; without an id a
    join that offers nothing is refused."""
    talk = Crossing({"foo": 2})
    talk.beat(talk.join("m"), member_epoch=-1)
    before = talk.group
    offers_nothing = talk.ask(talk.join_event(Classic(names=())))
    assert offers_nothing.error is ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    for group in (before, talk.group):
        talk.group = group
        refused = talk.ask(talk.join_event(Classic(member_id="nope", names=())))
        assert refused.error is ErrorCode.UNKNOWN_MEMBER_ID
        assert talk.ask(events.DeleteGroup()).error is FOREIGN


def test_a_refused_heartbeat_does_not_drop_pending_ids() -> None:
    talk = Crossing({"foo": 2})
    a = Classic()
    talk.go_on(a)
    assert a.last is ErrorCode.MEMBER_ID_REQUIRED
    assert talk.code(Client("x", ("foo",), epoch=3)) is FOREIGN
    assert talk.enter(a) is ErrorCode.NONE


# The upgrade


def test_mg_03_a_classic_member_is_told_to_rejoin_and_its_requests_are_checked_as_before() -> None:
    a = Classic()
    talk, m2 = upgraded(a)
    assert (m2.epoch, m2.told) == (2, {})
    assert (talk.kind, talk.state, talk.epoch) == ("consumer", "Reconciling", 2)
    assert talk.group.durable.group.protocol_type == "consumer"
    assert talk.code_of(a) is ErrorCode.REBALANCE_IN_PROGRESS
    assert talk.code_of(a, 2) is ErrorCode.ILLEGAL_GENERATION
    assert talk.code_of(Classic(member_id="m2", generation=2)) is ErrorCode.UNKNOWN_MEMBER_ID
    for version in range(2, 10):
        assert talk.commit(a, ("foo", 0), version=version) is ErrorCode.NONE
    assert talk.commit(a, ("foo", 0), generation_id=2) is ErrorCode.ILLEGAL_GENERATION
    entry = talk.journal[-2]
    assert (entry.kind, entry.member_id, entry.details["members"]) == ("group-converted", "m2", 1)


def test_an_upgrade_that_would_lose_an_assignors_user_data_is_refused() -> None:
    a = Classic()
    talk = classic_group(a)
    group = talk.group
    theirs = assignment_of({("foo", 0)}, 1)[:-4] + struct.pack(">i", 3) + b"own"
    row = replace(group.durable.members[a.member_id], assignment=theirs)
    members = {**group.durable.members, a.member_id: row}
    talk.group = ClassicGroup(replace(group.durable, members=members), group.live, group.rules)
    reply = talk.beat(Client("m2", ("foo",)))
    assert reply.error is FOREIGN and "user data" in (reply.detail or "")
    assert talk.kind == "classic" and talk.code_of(a) is ErrorCode.NONE


def test_an_upgrade_withholds_nothing_of_a_generation_that_was_never_synced() -> None:
    a = Classic()
    talk = classic_group(a)
    for topics in (("bar",), ("foo",)):
        a.topics = topics
        assert talk.ask(talk.join_event(a)).error is ErrorCode.NONE
    m2 = talk.join("m2")
    assert sum(map(len, (m2.told or {}).values())) == 1, "a holds nothing, so m2 has its share"


def test_mg_04_an_eager_member_revokes_everything_and_gets_its_part() -> None:
    a = Classic()
    talk, m2 = upgraded(a)
    assert talk.pulse(a) is ErrorCode.REBALANCE_IN_PROGRESS
    joined = talk.ask(talk.join_event(a))
    assert joined == Joined(
        member_id=a.member_id, generation_id=2, protocol_type="consumer", protocol_name="range"
    )
    sync = events.SyncGroup(
        generation_id=2, member_id=a.member_id, instance_id=None, assignments={},
        names_protocol=True, protocol_type="consumer", protocol_name="range",
    )  # fmt: skip
    inconsistent = Synced(error=ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
    assert talk.ask(replace(sync, protocol_name="roundrobin")) == inconsistent
    assert talk.ask(replace(sync, protocol_type=None)) == inconsistent
    outdated = talk.ask(replace(sync, generation_id=1))
    assert outdated == Synced(error=ErrorCode.ILLEGAL_GENERATION)
    synced = talk.ask(sync)
    assert isinstance(synced, Synced)
    assert set(partitions_of(synced.assignment) or ()) == {("foo", 0), ("foo", 1)}
    assert talk.beat(m2).assignment == {"id-foo": (2,)}
    assert talk.state == "Stable"


def test_mg_05_a_cooperative_member_keeps_its_part_throughout() -> None:
    a = Classic(cooperative=True)
    talk, m2 = upgraded(a)
    talk.pulse(a)
    joined = talk.ask(talk.join_event(a))
    assert isinstance(joined, Joined) and joined.generation_id == 1, "it has to give up first"
    a.joined, a.wants = joined, "sync"
    talk.go_on(a)
    assert (a.works_on, a.wants) == ({"foo": [0, 1]}, "join")
    assert talk.code_of(a) is ErrorCode.REBALANCE_IN_PROGRESS
    assert talk.beat(m2).assignment is None, "what was given up has not been said yet"
    assert talk.enter(a) is ErrorCode.NONE
    assert (a.generation, a.works_on) == (2, {"foo": [0, 1]})
    assert talk.code_of(a) is ErrorCode.NONE
    assert talk.beat(m2).assignment == {"id-foo": (2,)}


def test_mg_05_a_waiting_member_is_told_to_rejoin_when_a_partition_is_free() -> None:
    a = Classic()
    talk = Crossing({"foo": 2})
    m = talk.join("m")
    assert talk.enter(a) is ErrorCode.NONE
    assert (a.works_on, talk.code_of(a)) == ({}, ErrorCode.NONE)
    talk.converge_mixed(m)
    assert talk.code_of(a) is ErrorCode.REBALANCE_IN_PROGRESS
    talk.live(a)
    assert (a.works_on, m.owned) == ({"foo": [1]}, {"foo": [0]})
    assert talk.state == "Stable"


def test_mg_06_protocol_names_must_be_shared_and_ids_are_bare() -> None:
    a = Classic(names=("range", "sticky"))
    talk, _ = upgraded(a)
    other = talk.ask(talk.join_event(Classic(names=("roundrobin",))))
    assert other.error is ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    connect = talk.ask(talk.join_event(Classic(), protocol_type="connect"))
    assert connect.error is ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    unreadable = talk.ask(talk.join_event(Classic(member_id="b"), protocols=(("range", b"\x00"),)))
    assert unreadable.error is ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    first = talk.ask(talk.join_event(Classic()))
    assert isinstance(first, Joined) and first.error is ErrorCode.MEMBER_ID_REQUIRED
    assert "app" not in first.member_id and len(first.member_id) == 36
    assert talk.enter(Classic(member_id="any id will do")) is ErrorCode.NONE
    old = talk.ask(talk.join_event(Classic(), needs_member_id=False))
    assert old.error is ErrorCode.NONE, "a client of before KIP-394 is let in at once"


@pytest.mark.parametrize("policy", ["disabled", "downgrade"])
def test_mg_09_a_policy_may_forbid_the_upgrade(policy: str) -> None:
    a = Classic()
    talk = classic_group(a, group_consumer_migration_policy=policy)
    before = talk.group
    reply = talk.beat(Client("m2", ("foo",)))
    assert reply.error is FOREIGN
    assert reply.detail is not None and "policy" in reply.detail
    assert talk.group is before


@pytest.mark.parametrize("policy", ["disabled", "upgrade"])
def test_mg_09_a_policy_may_forbid_the_downgrade(policy: str) -> None:
    a = Classic()
    talk, m2 = upgraded(a, group_consumer_migration_policy="upgrade")
    talk.rules = replace(talk.rules, group_consumer_migration_policy=policy)
    talk.group = talk.group.with_rules(talk.rules)
    talk.beat(m2, member_epoch=-1)
    assert (talk.kind, talk.state) == ("consumer", "Assigning")
    assert talk.pulse(a) is ErrorCode.REBALANCE_IN_PROGRESS, "nobody else would compute a target"
    talk.live(a)
    assert (talk.state, a.works_on) == ("Stable", {"foo": [0, 1, 2]})


def test_mg_11_a_group_of_another_type_is_not_changed() -> None:
    talk = Crossing({"foo": 1})
    join = talk.join_event(Classic(), protocol_type="connect", needs_member_id=False)
    talk.ask(join)
    before = talk.group
    assert talk.code(Client("m", ("foo",))) is FOREIGN
    assert talk.group is before


def test_a_group_with_unreadable_metadata_or_shared_partitions_is_not_changed() -> None:
    talk = classic_group(Classic())
    row = next(iter(talk.group.durable.members.values()))
    unreadable = replace(row, subscription=pack_protocols((("range", b"\x00"),)))
    twin = replace(row, member_id="twin", position=row.position + 1)
    for rows in ({row.member_id: unreadable}, {row.member_id: row, "twin": twin}):
        durable = replace(talk.group.durable, members=rows)
        talk.group = type(talk.group).merge(durable, None, talk.rules, talk.now)
        reply = talk.beat(Client("m", ("foo",)))
        assert reply.error is FOREIGN and talk.kind == "classic"


def test_a_heartbeat_without_all_topics_is_asked_to_retry() -> None:
    talk = classic_group(Classic())
    early = Client("m", ("foo",))
    reply = talk.beat(early, topics={}, looked_up=frozenset())
    assert reply.error is ErrorCode.COORDINATOR_NOT_AVAILABLE and talk.kind == "classic"


def test_a_refused_new_member_changes_nothing() -> None:
    a = Classic()
    talk = classic_group(a, group_consumer_max_size=1)
    before = talk.group
    full = talk.beat(Client("m", ("foo",)))
    assert full.error is ErrorCode.GROUP_MAX_SIZE_REACHED
    bad = talk.beat(Client("m", ("foo",)), rack_id=" ")
    assert bad.error is ErrorCode.INVALID_REQUEST
    assert talk.group is before and not [e for e in talk.journal if e.kind == "group-converted"]


def test_held_joins_and_syncs_are_told_to_rejoin() -> None:
    a, b = Classic(), Classic()
    talk = classic_group(a)
    talk.go_on(b)
    talk.go_on(b)
    assert b.waits is not None and b.waits not in talk.mail
    talk.sleep(30_000)
    talk.join("m")
    assert talk.mail[b.waits].error is ErrorCode.REBALANCE_IN_PROGRESS
    assert b.member_id in talk.group.members, "the newcomer is part of the group already"
    a.session_ms = 6_000
    talk.sleep(44_000)
    assert b.member_id in talk.group.members, "nobody was silent while it waited"


def test_an_operator_waiting_for_a_generation_is_answered() -> None:
    a = Classic()
    talk = classic_group(a)
    talk.step(events.ForceRebalance(operation_id=9, actor="ops", reason="a test"))
    talk.join("m")
    assert talk.last is not None
    (operated,) = talk.last.operations
    assert (operated.operation_id, operated.error, operated.ended) == (9, ErrorCode.NONE, True)


def test_before_the_first_generation_a_members_preferred_protocol_counts() -> None:
    talk = Crossing({"foo": 2, "bar": 2}, group_initial_rebalance_delay_ms=3_000)
    first, second = subscription(("foo",), frozenset(), 1), subscription(("bar",), frozenset(), 1)
    offered = (("range", first), ("roundrobin", second))
    talk.send(talk.join_event(Classic(), protocols=offered, needs_member_id=False))
    talk.join("m2", "bar")
    (a,) = [m for m in talk.group.members.values() if m.row.member_id != "m2"]
    assert a.topics == ("foo",)


# The downgrade


@pytest.mark.parametrize("way", ["leaves", "expires", "is evicted"])
def test_mg_07_when_the_last_consumer_protocol_member_leaves_the_others_rebalance(way: str) -> None:
    a = Classic(rebalance_ms=600_000, session_ms=600_000)
    talk, m2 = upgraded(a)
    talk.pulse(a)
    talk.live(a)
    epoch = talk.epoch
    if way == "leaves":
        talk.beat(m2, member_epoch=-1)
    elif way == "expires":
        talk.sleep(45_000)
    else:
        evict = events.EvictMember(operation_id=1, actor="x", reason="y", member_id="m2")
        talk.step(evict)
    assert (talk.kind, talk.state, talk.epoch) == ("classic", "PreparingRebalance", epoch)
    assert talk.code_of(a, epoch - 1) is ErrorCode.ILLEGAL_GENERATION
    assert talk.code_of(a) is ErrorCode.REBALANCE_IN_PROGRESS
    talk.live(a)
    assert (a.generation, a.works_on) == (epoch + 1, {"foo": [0, 1, 2]})
    assert talk.state == "Stable"
    entries = [e for e in talk.journal if e.kind == "group-converted"]
    assert [e.details["to"] for e in entries] == ["consumer", "classic"]
    again = talk.beat(Client("m3", ("foo",)))
    assert again.error is ErrorCode.NONE and talk.kind == "consumer"


def test_mg_07_the_others_are_described_with_their_targets_and_keep_what_they_work_on() -> None:
    """What Kafka shows until the next assignment; an upgrade gives nobody what they have."""
    a = Classic(rebalance_ms=600_000)
    talk, m2 = upgraded(a)  # a has all three, and has not heard that it is to keep two

    def told() -> object:
        assert isinstance(talk.group, ClassicGroup)
        [row] = [row for row in talk.group.roster() if row.member_id == a.member_id]
        return partitions_of(row.assignment)

    assert isinstance(talk.group, ConsumerGroup)
    goal = talk.group.members[a.member_id].target
    assert len(goal) < 3
    target: object = {("foo", p) for _, p in goal}
    talk.beat(m2, member_epoch=-1)
    assert (talk.state, told()) == ("PreparingRebalance", target)
    talk.reload()
    assert told() == target, "a takeover changes nothing"
    newcomer = Client("m3", ("foo",))
    talk.beat(newcomer)
    assert (talk.kind, newcomer.owned) == ("consumer", {})
    talk.beat(newcomer, member_epoch=-1)
    talk.pulse(a)
    talk.live(a)
    assert a.works_on == {"foo": [0, 1, 2]} and talk.state == "Stable"
    assert told() == {("foo", p) for p in range(3)}


def test_mg_07_the_journal_has_the_conversion_instead_of_an_unseen_epoch() -> None:
    talk, m2 = upgraded(Classic(rebalance_ms=600_000))
    talk.beat(m2, member_epoch=-1)
    assert talk.last is not None
    entries = [(entry.kind, entry.trigger, entry.member_id) for entry in talk.last.journal]
    assert entries == [
        ("group-converted", "member-left", "m2"), ("rebalance-started", "member-left", "m2"),
    ]  # fmt: skip


def test_mg_07_a_rebalance_after_the_conversion_survives_a_takeover() -> None:
    a = Classic()
    talk, m2 = upgraded(a)
    talk.beat(m2, member_epoch=-1)
    talk.reload()
    assert (talk.kind, talk.state) == ("classic", "PreparingRebalance")
    talk.pulse(a)
    talk.live(a)
    assert a.works_on == {"foo": [0, 1, 2]}


def test_mg_08_a_static_member_returns_by_the_classic_protocol_without_a_rebalance() -> None:
    a = Classic(cooperative=True)
    talk = classic_group(a)
    m2 = talk.join("m2", instance_id="i1")
    for _ in range(3):
        talk.live(a)
        talk.obey(m2)
    assert talk.state == "Stable" and m2.owned == {"foo": [2]}
    generation = talk.epoch
    back = Classic(instance_id="i1", cooperative=True)
    joined = talk.ask(talk.join_event(back))
    assert isinstance(joined, Joined) and len(joined.member_id) == 36
    assert (joined.leader, joined.members, joined.generation_id) == ("", (), generation)
    assert (talk.kind, talk.state, talk.epoch) == ("classic", "Stable", generation)
    back.member_id, back.generation = joined.member_id, joined.generation_id
    back.joined, back.wants = joined, "sync"
    talk.live(a, back)
    assert (a.works_on, back.works_on) == ({"foo": [0, 1]}, {"foo": [2]})
    assert talk.state == "Stable", "nobody joined again"
    assert talk.code(m2) is FOREIGN, "its successor has fenced it"


def test_a_heartbeat_with_the_instance_of_another_protocols_member_is_fenced() -> None:
    talk = Crossing({"foo": 1})
    talk.join("m", instance_id="i1")
    old = Classic(instance_id="i1", member_id="a", generation=2)
    assert talk.code_of(old) is ErrorCode.FENCED_INSTANCE_ID


def test_mg_08_while_members_return_no_partition_is_assigned_twice() -> None:
    a = Classic(cooperative=True)
    talk = classic_group(a)
    talk.join("m2", instance_id="i1")
    back = Classic(instance_id="i1", cooperative=True)
    assert talk.enter(back) is ErrorCode.NONE
    assert (talk.kind, talk.state, back.works_on) == ("classic", "Stable", {})
    assert talk.group.durable.group.leader == a.member_id
    assert talk.code_of(a) is ErrorCode.ILLEGAL_GENERATION, "it was behind, and joins again"
    for _ in range(3):
        talk.live(a, back)
        talk.pulse(back)
    talk.live(a, back)
    assert sorted(a.owned | back.owned) == [("foo", 0), ("foo", 1), ("foo", 2)]
    assert a.owned and back.owned and not a.owned & back.owned


def test_mg_08_with_other_topics_the_group_rebalances() -> None:
    a = Classic(cooperative=True)
    talk = classic_group(a)
    talk.join("m2", instance_id="i1")
    back = Classic(("bar",), instance_id="i1", cooperative=True)
    talk.ask(talk.join_event(back))
    assert (talk.kind, talk.state) == ("classic", "PreparingRebalance")


def test_a_static_member_changes_its_protocol_and_keeps_its_place() -> None:
    a, b = Classic(instance_id="i1"), Classic()
    talk = classic_group(a, b, foo=4)
    had = a.works_on
    up = Client("m", ("foo",), instance_id="i1")
    reply = talk.beat(up)
    assert (reply.error, talk.kind) == (ErrorCode.NONE, "consumer")
    assert (up.told, talk.state) == (had, "Stable"), "nothing had to move"
    assert talk.code_of(a) is ErrorCode.FENCED_INSTANCE_ID


def test_events_of_one_batch_are_converted_together() -> None:
    """A join, the answer to it, and a commit of a classic member, in one transaction."""
    a = Classic()
    talk = classic_group(a)
    beat = events.ConsumerHeartbeat(
        ticket=events.Ticket(2, 1), member_id="m2", member_epoch=0, instance_id=None, rack_id=None,
        client_id="app", client_host="/h", rebalance_timeout_ms=9_000,
        subscribed_topic_names=("foo",), server_assignor=None, owned={},
        topics={"foo": ("id-foo", 3)}, looked_up=frozenset({"foo"}),
    )  # fmt: skip
    commit = events.OffsetCommit(
        ticket=events.Ticket(2, 2), generation_id=1, member_id=a.member_id, instance_id=None,
        offsets=(events.OffsetWrite("foo", 0, 9, -1, ""),), version=7,
    )  # fmt: skip
    leave = replace(beat, ticket=events.Ticket(2, 3), member_epoch=-1)
    revision = talk.revision
    decision = talk.step(beat, commit, leave)
    assert [answer.reply.error for answer in decision.answers] == [ErrorCode.NONE] * 3
    assert isinstance(decision.answers[0].reply, ConsumerBeaten)
    assert [write.offset for write in decision.offsets] == [9]
    assert (talk.kind, talk.state) == ("classic", "PreparingRebalance")
    assert talk.revision == revision + 1, "one revision for all of it"


def test_a_freeze_does_not_delay_a_rebalance_that_goes_on_after_the_last_consumer_left() -> None:
    """Nor does a downgrade forget it: it is one rebalance, with both causes."""
    a = Classic(rebalance_ms=600_000)
    talk, m2 = upgraded(a)  # a has not revoked yet
    talk.guard(frozen=True)
    talk.beat(m2, member_epoch=-1)
    assert (talk.kind, talk.state) == ("classic", "PreparingRebalance")
    talk.pulse(a)
    talk.live(a)
    assert a.works_on == {"foo": [0, 1, 2]}
    (ended,) = [e.why for e in talk.journal[-4:] if e.kind == "rebalance-completed"]
    assert ended is not None
    assert [cause.trigger for cause in ended.causes] == ["member-joined", "member-left"]
    again = talk.join("m3")
    assert talk.kind == "consumer" and not again.owned, "the freeze puts off what is new"
    talk.beat(again, member_epoch=-1)
    assert (talk.kind, talk.state) == ("classic", "Stable"), "nothing was going on"


def test_a_rebalance_that_a_frozen_group_was_converted_in_ends_there() -> None:
    """All have what they keep until the thaw, so it has reached its target; a new owner may tell
    so, and tells it once."""
    a, b = Classic(rebalance_ms=600_000), Classic(rebalance_ms=600_000)
    talk = classic_group(a)
    talk.enter(b)  # it waits for a
    talk.guard(frozen=True)
    talk.sleep(2_000)
    talk.join("m3")
    (ended,) = [e.why for e in talk.journal[-3:] if e.kind == "rebalance-completed"]
    assert ended is not None
    assert [(one.member_id, one.ms) for one in ended.awaited] == [(a.member_id, 2_000)]
    told = len(talk.journal)
    talk.reload()
    assert [entry.kind for entry in talk.journal[told:]] == []


def test_what_a_downgrade_only_promised_is_free_for_a_classic_member() -> None:
    """Kafka counts a target that nobody has taken as held from a downgrade on, and gives a classic
    member of the next upgrade nothing; here it is free."""
    talk = Crossing({"foo": 4})
    c3, c4, c2 = (Classic(instance_id=name, rebalance_ms=600_000) for name in ("c3", "c4", "c2"))
    talk.go_on(c3)  # the leader, which has not synced
    talk.go_on(c4)  # its join waits for c3
    talk.beat(talk.join("m1"), member_epoch=-1)
    assert (talk.kind, talk.state) == ("classic", "PreparingRebalance"), "nobody took a target"
    talk.join("m1")
    talk.enter(c2)
    assert isinstance(talk.group, ConsumerGroup)
    held = [m.assigned for m in talk.group.members.values() if m.row.instance_id in ("c3", "c4")]
    assert held == [frozenset()] * 2
    assert c2.works_on == {"foo": [1]}, "what c3 was to get"


def test_a_frozen_group_with_raised_generations_accepts_its_first_consumer() -> None:
    """It has offsets and no members yet; its first target comes before the epoch that waits."""
    talk = Crossing({"foo": 3}, generations_after=41)
    assert talk.commit(Classic(), ("foo", 0), version=8) is ErrorCode.NONE
    talk.guard(frozen=True)
    client = talk.join("m")
    assert (client.epoch, talk.epoch, talk.target_epoch, client.told) == (42, 43, 42, {})
    talk.guard()
    talk.converge(client)
    assert client.owned == {"foo": [0, 1, 2]}
