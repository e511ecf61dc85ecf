"""The Helm chart, written from the manifests of kustomize: ``python -m tests.deploy.chart``.

``TABLE`` says which places of the manifests are values of the chart; everything else is the same in
both, so a change of the manifests cannot be forgotten there.
"""

import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from launcher.installation import CHECKOUT
from rollcall import __version__

MANIFESTS: Final = CHECKOUT / "deploy" / "kubernetes"
CHART: Final = CHECKOUT / "deploy" / "helm" / "rollcall"
MONITOR: Final = MANIFESTS / "monitoring" / "servicemonitor.yaml"

COMPONENTS: Final = ("node", "web", "worker")
ANY: Final = "*"
"""In a path: every element of a list."""

POD: Final = ("spec", "template", "spec")


@dataclass(frozen=True, slots=True)
class Value:
    """One value of the chart: its name, its meaning, and the places that it fills. A place is a
    kind, a name of an object, and a path."""

    name: str
    meaning: str
    places: tuple[tuple[str, str, tuple[str | int, ...]], ...]


def workload(component: str) -> tuple[str, str]:
    """Kind and name of what runs a component."""
    return "StatefulSet" if component == "node" else "Deployment", f"rollcall-{component}"


def every(*path: str | int) -> tuple[tuple[str, str, tuple[str | int, ...]], ...]:
    """The path in each workload."""
    return tuple((*workload(component), path) for component in COMPONENTS)


TABLE: Final[Sequence[Value]] = (
    Value(
        "image",
        "The image, which docker/README.md says how to build.",
        (
            *every(*POD, "containers", ANY, "image"),
            (*workload("node"), (*POD, "initContainers", ANY, "image")),
        ),
    ),
    *(
        Value(
            f"{component}.replicas",
            f"How many {component} pods.",
            ((*workload(component), ("spec", "replicas")),),
        )
        for component in COMPONENTS
    ),
    *(
        Value(
            f"{component}.resources",
            f"What a {component} pod requests, and its limits (docs/scale.md).",
            ((*workload(component), (*POD, "containers", ANY, "resources")),),
        )
        for component in COMPONENTS
    ),
    Value(
        "settings",
        "Every ROLLCALL_* setting that all processes share (docs/settings.md); names of the site.",
        (("ConfigMap", "rollcall", ("data",)),),
    ),
    Value(
        "secretName",
        "A secret with the files database-url, secret-key, metrics-token and admin-password.",
        (
            *every(*POD, "volumes", 1, "secret", "secretName"),
            (
                "ServiceMonitor",
                "rollcall-node",
                ("spec", "endpoints", 0, "authorization", "credentials", "name"),
            ),
        ),
    ),
    Value(
        "tlsSecretName",
        "A secret with keystore.pem: key and certificate of the nodes.",
        ((*workload("node"), (*POD, "volumes", 2, "secret", "secretName")),),
    ),
    Value(
        "clientLabels",
        "What pods have that may connect to nodes.",
        (
            (
                "NetworkPolicy",
                "rollcall-node",
                ("spec", "ingress", 0, "from", 0, "podSelector", "matchLabels"),
            ),
        ),
    ),
    Value(
        "ingressNamespace",
        "Labels of the namespace of the ingress, which terminates TLS of the web.",
        (
            (
                "NetworkPolicy",
                "rollcall-web",
                ("spec", "ingress", 0, "from", 0, "namespaceSelector", "matchLabels"),
            ),
        ),
    ),
    Value(
        "monitoringNamespace",
        "Labels of the namespace of Prometheus.",
        (
            (
                "NetworkPolicy",
                "rollcall-node",
                ("spec", "ingress", 1, "from", 0, "namespaceSelector", "matchLabels"),
            ),
            (
                "NetworkPolicy",
                "rollcall-web",
                ("spec", "ingress", 0, "from", 1, "namespaceSelector", "matchLabels"),
            ),
        ),
    ),
)

MARK: Final = re.compile(r"^( *)([^\n]*?)'?@@(\w)([\w.]+)@@'?$", re.MULTILINE)


