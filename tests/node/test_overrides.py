"""Settings and pauses of single groups in a node's memory: what is taken back, or belongs to a lost
slot, is not heeded any more."""

from random import Random
from typing import Final

from groups.core.group import Rules
from groups.core.pauses import WHOLE, Pause
from groups.core.rows import Durable, GroupRow, slot_of
from groups.runtime import loading
from groups.runtime.collaborators import Collaborators
from groups.runtime.entries import GroupOverrides
from groups.runtime.runtime import CoordinatorRuntime

LIMIT: Final = {"rollcall.max.commits.per.second": "5"}


def test_a_removed_limit_no_longer_applies() -> None:
    own = GroupOverrides(Rules())
    own.put("g", LIMIT, now=0)
    assert own.buckets["g"].per_second == 5

    own.put("g", {"consumer.session.timeout.ms": "50000"}, now=0)
    assert own.buckets == {}
    assert own.rules_of("g").group_consumer_session_timeout_ms == 50_000


def test_a_lost_slot_leaves_no_overrides() -> None:
    """Its next owner may take settings back, and they are not read for groups that have none."""
    own = GroupOverrides(Rules())
    own.put("g", LIMIT, now=0)
    own.paused.put("g", {WHOLE: Pause(WHOLE, 1, "olga", "a test")})
    own.forget({slot_of("g")})

    assert own.paused.of("g") == {}
    assert own.rules_of("g") is own.rules
    assert own.buckets == {}
    assert own.of_slots({slot_of("g")}) == set()


def test_setting_the_same_limit_again_does_not_refill_the_bucket() -> None:
    own = GroupOverrides(Rules())
    own.put("g", LIMIT, now=0)
    bucket = own.buckets["g"]
    own.put("g", dict(LIMIT), now=1_000)
    assert own.buckets["g"] is bucket
    own.put("g", {"rollcall.max.commits.per.second": "6"}, now=1_000)
    assert own.buckets["g"].per_second == 6


def test_settings_that_come_with_a_load_are_heeded_from_the_first_moment() -> None:
    made = CoordinatorRuntime(Rules(), lambda: 0, Random(1), Collaborators())
    row = GroupRow("g", "classic", "Empty", 7, "consumer", None, None, {})
    configs = {"g": {"rollcall.freeze": "true", **LIMIT}}
    loaded = {"g": Durable(row, {}, 5)}
    for merge in loading.adopting(made, {slot_of("g"): 1}, loaded, configs=configs):
        merge.run()

    assert made.entries["g"].group.rules.guards.frozen
    assert made.own.buckets["g"].per_second == 5
