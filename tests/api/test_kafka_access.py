"""ACLs and users of the Kafka port over REST: the wire's own rules, by another door."""

import random
from typing import Any

import pytest
from django.test import Client

from console.operations import acl_changes, kafka_users
from groups.clients import scram_credentials as scram
from groups.core.acls.bindings import (
    AclOperation,
    Binding,
    Filter,
    PatternType,
    Permission,
    ResourceType,
)
from groups.core.authors import user
from groups.models import Acl, AuditEntry, Journal, KafkaUser, ScramCredential
from tests.api.conftest import Api

pytestmark = pytest.mark.django_db

RULE = {
    "resource_type": "TOPIC",
    "name": "orders",
    "principal": "User:ann",
    "operation": "READ",
}
OLGA = user("olga")


@pytest.fixture
def keeper(api: Api) -> Client:
    """Who may do all of this."""
    verbs = ("view_acl", "add_acl", "delete_acl")
    return api(*verbs, "view_kafkauser", "change_kafkauser", "delete_kafkauser")


def send(client: Client, method: str, path: str, body: Any = None, status: int = 200) -> Any:
    """The answer's JSON."""
    answer: Any = client.generic(
        method,
        f"/api/v1/{path}",
        "" if body is None else __import__("json").dumps(body),
        content_type="application/json",
    )
    assert answer.status_code == status, answer.content
    return answer.json()


def test_an_acl_is_created_once_and_deleted(keeper: Client) -> None:
    made = send(keeper, "POST", "acls", RULE, 201)
    assert made | RULE == made and made["host"] == "*" and made["permission"] == "ALLOW"
    assert send(keeper, "POST", "acls", RULE) == made
    listed = send(keeper, "GET", "acls?principal=User:ann")
    assert listed["data"] == [made] and listed["authorizer"] == {"is_on": True}
    would = send(keeper, "DELETE", "acls?resource_type=ANY&dry_run=true")
    assert would == {"dry_run": True, "count": 1, "acls": [made]}
    assert Acl.objects.count() == 1
    assert send(keeper, "DELETE", "acls?resource_type=topic&name=orders")["acls"] == [made]
    assert send(keeper, "DELETE", "acls?resource_type=topic&name=orders")["acls"] == []
    entries = Journal.objects.filter(kind__startswith="acl-").order_by("id")
    assert [entry.kind for entry in entries] == ["acl-created", "acl-deleted"]
    assert all("user" in entry.details["author"] for entry in entries)
    kinds = AuditEntry.objects.filter(kind__startswith="acl-").values_list("kind", flat=True)
    assert sorted(kinds) == ["acl-created", "acl-deleted"]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"resource_type": "CLUSTER"}, "name"),
        ({"name": ""}, "name"),
        ({"name": "x" * 2_000}, "name"),
        ({"name": "é" * 1_000}, "name"),
        ({"name": "a\nb"}, "name"),
        ({"principal": "ann"}, "principal"),
        ({"principal": ""}, "principal"),
        ({"host": " "}, "host"),
        ({"operation": "ANY"}, "operation"),
        ({"pattern": "MATCH"}, "pattern"),
        ({"permission": "maybe"}, "permission"),
        ({"resource_type": "ANY"}, "resource_type"),
        ({"hots": "*"}, "hots"),
    ],
)
def test_an_invalid_acl_is_named(keeper: Client, change: dict[str, str], field: str) -> None:
    for query in ("", "?dry_run=true"):
        body = send(keeper, "POST", f"acls{query}", {**RULE, **change}, 400)
        assert [error["pointer"] for error in body["errors"]] == [f"#/{field}"]
    assert not Acl.objects.exists()


def test_a_dry_run_creates_nothing(keeper: Client) -> None:
    would = send(keeper, "POST", "acls?dry_run=true", RULE)
    assert (would["name"], would["created_at"], would["dry_run"]) == ("orders", None, True)
    assert not Acl.objects.exists()
    password = {"password": "a secret"}
    body = send(keeper, "PUT", "users/ann?dry_run=true", password)
    assert set(body["mechanisms"]) == set(scram.HASHES)
    assert body["dry_run"] and not KafkaUser.objects.exists()
    made = send(keeper, "POST", "acls", RULE, 201)
    again = send(keeper, "POST", "acls?dry_run=true", RULE)
    assert again["created_at"] == made["created_at"] and "dry_run" not in made
    send(keeper, "PUT", "users/ann", password, 201)
    body = send(keeper, "DELETE", "users/ann?dry_run=true")
    assert body["dry_run"] and KafkaUser.objects.exists()


def test_the_number_of_acls_is_limited(keeper: Client, settings: Any) -> None:
    settings.ACLS_MAX = 1
    send(keeper, "POST", "acls", RULE, 201)
    body = send(keeper, "POST", "acls", {**RULE, "name": "other"}, 400)
    assert body["code"] == "policy_violation" and body["kafka_error_code"] == 44
    send(keeper, "POST", "acls", RULE)


def test_acls_are_refused_where_none_are_enforced(keeper: Client, settings: Any) -> None:
    settings.AUTHORIZER = "off"
    for method, path, body in (("POST", "acls", RULE), ("DELETE", "acls?resource_type=any", None)):
        document = send(keeper, method, path, body, 409)
        assert (document["code"], document["kafka_error_code"]) == ("security_disabled", 54)
    assert send(keeper, "GET", "acls")["authorizer"] == {"is_on": False}


