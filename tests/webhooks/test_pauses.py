"""A receiver that asks for a pause (``Retry-After``, RFC 9110) gets one."""

from collections.abc import Callable
from http.server import BaseHTTPRequestHandler

import pytest
from django.utils import timezone

from groups.models import WebhookDelivery
from tests.webhooks.conftest import Make
from tests.webhooks.receivers import Receiver
from tests.webhooks.test_deliveries import at_once, happened, turn

pytestmark = pytest.mark.django_db


def says_later(status: int, retry_after: str | None) -> Callable[[BaseHTTPRequestHandler], None]:
    """A receiver that asks for a pause."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        request.send_header("Content-Length", "0")
        if retry_after is not None:
            request.send_header("Retry-After", retry_after)
        request.end_headers()

    return answer


@pytest.mark.parametrize(
    ("status", "retry_after", "least_s", "most_s"),
    [
        (429, "120", 115, 125),
        (503, "120", 115, 125),
        (429, "99999999999", 3_595, 3_605),
        (429, None, 0.5, 5),
        (429, "soon", 0.5, 5),
        (503, "Fri, 31 Dec 9999 23:59:59 GMT", 3_595, 3_605),
        (429, "Sun, 06 Nov 1994 08:49:37 GMT", 0.5, 5),
    ],
)
def test_a_receiver_asks_for_a_pause(
    status: int,
    retry_after: str | None,
    least_s: float,
    most_s: float,
    make: Make,
    receiver: Receiver,
) -> None:
    """Nothing is sent until then: each of the events that waited was sent at once."""
    webhook = make()
    for _ in range(5):
        happened()
    receiver.answer = says_later(status, retry_after)
    turn()
    webhook.refresh_from_db()
    assert webhook.not_before is not None
    pause_s = (webhook.not_before - timezone.now()).total_seconds()
    assert least_s < pause_s < most_s
    assert len(receiver.got) == 1
    waiting = WebhookDelivery.objects.get(attempts=1)
    assert (waiting.next_at - timezone.now()).total_seconds() > min(least_s, 2)

    receiver.answer = 204
    at_once()
    turn()
    assert set(WebhookDelivery.objects.values_list("state", flat=True)) == {"delivered"}


def test_what_only_fails_keeps_nothing_else_from_being_sent(make: Make, receiver: Receiver) -> None:
    webhook = make()
    happened()
    happened()
    receiver.answer = says_later(500, "120")
    turn()
    webhook.refresh_from_db()
    assert (len(receiver.got), webhook.not_before) == (2, None)
