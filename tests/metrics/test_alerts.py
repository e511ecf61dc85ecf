"""Alerts and dashboard: made of the rules, of series that are there, and Prometheus takes them."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from console.management.commands.metrics import ALERTS, DASHBOARD
from console.metrics import alerts, dashboard, page
from console.queries.attention_table import RULES

PROMTOOL = shutil.which("promtool")
needs_promtool = pytest.mark.skipif(
    PROMTOOL is None, reason="promtool is not installed (Debian: the package prometheus)"
)

SERIES = re.compile(r"\b(?:rollcall|kafka)_[a-z0-9_]+")

STORM: Any = {
    "rule_files": [str(ALERTS)],
    "evaluation_interval": "15s",
    "tests": [
        {
            "interval": "15s",
            "input_series": [
                # Two web processes say the same; the storm begins after two minutes, and ends.
                *(
                    {"series": f'{name}{{instance="{web}"{labels}}}', "values": values}
                    for web in ("a", "b")
                    for name, labels, values in (
                        ("rollcall_database_up", "", "1x80"),
                        ("rollcall_attention", ', rule="storm"', "0x8 1x40 0x20"),
                        ("rollcall_attention", ', rule="frozen"', "0x80"),
                    )
                ),
                {
                    "series": 'rollcall_group_attention{group="orders", instance="a",'
                    ' rule="storm"}',
                    "values": "_x8 1x40 stale",
                },
                {"series": 'rollcall_loop_stalls_total{instance="n"}', "values": "0x20 1x60"},
            ],
            "alert_rule_test": [
                {"eval_time": "2m30s", "alertname": "RollcallStorm", "exp_alerts": []},
                {
                    "eval_time": "4m",
                    "alertname": "RollcallStorm",
                    "exp_alerts": [
                        {
                            "exp_labels": {"rule": "storm", "severity": "warning"},
                            "exp_annotations": {
                                "summary": "Rollcall: a group completed at least this many"
                                " rebalances within the last hour",
                                "description": "1 of the Overview's lines. orders",
                            },
                        }
                    ],
                },
                {"eval_time": "15m", "alertname": "RollcallStorm", "exp_alerts": []},
                {"eval_time": "10m", "alertname": "RollcallFrozen", "exp_alerts": []},
                {"eval_time": "10m", "alertname": "RollcallWebAway", "exp_alerts": []},
                {"eval_time": "10m", "alertname": "RollcallDatabaseAway", "exp_alerts": []},
                {
                    "eval_time": "6m",
                    "alertname": "RollcallNodeStalls",
                    "exp_alerts": [
                        {
                            "exp_labels": {"instance": "n", "severity": "warning"},
                            "exp_annotations": {
                                "summary": "Rollcall: a node was suspended",
                                "description": "n received nothing for over a second: is its"
                                " machine overloaded?",
                            },
                        }
                    ],
                },
            ],
        }
    ],
}


def promtool(*arguments: str) -> None:
    assert PROMTOOL is not None
    ended = subprocess.run([PROMTOOL, *arguments], capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_each_rule_of_the_overview_has_an_alert() -> None:
    told = yaml.safe_load(ALERTS.read_text())
    assert told == alerts.document()
    rules = told["groups"][0]["rules"]
    assert [r["alert"] for r in rules[: len(RULES)]] == [
        f"Rollcall{alerts.camel(rule.name)}" for rule in RULES
    ]
    assert {r["labels"]["severity"] for r in rules} == {"critical", "warning"}
    assert {rule.name for rule in RULES} >= alerts.URGENT


def test_every_series_used_in_alerts_is_exposed() -> None:
    known = {row.name for table in page.TABLES.values() for row in table}
    known |= {f"{name}_bucket" for name in known}
    asked = [alert.expression for alert in alerts.alerts()]
    asked += [
        target["expr"] for panel in dashboard.document()["panels"] for target in panel["targets"]
    ]
    named = {name for expression in asked for name in SERIES.findall(expression)}
    assert len(named) > 20
    assert named <= known


def test_the_dashboard_is_valid_grafana_json() -> None:
    panels = json.loads(DASHBOARD.read_text())["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    cells = [
        (x, y)
        for panel in panels
        for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])
    ]
    assert len(set(cells)) == len(cells)
    assert max(x for x, _ in cells) < 24


@needs_promtool
def test_prometheus_accepts_the_alerts() -> None:
    promtool("check", "rules", "--lint-fatal", str(ALERTS))


@needs_promtool
def test_a_storm_fires_an_alert_that_ends(tmp_path: Path) -> None:
    file = tmp_path / "storm.yml"
    file.write_text(json.dumps(STORM))
    promtool("test", "rules", str(file))


@needs_promtool
def test_every_query_of_the_dashboard_is_valid(tmp_path: Path) -> None:
    queries = [
        {"record": f"panel:q{at}", "expr": target["expr"]}
        for panel in dashboard.document()["panels"]
        for at, target in enumerate(panel["targets"], panel["id"] * 100)
    ]
    file = tmp_path / "queries.yml"
    file.write_text(json.dumps({"groups": [{"name": "panels", "rules": queries}]}))
    promtool("check", "rules", str(file))
