"""Rows of the test's own transaction, and a receiver."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from console.webhooks import endpoints
from groups.models import Webhook
from tests.webhooks.receivers import Receiver, receiving

Make = Callable[..., Webhook]


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    """A server that is allowed."""
    settings.WEBHOOKS_NETWORKS_ALLOW = "127.0.0.0/8"
    with receiving() as one:
        yield one


@pytest.fixture
def make(db: None, receiver: Receiver) -> Make:
    """Makes endpoints that lead to the receiver."""

    def made(name: str = "pager", **values: Any) -> Webhook:
        return endpoints.create({"name": name, "url": f"{receiver.url}/{name}", **values})[0]

    return made
