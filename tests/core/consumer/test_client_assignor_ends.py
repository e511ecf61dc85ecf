"""When the member that assigns is late, fails, dies or changes its owner; and which assignor it is.

The design document of Kafka's consumer has one sentence on it: "the assignment will be computed by
one of the member". What follows when that one does not is ours (docs/decisions/0019).
"""

import pytest

from groups.core import events
from groups.core.assignors.client_side import ClientAssignor
from groups.core.consumer import client_rounds
from groups.core.errors import ErrorCode
from groups.core.replies import Installed
from tests.core.consumer.client_talk import MINE, TIMEOUT_MS, ClientTalk
from tests.core.consumer.talk import Client

# -- deadlines, deaths, and the server's assignor in the end


def test_another_member_is_asked_when_the_first_takes_too_long() -> None:
    talk = ClientTalk()
    one, two, three = talk.trio()
    talk.beat(three, member_epoch=-1)
    assert talk.is_asked(one)
    epoch = talk.prepare(one).group_epoch

    talk.sleep(TIMEOUT_MS - 1)
    assert not talk.is_asked(two)
    talk.sleep(1)
    assert talk.is_asked(two)

    assert talk.install(one, epoch, {}).error is ErrorCode.ILLEGAL_GENERATION
    talk.assign(two, {"a": {"foo": [0, 1]}, "b": {"foo": [2, 3]}})
    talk.converge(one, two)
    assert talk.reasons("assignor-failed") == ["said nothing in time"]
    assert "a" in talk.group.members, "it is late, not dead"


def test_the_group_configures_a_members_time_to_assign() -> None:
    talk = ClientTalk(group_consumer_assignment_timeout_ms=300)
    one, _ = talk.able("a")
    talk.sleep(299)
    assert talk.is_asked(one)
    talk.sleep(1)
    talk.converge(one)
    assert talk.facts["assignor"] == "uniform"


def test_the_coordinator_assigns_when_all_fail() -> None:
    talk = ClientTalk()
    one, two, three = talk.trio()
    stock = talk.join("stock")
    for client in (one, two, three):
        assert talk.is_asked(client)
        talk.fail(client, "ValueError: no")

    assert talk.target_epoch == talk.epoch, "at once, with the last failure"
    talk.converge(one, two, three, stock)
    assert talk.reasons("assignor-failed") == ["ValueError: no"] * 3
    assert talk.reasons("assignor-fell-back") == ["3 members gave no assignment: ValueError: no"]
    assert (talk.facts["assignor"], talk.facts["assigned_by"]) == ("uniform", None)
    assert talk.facts["fell_back"] == "mine: 3 members gave no assignment: ValueError: no"


def test_no_more_than_three_are_asked_for_one_target() -> None:
    talk = ClientTalk()
    clients = [talk.able(name)[0] for name in "abcde"]
    asked = [client.member_id for client in clients for _ in range(2) if talk.is_asked(client)]
    assert asked == ["a", "a"]
    for client in clients[: client_rounds.ATTEMPTS_MAX]:
        assert talk.is_asked(client)
        talk.fail(client, "no")
    assert talk.target_epoch == talk.epoch and talk.facts["assignor"] == "uniform"


def test_the_next_target_is_assigned_by_members_again() -> None:
    talk = ClientTalk()
    one, _ = talk.able("a")
    talk.fail(one, "no")
    talk.converge(one)

    two, asked = talk.able("b")

    assert asked
    talk.assign(two, {"a": {"foo": [0, 1, 2, 3]}})
    talk.converge(one, two)
    assert (talk.facts["assignor"], talk.facts["fell_back"]) == ("mine", None)


@pytest.mark.parametrize("how", ["leaves", "dies", "is evicted"])
def test_the_group_continues_when_the_asked_member_leaves(how: str) -> None:
    talk = ClientTalk(group_consumer_assignment_timeout_ms=100_000)
    one, two, three = talk.trio()
    stock = talk.join("stock")
    assert talk.is_asked(one)
    talk.prepare(one)

    if how == "leaves":
        talk.beat(one, member_epoch=-1)
    elif how == "dies":
        for _ in range(3):
            talk.sleep(20_000)
            for client in (two, three, stock):
                talk.beat(client)
    else:
        talk.step(events.EvictMember(operation_id=1, actor="ops", reason="x", member_id="a"))

    assert "a" not in talk.group.members
    asked = next(client for client in (two, three) if talk.is_asked(client))
    talk.assign(asked, {"stock": {"foo": [0, 1, 2, 3]}})
    talk.converge(two, three, stock)
    assert talk.assigned(stock) == {"foo": [0, 1, 2, 3]}


