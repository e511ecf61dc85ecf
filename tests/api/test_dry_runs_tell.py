"""A dry run promises only what the act would do: each request that changes something, dry and then
in earnest, where it can be done and where it cannot; and each verb of a group, with what the rules
of its owner decide in every state of every kind of group."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

import pytest
from django.db import connection, transaction
from django.test import Client

from console.queries import groups, previews
from groups.core import events
from groups.core.drains import DrainMember, UndrainMember
from groups.core.group import Decision, Guards
from groups.core.group import Group as RuledGroup
from groups.core.kinds import KINDS
from groups.core.operations import Name
from groups.core.pauses import Pause, PauseWork, ResumeWork, Target, decide
from groups.core.rows import Durable
from groups.models import Group
from groups.store.apply import Write
from tests import factories
from tests.api.asked import everything
from tests.api.conftest import TAKE_SLOTS
from tests.api.test_dry_runs import anybody
from tests.core import every_kind
from tests.core.every_kind import NOW, RULES, decided, written

__all__ = ["anybody"]

pytestmark = pytest.mark.django_db

# -- Requests ---------------------------------------------------------------------------------

TABLES: Final = (
    "member", "group", "offset", "topic", "operation", "acl", "quota", "credential", "drain",
    "node", "webhook_delivery", "webhook_secret", "webhook_cursor", "webhook", "acknowledgement",
    "group_config",
)  # fmt: skip

STATES: Final[Mapping[str, str]] = {
    "as it is": "SELECT 1",
    "all is gone": "; ".join(f"DELETE FROM rollcall_{table}" for table in TABLES),
    "the groups rebalance": "UPDATE rollcall_group SET state = 'PreparingRebalance'",
    "no node lives": "UPDATE rollcall_node SET beat_at = now() - interval '1 day'",
}


@pytest.mark.parametrize("state", STATES)
def test_a_request_is_refused_dry_as_in_earnest(
    anybody: Client, state: str, broker: Any, settings: Any
) -> None:
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "DEFAULT_THROTTLE_CLASSES": []}
    asked = [one for one in everything() if one.method not in ("GET", "HEAD")]
    with connection.cursor() as cursor:
        cursor.execute(STATES[state])
    differ = {}
    for one in asked:
        if one.operation_id.startswith("force_rebalance"):
            one = one.but(body={**one.body, "on_in_progress": "reject"})
        dry = refusal(anybody, one.but(query={**one.query, "dry_run": "true"}))
        real = refusal(anybody, one)
        if dry != real:
            differ[one.operation_id] = dry, real
    assert differ == {}


def refusal(client: Client, asked: Any) -> int:
    """The status of a refusal, else 0; what the request does is undone."""
    with transaction.atomic():
        answer = asked.send(client)
        transaction.set_rollback(True)
    return int(answer.status_code) if answer.status_code >= 400 else 0


# -- Verbs of a group -------------------------------------------------------------------------

ORDER: Final[dict[str, Any]] = {"operation_id": 7, "actor": "olga", "reason": "try"}


def preparing(kind: str) -> RuledGroup:
    """A group in a rebalance that an operator forced."""
    return written(every_kind.settled(kind).group, events.ForceRebalance(**ORDER))


def joined(kind: str) -> RuledGroup:
    """A group whose member has not got its assignment yet."""
    return written(every_kind.ABSENT[kind](), every_kind.JOINS[kind])


GROUPS: Final[Mapping[str, Callable[[str], RuledGroup]]] = {
    "at work": lambda kind: every_kind.settled(kind).group,
    "emptied": every_kind.emptied,
    "joined": joined,
    "preparing": preparing,
}


@pytest.mark.parametrize("is_frozen", [False, True])
@pytest.mark.parametrize("state", GROUPS)
@pytest.mark.parametrize("kind", every_kind.ABSENT)
def test_a_plan_is_what_the_owner_would_decide(kind: str, state: str, is_frozen: bool) -> None:
    durable = GROUPS[state](kind).durable
    store(durable, is_frozen)
    rules = replace(RULES, guards=Guards(frozen=is_frozen))
    owners = KINDS[kind].merge(durable, None, rules, NOW)
    row = Group.objects.get(group_id="g")
    members = groups.members_of(row)
    generation = durable.group.generation
    for expected in (None, generation, generation + 1):
        event = events.ForceRebalance(**ORDER, expected_generation=expected)
        assert previews.rebalance(row, expected).would == outcome(owners, event), expected
    for member_id in (*durable.members, "nobody"):
        event_of_member = events.EvictMember(**ORDER, member_id=member_id)
        found = previews.evict(row, members, member_id)
        assert found.would == outcome(owners, event_of_member), member_id
        drain = DrainMember(**ORDER, member_id=member_id)
        assert previews.drain(row, members, member_id).would == outcome(owners, drain)
        undrain = UndrainMember(**ORDER, member_id=member_id)
        assert previews.undrain(row, members, member_id).would == outcome(owners, undrain)
    offset = events.OffsetWrite("t", 0, 1, -1, "")
    reset = events.ResetOffsets(**ORDER, how="to 1", offsets=(offset,))
    restored = events.RestoreOffsets(**ORDER, to="then", offsets=(offset,))
    removed = events.RemoveGroup(**ORDER)
    assert previews.offsets("g").would == outcome(owners, reset) == outcome(owners, restored)
    assert previews.delete("g").would == outcome(owners, removed)
    for verb, one in (("rebalance", previews.rebalance(row)), ("delete", previews.delete("g"))):
        is_refused = one.would == previews.REFUSED
        assert previews.refused(verb, ["g"]) == ({"g": one.sentences[0]} if is_refused else {})


def store(durable: Durable, is_frozen: bool = False) -> None:
    """Write a group's rows, and whether it is frozen."""
    group = KINDS[durable.group.kind].merge(durable, None, RULES, NOW)
    with connection.cursor() as cursor:
        cursor.execute(TAKE_SLOTS)
        write = Write(factories.nothing("g"), Decision(group=group))
        factories.apply_with(cursor, factories.batch(write))
        if is_frozen:
            cursor.execute(
                "INSERT INTO rollcall_group_config (group_id, slot, name, value, updated_at)"
                " VALUES ('g', 0, 'rollcall.freeze', 'true', now())"
            )


