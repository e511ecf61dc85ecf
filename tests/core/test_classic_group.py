"""What a transcript cannot show of a classic group: sizes, batches, and what a reload answers."""

from dataclasses import replace
from random import Random

import pytest

from groups.core import events
from groups.core.classic import work
from groups.core.classic.group import ClassicGroup, check_change
from groups.core.classic.join import ID_PREFIX_CHARS_MAX, new_member_id
from groups.core.errors import ErrorCode
from groups.core.group import Answer, Rules
from groups.core.replies import ErrorReply, Joined, Synced
from groups.core.rows import Durable, GroupRow, MemberRow
from groups.core.step import check_step
from groups.core.subscription import metadata_of, pack_protocols, protocol_names, unpack_protocols

RULES = Rules(group_initial_rebalance_delay_ms=0, group_quiet_window_ms=0)


def join(
    member_id: str = "", request: int = 1, client: str = "c", metadata: bytes = b"m"
) -> events.JoinGroup:
    return events.JoinGroup(
        ticket=events.Ticket(1, request),
        member_id=member_id,
        instance_id=None,
        client_id=client,
        client_host="/127.0.0.1",
        session_timeout_ms=10_000,
        rebalance_timeout_ms=60_000,
        protocol_type="consumer",
        protocols=(("range", metadata),),
    )


def sync(
    member_id: str, request: int, generation: int, assignments: dict[str, bytes] | None = None
) -> events.SyncGroup:
    return events.SyncGroup(
        ticket=events.Ticket(2, request),
        generation_id=generation,
        member_id=member_id,
        instance_id=None,
        assignments=assignments or {},
    )


class Owner:
    """A node that commits every step."""

    def __init__(self, rules: Rules = RULES) -> None:
        self.rules, self.now, self.revision = rules, 1_000, 0
        self.rng = Random(3)
        self.group = ClassicGroup.absent("g", rules, self.now)

    def step(self, *batch: events.Event) -> tuple[Answer, ...]:
        decision = self.group.step(batch, self.now, self.rng)
        group = decision.group
        assert isinstance(group, ClassicGroup)
        self.journal = decision.journal
        if group.durable is not self.group.durable:
            self.revision += 1
            group = group.with_revision(self.revision)
        self.group = group
        return decision.answers

    def members(self, count: int) -> list[str]:
        """Bring that many members into one generation, and give their ids."""
        self.step(*(join(request=n, client=f"c{n}") for n in range(count)))
        self.step(*(join(m, request=900) for m in list(self.group.durable.members)))
        return list(self.group.durable.members)


def stable(count: int) -> tuple[Owner, list[str]]:
    """A stable group in which every member has fetched its assignment."""
    owner = Owner()
    members = owner.members(count)
    generation = owner.group.durable.group.generation
    work = dict.fromkeys(members, b"w")
    owner.step(*(sync(m, n, generation, work) for n, m in enumerate(members)))
    assert owner.group.durable.group.state == "Stable"
    return owner, members


def test_a_generated_member_id_truncates_a_long_client_id() -> None:
    member_id = new_member_id("x" * 30_000, Random(1))
    assert len(member_id) == ID_PREFIX_CHARS_MAX + 1 + 36
    assert member_id[ID_PREFIX_CHARS_MAX + 1 + 14] == "4", "a random UUID"


def test_above_the_limit_the_oldest_pending_ids_are_dropped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(work, "HANDED_OUT_MAX", 3)
    owner, _ = stable(2)
    ids = []
    for client in range(5):
        ticket = events.Ticket(client, 1)
        (answer,) = owner.step(replace(join(), ticket=ticket, needs_member_id=True))
        assert isinstance(answer.reply, Joined)
        ids.append(answer.reply.member_id)
    assert list(owner.group.live.pending) == ids[2:] and list(owner.group.live.awaited) == [2, 3, 4]
    (answer,) = owner.step(join(ids[0], request=9))
    assert answer.reply == Joined(ErrorCode.UNKNOWN_MEMBER_ID, ids[0])