def test_a_static_member_that_leaves_temporarily_is_not_waited_for() -> None:
    talk = ClientTalk()
    one, _ = talk.able("a", instance_id="i")
    talk.assign(one, {"a": {"foo": [0, 1, 2, 3]}})
    two, asked = talk.able("b")
    assert asked
    talk.fail(two, "no")
    assert talk.is_asked(one)

    talk.beat(one, member_epoch=-2)
    _, asked = talk.able("c")

    assert asked, "and not after five seconds"


def test_when_the_asked_static_member_leaves_the_next_to_heartbeat_is_asked() -> None:
    talk = ClientTalk()
    one, _ = talk.able("a", instance_id="i")
    talk.assign(one, {"a": {"foo": [0, 1, 2, 3]}})
    two, asked = talk.able("b")
    three, _ = talk.able("c")
    assert asked
    talk.fail(two, "no")
    assert talk.is_asked(one) and not talk.is_asked(three)

    talk.beat(one, member_epoch=-2)

    assert talk.is_asked(three), "and not after five seconds"


def test_a_static_member_that_returns_under_another_id_is_asked_again() -> None:
    talk = ClientTalk()
    one, asked = talk.able("a", instance_id="i")
    assert asked
    talk.beat(one, member_epoch=-2)

    back, asked = talk.able("a2", instance_id="i")

    assert asked and talk.prepare(one).error is ErrorCode.UNKNOWN_MEMBER_ID
    talk.assign(back, {"a2": {"foo": [0, 1, 2, 3]}})
    talk.converge(back)


def test_the_wait_for_an_assignment_ends_without_heartbeats() -> None:
    talk = ClientTalk()
    one, _, three = talk.trio()
    stock = talk.join("stock")
    talk.sleep(talk.rules.group_consumer_heartbeat_interval_ms + TIMEOUT_MS - 1)
    assert talk.target_epoch < talk.epoch
    talk.sleep(1)
    assert talk.target_epoch == talk.epoch
    assert talk.reasons("assignor-fell-back") == ["no member that can run it was heard of in time"]
    assert (stock.epoch, one.epoch) == (three.epoch, three.epoch)


def test_continuous_joins_do_not_postpone_the_target_forever() -> None:
    """Each makes the answer on its way too old; the time that a member has is not prolonged."""
    talk = ClientTalk()
    one, _ = talk.able("a")
    for number in range(20):
        assert talk.is_asked(one) or number > 9
        epoch = talk.prepare(one).group_epoch
        talk.join(f"stock-{number:02}")
        assert talk.install(one, epoch, {}).error is ErrorCode.ILLEGAL_GENERATION
        talk.sleep(500)
        if talk.facts["assignor"] == "uniform":
            break
    assert number == 9, "five seconds"


# -- failover


def test_a_new_owner_asks_again() -> None:
    talk = ClientTalk()
    one, two, three = talk.trio()
    talk.beat(three, member_epoch=-1)
    assert talk.is_asked(one)
    epoch = talk.prepare(one).group_epoch

    talk.reload()

    shares = {"a": {"foo": [0, 1]}, "b": {"foo": [2, 3]}}
    assert talk.install(one, epoch, shares).error is ErrorCode.ILLEGAL_GENERATION, "not asked yet"
    assert talk.is_asked(two) and not talk.is_asked(one)
    talk.assign(two, shares)
    talk.converge(one, two)


def test_a_round_survives_a_reload_of_the_rows() -> None:
    talk = ClientTalk()
    one, _ = talk.able("a")
    epoch = talk.prepare(one).group_epoch
    talk.reload(keep_live=True)
    assert talk.install(one, epoch, {"a": {"foo": [0]}}) == Installed()


def test_a_stalled_node_gives_the_asked_member_its_full_time_again() -> None:
    talk = ClientTalk()
    one, _ = talk.able("a")
    talk.now += TIMEOUT_MS - 1
    talk.group = talk.group.rearm(talk.now, TIMEOUT_MS - 1)
    talk.sleep(TIMEOUT_MS - 1)
    assert talk.is_asked(one)


# -- which assignor, and who may run it


def test_a_mixed_group_uses_the_assignor_that_most_members_name() -> None:
    """Stock members that name nothing leave it to the others; one that names a server's assignor
    has a vote, like all others."""
    talk = ClientTalk()
    silent, other = talk.join("s1"), talk.join("s2")
    one, asked = talk.able("a")
    assert asked, "one name against none"
    range_one = talk.join("r1", assignor="range")
    assert talk.facts["assignor"] != "range" and talk.target_epoch < talk.epoch, "one against one"

    range_two = talk.join("r2", assignor="range")

    assert talk.target_epoch == talk.epoch and talk.facts["assignor"] == "range"
    talk.converge(silent, other, one, range_one, range_two)


