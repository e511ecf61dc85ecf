"""Confluent's REST API for Kafka, version 3: nine reads of consumer groups, in exact shapes.

``FIELDS`` are what its OpenAPI description (github.com/confluentinc/kafka-rest, api/v3, and the
reference of Confluent Cloud) requires of each kind, by type.
"""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, unquote

import pytest
from django.core.handlers.exception import convert_exception_to_response
from django.db import connection
from django.db.utils import OperationalError
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext

from console.api.confluent import views
from console.operations import topic_changes as changes
from console.queries import cluster
from groups.core.rows import MemberRow
from groups.core.subscription import pack_protocols
from rollcall.client.assignors import formats
from rollcall.client.core.events import TopicPartition
from tests import factories
from tests.api.conftest import TAKE_SLOTS, Api, write
from tests.api.test_ids import ODD_IDS, served

NoneType = type(None)
LINK = dict

FIELDS: Mapping[str, Mapping[str, type | tuple[type, ...]]] = {
    "KafkaConsumerGroup": {
        "cluster_id": str,
        "consumer_group_id": str,
        "is_simple": bool,
        "partition_assignor": str,
        "state": str,
        "type": str,
        "is_mixed_consumer_group": bool,
        "coordinator": LINK,
        "consumers": LINK,
        "lag_summary": LINK,
    },
    "KafkaConsumer": {
        "cluster_id": str,
        "consumer_group_id": str,
        "consumer_id": str,
        "instance_id": (str, NoneType),
        "client_id": str,
        "assignments": LINK,
    },
    "KafkaConsumerAssignment": {
        "cluster_id": str,
        "consumer_group_id": str,
        "consumer_id": str,
        "topic_name": str,
        "partition_id": int,
        "partition": LINK,
        "lag": LINK,
    },
    "KafkaConsumerLag": {
        "cluster_id": str,
        "consumer_group_id": str,
        "topic_name": str,
        "partition_id": int,
        "current_offset": int,
        "log_end_offset": int,
        "lag": int,
        "consumer_id": str,
        "instance_id": (str, NoneType),
        "client_id": str,
    },
    "KafkaConsumerGroupLagSummary": {
        "cluster_id": str,
        "consumer_group_id": str,
        "max_lag_consumer_id": str,
        "max_lag_instance_id": (str, NoneType),
        "max_lag_client_id": str,
        "max_lag_topic_name": str,
        "max_lag_partition_id": int,
        "max_lag": int,
        "total_lag": int,
        "max_lag_consumer": LINK,
        "max_lag_partition": LINK,
    },
}


@pytest.fixture
def root(db: None) -> str:
    """Where this cluster's groups are."""
    return f"/kafka/v3/clusters/{cluster.current_id()}/consumer-groups"


def owner(topic: str, *partitions: int) -> MemberRow:
    """A member that has these."""
    had = formats.assignment({TopicPartition(topic, each) for each in partitions})
    return factories.member("m-1", client_id="worker", instance_id="i-1", assignment=had)


@pytest.fixture
def behind(db: None) -> str:
    """A group that has partitions of t, of which 0 and 1 have ends; it is behind in both."""
    changes.create("t", 3)
    with connection.cursor() as cursor:
        cursor.execute(TAKE_SLOTS)
        cursor.execute("UPDATE rollcall_topic SET end_offsets = '{10, 100}' WHERE name = 't'")
        birth = factories.birth("g", owner("t", 0, 2))
        factories.apply_with(cursor, factories.batch(birth))
        for partition, offset in ((0, 8), (1, 5), (2, 7), (2**31 - 1, 1)):
            cursor.execute(
                "INSERT INTO rollcall_offset (group_id, topic, partition, committed_offset,"
                " leader_epoch, metadata, committed_at) VALUES ('g', 't', %s, %s, -1, '', now())",
                [partition, offset],
            )
    return "g"