def test_a_filter_that_matches_everything_is_refused(keeper: Client) -> None:
    body = send(keeper, "DELETE", "acls", None, 400)
    assert body["errors"][0]["parameter"] == "resource_type"


NAMES = ["a", "ab", "abc", "a_", "a%", "*", "\\", "b"]


def some_binding(chance: random.Random) -> Binding:
    return Binding(
        chance.choice([ResourceType.TOPIC, ResourceType.GROUP]),
        chance.choice(NAMES),
        chance.choice([PatternType.LITERAL, PatternType.PREFIXED]),
        chance.choice(["User:ann", "User:*"]),
        chance.choice(["*", "127.0.0.1"]),
        chance.choice([AclOperation.READ, AclOperation.ALL]),
        chance.choice([Permission.ALLOW, Permission.DENY]),
    )


def some_filter(chance: random.Random) -> Filter:
    made = some_binding(chance)
    return Filter(
        chance.choice([ResourceType.ANY, made.resource_type]),
        chance.choice([None, *NAMES, "abcd"]),
        chance.choice([PatternType.ANY, PatternType.MATCH, made.pattern]),
        chance.choice([None, made.principal]),
        chance.choice([None, made.host]),
        chance.choice([AclOperation.ANY, made.operation]),
        chance.choice([Permission.ANY, made.permission]),
    )


def test_postgresql_and_the_rules_match_the_same_acls() -> None:
    chance = random.Random(7)
    there = {some_binding(chance) for _ in range(60)}
    for each in there:
        acl_changes.create(each, OLGA)
    for _ in range(300):
        asked = some_filter(chance)
        found = {acl_changes.binding(row) for row in acl_changes.matching(asked)}
        assert found == {each for each in there if asked.matches(each)}, asked


def test_a_user_is_created_changed_and_deleted(keeper: Client) -> None:
    odd = "anna%20%2F%20m%C3%BCller"
    made = send(keeper, "PUT", f"users/{odd}", {"password": " pässword "}, 201)
    assert made["name"] == "anna / müller"
    assert made["mechanisms"] == dict.fromkeys(scram.HASHES, scram.ITERATIONS)
    kept = ScramCredential.objects.get(mechanism="SCRAM-SHA-256")
    salted = scram.salted("SCRAM-SHA-256", " pässword ", bytes(kept.salt), kept.iterations)
    shown = scram.credential("SCRAM-SHA-256", salted, bytes(kept.salt), kept.iterations)
    assert shown.stored_key == bytes(kept.stored_key)
    more = {"password": "another", "mechanisms": ["SCRAM-SHA-512"], "iterations": 4096}
    changed = send(keeper, "PUT", f"users/{odd}", more)
    assert changed["mechanisms"] == {"SCRAM-SHA-256": 8192, "SCRAM-SHA-512": 4096}
    assert [row["name"] for row in send(keeper, "GET", "users?q=anna")["data"]] == [made["name"]]
    gone = send(keeper, "DELETE", f"users/{odd}?mechanism=SCRAM-SHA-512")
    assert gone["mechanisms"] == {"SCRAM-SHA-512": 4096}
    send(keeper, "DELETE", f"users/{odd}?dry_run=true")
    assert send(keeper, "GET", f"users/{odd}")["mechanisms"] == {"SCRAM-SHA-256": 8192}
    send(keeper, "DELETE", f"users/{odd}")
    send(keeper, "GET", f"users/{odd}", status=404)
    send(keeper, "DELETE", f"users/{odd}", status=404)
    recorded = str(list(AuditEntry.objects.values())) + str(list(Journal.objects.values()))
    assert "pässword" not in recorded and "another" not in recorded
    assert Journal.objects.filter(kind="credential-set").count() == 3
    assert Journal.objects.filter(kind="credential-deleted").count() == 2


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "password"),
        ({"password": ""}, "password"),
        ({"password": "a\nb"}, "password"),
        ({"password": "x" * 2_000}, "password"),
        ({"password": 7}, "password"),
        ({"password": "x", "iterations": 4_095}, "iterations"),
        ({"password": "x", "iterations": 100_000}, "iterations"),
        ({"password": "x", "mechanisms": []}, "mechanisms"),
        ({"password": "x", "salt": "x"}, "salt"),
    ],
)
def test_an_invalid_password_is_named(keeper: Client, body: Any, field: str) -> None:
    document = send(keeper, "PUT", "users/ann", body, 400)
    assert document["errors"][0]["pointer"] == f"#/{field}"
    assert not KafkaUser.objects.exists()


@pytest.mark.parametrize("name", ["a%0Ab", "x" * 257, "%E2%80%A8"])
def test_an_impossible_user_name_is_refused(keeper: Client, name: str) -> None:
    send(keeper, "PUT", f"users/{name}", {"password": "x"}, 400)
    assert not KafkaUser.objects.exists()


def test_verifiers_of_passwords_are_never_returned(keeper: Client) -> None:
    kafka_users.set_password("ann", "a secret", ["SCRAM-SHA-256"], 4096, OLGA)
    body = keeper.get("/api/v1/users").content.decode()
    for word in ("salt", "key", "secret"):
        assert word not in body
