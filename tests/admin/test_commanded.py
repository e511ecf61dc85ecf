"""A commanded group in the admin and over REST: for whom it waits, and who was excluded and why."""

from collections.abc import Sequence
from random import Random

import pytest
from django.db import connection
from django.test import Client

from console.people.staff_roles import VIEWER
from console.queries import groups
from console.queries.journal_text import sentence
from groups.core import events
from groups.core.commanded.group import CommandedGroup
from groups.core.group import Rules
from groups.models import Group
from groups.store import apply
from tests import factories
from tests.admin.test_groups import LIST, page
from tests.admin.visitors import text, visitor
from tests.api.conftest import TAKE_SLOTS
from tests.api.conftest import api as api
from tests.api.conftest import viewer as viewer

pytestmark = pytest.mark.django_db

PARTS = [0, 1, 2, 3]
RETRIES = 2
BACKOFF_MS = 1_000


class Owner:
    """A group that its owner decides and writes, event by event."""

    def __init__(self) -> None:
        self.now = 0
        rules = Rules(rebalance_max_retries=RETRIES, rebalance_backoff_ms=BACKOFF_MS)
        self.group = CommandedGroup.absent("g", rules, 0)
        with connection.cursor() as cursor:
            cursor.execute(TAKE_SLOTS)

    def step(self, *said: events.Event) -> None:
        decision = self.group.step(said, self.now, Random(1))
        write = apply.Write(self.group.durable, decision)
        with connection.cursor() as cursor:
            factories.apply_with(cursor, factories.batch(write))
        assert isinstance(decision.group, CommandedGroup)
        self.group = decision.group.with_revision(write.revision)

    def register(self, *names: str) -> None:
        for name in names:
            self.step(
                events.RegisterConsumer(
                    consumer_id=name, generation_id=-1, client_id=f"{name}-client",
                    client_host="/h", session_timeout_ms=10_000, threads={"t": 1}, counts={"t": 4},
                )
            )  # fmt: skip

    def done(self, *names: str) -> None:
        for name in names:
            row = self.group.durable.members[name]
            for command in row.commands:
                number = command.command_id
                self.step(events.AcknowledgeCommand(member_id=name, command_id=number))

    def nobody_answers(self, attempts: int) -> None:
        for _ in range(attempts):
            self.now += BACKOFF_MS
            self.step(events.Tick())


@pytest.fixture
def stuck() -> Owner:
    """Two consumers work, a third has come, and b acknowledges nothing."""
    owner = Owner()
    owner.register("a", "b")
    owner.done("a", "a", "b")
    owner.register("c")
    owner.done("a", "c")
    return owner


def facts(client: Client) -> dict[str, object]:
    return dict(client.get(page("g")).context["facts"])


def sentences() -> Sequence[str]:
    return [sentence(entry) for entry in groups.journal_of("g")]


def test_the_page_shows_whom_the_group_waits_for(stuck: Owner) -> None:
    client = visitor(VIEWER)
    assert facts(client)["Not acknowledged"] == "stop-fetcher: b-client"
    assert "PreparingRebalance" in text(client.get(page("g")))
    listed = client.get(f"{LIST}?type=commanded").context["cl"].result_list
    assert [group.group_id for group in listed] == ["g"]


def test_the_page_shows_who_was_excluded_and_why(stuck: Owner) -> None:
    stuck.nobody_answers(RETRIES + 1)
    shown = text(visitor(VIEWER).get(f"{page('g')}?tab=rebalances"))
    assert (
        "ConsumerRebalanceFailed: a consumer did not acknowledge stop-fetcher after 2 retries"
        " (3.0 s): b-client. It is expelled; their partitions move to others when they must have"
        " stopped."
    ) in shown
    assert (
        "The command was sent again, for the 2nd time: a consumer has not acknowledged"
        " stop-fetcher."
    ) in shown
    assert [m.state for m in groups.members_of(Group.objects.get(pk="g"))] == [
        "CompletingRebalance",
        "Expelled",
        "CompletingRebalance",
    ]


def test_a_settled_group_waits_for_nobody(stuck: Owner) -> None:
    stuck.done("b", "a", "b", "c")
    assert facts(visitor(VIEWER))["Not acknowledged"] == "nothing"
    assert any(line.startswith("Rebalanced to generation 2") for line in sentences())


def test_rest_returns_type_state_members_and_assignment(stuck: Owner, viewer: Client) -> None:
    stuck.done("b", "a", "b", "c")
    shown = viewer.get("/api/v1/groups/g").json()
    assert (shown["type"], shown["state"], shown["generation"]) == ("commanded", "Stable", 2)
    owned = {
        m["member_id"]: m["assignment"] for m in viewer.get("/api/v1/groups/g").json()["members"]
    }
    assert owned == {"a": {"t": [0, 1]}, "b": {"t": [2]}, "c": {"t": [3]}}
    (listed,) = viewer.get("/api/v1/groups?type=commanded").json()["data"]
    assert listed["group_id"] == "g"
