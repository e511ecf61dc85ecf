"""Client-side assignors (KIP-848), as conversations: a member works the group's target out.

The design document says of them: "If the user chooses to use the client-side assignor, the
assignment will be computed by one of the member, and the assignment and revocation is done via the
heartbeat as server side mode." Headings of its rebalance flow and of its member state machine are
quoted where a story follows them.
"""

from collections.abc import Mapping
from typing import Any

import pytest

from groups.core import events
from groups.core.assignors.clients import ClientAssignor
from groups.core.consumer import rounds
from groups.core.errors import ErrorCode
from groups.core.replies import Installed, Prepared
from tests.core_consumer.talk import Client, Parts, Talk

MINE = (ClientAssignor("mine"),)
TIMEOUT_MS = 5_000

Shares = Mapping[str, Parts]


class ClientTalk(Talk):
    """A group whose members can assign: each says so when it joins."""

    def __init__(self, topics: Mapping[str, int] | None = None, **rules: Any) -> None:
        super().__init__({"foo": 4} if topics is None else topics, **rules)

    def able(
        self, member_id: str, said: tuple[ClientAssignor, ...] = MINE, **over: Any
    ) -> tuple[Client, bool]:
        """A member joins that can run these; it, and whether it is told to assign."""
        client = Client(member_id, ("foo",), over.pop("instance_id", None), said=said)
        assert self.beat(client, **over).error is ErrorCode.NONE
        return client, client.is_asked

    def prepare(self, client: Client, **over: Any) -> Prepared:
        said = {"member_id": client.member_id, "member_epoch": client.epoch, **over}
        reply = self.ask(events.PrepareAssignment(**said))
        assert isinstance(reply, Prepared)
        return reply

    def install(self, client: Client, epoch: int, shares: Shares, **over: Any) -> Installed:
        said: dict[str, Any] = {
            "member_id": client.member_id,
            "member_epoch": client.epoch,
            "group_epoch": epoch,
            "targets": {
                member: frozenset((f"id-{topic}", p) for topic in parts for p in parts[topic])
                for member, parts in shares.items()
            },
        }
        reply = self.ask(events.InstallAssignment(**{**said, **over}))
        assert isinstance(reply, Installed)
        return reply

    def assign(self, client: Client, shares: Shares) -> None:
        """An honest member does what it was told."""
        epoch = self.prepare(client).group_epoch
        assert self.install(client, epoch, shares) == Installed()

    def fail(self, client: Client, why: str) -> None:
        """An honest member whose assignor raised."""
        epoch = self.prepare(client).group_epoch
        assert self.install(client, epoch, {}, failure=why) == Installed()

    def is_asked(self, client: Client) -> bool:
        return self.beat(client).should_assign

    def trio(self) -> tuple[Client, Client, Client]:
        """Three members at rest; the first has assigned all of it to itself."""
        one, asked = self.able("a")
        assert asked
        self.assign(one, {"a": {"foo": [0, 1, 2, 3]}})
        self.obey(one)
        two, _ = self.able("b")
        three, _ = self.able("c")
        self.assign(two, {"a": {"foo": [0, 1]}, "b": {"foo": [2]}, "c": {"foo": [3]}})
        self.converge(one, two, three)
        return one, two, three

    @property
    def facts(self) -> Mapping[str, Any]:
        return self.group.durable.group.details

    def reasons(self, kind: str) -> list[str]:
        return [entry.reason for entry in self.journal if entry.kind == kind]


# -- "Rebalance Flow", "New Consumer Group"


def test_new_consumer_group_is_assigned_by_its_first_member() -> None:
    """ "PartitionAssignmentManager [...] realize the GroupState is in ASSIGN. Trigger assignment
    computation"; then "Invokes ConsumerRebalanceListener", by heartbeats as in server mode."""
    talk = ClientTalk()
    one, asked = talk.able("a")
    assert asked and one.told == {} and talk.state == "Assigning"

    view = talk.prepare(one)

    assert (view.group_epoch, view.assignor) == (talk.epoch, "mine")
    assert view.topics == {"foo": ("id-foo", 4)}
    (member,) = view.members
    assert member.subscriber.topics == {"id-foo"} and member.said == MINE[0]

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


