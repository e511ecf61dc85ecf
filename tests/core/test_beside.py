"""Freezes, and that requests about state beside a group are decided alike for every kind."""

from random import Random

import pytest

from groups.core import kinds
from groups.core.beside import RULES
from groups.core.configs import freeze
from groups.core.configs.freeze import Ends, FreezeChange, SetFreeze
from groups.core.configs.group import FREEZE
from groups.core.conversion.step import decide
from groups.core.errors import ErrorCode
from groups.core.group import Rules
from groups.core.pauses import PauseWork
from groups.runtime.committer import ENDS_STEP
from tests import factories

GROUP = factories.durable("g", [factories.member("anna")], revision=1)
FROZEN = {FREEZE: "true", "rollcall.max.members": "7"}
LATER, SAME, EARLIER = Ends(False, True), Ends(True, False), Ends(False, False)
NOON = "2026-11-28T12:00:00+00:00"


def verb(frozen: bool, **fields: object) -> SetFreeze:
    common = {"operation_id": 7, "actor": "olga", "reason": "an upgrade"}
    return SetFreeze(frozen=frozen, **common, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("asked", "detail", "change"),
    [
        (
            verb(True, until=NOON),
            "the group is frozen",
            FreezeChange(True, NOON, {FREEZE: "true"}),
        ),
        (verb(True, values=FROZEN, ends=SAME), "the group was frozen already", None),
        (
            verb(True, values=FROZEN, until=NOON, ends=LATER),
            "the group is frozen",
            FreezeChange(True, NOON, FROZEN),
        ),
        (verb(False), "the group was thawed already", None),
        (
            verb(False, values=FROZEN, ends=LATER),
            "the group is thawed",
            FreezeChange(False, None, {"rollcall.max.members": "7"}),
        ),
        (
            verb(False, values=FROZEN, until=NOON, ends=LATER),
            "the group was thawed already",
            None,
        ),
        (
            verb(False, values=FROZEN, until=NOON, ends=EARLIER),
            "the group is thawed",
            FreezeChange(False, NOON, {"rollcall.max.members": "7"}),
        ),
    ],
)
def test_a_freeze_is_a_setting_with_an_end(
    asked: SetFreeze, detail: str, change: FreezeChange | None
) -> None:
    operated, made = freeze.decide(GROUP, asked)

    assert (operated.error, operated.detail, made) == (ErrorCode.NONE, detail, change)
    assert operated.changed is (change is not None)


def test_neither_a_missing_group_nor_one_beyond_the_limit_is_frozen() -> None:
    absent = factories.durable("g", revision=0)

    gone, nothing = freeze.decide(absent, verb(True))
    full, none = freeze.decide(GROUP, verb(True, obstacle="there are 5 settings already"))

    assert (gone.error, nothing) == (ErrorCode.GROUP_ID_NOT_FOUND, None)
    assert (full.error, full.detail, none) == (
        ErrorCode.POLICY_VIOLATION,
        "there are 5 settings already",
        None,
    )


@pytest.mark.parametrize("kind", kinds.KINDS)
def test_every_kind_decides_them_alike_and_stays_as_it_is(kind: str) -> None:
    group = kinds.KINDS[kind].absent("g", Rules(), 0)
    for asked in (verb(True), PauseWork(operation_id=7, actor="olga", reason="an upgrade")):
        decision = decide(group, [asked], 0, Random(0))

        assert decision.group is group and decision.beside is None
        assert [each.error for each in decision.operations] == [ErrorCode.GROUP_ID_NOT_FOUND]


def test_each_is_the_last_of_its_step() -> None:
    """What follows is decided under the new freeze."""
    assert RULES.keys() <= ENDS_STEP
