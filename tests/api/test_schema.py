"""The OpenAPI description: committed, complete, and usable without a network."""

import re
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from launcher.installation import CHECKOUT
from tests.api.asked import document, everything

COMMITTED = CHECKOUT / "docs" / "openapi.yaml"


def test_the_committed_description_is_up_to_date() -> None:
    """After a change: ``manage.py spectacular --validate --file docs/openapi.yaml``."""
    output = StringIO()
    call_command("spectacular", "--validate", "--fail-on-warn", stdout=output)
    assert output.getvalue().strip() == COMMITTED.read_text().strip()


@pytest.mark.django_db
def test_the_documentation_page_loads_nothing_from_other_hosts(viewer: Client) -> None:
    page = viewer.get("/api/v1/docs").content.decode()
    assert "swagger-ui" in page
    assert not re.search(r"""(src|href)=["'](https?:)?//""", page)
    script = viewer.get("/api/v1/docs?script=").content.decode()
    assert '"validatorUrl": null' in script  # else the description is sent to another server


def test_every_path_of_a_group_has_a_twin_path() -> None:
    """For ids that no path can hold behind some servers and clients."""
    committed = COMMITTED.read_text()
    of_path = re.compile(r"^  (/api/v1/\S+):\n((?:    .*\n|\n)+)", re.MULTILINE)
    names: dict[bool, set[str]] = {False: set(), True: set()}
    for path, operations in of_path.findall(committed):
        is_twin = re.fullmatch(r"/api/v1/group(/.*)?", path) is not None
        assert not (is_twin and "_id}" in path)
        if is_twin or path.startswith("/api/v1/groups/{group_id}"):
            names[is_twin] |= set(
                re.findall(r"^      operationId: (\w+)", operations, re.MULTILINE)
            )
    assert len(names[False]) >= 13
    assert names[True] == {f"{name}_by_query" for name in names[False]}


def test_objects_in_bodies_allow_no_undocumented_fields() -> None:
    schemas = document()["components"]["schemas"]
    names = ("NewQuotas", "QuotaParts", "QuotaValues", "NewTopic")
    assert [schemas[name].get("additionalProperties") for name in names] == [False] * 4


def test_each_operation_has_a_short_summary() -> None:
    operations = [
        operation for methods in document()["paths"].values() for operation in methods.values()
    ]
    for operation in operations:
        assert 2 < len(operation["summary"]) <= 120
        assert " ".join(operation["description"].split()).startswith(operation["summary"])
    assert document()["servers"][0]["url"] == "/"


def test_twin_paths_have_their_own_tag() -> None:
    for methods in document()["paths"].values():
        for operation in methods.values():
            is_twin = operation["operationId"].endswith("_by_query")
            assert (operation["tags"] == ["ids in the query"]) == is_twin


@pytest.mark.django_db
def test_each_example_of_a_body_is_valid(settings: Any, broker: Any) -> None:
    settings.API_TOKEN = "the-token"
    client = Client(headers={"authorization": "Bearer the-token"})
    examples = {
        operation["operationId"]: body["example"]
        for methods in document()["paths"].values()
        for operation in methods.values()
        for body in operation.get("requestBody", {}).get("content", {}).values()
    }
    asked = {each.operation_id: each for each in everything()}
    assert len(examples) > 25
    for name, body in examples.items():
        query = {**asked[name].query, "dry_run": "true"}
        answer = asked[name].but(query=query, body=body).send(client)
        assert answer.status_code in (200, 404, 409), (name, answer.content)