def test_who_beats_first_is_asked_and_nobody_else() -> None:
    talk = ClientTalk()
    one, two, three = talk.trio()
    talk.beat(three, member_epoch=-1)

    assert talk.is_asked(two)
    assert not talk.is_asked(one)
    assert talk.is_asked(two), "an answer may be lost: it is told until it has installed"
    assert talk.prepare(one).error is ErrorCode.ILLEGAL_GENERATION


def test_everybody_works_on_and_comes_back_soon_while_one_assigns() -> None:
    talk = ClientTalk()
    one, two, three = talk.trio()
    talk.beat(three, member_epoch=-1)
    talk.beat(one)

    reply = talk.beat(two)

    soon = talk.rules.group_consumer_pending_heartbeat_interval_ms
    assert (reply.heartbeat_interval_ms, reply.should_assign) == (soon, False)
    assert talk.assigned(two) == {"foo": [2]}


def test_the_view_has_what_members_were_last_meant_to_have_and_what_they_say() -> None:
    talk = ClientTalk()
    talk.trio()
    four, _ = talk.able("d", (ClientAssignor("mine", 7, 0, 3, 0, b"four cores"),), rack_id="r1")

    told = {m.subscriber.member_id: m for m in talk.prepare(four).members}
    assert told["a"].subscriber.held == {("id-foo", 0), ("id-foo", 1)}
    said = told["d"].said
    assert said is not None and (said.reason, said.metadata) == (7, b"four cores")
    assert told["d"].subscriber.rack_id == "r1"


# -- held heartbeats


def test_a_held_heartbeat_of_whoever_may_be_asked_is_let_go() -> None:
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
def test_an_answer_that_cannot_be_gone_by_changes_nothing(shares: Shares, what: str) -> None:
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


def test_an_answer_for_an_older_group_epoch_is_refused() -> None:
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
def test_nobody_but_the_asked_member_is_heard(over: dict[str, Any], code: ErrorCode) -> None:
    talk = ClientTalk()
    one, _ = talk.able("a")
    two, _ = talk.able("b")
    assert one.epoch == two.epoch
    before = talk.group.durable

    assert talk.prepare(one, **over).error is code
    assert talk.install(one, talk.epoch, {}, **over).error is code
    assert talk.group.durable is before


def test_a_group_that_is_not_there_is_not_found() -> None:
    talk = ClientTalk()
    nobody = Client("a", ())
    assert talk.prepare(nobody).error is ErrorCode.GROUP_ID_NOT_FOUND
    assert talk.install(nobody, 1, {}).error is ErrorCode.GROUP_ID_NOT_FOUND


def test_nothing_is_installed_unasked() -> None:
    talk = ClientTalk()
    one, _, _ = talk.trio()
    answer = talk.install(one, talk.epoch, {"a": {"foo": [0, 1, 2, 3]}})
    assert answer.error is ErrorCode.ILLEGAL_GENERATION


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


def test_the_group_says_how_long_a_member_may_take() -> None:
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
    for client in clients[: rounds.ASKED_MAX]:
        assert talk.is_asked(client)
        talk.fail(client, "no")
    assert talk.target_epoch == talk.epoch and talk.facts["assignor"] == "uniform"


def test_the_next_target_is_the_members_again() -> None:
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
def test_the_group_goes_on_when_the_asked_member_goes(how: str) -> None:
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


def test_a_static_member_that_leaves_for_now_is_not_waited_for() -> None:
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


def test_a_static_member_that_comes_back_under_another_id_is_asked_anew() -> None:
    talk = ClientTalk()
    one, asked = talk.able("a", instance_id="i")
    assert asked
    talk.beat(one, member_epoch=-2)

    back, asked = talk.able("a2", instance_id="i")

    assert asked and talk.prepare(one).error is ErrorCode.UNKNOWN_MEMBER_ID
    talk.assign(back, {"a2": {"foo": [0, 1, 2, 3]}})
    talk.converge(back)


def test_nobody_is_waited_for_for_ever_when_no_member_beats() -> None:
    talk = ClientTalk()
    one, _, three = talk.trio()
    stock = talk.join("stock")
    talk.sleep(talk.rules.group_consumer_heartbeat_interval_ms + TIMEOUT_MS - 1)
    assert talk.target_epoch < talk.epoch
    talk.sleep(1)
    assert talk.target_epoch == talk.epoch
    assert talk.reasons("assignor-fell-back") == ["no member that can run it was heard of in time"]
    assert (stock.epoch, one.epoch) == (three.epoch, three.epoch)


