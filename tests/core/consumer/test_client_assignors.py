"""Client-side assignors (KIP-848), as conversations: a member works the group's target out.

The design document says of them: "If the user chooses to use the client-side assignor, the
assignment will be computed by one of the member, and the assignment and revocation is done via the
heartbeat as server side mode." Headings of its rebalance flow and of its member state machine are
quoted where a story follows them.
"""

from typing import Any

import pytest

from groups.core import events
from groups.core.assignors.client_side import ClientAssignor
from groups.core.errors import ErrorCode
from groups.core.replies import Installed
from tests.core.consumer.client_talk import MINE, TIMEOUT_MS, ClientTalk, Shares
from tests.core.consumer.talk import Client

# -- "Rebalance Flow", "New Consumer Group"


def test_a_new_consumer_group_is_assigned_by_its_first_member() -> None:
    """ "PartitionAssignmentManager [...] realize the GroupState is in ASSIGN. Trigger assignment
    computation"; then "Invokes ConsumerRebalanceListener", by heartbeats as in server mode."""
    talk = ClientTalk()
    one, asked = talk.able("a")
    assert asked and one.told == {} and talk.state == "Assigning"

    view = talk.prepare(one)

    assert (view.group_epoch, view.assignor) == (talk.epoch, "mine")
    assert view.topics == {"foo": ("id-foo", 4)}
    (member,) = view.members
    assert member.subscriber.topics == {"id-foo"} and member.client_assignor == MINE[0]

    assert talk.install(one, view.group_epoch, {"a": {"foo": [0, 1, 2]}}) == Installed()
    talk.converge(one)
    assert talk.assigned(one) == {"foo": [0, 1, 2]}, "what it leaves out has no owner"
    assert (talk.facts["assignor"], talk.facts["assigned_by"]) == ("mine", "app")


def test_the_assignment_and_revocation_is_done_via_the_heartbeat_as_server_side_mode() -> None:
    talk = ClientTalk()
    one, two, three = talk.trio()
    assert talk.assigned(one) == {"foo": [0, 1]}

    talk.beat(three, member_epoch=-1)
    assert talk.is_asked(one)
    talk.assign(one, {"a": {"foo": [0]}, "b": {"foo": [1, 2, 3]}})

    assert talk.beat(two, owned=two.owned).assignment == {"id-foo": (2, 3)}, "1 is not free yet"
    talk.converge(one, two)
    assert talk.assigned(two) == {"foo": [1, 2, 3]}


def test_only_the_first_member_to_heartbeat_is_asked() -> None:
    talk = ClientTalk()
    one, two, three = talk.trio()
    talk.beat(three, member_epoch=-1)

    assert talk.is_asked(two)
    assert not talk.is_asked(one)
    assert talk.is_asked(two), "an answer may be lost: it is told until it has installed"
    assert talk.prepare(one).error is ErrorCode.ILLEGAL_GENERATION


def test_members_keep_working_with_a_short_interval_while_one_assigns() -> None:
    talk = ClientTalk()
    one, two, three = talk.trio()
    talk.beat(three, member_epoch=-1)
    talk.beat(one)

    reply = talk.beat(two)

    soon = talk.rules.group_consumer_pending_heartbeat_interval_ms
    assert (reply.heartbeat_interval_ms, reply.should_assign) == (soon, False)
    assert talk.assigned(two) == {"foo": [2]}


def test_the_view_has_targets_and_metadata_of_members() -> None:
    talk = ClientTalk()
    talk.trio()
    four, _ = talk.able("d", (ClientAssignor("mine", 7, 0, 3, 0, b"four cores"),), rack_id="r1")

    prepared = {m.subscriber.member_id: m for m in talk.prepare(four).members}
    assert prepared["a"].subscriber.held == {("id-foo", 0), ("id-foo", 1)}
    said = prepared["d"].client_assignor
    assert said is not None and (said.reason, said.metadata) == (7, b"four cores")
    assert prepared["d"].subscriber.rack_id == "r1"


# -- held heartbeats


def test_the_held_heartbeat_of_a_candidate_is_released() -> None:
    talk = ClientTalk()
    one, two, three = talk.trio()
    assert talk.group.is_settled("a", one.epoch)
    stock = talk.join("stock")

    assert not talk.group.is_settled("a", one.epoch), "it may be asked"
    assert not stock.told
    assert talk.is_asked(two)
    assert talk.group.is_settled("a", one.epoch), "another is asked: there is no news for it"
    assert not talk.group.is_settled("b", two.epoch)
    talk.assign(two, {"stock": {"foo": [0, 1, 2, 3]}})
    assert not talk.group.is_settled("a", one.epoch)
    talk.converge(one, two, three, stock)


# -- answers that are refused change nothing


