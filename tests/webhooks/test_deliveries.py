"""From an event to its receiver: signed, once where all goes well, again where it does not."""

import base64
import hashlib
import hmac
import json
import re
import select
import socket
import ssl
import threading
import time
from datetime import timedelta
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from console.queries import attention, journal_rows
from console.queries.fired import Fired, Place
from console.queries.journal_position import Gap, Position
from console.webhooks import delivering, endpoints, outbox, sending, sql
from console.webhooks.delivering import Due, again_s, deliver, due
from console.webhooks.settings import WebhookSettings
from groups.models import Journal, Webhook, WebhookCursor, WebhookDelivery
from tests.as_roles import role
from tests.security.certificates import Certificates
from tests.webhooks.conftest import Make
from tests.webhooks.receivers import Receiver

pytestmark = pytest.mark.django_db


LOCKS = """
SELECT count(*) FROM pg_locks
WHERE locktype = 'advisory' AND pid = pg_backend_pid() AND classid = %s
"""


def happened(group_id: str = "orders", kind: str = "stable", pk: int | None = None) -> Journal:
    """An entry of the journal."""
    columns = {
        "waited_for": {},
        "joined": [],
        "left": [],
        "details": {},
        "revision": 1,
        "node_id": 0,
    }
    numbers = {"generation_before": 0, "generation_after": 1}
    return Journal.objects.create(
        pk=pk, at=timezone.now(), group_id=group_id, kind=kind, **columns, **numbers
    )


def turn() -> None:
    """What the worker does every two seconds, as its role."""
    connection.ensure_connection()
    with role("rollcall_worker"):
        outbox.turn()
        for each in due():
            deliver(each.webhook)


def at_once() -> None:
    """What waits is due."""
    WebhookDelivery.objects.update(next_at=timezone.now())
    Webhook.objects.update(not_before=None)


def test_an_entry_is_delivered_once_and_signed(make: Make, receiver: Receiver) -> None:
    values = {"name": "pager", "url": f"{receiver.url}/in?x=1", "events": ["journal.stable"]}
    happened("before")
    webhook, secret = endpoints.create(values)
    happened("other", "emptied")
    entry = happened()

    turn()
    turn()

    (got,) = receiver.got
    body = json.loads(got.body)
    assert got.path == "/in?x=1" and set(body) == {"type", "timestamp", "data"}
    assert body["type"] == "journal.stable" and body["data"]["seq"] == entry.pk
    assert body["data"]["group_id"] == "orders" and body["data"]["sentence"]
    signed = f"{got.headers['webhook-id']}.{got.headers['webhook-timestamp']}.".encode() + got.body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    wanted = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert got.headers["webhook-signature"] == f"v1,{wanted}"
    assert abs(int(got.headers["webhook-timestamp"]) - time.time()) < 3_600
    delivery = WebhookDelivery.objects.get()
    assert (delivery.state, delivery.status, delivery.attempts) == ("delivered", 204, 1)
    webhook.refresh_from_db()
    assert webhook.delivered_at is not None


def test_a_late_entry_is_delivered_too(make: Make, receiver: Receiver) -> None:
    first = happened()
    make()
    happened(pk=first.pk + 3)
    turn()
    happened(pk=first.pk + 2)
    turn()
    turn()

    seqs = [json.loads(got.body)["data"]["seq"] for got in receiver.got]
    assert seqs == [first.pk + 3, first.pk + 2]


def test_entries_are_filtered_by_endpoint(make: Make, receiver: Receiver) -> None:
    make("all")
    make("prefix", group_prefix="orders-")
    make("kind", events=["journal.emptied"])
    make("off", enabled=False)
    happened("orders-eu", "stable")
    happened("other", "emptied")

    turn()

    delivered = sorted((got.path, json.loads(got.body)["data"]["group_id"]) for got in receiver.got)
    assert delivered == [
        *(("/all", "orders-eu"), ("/all", "other")),
        *(("/kind", "other"), ("/prefix", "orders-eu")),
    ]


def test_a_body_is_stored_once_and_unsubscribed_entries_are_not_read(
    make: Make, receiver: Receiver
) -> None:
    for name in "abc":
        make(name, events=["journal.stable"])
    happened("orders", "emptied")
    with CaptureQueriesContext(connection) as unwanted:
        turn()
    happened("only-here")
    with CaptureQueriesContext(connection) as wanted:
        turn()

    assert not any('"waited_for"' in each["sql"] for each in unwanted)
    assert sum(each["sql"].count('"only-here') for each in wanted) == 1
    assert sorted(got.path for got in receiver.got) == ["/a", "/b", "/c"]


