"""Every operation of REST as one request that is right, taken from the OpenAPI document."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Final
from urllib.parse import urlencode

from django.apps import apps
from django.db import connection
from django.test import Client
from django.utils import timezone
from drf_spectacular.generators import SchemaGenerator

from console.operations import acl_changes, attention_rules, kafka_users, quota_changes, requests
from console.operations import topic_changes as topics
from console.webhooks import endpoints
from groups.core.acls.bindings import AclOperation, Binding, PatternType, Permission, ResourceType
from groups.core.authors import user
from groups.core.quotas.entities import of_client
from groups.models import Acknowledgement, AdviceDecision, ApiToken, AuditEntry, Mark, Operation
from tests.api.conftest import write
from tests.model_factories import ReportRunFactory, advise

NAMES = {
    "topic": "orders",
    "partition": "0",
    "node_id": "3",
    "generation": "2",
    "group_id": "g",
    "member_id": "m-1",
    "name": "orders",
    "resource_type": "TOPIC",
    "user": "orders",
    "report": "cost",
}
MOMENTS: Final = {"since": "2026-05-04T03:00:00Z", "until": "2026-05-04T04:00:00Z"}
"""What a comparison cannot do without."""

KEY: Final = {"group_id": "orders", "rule": "session-timeout", "subject": "w at 10.0.0.1"}
"""What identifies the advice that there is."""

FREE: Final = "slot-without-owner"
"""A rule that fires where no node is."""

FROZEN: Final = """
INSERT INTO rollcall_group_config (group_id, slot, name, value, updated_at)
VALUES ('cold', 0, 'rollcall.freeze', 'true', now() - interval '1 hour')
"""
"""A name that was frozen for so long that a rule fires for it."""

NODES: Final = """
INSERT INTO rollcall_node (node_id, incarnation, beat, host, port, started_at, beat_at)
SELECT n, gen_random_uuid(), 1, 'localhost', 9092, now(), now() + interval '1 hour'
FROM unnest(ARRAY[3, 4, 5]) n
"""
"""They are alive however long the requests take."""
LEFT: Final = """
INSERT INTO rollcall_node (node_id, incarnation, beat, host, port, started_at, beat_at)
VALUES (6, gen_random_uuid(), 1, 'localhost', 9092, now(), now() - interval '1 hour')
"""
DRAINED: Final = """
INSERT INTO rollcall_drain (node_id, actor, reason, since, seen_at)
VALUES (5, 'olga', 'an earlier one', now(), now())
"""

REASON = {"reason": "a new deployment"}

FORGOTTEN: Final = {
    "how": "to none",
    "to": [["orders", 0, None]],
    "before": [["orders", 0, 5]],
    "wanted": None,
}
"""An offset that an operator deleted."""

BODIES: Mapping[str, Any] = {
    "force_rebalance": {**REASON, "expected_generation": 1, "on_in_progress": "leave"},
    "evict_member": REASON,
    "pause_group": REASON,
    "freeze_group": REASON,
    "thaw_group": REASON,
    "delete_group": REASON,
    "resume_group": REASON,
    "pause_member": REASON,
    "resume_member": REASON,
    "drain_member": REASON,
    "undrain_member": REASON,
    "restore_offsets": {**REASON, "to": "2026-01-31T12:00:00Z"},
    "reset_offsets": {**REASON, "to": "offset", "offset": 0, "topics": ["orders"]},
    **dict.fromkeys(
        [f"{verb}_groups" for verb in ("rebalance", "pause", "resume", "freeze", "thaw", "delete")],
        REASON,
    ),
    "delete_offsets": REASON,
    "undo_operation": REASON,
    "change_group_config": {
        **REASON,
        "changes": [{"name": "rollcall.max.members", "value": "7"}],
    },
    "delete_topic": None,
    "create_topic": {"name": "invoices", "partitions": 3},
    "grow_topic": {"partitions": 9},
    "place_topic": {"racks": [["a"], []]},
    "create_acl": {
        "resource_type": "TOPIC",
        "name": "invoices",
        "principal": "User:ben",
        "operation": "READ",
    },
    "delete_acls": None,
    "set_quotas": {"entity": {"ip": "10.0.0.1"}, "quotas": {"connection_creation_rate": 20}},
    "remove_quotas": None,
    "set_password": {"password": "a secret", "iterations": 4096},
    "delete_user": None,
    "start_reports": None,
    "acknowledge": {"rule": "frozen", "subject": "cold", "note": "a new deployment"},
    "withdraw_acknowledgement": None,
    "apply_attention_rule": {
        "rule": "storm",
        "name": "cold",
        "threshold": 7,
        "reason": "a new deployment",
    },
    "withdraw_attention_rule": None,
    "mark": {"text": "orders 1.7.0", "at": "2026-01-31T12:00:00Z"},
    "withdraw_mark": None,
    "decide_advice": {**KEY, "verdict": "muted", "reason": "a new deployment"},
    "withdraw_advice_decision": None,
    "create_webhook": {"name": "another", "url": "https://pager.example/"},
    "change_webhook": {"events": ["journal.*"]},
    "delete_webhook": None,
    "drain_node": REASON,
    "undrain_node": REASON,
    "forget_node": REASON,
    "rotate_webhook_secret": None,
    "test_webhook": None,
    "redeliver_webhook": None,
}
"""A right body for each operation that changes something; None: it takes none."""


RULE = Binding(
    ResourceType.TOPIC,
    "orders",
    PatternType.LITERAL,
    "User:ann",
    "*",
    AclOperation.READ,
    Permission.ALLOW,
)


@dataclass(frozen=True)
class Asked:
    """A request: an operation of the document with everything that it needs."""

    operation_id: str
    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    body: Any = None

    def send(self, client: Client, raw: str | bytes | None = None) -> Any:
        """The answer; ``raw`` in the place of the body."""
        url = f"{self.path}?{urlencode(self.query)}" if self.query else self.path
        data = raw if raw is not None else "" if self.body is None else json.dumps(self.body)
        return client.generic(self.method, url, data, content_type="application/json")

    def but(self, **changes: Any) -> "Asked":
        """The same with something else."""
        return replace(self, **changes)


@cache
def document() -> Mapping[str, Any]:
    """The OpenAPI document."""
    generator: Any = SchemaGenerator
    found: Mapping[str, Any] = generator().get_schema(public=True)
    return found


def everything() -> list[Asked]:
    """A right request for each operation; what it is about is made here."""
    write("g", "to-be-restored", size=2)
    write("without-members", size=0)
    topics.create("orders", 3)
    acl_changes.create(RULE, user("olga"))
    quota_changes.alter(of_client("orders"), {"request_percentage": 9}, user("olga"))
    kafka_users.set_password("orders", "a secret", ["SCRAM-SHA-256"], 4096, user("olga"))
    with connection.cursor() as cursor:
        cursor.execute(FROZEN)
        cursor.execute(NODES)
        cursor.execute(LEFT)
        cursor.execute(DRAINED)
    topics.create("over", 3)
    made = requests.request("g", "rebalance", reason="an earlier one", actor="olga")
    reset = requests.request(
        "g", "reset-offsets", reason="an earlier one", actor="olga", offsets=FORGOTTEN
    )
    Operation.objects.filter(pk=reset.pk).update(state="succeeded")
    noted = Acknowledgement.objects.create(
        rule=FREE, subject="", note="an earlier one", actor="olga"
    )
    tuned = attention_rules.apply(
        "storm", "warm", is_prefix=False, threshold=7, reason="an earlier one", actor="olga"
    )
    advise(ReportRunFactory.create())
    decided = AdviceDecision.objects.create(
        **KEY, verdict="accepted", reason="an earlier one", actor="olga", at=timezone.now()
    )
    marked = Mark.objects.create(text="an earlier one", actor="olga", at=timezone.now())
    ids = {
        "operation_id": str(made.pk),
        "acknowledgement_id": str(noted.pk),
        "rule_id": str(tuned.pk),
        "decision_id": str(decided.pk),
        "mark_id": str(marked.pk),
    }
    webhook, _ = endpoints.create({"name": "pager", "url": "https://pager.example/in"})
    delivery = endpoints.test(webhook, "olga")
    names = {
        **NAMES,
        **ids,
        "webhook_id": str(webhook.pk),
        "delivery_id": str(delivery.pk),
    }
    other, _ = endpoints.create({"name": "over", "url": "https://pager.example/over"})
    apart = {
        "delete_webhook": {**names, "webhook_id": str(other.pk)},
        "undrain_node": {**names, "node_id": "5"},
        "forget_node": {**names, "node_id": "6"},
        "delete_topic": {**names, "name": "over"},
        "get_foresight": {**names, "group_id": "without-members"},
        "get_foresight_by_query": {**names, "group_id": "without-members"},
        "undo_operation": {**names, "operation_id": str(reset.pk)},
    }
    return [
        _asked(path, method.upper(), told, apart.get(told["operationId"], names))
        for path, methods in document()["paths"].items()
        for method, told in methods.items()
    ]


def _asked(path: str, method: str, told: Mapping[str, Any], names: Mapping[str, str]) -> Asked:
    operation_id = told["operationId"]
    query = {
        parameter["name"]: names[parameter["name"]]
        for parameter in told.get("parameters", ())
        # The reason is in the body here.
        if parameter["in"] == "query" and parameter["name"] in names
    }
    if operation_id.startswith("compare_moments"):
        query |= MOMENTS
    if path.startswith("/api/v1/groups:"):
        query = {"q": "g"}
    body = None if method == "GET" else BODIES[operation_id.removesuffix("_by_query")]
    return Asked(operation_id, method, path.format(**names), query, body)


def rows() -> Mapping[str, str]:
    """Every row that an operation might change; what is asked of Celery is none."""
    aside = (ApiToken, AuditEntry)  # the time of last use; refusals are recorded, too
    models = [each for each in apps.get_app_config("groups").get_models() if each not in aside]
    return {
        model.__name__: str(list(model._default_manager.order_by("pk").values_list()))
        for model in models
    }