def outcome(group: RuledGroup, event: Any) -> str:
    """What the owner decides, in the words of a plan."""
    operated = decided(group, event).operations[-1]
    if operated.error:
        return previews.REFUSED
    return previews.CHANGED if operated.changed else previews.UNCHANGED


@pytest.mark.parametrize("held", [(), ("",), ("m-1",), ("i-2",), ("", "i-2"), ("m-1", "i-2")])
def test_a_plan_of_a_pause_is_what_the_owner_would_decide(held: tuple[str, ...]) -> None:
    members = [factories.member("m-1"), factories.member("m-2", instance_id="i-2", position=1)]
    durable = factories.durable("g", members)
    store(durable)
    pauses, existing = {}, replace(durable, revision=1)
    for number, name in enumerate(held, 1):
        target = Target({"": "group", "m-1": "member", "i-2": "instance"}[name], name)
        pauses[target] = Pause(target, number, "otto", "odd")
        with connection.cursor() as cursor:
            cursor.execute(PAUSED, [*target, number])
    row = Group.objects.get(group_id="g")
    seen = groups.members_of(row)
    for name in ("", "m-1", "m-2", "i-2"):
        for verb, kind in (("pause", PauseWork), ("resume", ResumeWork)):
            preview = previews.of(Name(verb), previews.Asked("g", row, seen, name))
            operated = decide(existing, pauses, kind(**ORDER, member_id=name)).operated
            expected = previews.CHANGED if operated.changed else previews.UNCHANGED
            assert preview.would == expected, (verb, name, operated)


PAUSED: Final = """
INSERT INTO rollcall_pause (group_id, scope, name, slot, pause_id, actor, reason, since)
VALUES ('g', %s, %s, 0, %s, 'otto', 'odd', now())
"""