def test_joins_without_end_do_not_put_the_target_off_without_end() -> None:
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


def test_a_round_outlives_a_reload_of_the_rows() -> None:
    talk = ClientTalk()
    one, _ = talk.able("a")
    epoch = talk.prepare(one).group_epoch
    talk.reload(keep_live=True)
    assert talk.install(one, epoch, {"a": {"foo": [0]}}) == Installed()


def test_a_node_that_slept_gives_the_asked_member_its_whole_time_again() -> None:
    talk = ClientTalk()
    one, _ = talk.able("a")
    talk.now += TIMEOUT_MS - 1
    talk.group = talk.group.rearm(talk.now)
    talk.sleep(TIMEOUT_MS - 1)
    assert talk.is_asked(one)


# -- which assignor, and who may run it


def test_a_mixed_group_goes_by_the_assignor_that_most_members_name() -> None:
    """Stock members that name nothing leave it to the others; one that names a server's assignor
    has a vote, like everybody."""
    talk = ClientTalk()
    silent, other = talk.join("s1"), talk.join("s2")
    one, asked = talk.able("a")
    assert asked, "one name against none"
    range_one = talk.join("r1", assignor="range")
    assert talk.facts["assignor"] != "range" and talk.target_epoch < talk.epoch, "one against one"

    range_two = talk.join("r2", assignor="range")

    assert talk.target_epoch == talk.epoch and talk.facts["assignor"] == "range"
    talk.converge(silent, other, one, range_one, range_two)


def test_of_two_client_side_assignors_the_one_that_more_name_then_more_prefer() -> None:
    ours, theirs = ClientAssignor("ours"), ClientAssignor("theirs")
    talk = ClientTalk()
    one, _ = talk.able("a", (theirs, ours))
    assert talk.prepare(one).assignor == "theirs"
    two, asked = talk.able("b", (ours,))
    assert asked and talk.prepare(two).assignor == "ours", "another assignor, another round"


def test_only_who_reads_every_version_is_asked() -> None:
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


def test_who_names_both_has_the_servers_as_its_fall_back() -> None:
    talk = ClientTalk()
    one, _ = talk.able("a", server_assignor="range")
    talk.fail(one, "no")
    assert talk.facts["assignor"] == "range"


def test_something_new_to_say_starts_a_rebalance_and_the_same_again_does_not() -> None:
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


def test_a_member_can_give_its_assignors_up() -> None:
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
def test_what_has_no_meaning_is_refused(said: tuple[ClientAssignor, ...]) -> None:
    talk = ClientTalk()
    reply = talk.beat(Client("a", ("foo",)), client_assignors=said)
    assert reply.error is ErrorCode.INVALID_REQUEST
    assert reply.detail is not None and "client-side assignor" in reply.detail
    assert not talk.group.members


# -- guard rails, intervals, verbs


def test_a_freeze_calls_the_round_off() -> None:
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


def test_many_joins_within_the_interval_make_one_round() -> None:
    talk = ClientTalk(group_consumer_assignment_interval_ms=1_000)
    one, _ = talk.able("a")
    talk.assign(one, {"a": {"foo": [0, 1, 2, 3]}})
    clients = [one, *(talk.able(name)[0] for name in "bcd")]
    assert not any(talk.is_asked(client) for client in clients)

    talk.sleep(1_000)

    assert [talk.is_asked(client) for client in clients] == [True, False, False, False]
    talk.assign(one, {name: {"foo": [n]} for n, name in enumerate("abcd")})
    talk.converge(*clients)


def test_an_operator_lets_the_members_assign_anew() -> None:
    talk = ClientTalk()
    one, two, three = talk.trio()
    decision = talk.step(events.ForceRebalance(operation_id=1, actor="ops", reason="x"))
    assert decision.operations[0].detail == "the target is being computed anew"
    assert talk.is_asked(two)
    talk.assign(two, {"a": {"foo": [0, 1, 2, 3]}})
    talk.converge(one, two, three)
