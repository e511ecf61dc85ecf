"""What is reported to the application of a stopped member: the library's rule alone."""

from hypothesis import given
from hypothesis import strategies as st

from rollcall.client import Change, Kind, Order, TopicPartition
from rollcall.client.core.pausing import Gate

STOP = Order(14, "olga: upgrade")


def some(*numbers: int) -> frozenset[TopicPartition]:
    """Partitions of one topic."""
    return frozenset(TopicPartition("t", number) for number in numbers)


def assigned(*numbers: int) -> Change:
    """They are the member's."""
    return Change(Kind.ASSIGNED, some(*numbers), 1)


def revoked(*numbers: int) -> Change:
    """They go."""
    return Change(Kind.REVOKED, some(*numbers), 1)


def test_stopping_revokes_and_starting_assigns_what_is_owned() -> None:
    gate = Gate()
    assert gate.passes(assigned(0, 1)) == assigned(0, 1)

    assert gate.turns(STOP, 1) == (Change(Kind.PAUSED, some(0, 1), 1),)
    assert gate.turns(None, 1) == (Change(Kind.RESUMED, some(0, 1), 1),)


def test_partitions_assigned_while_stopped_are_reported_when_work_starts() -> None:
    gate = Gate()
    gate.passes(assigned(0))
    gate.turns(STOP, 1)

    assert gate.passes(assigned(1, 2)) is None
    assert gate.turns(None, 2) == (
        Change(Kind.RESUMED, some(0), 2),
        Change(Kind.ASSIGNED, some(1, 2), 2),
    )


def test_partitions_assigned_and_revoked_while_stopped_are_never_reported() -> None:
    gate = Gate()
    gate.passes(assigned(0))
    gate.turns(STOP, 1)
    gate.passes(assigned(1))

    assert gate.passes(revoked(0, 1)) == revoked(0)
    assert gate.turns(None, 2) == (Change(Kind.RESUMED, frozenset(), 2),)


def test_a_second_pause_of_a_stopped_member_is_not_reported() -> None:
    gate = Gate()
    gate.turns(STOP, 1)
    assert gate.turns(Order(36, "otto: another"), 1) == ()
    assert gate.order == Order(36, "otto: another")


STEPS = st.lists(st.tuples(st.sampled_from(["come", "go", "stop", "start"]), st.integers(0, 4)))


@given(STEPS)
def test_the_application_never_works_while_stopped_and_misses_no_change(
    steps: list[tuple[str, int]],
) -> None:
    gate = Gate()
    owned: set[TopicPartition] = set()
    working: set[TopicPartition] = set()
    is_stopped = False

    def hears(change: Change | None) -> None:
        nonlocal is_stopped
        if change is None:
            return
        assert change.kind is not Kind.ASSIGNED or not is_stopped
        assert change.kind is not Kind.REVOKED or change.partitions <= working
        is_stopped = {Kind.PAUSED: True, Kind.RESUMED: False}.get(change.kind, is_stopped)
        if change.kind is Kind.ASSIGNED:
            working.update(change.partitions)
        elif change.kind is Kind.REVOKED:
            working.difference_update(change.partitions)

    for step, number in [*steps, ("start", 0)]:
        one = TopicPartition("t", number)
        if step == "come" and one not in owned:
            owned.add(one)
            hears(gate.passes(assigned(number)))
        elif step == "go" and one in owned:
            owned.discard(one)
            hears(gate.passes(revoked(number)))
        elif step in ("stop", "start"):
            for change in gate.turns(STOP if step == "stop" else None, 1):
                hears(change)
            assert is_stopped == (step == "stop")
    assert working == owned
