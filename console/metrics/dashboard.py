"""A Grafana dashboard, generated from tables: panels about the state and nodes, and one for the
attention rules. Pure; the file is deploy/grafana/rollcall.json."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from console.queries.attention_table import RULES

WIDTH, HEIGHT, COLUMNS = 8, 7, 3
SOURCE: Final = {"type": "prometheus", "uid": "${source}"}


class Panel(NamedTuple):
    """One chart: its queries with their legends, and Grafana's name of the unit."""

    title: str
    queries: Mapping[str, str]
    unit: str = "short"
    kind: str = "timeseries"


def quantile(share: float, series: str, by: str = "") -> str:
    """Of a histogram, over five minutes."""
    labels = ", ".join(filter(None, ("le", by)))
    rate = f"rate({series}_bucket[5m])"
    return f"histogram_quantile({share}, sum by ({labels}) ({rate}))"


def rate(series: str, by: str) -> str:
    """A second, over five minutes."""
    return f"sum by ({by}) (rate({series}[5m]))"


def state(series: str, by: str = "") -> str:
    """A series that every web process reports equally."""
    return f"max by ({by}) ({series})" if by else f"max({series})"


PANELS: Final = (
    Panel("Groups", {"{{state}}": f"sum by (state) ({state('rollcall_groups', 'kind, state')})"}),
    Panel("Members", {"members": state("rollcall_members")}),
    Panel("Waiting members", {"{{what}}": state("rollcall_waiting_members", "what")}),
    Panel(
        "Oldest open rebalance",
        {"seconds": state("rollcall_oldest_open_rebalance_seconds")},
        "s",
    ),
    Panel("Unowned partitions", {"partitions": state("rollcall_unowned_partitions")}),
    Panel(
        "Stopped and frozen groups",
        {
            "stopped": state("rollcall_stopped_groups"),
            "frozen": state("rollcall_frozen_groups"),
        },
    ),
    Panel("Slots", {"node {{node}}": state("rollcall_slots", "node")}),
    Panel(
        "Lag by group",
        {
            "{{consumergroup}}": "topk(20, sum by (consumergroup) "
            "(max by (consumergroup, topic) (kafka_consumergroup_lag_sum)))"
        },
    ),
    Panel("Periodic work: age", {"{{task}}": state("rollcall_periodic_age_seconds", "task")}, "s"),
    Panel("Rebalances by trigger", {"{{trigger}}": rate("rollcall_rebalances_total", "trigger")}),
    Panel(
        "Rebalances: 95 of 100 took at most",
        {"{{phase}}": quantile(0.95, "rollcall_rebalance_seconds", "phase")},
        "s",
    ),
    Panel("Departures by cause", {"{{cause}}": rate("rollcall_member_departures_total", "cause")}),
    Panel("Heartbeats", {"{{result}}": rate("rollcall_heartbeats_total", "result")}, "ops"),
    Panel("Commits", {"{{result}}": rate("rollcall_commits_total", "result")}, "ops"),
    Panel("Connections", {"{{instance}}": "rollcall_connections"}),
    Panel(
        "Batches: 95 of 100 took at most",
        {"{{queue}}": quantile(0.95, "rollcall_batch_seconds", "queue")},
        "s",
    ),
    Panel(
        "Event loop: 99 of 100 turns came at most so late",
        {"{{instance}}": quantile(0.99, "rollcall_loop_lag_seconds", "instance")},
        "s",
    ),
    Panel(
        "Limits: how full",
        {"{{limit}}": "max by (limit) (rollcall_limit_used / (rollcall_limit_max > 0))"},
        "percentunit",
    ),
)


def attention() -> Panel:
    """One line for each attention rule."""
    queries = {
        rule.name: state(f"rollcall_attention{{rule={json.dumps(rule.name)}}}") for rule in RULES
    }
    return Panel("What needs attention", queries, kind="stat")


def document() -> Mapping[str, Any]:
    """The document for Grafana's import."""
    return {
        "uid": "rollcall",
        "title": "Rollcall",
        "tags": ["rollcall"],
        "schemaVersion": 39,
        "editable": True,
        "refresh": "15s",
        "time": {"from": "now-1h", "to": "now"},
        "templating": {"list": [{"name": "source", "type": "datasource", "query": "prometheus"}]},
        "panels": list(_panels()),
    }


def _panels() -> Iterator[Mapping[str, Any]]:
    yield _panel(0, attention(), {"x": 0, "y": 0, "w": WIDTH * COLUMNS, "h": HEIGHT})
    for at, panel in enumerate(PANELS):
        row, column = divmod(at, COLUMNS)
        place = {"x": column * WIDTH, "y": (row + 1) * HEIGHT, "w": WIDTH, "h": HEIGHT}
        yield _panel(at + 1, panel, place)


def _panel(number: int, panel: Panel, place: Mapping[str, int]) -> Mapping[str, Any]:
    targets = [
        {"refId": f"Q{at}", "datasource": SOURCE, "expr": expression, "legendFormat": legend}
        for at, (legend, expression) in enumerate(panel.queries.items())
    ]
    return {
        "id": number + 1,
        "title": panel.title,
        "type": panel.kind,
        "datasource": SOURCE,
        "gridPos": dict(place),
        "fieldConfig": {"defaults": {"unit": panel.unit}, "overrides": []},
        "targets": targets,
    }


def text() -> str:
    """The file."""
    return json.dumps(document(), indent=1, ensure_ascii=False) + "\n"