def exact(told: Any, path: str) -> Any:
    """Check one resource against its kind."""
    fields = FIELDS[told["kind"]]
    assert told.keys() == {"kind", "metadata", *fields}
    assert told["metadata"].keys() == {"self", "resource_name"}
    assert told["metadata"]["self"] == f"http://testserver{path}"
    assert told["metadata"]["resource_name"].startswith(f"crn:///kafka={told['cluster_id']}/")
    for name, kind in fields.items():
        assert isinstance(told[name], kind), name
        if kind is LINK:
            assert told[name]["related"].startswith("http://testserver/kafka/v3/clusters/")
    return told


def test_a_group_and_its_members_have_confluents_format(
    viewer: Client, root: str, behind: str
) -> None:
    group = exact(viewer.get(f"{root}/g").json(), f"{root}/g")
    assert (group["state"], group["type"], group["is_simple"]) == ("STABLE", "CLASSIC", False)
    assert group["coordinator"]["related"].endswith("/brokers/-1"), "nobody owns its slot"
    assert viewer.get(group["consumers"]["related"]).json()["kind"] == "KafkaConsumerList"

    listed = viewer.get(root).json()
    assert listed["kind"] == "KafkaConsumerGroupList"
    assert listed["metadata"] == {"self": f"http://testserver{root}", "next": None}
    assert listed["data"] == [group]

    (member,) = viewer.get(f"{root}/g/consumers").json()["data"]
    exact(member, f"{root}/g/consumers/m-1")
    assert (member["instance_id"], member["client_id"]) == ("i-1", "worker")
    assert viewer.get(f"{root}/g/consumers/m-1").json() == member

    assignments = viewer.get(member["assignments"]["related"]).json()["data"]
    assert [(each["topic_name"], each["partition_id"]) for each in assignments] == [
        ("t", 0),
        ("t", 2),
    ]
    path = f"{root}/g/consumers/m-1/assignments/t/partitions/2"
    assert exact(viewer.get(path).json(), path) == assignments[1]
    assert viewer.get(path[:-1] + "1").status_code == 404


def test_lag_is_returned_only_where_the_end_is_known(
    viewer: Client, root: str, behind: str
) -> None:
    lags = viewer.get(f"{root}/g/lags").json()
    first, second = lags["data"]
    exact(first, f"{root}/g/lags/t/partitions/0")
    assert (first["current_offset"], first["log_end_offset"], first["lag"]) == (8, 10, 2)
    assert (first["consumer_id"], first["client_id"]) == ("m-1", "worker")
    assert (second["lag"], second["consumer_id"]) == (95, "")
    assert viewer.get(f"{root}/g/lags/t/partitions/1").json() == second
    for partition in (2, 3, 2**31 - 1, 2**80):
        assert viewer.get(f"{root}/g/lags/t/partitions/{partition}").status_code == 404

    summary = exact(viewer.get(f"{root}/g/lag-summary").json(), f"{root}/g/lag-summary")
    assert (summary["total_lag"], summary["max_lag"]) == (97, 95)
    assert (summary["max_lag_topic_name"], summary["max_lag_partition_id"]) == ("t", 1)


def test_without_an_end_there_is_no_summary(viewer: Client, root: str) -> None:
    write("g")
    answer = viewer.get(f"{root}/g/lag-summary")
    assert (answer.status_code, answer.json()["error_code"]) == (404, 404)
    assert viewer.get(f"{root}/g/lags").json()["data"] == []


def test_lists_are_paginated(viewer: Client, root: str, behind: str) -> None:
    write("h", "i", size=3)
    for path, ids, name in (
        (root, ["g", "h", "i"], "consumer_group_id"),
        (f"{root}/h/consumers", ["m-0", "m-1", "m-2"], "consumer_id"),
        (f"{root}/g/consumers/m-1/assignments", [0, 2], "partition_id"),
    ):
        found, following = [], f"{path}?page_size=1"
        while following:
            answer = viewer.get(following).json()
            found += [each[name] for each in answer["data"]]
            following = answer["metadata"]["next"]
        assert found == ids
    for cursor in ("x", "WzAsMV0", "WzAsInQiLCIwIl0"):
        assert viewer.get(f"{path}?cursor={cursor}").status_code == 400, cursor


