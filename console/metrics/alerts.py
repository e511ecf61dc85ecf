"""Prometheus' alert rules, generated from the attention rules and a few about processes.

``console.queries.attention`` decides whether a rule fires, with the installation's thresholds: an
alert uses ``rollcall_attention``. Pure; the file is deploy/prometheus/rollcall.yml.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from console.queries.attention_table import RULES, Rule

CRITICAL, WARNING = "critical", "warning"

URGENT: Final = frozenset(("slot-without-owner",))
"""Rules for which someone should be woken up: groups are not served."""

HEAD: Final = """\
# Alerts of Rollcall for Prometheus. Written by `manage.py metrics` (docs/metrics.md).
"""


class Alert(NamedTuple):
    """One alert; ``wait`` is how long its expression must be true."""

    name: str
    expression: str
    wait: str
    severity: str
    summary: str
    description: str


def of_rule(rule: Rule) -> Alert:
    """The alert of an attention rule. Several web processes report the same: one alert."""
    matching = json.dumps(rule.name)
    groups = f'query "rollcall_group_attention{{rule=\\"{rule.name}\\"}}"'
    named = f"{{{{ range {groups} }}}} {{{{ .Labels.group }}}}{{{{ end }}}}"
    return Alert(
        f"Rollcall{camel(rule.name)}",
        f"max without (instance, pod) (rollcall_attention{{rule={matching}}}) > 0",
        "1m",
        CRITICAL if rule.name in URGENT else WARNING,
        f"Rollcall: {rule.meaning}",
        f"{{{{ $value }}}} of the Overview's lines.{named}",
    )


def camel(name: str) -> str:
    """``no-commit`` as ``NoCommit``."""
    return "".join(word.capitalize() for word in name.split("-"))


PROCESSES: Final = (
    Alert(
        "RollcallDatabaseAway",
        "max without (instance, pod) (rollcall_database_up) == 0",
        "1m",
        CRITICAL,
        "Rollcall: PostgreSQL does not answer",
        "Members keep their partitions for as long as their nodes' leases hold.",
    ),
    Alert(
        "RollcallWebAway",
        "absent(rollcall_database_up)",
        "5m",
        WARNING,
        "Rollcall: no metrics of the web",
        "No web process is scraped. Nodes serve without it.",
    ),
    Alert(
        "RollcallNodeStalls",
        "increase(rollcall_loop_stalls_total[10m]) > 0",
        "0m",
        WARNING,
        "Rollcall: a node was suspended",
        "{{ $labels.instance }} received nothing for over a second: is its machine overloaded?",
    ),
)


def alerts() -> tuple[Alert, ...]:
    """All alerts, those of attention rules first."""
    return (*map(of_rule, RULES), *PROCESSES)


def document() -> Mapping[str, Any]:
    """The document for Prometheus."""
    return {"groups": [{"name": "rollcall", "rules": [_row(alert) for alert in alerts()]}]}


def _row(alert: Alert) -> Mapping[str, Any]:
    return {
        "alert": alert.name,
        "expr": alert.expression,
        "for": alert.wait,
        "labels": {"severity": alert.severity},
        "annotations": {"summary": alert.summary, "description": alert.description},
    }


def text() -> str:
    """The file: YAML with scalars in JSON's syntax."""
    return HEAD + "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "groups:"
    for group in document()["groups"]:
        yield f"  - name: {json.dumps(group['name'])}"
        yield "    rules:"
        for rule in group["rules"]:
            first, *others = rule.items()
            yield f"      - {first[0]}: {json.dumps(first[1])}"
            for key, value in others:
                if isinstance(value, str):
                    yield f"        {key}: {json.dumps(value, ensure_ascii=False)}"
                    continue
                yield f"        {key}:"
                for name, words in value.items():
                    yield f"          {name}: {json.dumps(words, ensure_ascii=False)}"