def test_a_rebalance_waits_for_a_pending_id_until_its_client_disconnects() -> None:
    owner, members = stable(2)
    (answer,) = owner.step(replace(join(request=1), needs_member_id=True))
    assert isinstance(answer.reply, Joined)
    given = answer.reply.member_id
    owner.step(*(join(m, metadata=b"new", request=n) for n, m in enumerate(members, 2)))
    assert owner.group.durable.group.state == "PreparingRebalance"
    owner.step(events.IdsAbandoned(member_ids=(given, members[0], "nobody's")))
    assert owner.group.durable.group.state == "CompletingRebalance"
    assert list(owner.group.durable.members) == members
    owner.step(join(given, request=9))
    assert given in owner.group.live.joins, "the id is good for its session nevertheless"


def test_a_new_member_that_never_had_its_id_goes_with_its_connection() -> None:
    """Before version 4 of JoinGroup an id comes with the answer, and nobody else knows it."""
    owner, members = stable(2)
    owner.step(join(request=7), join(request=8), join(members[0], request=1))
    owner.step(events.IdsAbandoned(join=events.Ticket(1, 7)))
    owner.step(events.IdsAbandoned(join=events.Ticket(1, 1)))
    assert owner.group.durable.group.state == "PreparingRebalance"
    owner.step(join(members[1], request=2))
    assert owner.group.durable.group.state == "CompletingRebalance"
    assert len(owner.group.durable.members) == 3 and members[0] in owner.group.durable.members
    owner.step(events.IdsAbandoned(join=events.Ticket(1, 8)))
    assert len(owner.group.durable.members) == 3, "its join is answered"


def test_an_empty_group_goes_on_without_a_member_that_never_had_its_id() -> None:
    owner = Owner(replace(RULES, group_initial_rebalance_delay_ms=3_000))
    owner.step(join(request=1))
    owner.step(events.IdsAbandoned(join=events.Ticket(1, 1)))
    assert not owner.group.live.joins
    owner.now += 3_000
    owner.step(events.Tick())
    assert (owner.group.durable.group.state, owner.group.durable.members) == ("Empty", {})


def test_protocols_survive_packing_and_unpacking() -> None:
    protocols = (("range", b"\x00\x01"), ("naïve", b""), ("range", b"again"))
    packed = pack_protocols(protocols)
    assert unpack_protocols(packed) == protocols
    assert metadata_of(packed, "naïve") == b""
    assert protocol_names(packed) == ("range", "naïve", "range")


def test_a_held_sync_changes_nothing_durable() -> None:
    owner = Owner()
    members = owner.members(3)
    before = owner.group.durable
    generation = before.group.generation
    owner.step(sync(members[1], 1, generation), sync(members[2], 2, generation))
    assert owner.group.durable is before


def test_a_rejoin_while_preparing_changes_nothing_durable() -> None:
    owner, members = stable(3)
    owner.step(join(members[0], metadata=b"new"))
    before = owner.group.durable
    assert owner.step(join(members[1], request=2, metadata=b"new")) == ()
    assert owner.group.durable is before


def test_members_that_change_nothing_keep_their_row_over_a_generation() -> None:
    owner, members = stable(3)
    rows = dict(owner.group.durable.members)
    again = [join(m, n, client=rows[m].client_id) for n, m in enumerate(members)]
    owner.step(*again)
    assert owner.group.durable.group.generation == 3
    assert all(owner.group.durable.members[m] is rows[m] for m in members)


def test_a_journal_entry_about_many_members_names_few() -> None:
    owner = Owner(Rules(group_initial_rebalance_delay_ms=3_000, group_quiet_window_ms=0))
    owner.step(*(join(request=n) for n in range(300)))
    while not owner.group.durable.members:
        due = owner.group.due(owner.now)
        assert due is not None
        owner.now = due
        owner.step(events.Tick())
    (entry,) = owner.journal
    assert (len(entry.joined), entry.details["joined_count"]) == (50, 300)