def test_a_classic_member_in_a_consumer_group_makes_it_mixed(viewer: Client, root: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(TAKE_SLOTS)
        kind = {"kind": "consumer", "details": {"assignor": "uniform"}, "protocol_name": None}
        for group_id, said in (("mixed", pack_protocols([("range", b"")])), ("pure", b"")):
            row = factories.member("m", subscription=said, details={"epoch": 1, "state": "stable"})
            factories.apply_with(cursor, factories.batch(factories.birth(group_id, row, **kind)))
    listed = {each["consumer_group_id"]: each for each in viewer.get(root).json()["data"]}
    assert {g: each["is_mixed_consumer_group"] for g, each in listed.items()} == {
        "mixed": True,
        "pure": False,
    }
    assert (listed["pure"]["type"], listed["pure"]["partition_assignor"]) == ("CONSUMER", "uniform")


@pytest.mark.parametrize("odd", ODD_IDS)
@pytest.mark.django_db
def test_links_resolve_for_any_id(odd: str, root: str, settings: Any) -> None:
    settings.API_TOKEN = "the-token"
    write(odd)
    status, group = served(f"{root}/{quote(odd, safe='')}")
    assert (status, group["consumer_group_id"]) == (200, odd)
    path = group["consumers"]["related"].removeprefix("http://localhost")
    status, consumers = served(path)
    assert (status, len(consumers["data"])) == (200, 2)
    assert unquote(consumers["metadata"]["self"]).endswith(f"/{odd}/consumers")


def test_errors_have_confluents_format(viewer: Client, api: Api, root: str, db: None) -> None:
    stranger = api()
    for client, path, status, code in (
        (Client(), root, 401, 40101),
        (stranger, root, 403, 40301),
        (viewer, f"{root}/nobodys", 404, 404),
        (viewer, f"{root}/nobodys/consumers/x", 404, 404),
        (viewer, root.replace("rollcall-", "other-"), 404, 404),
        (viewer, "/kafka/v3/topics", 404, 404),
        (viewer, f"{root}?limit=1", 400, 400),
        (viewer, f"{root}?page_size=0", 400, 400),
    ):
        answer = client.get(path)
        assert (answer.status_code, answer["Content-Type"]) == (status, "application/json")
        body = json.loads(answer.content)
        assert body.keys() == {"error_code", "message"}
        assert (body["error_code"], bool(body["message"])) == (code, True)
    assert viewer.post(root).status_code == 405
    both = viewer.get(f"{root}?page_size=0&limit=1").json()["message"]
    assert "page_size: This must be a number from 1 to 500." in both and "limit: " in both


def test_defects_and_outages_have_confluents_format(
    viewer: Client, root: str, monkeypatch: pytest.MonkeyPatch, rf: RequestFactory
) -> None:
    monkeypatch.setattr(views, "_mixed", lambda page: page[100])
    viewer.raise_request_exception = False
    write("g")
    defect = viewer.get(root, headers={"x-request-id": "the-one"})
    assert defect.status_code == defect.json()["error_code"] == 500
    assert "the-one" in defect.json()["message"]

    def unavailable(_request: HttpRequest) -> HttpResponse:
        raise OperationalError("the connection is lost")

    outage: Any = convert_exception_to_response(unavailable)(rf.get(root))
    assert (outage.status_code, outage["Retry-After"]) == (503, "1")
    assert json.loads(outage.content)["error_code"] == 50003


@pytest.mark.parametrize("tail", ["", "/g0/consumers", "/g0/lags"])
def test_a_list_takes_the_same_statements_for_any_length(
    viewer: Client, root: str, tail: str
) -> None:
    write(*(f"g{n}" for n in range(20)), size=20)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert viewer.get(root + tail).status_code == 200
    assert len(queries) <= 12