def test_client_side_assignors_are_ranked_by_support_then_preference() -> None:
    ours, theirs = ClientAssignor("ours"), ClientAssignor("theirs")
    talk = ClientTalk()
    one, _ = talk.able("a", (theirs, ours))
    assert talk.prepare(one).assignor == "theirs"
    two, asked = talk.able("b", (ours,))
    assert asked and talk.prepare(two).assignor == "ours", "another assignor, another round"


def test_only_a_member_that_reads_every_version_is_asked() -> None:
    talk = ClientTalk()
    old, _ = talk.able("old", (ClientAssignor("mine", 0, 1, 1, 1),))
    new, asked = talk.able("new", (ClientAssignor("mine", 0, 1, 2, 2),))

    assert asked, "the old one does not read version 2"
    assert not talk.is_asked(old)
    talk.assign(new, {"old": {"foo": [0, 1]}, "new": {"foo": [2, 3]}})
    talk.converge(old, new)


def test_the_coordinator_assigns_where_no_member_reads_every_version() -> None:
    talk = ClientTalk()
    talk.able("old", (ClientAssignor("mine", 0, 1, 1, 1),))
    _, asked = talk.able("new", (ClientAssignor("mine", 0, 2, 2, 2),))
    assert not asked and talk.target_epoch == talk.epoch
    why = "no member reads versions 1 to 2 of its metadata"
    assert talk.reasons("assignor-fell-back") == [why]


def test_a_member_that_names_both_falls_back_to_the_servers_assignor() -> None:
    talk = ClientTalk()
    one, _ = talk.able("a", server_assignor="range")
    talk.fail(one, "no")
    assert talk.facts["assignor"] == "range"


def test_changed_metadata_starts_a_rebalance_and_unchanged_does_not() -> None:
    talk = ClientTalk()
    one, two, three = talk.trio()
    epoch = talk.epoch

    talk.beat(one, client_assignors=MINE)
    assert talk.epoch == epoch
    reply = talk.beat(one, client_assignors=(ClientAssignor("mine", 1, 0, 0, 0, b"twice"),))

    assert talk.epoch == epoch + 1 and talk.triggers()[-1] == "assignor-changed"
    assert reply.should_assign
    talk.assign(one, {"a": {"foo": [0, 1, 2, 3]}})
    talk.converge(one, two, three)


def test_a_member_can_withdraw_its_assignors() -> None:
    talk = ClientTalk()
    one, _ = talk.able("a")
    talk.beat(one, client_assignors=())
    talk.converge(one)
    assert talk.facts["assignor"] == "uniform"
    assert "client_assignors" not in talk.group.durable.members["a"].details


@pytest.mark.parametrize(
    "said",
    [
        (ClientAssignor(" "),),
        (ClientAssignor("mine", 0, 1, 2, 3),),
        (*MINE, *MINE),
        tuple(ClientAssignor(f"n{n}") for n in range(17)),
    ],
    ids=["blank", "unreadable to itself", "twice", "too many"],
)
def test_invalid_metadata_is_refused(said: tuple[ClientAssignor, ...]) -> None:
    talk = ClientTalk()
    reply = talk.beat(Client("a", ("foo",)), client_assignors=said)
    assert reply.error is ErrorCode.INVALID_REQUEST
    assert reply.detail is not None and "client-side assignor" in reply.detail
    assert not talk.group.members


def awaited(talk: ClientTalk) -> list[tuple[str, str, int, str]]:
    """Of the last rebalance that ended: member, act, milliseconds, end."""
    why = next(entry.why for entry in reversed(talk.journal) if entry.why is not None)
    return sorted((one.member_id, one.act, one.ms, one.end) for one in why.awaited)


def test_who_was_asked_and_gave_nothing_is_not_told_as_removed() -> None:
    talk = ClientTalk()
    one, asked = talk.able("a")
    assert asked
    talk.sleep(300)
    talk.fail(one, "it raised")
    talk.converge(one)
    assert awaited(talk) == [("a", "assign", 300, "failed")]


def test_who_is_removed_while_it_is_asked_and_has_to_revoke_is_named_with_both() -> None:
    talk = ClientTalk()
    one, _two, _three = talk.trio()
    talk.join("d")
    assert talk.is_asked(one)
    talk.assign(one, {"a": {"foo": [0]}, "b": {"foo": [2]}, "c": {"foo": [3]}, "d": {"foo": [1]}})
    talk.beat(one)
    talk.sleep(100)
    talk.join("e")
    assert talk.is_asked(one)
    talk.sleep(400)
    talk.beat(one, member_epoch=-1)

    assert talk.group.live.episode is not None
    why = talk.group.live.episode.explained(talk.now)
    told = {(each.act, each.ms, each.end) for each in why.awaited if each.member_id == "a"}
    assert {("assign", 400, "left"), ("revoke", 500, "left")} <= told
