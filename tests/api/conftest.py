"""REST as automation meets it: Django's client with a token, over rows that a store wrote."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import Client

from console.people import api_tokens
from groups.core.group import JournalEntry
from groups.core.journal import EntryKind, Trigger
from groups.store import apply
from tests import factories
from tests.task_queue import broker as broker

Api = Callable[..., Client]

TAKE_SLOTS = "UPDATE rollcall_slot SET epoch = 1"


@pytest.fixture
def api(db: None) -> Api:
    """A client whose token's user holds these permissions of the groups application."""

    def made(*codenames: str) -> Client:
        user = get_user_model().objects.create_user(f"user-{len(codenames)}-{id(codenames)}")
        user.user_permissions.set(
            Permission.objects.filter(content_type__app_label="groups", codename__in=codenames)
        )
        _, secret = api_tokens.issue(user, user.username)
        return Client(headers={"authorization": f"Bearer {secret}"})

    return made


@pytest.fixture(autouse=True)
def _authorizer(settings: Any) -> None:
    """ACLs are created only where they are enforced."""
    settings.AUTHORIZER = "on"


@pytest.fixture
def viewer(api: Api) -> Client:
    """A user who may view everything."""
    return api(*(f"view_{name}" for name in ("group", "topic", "node", "reportrun", "operation")))


def write(*group_ids: str, size: int = 2, **columns: Any) -> None:
    """Groups with members, written by the store as their owner would; one rebalance each."""
    with connection.cursor() as cursor:
        cursor.execute(TAKE_SLOTS)
        members = [factories.member(f"m-{n}", position=n) for n in range(size)]
        births = [factories.birth(group_id, *members, **columns) for group_id in group_ids]
        factories.apply_with(cursor, factories.batch(*births))
        entry = JournalEntry(
            EntryKind.REBALANCE_COMPLETED,
            Trigger.MEMBER_LEFT,
            "a member left",
            "m-9",
            "worker-9",
            1,
            2,
            1_200,
            {"m-1": 1_200},
            client_reason="consumer closed",
        )
        changes = [
            apply.Write(
                factories.written(birth),
                factories.decision(factories.written(birth), journal=(entry,)),
            )
            for birth in births
        ]
        factories.apply_with(cursor, factories.batch(*changes))
