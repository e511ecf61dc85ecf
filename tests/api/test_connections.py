"""Who is connected, over REST, by rows as nodes note them."""

from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.test import Client

from console.queries import client_connections
from groups.models import ConnectionsNoted
from tests.api.conftest import Api
from tests.api.test_drains import execute, nodes

pytestmark = pytest.mark.django_db

ADD = """
INSERT INTO rollcall_connection (node_id, number, listener, address, principal, client_id, software,
                                 software_version, groups, connected_at)
VALUES (%s, %s, %s, '127.0.0.1', %s, %s, 'librdkafka', '2.15.0', %s, now() - interval '1 minute')
"""
NOTE = "INSERT INTO rollcall_connections_noted VALUES (%s, now() - %s * interval '1 s', %s)"
PATH = "/api/v1/connections"


@pytest.fixture
def operator(api: Api) -> Client:
    return api("view_clientconnection")


@pytest.fixture
def two(db: None) -> None:
    """Two nodes with connections, noted just now, and one that is gone."""
    nodes(0, 1)
    for node in (0, 1, 7):
        for number in (1, 2, 3):
            groups = '["orders", "more"]' if number == 2 else "[]"
            values = (node, number, f"L{number}", f"User:u{node}", f"c-{number}", groups)
            execute(ADD, *values)
        execute(NOTE, node, 0, 3)


def listed(client: Client, **query: Any) -> list[tuple[int, int]]:
    answer = client.get(PATH, query)
    assert answer.status_code == 200, answer.content
    return [(row["node_id"], row["number"]) for row in answer.json()["data"]]


@pytest.mark.usefixtures("two")
def test_connections_are_listed_by_node_and_age(operator: Client) -> None:
    body = operator.get(PATH).json()
    assert [(row["node_id"], row["number"]) for row in body["data"]] == [
        (node, number) for node in (0, 1) for number in (1, 2, 3)
    ]
    assert [(node["node_id"], node["connections"]) for node in body["nodes"]] == [(0, 3), (1, 3)]
    first = body["data"][1]
    assert first.pop("connected_at")
    assert first == {
        "node_id": 0,
        "number": 2,
        "client_id": "c-2",
        "software": "librdkafka",
        "software_version": "2.15.0",
        "address": "127.0.0.1",
        "principal": "User:u0",
        "listener": "L2",
        "groups": ["orders", "more"],
    }


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ({"node_id": 1}, [(1, 1), (1, 2), (1, 3)]),
        ({"group_id": "orders"}, [(0, 2), (1, 2)]),
        ({"group_id": "order"}, []),
        ({"principal": "User:u1", "client_id": "c-3"}, [(1, 3)]),
        ({"listener": "L1", "software": "librdkafka", "node_id": 0}, [(0, 1)]),
        ({"address": "10.0.0.1"}, []),
    ],
)
def test_filters_are_exact(
    operator: Client, query: dict[str, Any], numbers: list[tuple[int, int]]
) -> None:
    assert listed(operator, **query) == numbers


@pytest.mark.usefixtures("two")
def test_pages_do_not_overlap(operator: Client) -> None:
    query, found = {"page_size": "4"}, []
    while query:
        page = operator.get(PATH, query).json()
        found += [(row["node_id"], row["number"]) for row in page["data"]]
        query = dict(parse_qsl(urlsplit(page["next"] or "").query))
    assert found == listed(operator)


@pytest.mark.usefixtures("two")
def test_a_node_that_does_not_answer_is_reported_with_its_last_note(
    operator: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_connections, "WAIT_S", 0.1)
    nodes(2)
    ConnectionsNoted.objects.filter(node_id=1).update(noted_at="2026-01-01T00:00:00Z")
    told = operator.get(PATH).json()["nodes"]
    assert [node["noted_at"] for node in told][1:] == ["2026-01-01T00:00:00Z", None]
    assert told[2] == {"node_id": 2, "noted_at": None, "connections": None}


@pytest.mark.usefixtures("two")
def test_connections_need_their_own_right(viewer: Client) -> None:
    assert viewer.get(PATH).status_code == 403


def test_waiting_for_a_node_holds_no_database_connection(two: None, monkeypatch: Any) -> None:
    """Before it sleeps. (Within a test's transaction the connection itself stays open.)"""
    done: list[str] = []

    def answers(_seconds: float) -> None:
        done.append("sleeps")
        execute("UPDATE rollcall_connections_noted SET noted_at = now()")

    execute("UPDATE rollcall_connections_noted SET noted_at = now() - interval '1 hour'")
    monkeypatch.setattr(client_connections, "give_back", lambda: done.append("gives back"))
    monkeypatch.setattr("time.sleep", answers)
    client_connections.refresh()
    assert done == ["gives back", "sleeps"]