@pytest.mark.parametrize(
    ("shares", "what"),
    [
        ({"a": {"foo": [4]}}, "a partition that does not exist"),
        ({"a": {"bar": [0]}}, "a topic that does not exist"),
        ({"a": {"foo": [0]}, "b": {"foo": [0]}}, "one partition for two"),
        ({"other": {"foo": [0]}}, "to who does not subscribe"),
        ({"a": {"foo": [0]}, "z": {"foo": [1]}}, "to nobody's id"),
    ],
)
def test_an_unusable_assignment_changes_nothing(shares: Shares, what: str) -> None:
    talk = ClientTalk({"foo": 4, "baz": 1})
    one, _ = talk.able("a")
    talk.able("b")
    talk.join("other", "baz")
    epoch = talk.prepare(one).group_epoch
    before = talk.group.durable

    answer = talk.install(one, epoch, shares)

    assert answer.error is ErrorCode.INVALID_REQUEST, what
    assert answer.detail is not None and "The assignor mine failed" in answer.detail
    assert talk.group.durable is before
    assert talk.install(one, epoch, {"b": {"foo": [1]}}) == Installed(), "it may do better"


def test_an_assignment_for_an_older_group_epoch_is_refused() -> None:
    talk = ClientTalk()
    one, _ = talk.able("a")
    epoch = talk.prepare(one).group_epoch
    talk.able("b")

    late = talk.install(one, epoch, {"a": {"foo": [0]}})

    assert late.error is ErrorCode.ILLEGAL_GENERATION
    assert late.detail == f"The group epoch is {epoch + 1}, not {epoch}."
    talk.assign(one, {"a": {"foo": [0]}, "b": {"foo": [1]}})


@pytest.mark.parametrize(
    ("over", "code"),
    [
        ({"member_id": "z"}, ErrorCode.UNKNOWN_MEMBER_ID),
        ({"member_epoch": 99}, ErrorCode.STALE_MEMBER_EPOCH),
        ({"member_id": "b"}, ErrorCode.ILLEGAL_GENERATION),
    ],
)
def test_only_the_asked_member_can_install(over: dict[str, Any], code: ErrorCode) -> None:
    talk = ClientTalk()
    one, _ = talk.able("a")
    two, _ = talk.able("b")
    assert one.epoch == two.epoch
    before = talk.group.durable

    assert talk.prepare(one, **over).error is code
    assert talk.install(one, talk.epoch, {}, **over).error is code
    assert talk.group.durable is before


def test_a_missing_group_is_not_found() -> None:
    talk = ClientTalk()
    nobody = Client("a", ())
    assert talk.prepare(nobody).error is ErrorCode.GROUP_ID_NOT_FOUND
    assert talk.install(nobody, 1, {}).error is ErrorCode.GROUP_ID_NOT_FOUND


def test_an_unsolicited_assignment_is_refused() -> None:
    talk = ClientTalk()
    one, _, _ = talk.trio()
    answer = talk.install(one, talk.epoch, {"a": {"foo": [0, 1, 2, 3]}})
    assert answer.error is ErrorCode.ILLEGAL_GENERATION


# -- guard rails, intervals, verbs


def test_a_freeze_cancels_the_round() -> None:
    talk = ClientTalk()
    one, two, three = talk.trio()
    talk.beat(three, member_epoch=-1)
    assert talk.is_asked(one)
    epoch = talk.prepare(one).group_epoch

    talk.guard(frozen=True)
    shares = {"a": {"foo": [0, 1]}, "b": {"foo": [2, 3]}}
    assert talk.install(one, epoch, shares).error is ErrorCode.ILLEGAL_GENERATION
    talk.sleep(2 * TIMEOUT_MS)
    assert not talk.is_asked(one) and not talk.is_asked(two)

    talk.guard()
    assert talk.is_asked(two)
    talk.assign(two, shares)
    talk.converge(one, two)


def test_a_round_continues_after_a_freeze() -> None:
    """What was put off begins with it: else the group would be due for ever."""
    talk = ClientTalk()
    one, two, three = talk.trio()
    talk.beat(three, member_epoch=-1)
    assert talk.is_asked(one)

    talk.guard(frozen=True)
    evict = events.EvictMember(operation_id=1, actor="x", reason="r", member_id=one.member_id)
    talk.step(evict)
    assert talk.group.durable.group.details["put_off"] == "operator"
    talk.guard()

    assert talk.group.durable.group.details["put_off"] is None
    assert talk.is_asked(two)
    talk.assign(two, {"b": {"foo": [0, 1, 2, 3]}})
    talk.converge(two)


def test_many_joins_within_the_interval_start_one_round() -> None:
    talk = ClientTalk(group_consumer_assignment_interval_ms=1_000)
    one, _ = talk.able("a")
    talk.assign(one, {"a": {"foo": [0, 1, 2, 3]}})
    clients = [one, *(talk.able(name)[0] for name in "bcd")]
    assert not any(talk.is_asked(client) for client in clients)

    talk.sleep(1_000)

    assert [talk.is_asked(client) for client in clients] == [True, False, False, False]
    talk.assign(one, {name: {"foo": [n]} for n, name in enumerate("abcd")})
    talk.converge(*clients)


def test_an_operator_can_force_a_new_round() -> None:
    talk = ClientTalk()
    one, two, three = talk.trio()
    decision = talk.step(events.ForceRebalance(operation_id=1, actor="ops", reason="x"))
    assert decision.operations[0].detail == "the target is being computed anew"
    assert talk.is_asked(two)
    talk.assign(two, {"a": {"foo": [0, 1, 2, 3]}})
    talk.converge(one, two, three)
