"""When offsets expire: by their client's own word, by the group's end, by their commit's age."""

from random import Random

import pytest

from groups.core.classic.group import ClassicGroup
from groups.core.errors import ErrorCode
from groups.core.events import ExpireOffsets
from groups.core.expiry import Age, expired
from groups.core.group import Decision, Rules
from groups.core.rows import Durable
from tests import factories

RULES = Rules(offsets_retention_minutes=1)
MINUTE_MS = 60_000


def expire(group: Durable, *ages: Age, state_age_ms: int = 0) -> Decision:
    """What the group decides when the sweep asks it to look."""
    event = ExpireOffsets(
        operation_id=7, actor="retention", reason="r", state_age_ms=state_age_ms, ages=ages
    )
    return ClassicGroup.merge(group, None, RULES, 0).step([event], 1_000, Random(1))


def test_a_clients_own_limit_wins_over_the_setting() -> None:
    """OF-20."""
    over, not_yet = Age("t", 0, 5, left_ms=0), Age("t", 1, 10 * MINUTE_MS, left_ms=1)
    assert expired([over, not_yet], MINUTE_MS, None, ()) == [("t", 0)]


def test_an_offset_is_kept_up_to_the_last_millisecond() -> None:
    assert expired([Age("t", 0, MINUTE_MS - 1)], MINUTE_MS, None, ()) == []
    assert expired([Age("t", 0, MINUTE_MS)], MINUTE_MS, None, ()) == [("t", 0)]


def test_offsets_of_subscribed_topics_are_kept() -> None:
    ages = [Age("t", 0, MINUTE_MS), Age("u", 0, MINUTE_MS)]
    assert expired(ages, MINUTE_MS, None, {"t"}) == [("u", 0)]


def test_a_group_without_members_counts_from_the_moment_its_last_one_went() -> None:
    """OF-18."""
    group = factories.durable("g", revision=3)
    young = expire(group, Age("t", 0, 10 * MINUTE_MS), state_age_ms=MINUTE_MS - 1)
    assert young.offset_deletes == () and not young.deleted

    assert expire(group, Age("t", 0, 5), state_age_ms=MINUTE_MS).deleted


def test_a_simple_group_counts_from_each_commit() -> None:
    """OF-17."""
    group = factories.durable("g", revision=3, protocol_type="")
    ages = (Age("t", 0, MINUTE_MS), Age("t", 1, 5))
    decision = expire(group, *ages, state_age_ms=10 * MINUTE_MS)

    assert decision.offset_deletes == (("t", 0),) and not decision.deleted
    assert [(e.kind, e.trigger) for e in decision.journal] == [("offsets-expired", "retention")]


def test_the_last_offset_takes_the_empty_group_with_it() -> None:
    decision = expire(factories.durable("g", revision=3, protocol_type=""), Age("t", 0, MINUTE_MS))

    assert decision.deleted
    assert [(e.kind, e.trigger) for e in decision.journal] == [("group-deleted", "retention")]
    (operated,) = decision.operations
    assert (operated.error, operated.detail) == (ErrorCode.NONE, "the group was deleted")


def test_an_empty_group_that_never_committed_goes_at_once() -> None:
    assert expire(factories.durable("g", revision=3)).deleted


def test_a_live_group_is_never_deleted_and_one_of_another_protocol_loses_nothing() -> None:
    group = factories.durable("g", [factories.member()], revision=3, protocol_type="connect")
    decision = expire(group, Age("t", 0, 10 * MINUTE_MS))

    assert decision.offset_deletes == () and not decision.deleted


@pytest.mark.parametrize("state", ["PreparingRebalance", "CompletingRebalance"])
def test_a_rebalance_is_not_disturbed(state: str) -> None:
    going_on = {"must_rebalance": "operator"}
    group = factories.durable("g", [factories.member()], revision=3, state=state, details=going_on)
    decision = expire(group, Age("u", 0, 10 * MINUTE_MS))

    assert decision.offset_deletes == ()
    assert [o.detail for o in decision.operations] == ["the group is rebalancing"]


def test_a_deleted_group_says_so() -> None:
    assert [o.detail for o in expire(factories.nothing()).operations] == ["the group is gone"]


def test_what_a_transaction_may_still_commit_keeps_its_partition_and_the_group() -> None:
    group = factories.durable("g", revision=3, protocol_type="")
    waits, over = Age("t", 0, MINUTE_MS, is_pending=True), Age("t", 1, MINUTE_MS)
    decision = expire(group, waits, over)

    assert decision.offset_deletes == (("t", 1),) and not decision.deleted
    assert not expire(group, waits._replace(age_ms=0)).deleted, "not one was committed yet"
