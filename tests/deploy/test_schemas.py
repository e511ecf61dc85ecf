"""kubeconform finds no field that Kubernetes does not know, where it is on the PATH and its schemas
are here: those of the wheel ``kubernetes-validate``, which are Kubernetes' own."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.deploy.test_manifests import FILES, documents

VERSIONS = ("1.28.0", "1.37.0")
"""The oldest that the manifests are for, and the newest whose schemas there are."""

SCHEMAS = "ROLLCALL_KUBERNETES_SCHEMAS"
"""The wheel's folder ``kubernetes-json-schema``, which has one folder for each version."""


@pytest.mark.parametrize("version", VERSIONS)
def test_kubernetes_knows_every_field(version: str, tmp_path: Path) -> None:
    if shutil.which("kubeconform") is None or SCHEMAS not in os.environ:
        pytest.skip("kubeconform or its schemas are not here")
    standalone(Path(os.environ[SCHEMAS]) / f"v{version}-local-strict", tmp_path)
    where = ["-schema-location", f"{tmp_path}/{{{{.ResourceKind}}}}{{{{.KindSuffix}}}}.json"]
    files = [file for file in FILES if file.name != "kustomization.yaml"]
    options = ["-strict", "-verbose", "-kubernetes-version", version, *where, *map(str, files)]
    done = subprocess.run(["kubeconform", *options], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(" is valid") == len(documents())


def standalone(schemas: Path, target: Path) -> None:
    """The schemas of the kinds that are used, each with the definitions that it refers to:
    kubeconform reads no others."""
    definitions = json.loads((schemas / "_definitions.json").read_text())["$defs"]
    for kind, version in {(one["kind"], one["apiVersion"]) for one in documents()}:
        group = version.replace(".k8s.io", "").replace("/", "-")
        name = f"{kind.lower()}-{group}.json"
        whole = json.loads((schemas / name).read_text()) | {"$defs": definitions}
        (target / name).write_text(json.dumps(whole).replace("/api/_definitions.json#", "#"))
