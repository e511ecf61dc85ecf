"""What deploy/ holds for Kubernetes and systemd is well formed, and says the same as the code."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from launcher import commands
from launcher.installation import CHECKOUT
from tests.docs.test_pages import variables

FOLDER = CHECKOUT / "deploy" / "kubernetes"
UNIT = CHECKOUT / "deploy" / "systemd" / "rollcall.service"
FILES = sorted(FOLDER.glob("*.yaml"))
EXPOSURE_MAX = 2.0
"""Of systemd's 10: what it calls OK ends at 5."""


def documents() -> list[dict[str, Any]]:
    """Every object."""
    return [
        found
        for file in FILES
        if file.name != "kustomization.yaml"
        for found in yaml.safe_load_all(file.read_text())
    ]


def pods() -> list[dict[str, Any]]:
    """The description of each kind of pod."""
    specs = (each.get("spec", {}) for each in documents())
    return [spec["template"]["spec"] for spec in specs if "template" in spec]


def containers() -> list[dict[str, Any]]:
    return [one for pod in pods() for one in (*pod.get("initContainers", ()), *pod["containers"])]


def named(kind: str) -> dict[str, dict[str, Any]]:
    return {one["metadata"]["name"]: one for one in documents() if one["kind"] == kind}


def specs_of(kind: str) -> list[dict[str, Any]]:
    return [one["spec"] for one in documents() if one["kind"] == kind]


def test_the_linter_finds_no_problem() -> None:
    config = CHECKOUT / "docker" / ".yamllint"
    linter = Path(sys.executable).parent / "yamllint"
    every = (*FILES, *FOLDER.glob("monitoring/*.yaml"))
    command: list[str | Path] = [linter, "--strict", "-c", config, *every]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (0, "")


def test_kustomize_builds_every_file() -> None:
    found = yaml.safe_load((FOLDER / "kustomization.yaml").read_text())
    assert sorted(found["resources"]) == [f.name for f in FILES if f.name != "kustomization.yaml"]
    if shutil.which("kubectl") is None:
        pytest.skip("kubectl is not installed")
    built = subprocess.run(
        ["kubectl", "kustomize", FOLDER], capture_output=True, text=True, check=True
    )
    objects = list(yaml.safe_load_all(built.stdout))
    assert len(objects) == len(documents())
    assert {one["metadata"]["namespace"] for one in objects} == {"rollcall"}


def test_containers_run_programs_of_the_table_without_any_privilege() -> None:
    assert {one["args"][0] for one in containers()} == {"setup", "node", "web", "worker"}
    assert {one["args"][0] for one in containers()} <= commands.PROGRAMS.keys()
    for one in containers():
        assert one["image"] == "rollcall"
        assert one["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
    for pod in pods():
        assert pod["securityContext"]["runAsNonRoot"]
        assert pod["securityContext"]["runAsUser"] == int(user_of_the_image())


def user_of_the_image() -> str:
    match = re.search(
        r"^USER (\d+):", (CHECKOUT / "docker" / "Dockerfile").read_text(), re.MULTILINE
    )
    assert match is not None
    return match[1]


def test_every_variable_is_read_by_the_code() -> None:
    names = {entry["name"] for one in containers() for entry in one.get("env", ())}
    (shared,) = named("ConfigMap").values()
    wanted = {name for name in {*names, *shared["data"]} if name.startswith("ROLLCALL_")}
    assert {n for n in wanted if not {n, n.removesuffix("_FILE")} & variables()} == set()


def test_secrets_are_files_that_the_readme_says_how_to_make() -> None:
    (shared,) = named("ConfigMap").values()
    folder = "/etc/rollcall/secret/"
    wanted = {text.removeprefix(folder) for text in shared["data"].values() if folder in text}
    readme = (FOLDER / "README.md").read_text()
    assert wanted == set(re.findall(r"--from-file=([a-z-]+)(?!\S)", readme))


def test_selectors_find_the_pods_and_ports_have_names() -> None:
    components = {"node", "web", "worker"}
    ports = {port["name"] for one in containers() for port in one.get("ports", ())}
    for kind in ("Service", "PodDisruptionBudget", "NetworkPolicy"):
        for spec in specs_of(kind):
            selector = spec.get("selector") or spec["podSelector"]
            labels = selector.get("matchLabels", selector)
            assert labels["app.kubernetes.io/component"] in components
    for policy in specs_of("NetworkPolicy"):
        for rule in policy.get("ingress", ()):
            assert {port["port"] for port in rule["ports"]} <= ports
    for service in specs_of("Service"):
        assert {port["name"] for port in service["ports"]} <= ports
    probes = [one[probe] for one in containers() for probe in one if probe.endswith("Probe")]
    assert {probe["httpGet"]["port"] for probe in probes if "httpGet" in probe} <= ports


def test_a_nodes_certificate_and_address_are_of_its_own_name() -> None:
    (node,) = (one for one in containers() if one["args"][0] == "node")
    told = {entry["name"]: entry.get("value") for entry in node["env"]}
    service = named("StatefulSet")["rollcall-node"]["spec"]["serviceName"]
    assert f"$(POD_NAME).{service}." in told["ROLLCALL_ADVERTISED_LISTENERS"]
    assert f"*.{service}.rollcall.svc" in (FOLDER / "README.md").read_text()


def test_the_unit_is_hardened() -> None:
    """By systemd's own measure, and not so far that nothing would run: the launcher test of
    tests/launcher starts what ``ExecStart`` names."""
    assert (CHECKOUT / "rollcall-server").stat().st_mode & 0o111
    assert "ExecStart=/opt/rollcall/rollcall-server\n" in UNIT.read_text()
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd is not installed")
    run = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", UNIT],
        capture_output=True,
        text=True,
        check=False,
    )
    found = re.search(r"Overall exposure level for rollcall.service: ([0-9.]+)", run.stdout)
    if found is None:
        pytest.skip(f"systemd cannot tell here: {run.stderr[:200]}")
    assert float(found[1]) <= EXPOSURE_MAX
    verified = subprocess.run(
        ["systemd-analyze", "verify", UNIT], capture_output=True, text=True, check=False
    )
    missing = "Command /opt/rollcall/rollcall-server is not executable"
    said = [line for line in verified.stderr.splitlines() if "rollcall" in line]
    assert [line for line in said if missing not in line] == []


def test_an_environment_that_the_user_may_not_use_is_named(tmp_path: Path) -> None:
    """Such as one made by root with a Python in a home directory: another Python would start, and
    not find a package."""
    shutil.copy(CHECKOUT / "rollcall-server", tmp_path)
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to("/root/.pyenv/versions/gone/bin/python")
    run = subprocess.run(
        [tmp_path / "rollcall-server"], capture_output=True, text=True, check=False
    )
    assert run.returncode == 1 and run.stdout == ""
    assert "may not run /root/.pyenv/versions/gone/bin/python" in run.stderr
