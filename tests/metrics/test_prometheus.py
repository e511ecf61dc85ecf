"""A real Prometheus scrapes the web and three nodes, with our alerts, while groups rebalance."""

import asyncio
import json
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit
from urllib.request import urlopen

import pytest
import yaml

from benchmarks.wire import create_topic
from console.management.commands.metrics import ALERTS
from launcher import ports
from launcher.installation import Installation
from tests.api.curl import Request, send
from tests.clients.conftest import SESSION_MS, Worker
from tests.installations import SETTINGS, TOKEN
from tests.launcher.waiting import until

PROMETHEUS = shutil.which("prometheus")
NODES = 3
STORM = 3
"""Rebalances of a group within an hour that are a storm here."""

GROUPS = ("anna", "ben", "carla")
PATIENCE_S = 240.0
"""The alert waits for a minute by itself, on a machine that does much else."""

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(900),
    pytest.mark.skipif(
        PROMETHEUS is None,
        reason="Prometheus is not installed (Debian: the package prometheus)",
    ),
]


class Prometheus:
    """One that runs; asked over its API."""

    def __init__(self, port: int) -> None:
        self.port = port

    def ask(self, path: str, **query: str) -> Any:
        """The answer's data; None while it does not answer."""
        url = f"http://127.0.0.1:{self.port}{path}?{urlencode(query)}"
        try:
            with urlopen(url, timeout=10) as answer:
                return json.load(answer)["data"]
        except OSError:
            return None

    def values(self, expression: str) -> Mapping[str, float]:
        """The samples of an expression by their labels."""
        found = self.ask("/api/v1/query", query=expression) or {"result": []}
        return {
            json.dumps(sample["metric"], sort_keys=True): float(sample["value"][1])
            for sample in found["result"]
        }

    def firing(self) -> set[str]:
        """The names of the alerts that fire."""
        found = self.ask("/api/v1/alerts") or {"alerts": []}
        return {
            alert["labels"]["alertname"] for alert in found["alerts"] if alert["state"] == "firing"
        }


@contextmanager
def prometheus(folder: Path, web: str, nodes: list[str]) -> Iterator[Prometheus]:
    """It scrapes these each second, and judges our rules as often."""
    (port,) = ports.free(1)
    authorization = {"credentials": TOKEN}
    config = {
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": [str(ALERTS)],
        "scrape_configs": [
            {
                "job_name": name,
                "authorization": authorization,
                "static_configs": [{"targets": targets}],
            }
            for name, targets in (("web", [web]), ("nodes", nodes))
        ],
    }
    file = folder / "prometheus.yml"
    file.write_text(yaml.safe_dump(config))
    assert PROMETHEUS is not None
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [
                PROMETHEUS,
                f"--config.file={file}",
                f"--storage.tsdb.path={folder / 'data'}",
                f"--web.listen-address=127.0.0.1:{port}",
                "--log.level=warn",
            ],
            stdout=log,
            stderr=log,
        )
        try:
            yield Prometheus(port)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(30)


def in_a_row(count: int) -> int:
    """The first of so many free ports, one behind the other."""
    while True:
        (first,) = ports.free(1)
        with ExitStack() as held:
            try:
                for port in range(first, first + count):
                    held.enter_context(socket.socket()).bind(("127.0.0.1", port))
            except (OSError, OverflowError):
                continue
            return first


@contextmanager
def working(kafka: str, name: str) -> Iterator[None]:
    """A group of one stock consumer, which has its topic's two partitions."""
    worker = Worker.of("confluent-kafka", kafka, name, SESSION_MS)
    try:
        worker.until(lambda: len(worker.owned) == 2, "all partitions")
        yield
    finally:
        worker.close()
        worker.close_pipes()


def force(web: str, group_id: str) -> None:
    """A rebalance that has ended."""
    headers = {
        "Authorization": f"Bearer {TOKEN}",
        "Content-Type": "application/json",
        "Prefer": "wait=20",
    }
    url = f"{web.rstrip('/')}/api/v1/groups/{group_id}/rebalances"
    status, _, raw = send(Request("POST", url, headers, '{"reason": "a storm"}'))
    assert status == HTTPStatus.OK, raw


def test_a_storm_fires_in_a_prometheus_that_scrapes_three_nodes(tmp_path: Path) -> None:
    first = in_a_row(NODES)
    settings = {
        **SETTINGS,
        "ROLLCALL_NODES": str(NODES),
        "ROLLCALL_METRICS_PORT": str(first),
        "ROLLCALL_METRICS_TOKEN": TOKEN,
        "ROLLCALL_METRICS_CACHE_MS": "1000",
        "ROLLCALL_ATTENTION_REBALANCES_PER_HOUR": str(STORM),
    }
    nodes = [f"127.0.0.1:{first + n}" for n in range(NODES)]
    with ExitStack() as ends:
        running = ends.enter_context(Installation(settings))
        web = urlsplit(running.web).netloc
        asked = ends.enter_context(prometheus(tmp_path, web, nodes))
        until(lambda: sum(asked.values("up").values()) == 1 + NODES, "four scrapes", PATIENCE_S)
        assert "RollcallStorm" not in asked.firing()

        for name in GROUPS:
            asyncio.run(create_topic(running.kafka, name, 2))
            ends.enter_context(working(running.kafka, name))
            for _ in range(STORM):
                force(running.web, name)

        until(lambda: "RollcallStorm" in asked.firing(), "the alert fires", PATIENCE_S)
        assert not {name for name in asked.firing() if "Away" in name or "Node" in name}
        counted = sum(asked.values("rollcall_rebalances_total{trigger='operator'}").values())
        assert counted >= STORM * len(GROUPS)
        members = asked.values("kafka_consumergroup_members")
        assert sorted(members.values()) == [1.0] * len(GROUPS)
        named = asked.values("rollcall_group_attention{rule='storm'} == 1")
        assert all(any(f'"group": "{name}"' in labels for labels in named) for name in GROUPS)
        until(lambda: len(asked.values("rollcall_node_info")) == NODES, "all nodes", PATIENCE_S)