def test_a_tick_that_finds_every_session_fresh_requests_a_later_one() -> None:
    owner, members = stable(2)
    first = owner.group.due(owner.now)
    assert first == owner.now + 10_000
    owner.now += 4_000
    generation = owner.group.durable.group.generation
    assert not any(
        owner.group.heartbeat_view().heartbeat(m, None, generation, owner.now) for m in members
    )
    owner.now = first
    assert owner.step(events.Tick()) == ()
    assert owner.group.due(owner.now) == first + 4_000


def test_joins_are_told_to_rejoin_when_the_rows_have_the_generation() -> None:
    owner, members = stable(2)
    owner.step(join(members[0], request=7, metadata=b"new"))
    parked = owner.group.live
    owner.step(join(members[1], request=8, metadata=b"new"))
    after = ClassicGroup.merge(owner.group.durable, parked, RULES, owner.now)
    (answer,) = after.resume([events.Ticket(1, 7)])
    assert answer.reply == Joined(error=ErrorCode.REBALANCE_IN_PROGRESS, member_id=members[0])


def test_held_syncs_get_the_assignment_when_the_rows_have_it() -> None:
    owner = Owner()
    first, second = owner.members(2)
    generation = owner.group.durable.group.generation
    owner.step(sync(second, 7, generation))
    held = owner.group.live
    owner.step(sync(first, 8, generation, {second: b"mine"}))
    after = ClassicGroup.merge(owner.group.durable, held, RULES, owner.now)
    (answer,) = after.resume([events.Ticket(2, 7)])
    assert isinstance(answer.reply, Synced)
    assert answer.reply.assignment == b"mine"


def test_an_unknown_ticket_is_told_not_coordinator() -> None:
    owner, _ = stable(1)
    (answer,) = owner.group.resume([events.Ticket(9, 9)])
    assert answer.reply == ErrorReply(ErrorCode.NOT_COORDINATOR)


def test_rows_read_in_any_order_are_members_in_order_of_arrival() -> None:
    owner, members = stable(3)
    durable = owner.group.durable
    shuffled = Durable(
        durable.group, dict(reversed(list(durable.members.items()))), durable.revision
    )
    merged = ClassicGroup.merge(shuffled, None, RULES, owner.now)
    assert list(merged.durable.members) == members


def member(member_id: str, instance_id: str | None = None) -> MemberRow:
    return MemberRow(member_id, instance_id, "c", "/h", 10_000, 60_000, 0)


def rows(state: str, generation: int, *members: MemberRow, **columns: object) -> Durable:
    group = GroupRow("g", "classic", state, generation, **columns)  # type: ignore[arg-type]
    return Durable(group, {m.member_id: m for m in members}, 1)


WRONG = {
    "the generation fell": (rows("Empty", 5), rows("Empty", 4)),
    "the leader is no member": (rows("Empty", 1), rows("PreparingRebalance", 1, leader="x")),
    "an empty group has members": (rows("Empty", 1), rows("Empty", 2, member("a"))),
    "a member joined a generation": (
        rows("PreparingRebalance", 1),
        rows("PreparingRebalance", 1, member("a")),
    ),
    "no rebalance is owed": (
        rows("PreparingRebalance", 1, member("a")),
        rows("PreparingRebalance", 1),
    ),
    "without a protocol": (
        rows("PreparingRebalance", 1, member("a")),
        rows("CompletingRebalance", 2, member("a"), leader="a"),
    ),
}


@pytest.mark.parametrize("complaint", WRONG)
def test_the_invariant_check_detects_a_broken_state(complaint: str) -> None:
    before, after = WRONG[complaint]
    with pytest.raises(AssertionError, match=complaint):
        check_step(before, after, (), check_change)


def test_the_invariant_check_detects_a_ticket_answered_twice() -> None:
    same = rows("Empty", 1)
    twice = Answer(events.Ticket(1, 1), Joined())
    with pytest.raises(AssertionError, match="answered twice"):
        check_step(same, same, (twice, twice), check_change)