def objects(path: Path) -> list[dict[str, Any]]:
    """The objects of one file, as kustomize makes them: with its labels and its image."""
    built = yaml.safe_load((MANIFESTS / "kustomization.yaml").read_text())
    (labels,), (image,) = built["labels"], built["images"]
    found = list(yaml.safe_load_all(path.read_text()))
    for one in found:
        one["metadata"].setdefault("labels", {}).update(labels["pairs"])
        spec = one.get("spec", {}).get("template", {}).get("spec", {})
        for container in (*spec.get("initContainers", ()), *spec.get("containers", ())):
            container["image"] = f"{image['newName']}:{image['newTag']}"
    return found


def replaced(found: Any, path: Sequence[str | int], mark: str) -> Iterator[Any]:
    """Put a mark at each place that the path leads to; yields what was there."""
    step, *rest = path
    steps = range(len(found)) if step == ANY else [step]
    for each in steps:
        if rest:
            yield from replaced(found[each], rest, mark)
        else:
            yield found[each]
            found[each] = mark


def template(path: Path, values: dict[str, Any]) -> str:
    """The template of one file; the values that were there are added to ``values``."""
    found = objects(path)
    for value in TABLE:
        for kind, name, steps in value.places:
            for one in found:
                if (one["kind"], one["metadata"]["name"]) == (kind, name):
                    before = list(replaced(one, steps, "@@?@@"))
                    assert values.setdefault(value.name, before[0]) == before[0], value.name
                    letter = "m" if isinstance(before[0], dict) else "s"
                    list(replaced(one, steps, f"@@{letter}{value.name}@@"))
    return MARK.sub(_expression, yaml.safe_dump_all(found, sort_keys=False, width=1_000))


def _expression(found: "re.Match[str]") -> str:
    indent, before, letter, name = found.groups()
    if letter == "s":
        return f"{indent}{before}{{{{ .Values.{name} }}}}"
    deeper = len(indent) + 2 * (1 + before.startswith("- "))
    return f"{indent}{before.rstrip()}\n{{{{ toYaml .Values.{name} | indent {deeper} }}}}"


def values_page(values: Mapping[str, Any]) -> str:
    """values.yaml, each value below its meaning."""
    parts = ["# What `helm install --set` may change. Written by `python -m tests.deploy.chart`."]
    nested: dict[str, dict[str, Any]] = {}
    for value in TABLE:
        first, _, second = value.name.partition(".")
        if second:
            nested.setdefault(first, {})[second] = values[value.name]
        else:
            parts.append(f"# {value.meaning}\n{_dumped({first: values[first]})}")
    meanings = {value.name: value.meaning for value in TABLE}
    for first, inner in nested.items():
        said = " ".join(meanings[f"{first}.{second}"] for second in inner)
        parts.append(f"# {said}\n{_dumped({first: inner})}")
    monitor = (
        "# Whether Prometheus is told by its operator's ServiceMonitor.\nserviceMonitor: false"
    )
    return "\n\n".join((*parts, monitor)) + "\n"


def _dumped(value: Any) -> str:
    return str(yaml.safe_dump(value, sort_keys=False, width=1_000)).rstrip()


def chart() -> dict[str, str]:
    """Every file of the chart, by its path below it."""
    values: dict[str, Any] = {}
    names = yaml.safe_load((MANIFESTS / "kustomization.yaml").read_text())["resources"]
    files = {f"templates/{name}": template(MANIFESTS / name, values) for name in names}
    monitor = template(MONITOR, values)
    files["templates/servicemonitor.yaml"] = (
        f"{{{{- if .Values.serviceMonitor }}}}\n{monitor}{{{{- end }}}}\n"
    )
    about = {
        "apiVersion": "v2",
        "name": "rollcall",
        "description": "A coordinator of consumer groups, on a PostgreSQL of yours",
        "type": "application",
        "version": __version__,
        "appVersion": __version__,
        "kubeVersion": ">=1.28.0-0",
    }
    return {"Chart.yaml": _dumped(about) + "\n", "values.yaml": values_page(values), **files}


def main() -> None:
    """Write it anew."""
    shutil.rmtree(CHART, ignore_errors=True)
    for name, text in chart().items():
        path = CHART / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    main()
