"""The plan: what is started, and in which order."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from coordinator_site import own_settings
from launcher import environment, plan
from launcher.data_dir import DataDir
from launcher.environment import Environment
from launcher.errors import LaunchError
from launcher.process import Command, Stage, Task

URL = "postgresql://127.0.0.1/none"


def planned(folder: Path, **more: Any) -> list[Any]:
    """The names of tasks and processes; a stage that is decided when it is due is decided now."""
    data_dir = DataDir(folder)
    data_dir.make()
    wanted = replace(Environment(folder, 0, 0, 0, 2, None), **more)
    return [named(stage) for stage in plan.build(wanted, data_dir, URL, None)]


def named(stage: Stage) -> Any:
    if isinstance(stage, Task):
        return " ".join(stage.command.program)
    return [words(one.command) for one in (stage() if callable(stage) else stage)]


def words(command: Command) -> str:
    kept = [word for word in command.program if "port" not in word and not word.isdecimal()]
    return " ".join(kept)


def test_nodes_have_priority_over_the_web(tmp_path: Path) -> None:
    assert planned(tmp_path) == [
        "setup",
        ["node --node-id=0 --host=127.0.0.1", "node --node-id=1 --host=127.0.0.1"],
        ["web -b 127.0.0.1 -p", "worker --beat"],
    ]


def test_a_host_of_several_leases_its_ids_and_runs_what_it_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "node-ids").write_text('{"host": "h", "starts": 1, "node_ids": [4, 7]}')
    shared = {"database_url": URL, "host": "127.0.0.2", "advertised_host": "one.example"}
    node = "--host=127.0.0.2 --advertised-host=one.example"
    nodes = [f"node --node-id=4 {node}", f"node --node-id=7 {node}"]
    for processes, expected in (
        (("node",), ["setup --nodes=2", nodes, []]),
        (("web", "beat"), ["setup", ["web -b 127.0.0.1 -p", "beat"]]),
        (("worker",), ["setup", ["worker"]]),
        (("node", "worker", "beat"), ["setup --nodes=2", nodes, ["worker --beat"]]),
    ):
        assert planned(tmp_path, **shared, processes=processes) == expected


def test_listeners_and_ports_follow_the_place_of_a_node_not_its_id(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a host whose node has the id 7 would serve at another port than its settings say."""
    monkeypatch.setenv("ROLLCALL_LISTENERS", "PLAINTEXT://127.0.0.1:9092")
    monkeypatch.setenv("ROLLCALL_ADVERTISED_LISTENERS", "PLAINTEXT://one.example:9092")
    monkeypatch.setenv("ROLLCALL_METRICS_PORT", "9404")
    (tmp_path / "node-ids").write_text('{"host": "h", "starts": 1, "node_ids": [4, 7]}')
    data_dir = DataDir(tmp_path)
    data_dir.make()
    stages = plan.build(Environment(tmp_path, 0, 0, 0, 2, URL), data_dir, URL, None)
    (nodes,) = (stage for stage in stages if callable(stage))
    commands = [one.command for one in nodes()]
    assert [each.environ["ROLLCALL_LISTENERS"][-4:] for each in commands] == ["9092", "9093"]
    assert [each.program[-1] for each in commands] == [
        "--metrics-port=9404",
        "--metrics-port=9405",
    ]
    one, other = (set(each.environ.items()) for each in commands)
    differ = {name for name, _ in one ^ other} - {"ROLLCALL_READY_FILE"}
    assert differ == {f"ROLLCALL_{name}" for name in own_settings.OF_A_NODE}, "what a fork reads"


def test_ids_that_set_up_did_not_write_are_reported(tmp_path: Path) -> None:
    with pytest.raises(LaunchError, match="node-ids cannot be read"):
        planned(tmp_path, database_url=URL)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"ROLLCALL_PROCESSES": "node,zookeeper"}, "is a list of node, web, worker, beat"),
        ({"ROLLCALL_PROCESSES": " , "}, "is a list of node, web, worker, beat"),
        ({"ROLLCALL_WEB_HOST": "10.0.0.5"}, "put a proxy with TLS in front of it"),
        ({"ROLLCALL_WEB_HOST": "web.example"}, "must be an IP address"),
    ],
)
def test_a_wrong_setting_of_a_host_is_a_sentence(given: dict[str, str], sentence: str) -> None:
    with pytest.raises(LaunchError, match=sentence):
        environment.read(given)


def test_settings_of_a_host() -> None:
    found = environment.read(
        {
            "ROLLCALL_PROCESSES": "beat, node",
            "ROLLCALL_WEB_HOST": "10.0.0.5",
            "ROLLCALL_WEB_TLS": "true",
            "ROLLCALL_HOST": "10.0.0.5",
        }
    )
    assert found.processes == ("node", "beat")
    assert (found.web_host, found.host) == ("10.0.0.5", "10.0.0.5")
