"""Clients that generators make of docs/openapi.yaml, in Python and TypeScript: both build, and each
operation is called with them before an installation, those that change something dry and really."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from launcher.installation import CHECKOUT, Installation
from tests.api.test_installation import Rest
from tests.clients.conftest import Worker, stock_consumer
from tests.installations import TOKEN

pytestmark = [pytest.mark.long, pytest.mark.timeout(900), pytest.mark.xdist_group("generated")]

DOCUMENT: Final = CHECKOUT / "docs" / "openapi.yaml"
SOURCES: Final = Path(__file__).parent / "generated"
UV: Final = CHECKOUT / ".tools" / "uv" / "bin" / "uv"
PYTHON_GENERATOR: Final = "openapi-python-client==0.29.1"

NAME: Final = "generated"
TAG_OF_TWINS: Final = "ids in the query"
ENDLESS: Final = "follow_journal"

NOT_THERE: Final = {
    "get_acknowledgement": HTTPStatus.NOT_FOUND,
    "withdraw_acknowledgement": HTTPStatus.NOT_FOUND,
    "withdraw_attention_rule": HTTPStatus.NOT_FOUND,
    "acknowledge": HTTPStatus.CONFLICT,
    "decide_advice": HTTPStatus.CONFLICT,
    **dict.fromkeys(("withdraw_advice_decision", "withdraw_mark"), HTTPStatus.NOT_FOUND),
    "get_report": HTTPStatus.NOT_FOUND,
    "undo_operation": HTTPStatus.CONFLICT,
    "drain_node": HTTPStatus.CONFLICT,
    "forget_node": HTTPStatus.CONFLICT,
    "restore_offsets": HTTPStatus.CONFLICT,
    **dict.fromkeys(("get_webhook", "change_webhook", "delete_webhook"), HTTPStatus.NOT_FOUND),
    **dict.fromkeys(("rotate_webhook_secret", "test_webhook"), HTTPStatus.NOT_FOUND),
    **dict.fromkeys(("list_webhook_deliveries", "redeliver_webhook"), HTTPStatus.NOT_FOUND),
    **dict.fromkeys(("get_user", "delete_user"), HTTPStatus.NOT_FOUND),
    "remove_quotas": HTTPStatus.BAD_REQUEST,  # of whom stands in no example
    **dict.fromkeys(("create_acl", "delete_acls"), HTTPStatus.CONFLICT),
}
"""What may be refused, since there is nothing of the kind in the installation: a client reads the
problem."""

REALLY: Final = (
    *("force_rebalance", "pause_group", "resume_group", "pause_member", "resume_member"),
    *("freeze_group", "thaw_group", "change_group_config"),
    *("create_topic", "grow_topic", "place_topic", "delete_topic"),
)
"""Verbs that are asked for as well, in an order in which each can be done."""


@dataclass(frozen=True)
class Call:
    """An operation with everything that it needs."""

    operation_id: str
    tag: str
    method: str
    path: str
    path_values: Mapping[str, Any]
    query: Mapping[str, Any]
    body: Any
    headers: Mapping[str, str] = field(default_factory=dict)


def calls(ids: Mapping[str, Any], topic: str) -> Iterator[Call]:
    """Each operation once, dry where it changes something; then what is really done, of topics to
    a new one."""
    made = {
        operation["operationId"]: _call(path, method, operation, ids)
        for path, methods in yaml.safe_load(DOCUMENT.read_text())["paths"].items()
        for method, operation in methods.items()
        if operation["operationId"] != ENDLESS and operation["tags"] != [TAG_OF_TWINS]
    }
    made["create_topic"].body["name"] = topic
    yield from made.values()
    for name in REALLY:
        call = made[name]
        query = {key: value for key, value in call.query.items() if key != "dry_run"}
        values = {key: topic if key == "name" else v for key, v in call.path_values.items()}
        waits = {"Prefer": "wait=20"} if call.path.startswith("/api/v1/groups/{") else {}
        headers = {} if name == "change_group_config" else waits
        yield replace(call, path_values=values, query=query, headers=headers)


def _call(path: str, method: str, told: Mapping[str, Any], ids: Mapping[str, Any]) -> Call:
    of_path = [p["name"] for p in told["parameters"] if p["in"] == "path"] if "{" in path else []
    query = {
        p["name"]: ids.get(p["name"], "a test")
        for p in told.get("parameters", ())
        if p["in"] == "query" and p.get("required")
    }
    if "groups_max" in str(told.get("requestBody", {})):
        query["q"] = NAME
    if any(p["name"] == "dry_run" for p in told.get("parameters", ())):
        query["dry_run"] = "true"
    content = told.get("requestBody", {}).get("content", {})
    body = content["application/json"]["example"] if content else None
    values = {name: ids[name] for name in of_path}
    if told["operationId"] in ("force_rebalance", "freeze_group"):
        body = {"reason": "a test"}  # the example's generation is over
    if told["operationId"] == "reset_offsets":
        body = {**content["application/json"]["example"], "topics": [NAME]}
    return Call(told["operationId"], told["tags"][0], method, path, values, query, body)


@pytest.fixture(scope="module")
def worker(installation: Installation) -> Iterator[Worker]:
    with stock_consumer(installation.kafka, NAME) as consumer:
        yield consumer


@pytest.fixture
def wanted(installation: Installation, worker: Worker, request: Any) -> Sequence[Call]:
    """What is called; the topic that is made has another name for each language."""
    rest = Rest(installation.web)
    worker.until(lambda: rest.ask("GET", f"/groups/{NAME}")[2]["state"] == "Stable", "at rest")
    group = rest.ask("GET", f"/groups/{NAME}")[2]
    rest.ask("POST", f"/groups/{NAME}/thaw", {"reason": "a test"}, Prefer="wait=20")
    topic = f"{NAME}-{request.node.name.replace('_', '-')}"
    operation = rest.ask("GET", "/operations")[2]["data"][0]["id"]
    ids = {
        "group_id": NAME,
        "member_id": group["members"][0]["member_id"],
        "generation": group["generation"],
        "name": NAME,
        "topic": NAME,
        "partition": 0,
        "operation_id": operation,
        "acknowledgement_id": 2**31,
        "rule_id": 2**31,
        "decision_id": 2**31,
        "mark_id": 2**31,
        "since": "2026-05-04T03:00:00Z",
        "until": "2026-05-04T04:00:00Z",
        "webhook_id": 2**31,
        "delivery_id": 2**31,
        "node_id": 0,
        "user": "nobody",
        "report": "cost",
        "resource_type": "TOPIC",
    }
    return list(calls(ids, topic))


def check(printed: str, wanted: Sequence[Call]) -> None:
    """Each call was answered as it should be."""
    results = [json.loads(line) for line in printed.splitlines()]
    assert [each["operation_id"] for each in results] == [call.operation_id for call in wanted]
    for each in results:
        known = NOT_THERE.get(each["operation_id"])
        fine = each["status"] < HTTPStatus.BAD_REQUEST or each["status"] == known
        assert fine, each
        assert each["read"] not in ("NoneType", "undefined") or each["status"] == 204, each


def run(*command: str | Path, at: Path, **more: Any) -> str:
    """What the command prints; a failure shows all of it."""
    words = [str(word) for word in command]
    ended = subprocess.run(
        words, cwd=at, capture_output=True, text=True, check=False, timeout=600, **more
    )
    assert ended.returncode == 0, (words, ended.stdout[-4_000:], ended.stderr[-4_000:])
    return str(ended.stdout)


def test_a_python_client(
    installation: Installation, wanted: Sequence[Call], tmp_path: Path
) -> None:
    generator = (UV, "tool", "run", "--from", PYTHON_GENERATOR, "openapi-python-client")
    generated = run(
        *generator, "generate", "--path", DOCUMENT, "--output-path", "made", at=tmp_path
    )
    assert "Skipping" not in generated.replace("Skipping Integration", ""), generated
    asked = json.dumps([asdict(call) for call in wanted])
    printed = run(
        *(sys.executable, SOURCES / "calls.py", installation.web.rstrip("/"), TOKEN),
        at=tmp_path / "made",
        input=asked,
        env={"PYTHONPATH": str(tmp_path / "made")},
    )
    check(printed, wanted)


HEAD: Final = """import createClient from "openapi-fetch";
import type { paths } from "./schema.js";

