"""``make chart``: the manifests of deploy/kubernetes as a chart for Helm, in build/helm/rollcall.

The manifests are the source, for kustomize and for Helm: what an installation chooses is a row of
``VALUES``, whose text is replaced by a reference to the value. With its defaults the chart renders
the manifests.
"""

import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from launcher.installation import CHECKOUT
from rollcall import __version__

SOURCE: Final = CHECKOUT / "deploy" / "kubernetes"
CHART: Final = CHECKOUT / "build" / "helm" / "rollcall"


@dataclass(frozen=True, slots=True)
class Value:
    """A value by its path; ``text`` of the manifests (of one file, or of all) becomes ``template``.

    ``why`` stands in values.yaml.
    """

    path: str
    default: Any
    text: str
    template: str
    why: str = ""
    file: str = ""


def at(path: str, filters: str = "") -> str:
    """A reference to a value."""
    return f"{{{{ .Values.{path}{filters} }}}}"


def replicas(component: str, count: int, why: str) -> Value:
    """How many pods of a kind there are."""
    path, file = f"replicas.{component}", f"{component}.yaml"
    return Value(path, count, f"replicas: {count}\n", f"replicas: {at(path)}\n", why, file)


IMAGE = f'image: "{at("image.repository")}:{at("image.tag")}"\n'
RESOURCES = "requests: {cpu: 100m, memory: 256Mi}"
LIMITS = "limits: {memory: 1Gi}"
DOMAIN = ".svc.cluster.local"
NAMESPACE = "kubernetes.io/metadata.name: "
SETTINGS = (SOURCE / "settings.yaml").read_text().partition("\ndata:\n")[2].partition("\n---")[0]
OF_TOKEN = "{name: rollcall, key:"

VALUES: Final = (
    Value("image.repository", "registry.example/rollcall", "image: rollcall\n", IMAGE),
    Value("image.tag", __version__, "", ""),
    replicas("node", 3, "Coordinator nodes: 64 slots are spread over them."),
    replicas("web", 2, "Admin, REST and /metrics."),
    replicas("worker", 2, "Periodic work; one of them schedules it."),
    Value(
        "settings",
        yaml.safe_load(f"data:\n{SETTINGS}")["data"],
        SETTINGS,
        "{{- toYaml .Values.settings | nindent 2 }}",
        "What every process reads: those of docs/settings.md by their variables.",
    ),
    Value(
        "secrets.credentials",
        "rollcall",
        "secretName: rollcall\n",
        f"secretName: {at('secrets.credentials')}\n",
        "The secret with database-url, secret-key, metrics-token and admin-password.",
    ),
    Value(
        "secrets.tls",
        "rollcall-tls",
        "secretName: rollcall-tls\n",
        f"secretName: {at('secrets.tls')}\n",
        "The secret with keystore.pem.",
    ),
    Value(
        "resources.requests",
        {"cpu": "100m", "memory": "256Mi"},
        RESOURCES,
        f"requests: {at('resources.requests', ' | toJson')}",
    ),
    Value(
        "resources.limits",
        {"memory": "1Gi"},
        LIMITS,
        f"limits: {at('resources.limits', ' | toJson')}",
    ),
    Value(
        "clusterDomain",
        "cluster.local",
        DOMAIN,
        f".svc.{at('clusterDomain')}",
        "Nodes are advertised by names in it.",
    ),
    *(
        Value(f"namespaces.{name}", name, NAMESPACE + name, NAMESPACE + at(f"namespaces.{name}"))
        for name in ("ingress", "monitoring")
    ),
    Value(
        "secrets.credentials", "rollcall", OF_TOKEN, f"{{name: {at('secrets.credentials')}, key:"
    ),
    Value("networkPolicy", True, "", "", "Who may connect to the pods."),
    Value("podMonitors", False, "", "", "Where Prometheus' operator runs."),
)

SWITCHED: Final = {"network.yaml": "networkPolicy", "monitors.yaml": "podMonitors"}
"""Files that are there only where a value says so."""

ABOUT: Final = {
    "apiVersion": "v2",
    "name": "rollcall",
    "description": "A coordinator of consumer groups that speaks Kafka's protocol",
    "type": "application",
    "version": __version__,
    "appVersion": __version__,
    "kubeVersion": ">=1.28.0-0",
}


def template(file: Path) -> str:
    """A manifest whose choices are references to values."""
    text = file.read_text()
    for value in VALUES:
        if value.text and value.file in ("", file.name):
            text = text.replace(value.text, value.template)
    if switch := SWITCHED.get(file.name):
        text = f"{{{{- if .Values.{switch} }}}}\n{text}{{{{- end }}}}\n"
    return text


def defaults() -> str:
    """values.yaml: every value, with its reason before it."""
    tree: dict[str, Any] = {}
    for value in VALUES:
        *above, name = value.path.split(".")
        place = tree
        for each in above:
            place = place.setdefault(each, {})
        place[name] = value.default
    text = yaml.safe_dump(tree, sort_keys=False)
    for value in filter(lambda one: one.why, VALUES):
        name = value.path.rpartition(".")[2]
        text = re.sub(
            rf"^( *){name}:", rf"\1# {value.why}\n\g<0>", text, count=1, flags=re.MULTILINE
        )
    return text


def sources() -> list[Path]:
    """Every manifest."""
    files = [*SOURCE.glob("*.yaml"), *SOURCE.glob("monitoring/*.yaml")]
    return sorted(file for file in files if file.name != "kustomization.yaml")


def main() -> None:
    """Write it anew."""
    shutil.rmtree(CHART, ignore_errors=True)
    (CHART / "templates").mkdir(parents=True)
    (CHART / "Chart.yaml").write_text(yaml.safe_dump(ABOUT, sort_keys=False))
    (CHART / "values.yaml").write_text(defaults())
    for file in sources():
        (CHART / "templates" / file.name).write_text(template(file))


if __name__ == "__main__":
    main()
