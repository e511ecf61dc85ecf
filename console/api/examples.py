"""A body of each request that has one, for the OpenAPI description, by the id of its operation."""

from collections.abc import Mapping
from typing import Any, Final

from groups.core.operations import OPERATIONS

REASON: Final = {"reason": "a new deployment"}

BODIES: Final[Mapping[str, Mapping[str, Any]]] = {
    "force_rebalance": {**REASON, "expected_generation": 7, "on_in_progress": "reject"},
    **{
        f"{verb}_groups": {**REASON, "groups_max": 10}
        for verb, row in OPERATIONS.items()
        if row.many
    },
    **{f"{n}_{of}": REASON for n, row in OPERATIONS.items() for of in row.says if n.tail == n},
    "freeze_group": {**REASON, "until": "2126-01-31T12:00:00Z"},
    **dict.fromkeys(("undo_operation", "drain_node", "undrain_node", "forget_node"), REASON),
    "restore_offsets": {"reason": "a bad deployment", "to": "2026-01-31T12:00:00Z"},
    "reset_offsets": {"reason": "once more", "to": "offset", "offset": 100, "topics": ["orders"]},
    "change_group_config": {
        "reason": "a smaller database",
        "changes": [{"name": "rollcall.max.members", "value": "100"}],
    },
    "create_topic": {"name": "orders", "partitions": 6},
    "grow_topic": {"partitions": 12},
    "place_topic": {"racks": [["rack-1"], ["rack-2"]]},
    "acknowledge": {"rule": "stopped", "subject": "orders", "note": "until the move is done"},
    "apply_attention_rule": {
        "rule": "storm",
        "is_prefix": True,
        "name": "batch-",
        "threshold": 200,
        "reason": "they run one after the other",
    },
    "mark": {"text": "orders 1.7.0", "at": "2026-01-31T12:00:00Z"},
    "decide_advice": {
        "group_id": "orders",
        "rule": "session-timeout",
        "subject": "worker at 10.0.0.7",
        "verdict": "muted",
        "reason": "the new host comes on Monday",
    },
    "create_acl": {
        "resource_type": "TOPIC",
        "name": "orders-",
        "pattern": "PREFIXED",
        "principal": "User:ann",
        "operation": "READ",
    },
    "set_quotas": {"entity": {"user": "ann"}, "quotas": {"request_percentage": 20}},
    "set_password": {"password": "a long one", "mechanisms": ["SCRAM-SHA-512"]},
    "create_webhook": {
        "name": "pager",
        "url": "https://pager.example/rollcall",
        "events": ["journal.*"],
    },
    "change_webhook": {"enabled": False},
}