const client = createClient<paths>({
  baseUrl: process.argv[2]!,
  headers: { Authorization: `Bearer ${process.argv[3]}` },
});

type Answer = { data?: unknown; error?: unknown; response: Response };

const told = async (id: string, asked: Promise<Answer>) => {
  const { data, error, response } = await asked;
  const read = typeof (response.ok ? data : error);
  console.log(JSON.stringify({ operation_id: id, status: response.status, read }));
};
"""


def program(wanted: Sequence[Call]) -> str:
    """TypeScript that calls each of them, with the types of the description."""
    return HEAD + "\n".join(_line(call) for call in wanted) + "\n"


def _line(call: Call) -> str:
    params = {"path": call.path_values, "query": call.query, "header": call.headers}
    said: dict[str, Any] = {"params": {name: value for name, value in params.items() if value}}
    if call.body is not None:
        said["body"] = call.body
    place = json.dumps(call.path)
    asked = f"client.{call.method.upper()}({place}, {json.dumps(said)})"
    return f"await told({json.dumps(call.operation_id)}, {asked});"


def test_a_typescript_client(
    installation: Installation, wanted: Sequence[Call], tmp_path: Path
) -> None:
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    for name in ("package.json", "package-lock.json", "tsconfig.json"):
        shutil.copy(SOURCES / name, tmp_path)
    run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", at=tmp_path)
    made = tmp_path / "node_modules" / ".bin"
    # Else a field of a body that has a default would have to be told.
    options = ("--default-non-nullable=false", "-o", "schema.d.ts")
    run(made / "openapi-typescript", DOCUMENT, *options, at=tmp_path)
    (tmp_path / "calls.ts").write_text(program(wanted))
    run(made / "tsc", "-p", "tsconfig.json", at=tmp_path)
    printed = run("node", "js/calls.js", installation.web.rstrip("/"), TOKEN, at=tmp_path)
    check(printed, wanted)