def test_a_run_without_entries_writes_nothing(make: Make) -> None:
    make(events=["journal.stable"])
    last = happened()
    happened(pk=last.pk + 2)
    turn()
    with CaptureQueriesContext(connection) as queries:
        outbox.turn()

    assert not any(each["sql"].startswith(("UPDATE", "INSERT", "DELETE")) for each in queries)
    assert len(queries) <= 6, [each["sql"] for each in queries]


def test_an_endpoint_enabled_when_none_was_gets_later_entries(
    make: Make, receiver: Receiver
) -> None:
    webhook = make()
    webhook.enabled = False
    endpoints.save(webhook)
    turn()  # no endpoint gets anything any more
    webhook.enabled = True
    endpoints.save(webhook)
    happened()
    turn()

    assert [got.path for got in receiver.got] == ["/pager"]


def test_alerts_are_delivered_when_they_begin_and_end(
    make: Make, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(events=["attention.storm"])
    fires: list[Fired] = []
    monkeypatch.setattr(outbox, "RULES_EVERY_S", 0)
    monkeypatch.setattr(attention, "fired", lambda _fleet: list(fires))
    turn()
    fires[:] = [
        Fired("storm", "bad", "Group g rebalances", "", Place.GROUP, "g"),
        Fired("silent", "bad", "of another rule", "", Place.GROUP, "g"),
    ]
    turn()
    turn()
    fires.clear()
    turn()

    bodies = [json.loads(got.body) for got in receiver.got]
    assert [each["type"] for each in bodies] == ["attention.storm.began", "attention.storm.ended"]
    assert {each["data"]["group_id"] for each in bodies} == {"g"}


def test_alerts_are_evaluated_after_the_clock_was_set_back(
    make: Make, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time of the last look is a row of hours ahead."""
    make(events=["attention.storm"])
    fires: list[Fired] = []
    monkeypatch.setattr(attention, "fired", lambda _fleet: list(fires))
    turn()
    cursor = WebhookCursor.objects.get()
    WebhookCursor.objects.update(state={**cursor.state, "looked_at": time.time() + 10_800})
    fires[:] = [Fired("storm", "bad", "Group g rebalances", "", Place.GROUP, "g")]
    turn()

    assert [json.loads(got.body)["type"] for got in receiver.got] == ["attention.storm.began"]


def test_a_failed_delivery_is_retried_with_its_id_and_growing_delays(
    make: Make, receiver: Receiver
) -> None:
    webhook = make()
    receiver.answer = 500
    happened()
    turn()
    turn()
    assert len(receiver.got) == 1  # not before its time
    delivery = WebhookDelivery.objects.get()
    assert (delivery.state, delivery.error) == ("pending", "It was answered 500.")
    assert delivery.next_at > timezone.now()

    at_once()
    receiver.answer = 200
    turn()

    ids = {got.headers["webhook-id"] for got in receiver.got}
    delivery.refresh_from_db()
    webhook.refresh_from_db()
    assert len(receiver.got) == 2 and len(ids) == 1 and delivery.state == "delivered"
    assert (webhook.failures, webhook.failing_since) == (0, None)
    waits = [again_s(n) for n in (1, 2, 3, 4, 30)]
    assert all(5 * 4**n * 0.5 <= wait <= 5 * 4**n * 1.5 for n, wait in enumerate(waits[:4]))
    assert 3 * 3_600 <= waits[4] <= 9 * 3_600


def test_a_delivery_of_a_killed_worker_is_left_to_others(make: Make, receiver: Receiver) -> None:
    webhook = make()
    happened()
    connection.ensure_connection()
    with role("rollcall_worker"):
        outbox.turn()
        claimed, _ = delivering._claim(webhook.pk, WebhookSettings.from_django())
        assert claimed is not None and due() == []  # it is claimed
    at_once()

    turn()

    delivery = WebhookDelivery.objects.get()
    assert (delivery.state, delivery.attempts, len(receiver.got)) == ("delivered", 2, 1)


@pytest.mark.parametrize("status", [301, 302, 307])
def test_redirects_are_not_followed(status: int, make: Make, receiver: Receiver) -> None:
    make()
    receiver.answer = status
    happened()
    turn()

    assert [got.path for got in receiver.got] == ["/pager"]
    assert "redirects" in WebhookDelivery.objects.get().error


def _drips(request: BaseHTTPRequestHandler) -> None:
    request.wfile.write(b"HTTP/1.1 200 OK\r\n")
    hung_up: list[Any] = []
    while not hung_up:
        request.wfile.write(b"X: y\r\n")
        hung_up, _, _ = select.select([request.connection], [], [], 0.02)


def _floods(request: BaseHTTPRequestHandler) -> None:
    request.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n" + b"\x00\xff<b>" * 1_000_000)


def _babbles(request: BaseHTTPRequestHandler) -> None:
    request.wfile.write(b"\x00\x01\x02 nothing that is HTTP\r\n\r\n")


def _promises(request: BaseHTTPRequestHandler) -> None:
    request.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\nonly this")
    request.connection.recv(1)  # until the sender goes


def test_responses_of_any_kind_are_handled(make: Make, receiver: Receiver, settings: Any) -> None:
    settings.WEBHOOKS_TIMEOUT_MS = 300
    make()
    told = []
    for answer in (_drips, _babbles, _floods, _promises):
        receiver.answer = answer
        happened()
        turn()
        delivery = WebhookDelivery.objects.latest("pk")
        told.append((delivery.state, len(delivery.answer) <= 1_024, bool(delivery.error)))
        Webhook.objects.update(not_before=None)

    assert told == [
        ("pending", True, True),
        ("pending", True, True),
        *[("delivered", True, False)] * 2,
    ]


def test_connecting_after_the_timeout_is_refused(receiver: Receiver) -> None:
    host, _, port = receiver.url.removeprefix("http://").partition(":")
    made = sending._Connection(host, (host, int(port)), 5, False)
    made.cut()  # while a name, or TLS, took its time: there was no socket yet
    with pytest.raises(TimeoutError):
        made.request("POST", "/", b"")
    made.close()
    assert receiver.got == []


def test_authorities_of_the_system_are_reloaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
    first, second = (Certificates.make(tmp_path / name) for name in "ab")
    trusted, now = tmp_path / "trusted.pem", [1e6]
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    monkeypatch.setattr(sending, "time", SimpleNamespace(monotonic=lambda: now[0]))
    found = []
    for each, passed in ((first, 0), (second, 1), (second, sending.AUTHORITIES_S)):
        trusted.write_bytes(each.ca.read_bytes())
        now[0] += passed
        found.append(sending._tls().get_ca_certs(binary_form=True))

    known = [[ssl.PEM_cert_to_DER_cert(each.ca.read_text())] for each in (first, first, second)]
    assert found == known


def test_endpoints_that_fail_leave_threads_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    end = threading.Event()
    monkeypatch.setattr(delivering, "deliver", lambda _webhook: end.wait())
    senders, most = delivering.Senders(), delivering.FAILING_MAX
    fail = [Due(webhook, True) for webhook in range(30)]
    try:
        assert senders.begin(fail) == most
        assert senders.begin([*fail, Due(100, False)]) == 1
        assert senders.begin([Due(n, False) for n in range(200, 230)]) == (
            delivering.THREADS_MAX - most - 1
        )
        assert senders.begin(fail) == 0
    finally:
        end.set()


def test_a_slow_endpoint_frees_its_thread_for_others(
    make: Make, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    webhook = make()
    for _ in range(3):
        happened()
    outbox.turn()
    monkeypatch.setattr(delivering, "A_TURN_S", 0)

    assert [deliver(webhook.pk) for _ in range(4)] == [1, 1, 1, 0]
    assert len(receiver.got) == 3


def test_due_deliveries_of_one_endpoint_are_found_past_those_of_others(make: Make) -> None:
    made = [make(name).pk for name in "ab"]
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(f"EXPLAIN {sql.CLAIM}", {"webhook": made[0], "lease_s": 1})
        plan = "\n".join(line for (line,) in cursor.fetchall())

    assert "Index Scan using delivery_due" in plan and "Sort" not in plan
    assert f"(webhook_id = {made[0]}) AND (next_at <=" in plan


def test_entries_after_a_position_are_found_by_the_index() -> None:
    """From the first gap on, however long the journal is: an OR alone has no place in an index."""
    for position, first in (
        (Position(900), 901),
        (Position(900, [Gap(40, 41, 0.0), Gap(700, 700, 0.0)]), 40),
    ):
        with connection.cursor() as cursor, CaptureQueriesContext(connection) as queries:
            for way in ("seqscan", "bitmapscan"):  # what an empty table is read by
                cursor.execute(f"SET LOCAL enable_{way} = off")
            journal_rows.beyond(position)
            cursor.execute(f"EXPLAIN {queries[-1]['sql']}")
            plan = "\n".join(line for (line,) in cursor.fetchall())
        found = re.search(r"Index Cond: .*id >=? '?(\d+)", plan)
        assert found is not None and int(found[1]) in (first, first - 1), plan
        assert "Sort" not in plan


def test_an_endpoint_enabled_while_the_cursor_is_deleted_gets_entries(
    make: Make, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker has seen no enabled endpoint, and then there is one, whose cursor is there."""
    make()
    with connection.cursor() as cursor:
        cursor.execute(LOCKS, [sql.CURSOR_LOCK_KEY])
        assert cursor.fetchone() == (1,)  # a deletion waits until this is committed
    Webhook.objects.update(enabled=False)
    end = outbox._end

    def enabled_meanwhile() -> None:
        Webhook.objects.update(enabled=True)
        end()

    monkeypatch.setattr(outbox, "_end", enabled_meanwhile)
    outbox.turn()
    happened()
    turn()
    assert len(receiver.got) == 1


def test_an_endpoint_that_does_not_answer_delays_nobody(make: Make, receiver: Receiver) -> None:
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        gone = f"http://127.0.0.1:{nobody.getsockname()[1]}/"
    dead, good = make("dead"), make("good")
    Webhook.objects.filter(pk=dead.pk).update(url=gone)
    for _ in range(3):
        happened()
    turn()

    assert len(receiver.got) == 3
    tried = WebhookDelivery.objects.filter(webhook=dead).values_list("attempts", flat=True)
    assert sorted(tried) == [0, 0, 1]  # one, and not each of them
    dead.refresh_from_db()
    good.refresh_from_db()
    assert dead.not_before is not None and good.not_before is None
    assert dead.pk not in [each.webhook for each in due()]


@pytest.mark.parametrize("why", ["days", "gone"])
def test_an_endpoint_that_always_fails_is_disabled(
    why: str, make: Make, receiver: Receiver, settings: Any
) -> None:
    webhook = make()
    receiver.answer = 410 if why == "gone" else 500
    long_ago = timezone.now() - timedelta(days=settings.WEBHOOKS_DISABLE_DAYS, minutes=1)
    if why == "days":
        Webhook.objects.update(failing_since=long_ago)
    happened()
    turn()

    webhook.refresh_from_db()
    assert not webhook.enabled and webhook.disabled_because
    with connection.cursor() as cursor:
        cursor.execute("SELECT details FROM rollcall_audit WHERE kind = 'webhook-changed'")
        (details,) = cursor.fetchone()
    assert json.loads(details)["after"]["enabled"] is False

    webhook.enabled = True
    endpoints.save(webhook)
    receiver.answer = 200
    at_once()
    turn()
    assert WebhookDelivery.objects.get().state == "delivered"


def test_a_delivery_too_old_is_given_up_and_may_be_sent_manually(
    make: Make, receiver: Receiver, settings: Any
) -> None:
    make()
    receiver.answer = 503
    happened()
    outbox.turn()
    old = timezone.now() - timedelta(hours=settings.WEBHOOKS_RETRY_HOURS, minutes=1)
    WebhookDelivery.objects.update(created_at=old)
    turn()
    delivery = WebhookDelivery.objects.get()
    assert delivery.state == "failed" and delivery.finished_at is not None

    endpoints.redeliver(delivery)
    receiver.answer = 200
    turn()
    delivery.refresh_from_db()
    assert delivery.state == "delivered" and len(receiver.got) == 2


def test_the_number_and_age_of_kept_deliveries_are_limited(make: Make, settings: Any) -> None:
    settings.WEBHOOKS_DELIVERIES_MAX = 10
    make()
    for _ in range(15):
        happened()
    outbox.turn()
    newest = WebhookDelivery.objects.order_by("-pk")
    old = timezone.now() - timedelta(hours=settings.WEBHOOKS_DELIVERIES_RETENTION_HOURS, minutes=1)
    WebhookDelivery.objects.filter(pk=newest[0].pk).update(created_at=old)
    with role("rollcall_worker"):
        assert delivering.clean_up() == 5
    assert newest.count() == 10


def test_a_new_secret_signs_beside_the_previous_one_for_a_day(
    make: Make, receiver: Receiver
) -> None:
    webhook = make()
    endpoints.new_key(webhook)
    endpoints.test(webhook, "olga")
    turn()
    assert receiver.got[0].headers["webhook-signature"].count("v1,") == 2
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE rollcall_webhook_secret SET created_at = now() - interval '25 hours'"
        )
    endpoints.test(webhook, "olga")
    turn()
    assert receiver.got[1].headers["webhook-signature"].count("v1,") == 1
    assert json.loads(receiver.got[1].body)["type"] == "webhook.test"
