"""What is paused, who has to obey, and how an order is numbered: rules alone, as stories."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groups.core.errors import ErrorCode
from groups.core.pauses import (
    INSTANCE,
    MEMBER,
    ORDERS_FROM,
    RUNNING,
    WHOLE,
    Pause,
    Pauses,
    PauseWork,
    ResumeWork,
    Ruling,
    Target,
    decide,
    obeyed,
    order_for,
)
from groups.core.rows import Durable
from tests import factories

ANNA = factories.member("anna")
BERT = factories.member("bert", position=1, instance_id="desk-2")
GROUP = factories.durable("g", [ANNA, BERT], revision=1)


def stop(
    number: int, name: str = "", group: Durable = GROUP, pauses: Pauses | None = None
) -> Ruling:
    """An operator stops a group or a member."""
    verb = PauseWork(operation_id=number, actor="olga", reason="upgrade", member_id=name)
    return decide(group, pauses or {}, verb)


def start(number: int, pauses: Pauses, name: str = "", group: Durable = GROUP) -> Ruling:
    """An operator starts a group or a member."""
    verb = ResumeWork(operation_id=number, actor="olga", reason="done", member_id=name)
    return decide(group, pauses, verb)


def test_a_stopped_group_stops_present_and_future_members() -> None:
    ruling = stop(7)

    assert ruling.pauses == {WHOLE: Pause(WHOLE, 7, "olga", "upgrade")}
    assert ruling.operated.error is ErrorCode.NONE
    assert ruling.entry is not None and ruling.entry.kind == "paused"
    assert ruling.entry.reason == "olga stopped the group's work: upgrade"
    for member_id in ("anna", "bert", "somebody who comes later"):
        order = order_for(ruling.pauses, member_id, None, ORDERS_FROM)
        assert order is not None and order.stops and order.reason == "olga: upgrade"


def test_a_stopped_member_does_not_stop_the_others() -> None:
    pauses = stop(7, "anna").pauses

    assert order_for(pauses, "anna", None, ORDERS_FROM) is not None
    assert order_for(pauses, "bert", "desk-2", ORDERS_FROM) is None


def test_a_static_member_stays_stopped_under_its_next_member_id() -> None:
    ruling = stop(7, "bert")

    assert set(ruling.pauses) == {Target(INSTANCE, "desk-2")}
    assert order_for(ruling.pauses, "bert-again", "desk-2", ORDERS_FROM) is not None
    assert stop(8, "desk-2").pauses.keys() == ruling.pauses.keys()  # by either name


def test_a_missing_group_or_member_cannot_be_stopped() -> None:
    absent = factories.durable("g", revision=0)

    assert stop(7, group=absent).operated.error is ErrorCode.GROUP_ID_NOT_FOUND
    assert stop(7, "clara").operated.error is ErrorCode.UNKNOWN_MEMBER_ID
    assert stop(7, "clara").entry is None


def test_a_second_stop_changes_nothing_and_names_the_first() -> None:
    pauses = stop(7).pauses
    again = stop(8, pauses=pauses)

    assert again.pauses == pauses and again.entry is None
    assert again.operated.detail == "it was stopped already, by olga: upgrade"


def test_starting_running_work_changes_nothing() -> None:
    ruling = start(8, {})
    assert (ruling.pauses, ruling.entry) == ({}, None)
    assert ruling.operated.detail == "it was not stopped"


def test_a_member_stopped_individually_stays_stopped_when_the_group_starts() -> None:
    pauses = stop(8, "anna", pauses=stop(7).pauses).pauses
    ruling = start(9, pauses)

    assert set(ruling.pauses) == {Target(MEMBER, "anna")}
    assert "what else is stopped stays so" in ruling.operated.detail
    order = order_for(ruling.pauses, "bert", "desk-2", ORDERS_FROM + 14)
    assert order is not None and not order.stops


def test_a_member_of_a_stopped_group_cannot_be_started_individually() -> None:
    pauses = stop(8, "anna", pauses=stop(7).pauses).pauses
    ruling = start(9, pauses, "anna")

    assert order_for(ruling.pauses, "anna", None, ORDERS_FROM + 14) is None  # it obeys 7, and shall
    assert "what else is stopped stays so" in ruling.operated.detail


def test_the_pause_of_a_dynamic_member_ends_with_it() -> None:
    """Its id is never used again; the next operation removes the row."""
    pauses = stop(7, "anna").pauses
    without = factories.durable("g", [BERT], revision=2)

    after = stop(8, group=without, pauses=pauses).pauses
    assert set(after) == {WHOLE}
    static = stop(7, "bert").pauses
    empty = factories.durable("g", revision=2)
    assert set(stop(8, group=empty, pauses=static).pauses) == {WHOLE, Target(INSTANCE, "desk-2")}


def test_the_pause_of_a_removed_member_can_be_ended() -> None:
    static = stop(7, "bert").pauses
    empty = factories.durable("g", revision=2)
    assert start(8, static, "desk-2", group=empty).pauses == {}


@pytest.mark.parametrize("last", [0, ORDERS_FROM, ORDERS_FROM + 3, ORDERS_FROM + 15])
def test_a_running_member_without_a_pause_gets_no_order(last: int) -> None:
    assert order_for({}, "anna", None, last) is None


def test_only_the_latest_order_is_sent() -> None:
    """Stopped by 7, started, stopped by 9, without contact to the member."""
    order = order_for(stop(9).pauses, "anna", None, ORDERS_FROM + 14)
    assert order is not None and (order.stops, obeyed(order.command_id)) == (True, 9)


VERBS = st.lists(
    st.tuples(st.booleans(), st.sampled_from(["", "anna", "bert", "desk-2"]), st.booleans()),
    max_size=20,
)


@given(VERBS)
def test_order_numbers_rise_and_follow_from_the_pauses(verbs: list[tuple[bool, str, bool]]) -> None:
    """However stops and starts follow one another, and whichever of them reach a member."""
    pauses: Pauses = {}
    last: Mapping[str, int] = {"anna": ORDERS_FROM, "bert": ORDERS_FROM}
    instances = {"anna": None, "bert": "desk-2"}
    for number, (stops, name, hears) in enumerate([*verbs, (True, "nobody", True)], 1):
        pauses = (
            stop(number, name, pauses=pauses) if stops else start(number, pauses, name)
        ).pauses
        for member_id, instance_id in instances.items() if hears else ():
            order = order_for(pauses, member_id, instance_id, last[member_id])
            if order is not None:
                assert order.command_id > last[member_id]
                last = {**last, member_id: order.command_id}
            covering = {WHOLE, Target(MEMBER, member_id), Target(INSTANCE, instance_id or "")}
            is_stopped = obeyed(last[member_id]) != RUNNING
            assert is_stopped == bool(covering & pauses.keys())
            assert order_for(pauses, member_id, instance_id, last[member_id]) is None
