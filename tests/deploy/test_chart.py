"""The chart is what the manifests say; helm and kubeconform find no fault (``make charts``)."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.chart import CHART, MANIFESTS, MONITOR, chart, objects

KUBERNETES = ("1.28.0", "1.37.0")
"""The oldest that the chart allows, and the newest whose schemas the validator has."""

SCHEMAS = "ROLLCALL_KUBERNETES_SCHEMAS"
"""A folder with one folder for each version, as kubeconform names them."""


def helm(*words: str) -> str:
    """What it prints."""
    if shutil.which("helm") is None:
        pytest.skip("make charts brings helm")
    done = subprocess.run(["helm", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def rendered(*words: str) -> list[dict[str, Any]]:
    """The objects that an installation gets."""
    newest = f"--kube-version={KUBERNETES[-1]}"
    return list(yaml.safe_load_all(helm("template", "rollcall", str(CHART), newest, *words)))


def known(objects: list[dict[str, Any]]) -> dict[tuple[str, str], dict[str, Any]]:
    return {(one["kind"], one["metadata"]["name"]): one for one in objects}


def manifests() -> list[dict[str, Any]]:
    """What kustomize makes."""
    names = yaml.safe_load((MANIFESTS / "kustomization.yaml").read_text())["resources"]
    return [one for name in names for one in objects(MANIFESTS / name)]


def test_the_chart_is_written_from_the_manifests() -> None:
    files = [path for path in CHART.rglob("*") if path.is_file()]
    found = {str(path.relative_to(CHART)): path.read_text() for path in files}
    assert found == chart(), "python -m tests.deploy.chart"


def test_the_default_values_make_the_manifests() -> None:
    assert known(rendered()) == known(manifests())
    monitored = rendered("--set", "serviceMonitor=true")
    assert known(monitored) == known([*manifests(), *objects(MONITOR)])


def test_values_reach_their_places() -> None:
    values = ("image=mine:1", "node.replicas=5", "settings.ROLLCALL_LOG_FORMAT=text",
              "node.resources.limits.memory=2Gi", "secretName=other")  # fmt: skip
    found = known(rendered(*(word for value in values for word in ("--set", value))))
    node = found["StatefulSet", "rollcall-node"]["spec"]
    pod = node["template"]["spec"]
    assert node["replicas"] == 5
    assert {one["image"] for one in (*pod["containers"], *pod["initContainers"])} == {"mine:1"}
    assert pod["containers"][0]["resources"]["limits"] == {"memory": "2Gi"}
    assert found["ConfigMap", "rollcall"]["data"]["ROLLCALL_LOG_FORMAT"] == "text"
    for (kind, _), one in found.items():
        if kind in ("StatefulSet", "Deployment"):
            volumes = one["spec"]["template"]["spec"]["volumes"]
            assert {"secretName": "other", "defaultMode": 0o440} in [
                v.get("secret") for v in volumes
            ]


def test_the_monitor_finds_the_nodes_service() -> None:
    ((monitor,),) = ([one["spec"] for one in objects(MONITOR)],)
    services = [one for one in manifests() if one["kind"] == "Service"]
    wanted = monitor["selector"]["matchLabels"].items()
    found = [one for one in services if wanted <= one["metadata"]["labels"].items()]
    (service,) = found
    ports = {port["name"] for port in service["spec"]["ports"]}
    assert {endpoint["port"] for endpoint in monitor["endpoints"]} <= ports


def test_helm_lints_it() -> None:
    helm("lint", "--strict", str(CHART))


@pytest.mark.parametrize("version", KUBERNETES)
def test_kubernetes_knows_every_field(version: str, tmp_path: Path) -> None:
    if shutil.which("kubeconform") is None or SCHEMAS not in os.environ:
        pytest.skip("make charts brings kubeconform and schemas")
    file = tmp_path / "rendered.yaml"
    file.write_text(helm("template", "rollcall", str(CHART), f"--kube-version={version}"))
    standalone(Path(os.environ[SCHEMAS]) / f"v{version}-local-strict", tmp_path)
    where = ["-schema-location", f"{tmp_path}/{{{{.ResourceKind}}}}{{{{.KindSuffix}}}}.json"]
    options = ["-strict", "-verbose", "-kubernetes-version", version, *where, str(file)]
    done = subprocess.run(["kubeconform", *options], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(" is valid") == len(manifests())


def standalone(schemas: Path, target: Path) -> None:
    """The schemas of the kinds that are used, each with the definitions that it refers to:
    kubeconform reads no others."""
    definitions = json.loads((schemas / "_definitions.json").read_text())["$defs"]
    for kind, version in {(one["kind"], one["apiVersion"]) for one in manifests()}:
        group = version.replace(".k8s.io", "").replace("/", "-")
        name = f"{kind.lower()}-{group}.json"
        whole = json.loads((schemas / name).read_text()) | {"$defs": definitions}
        (target / name).write_text(json.dumps(whole).replace("/api/_definitions.json#", "#"))
