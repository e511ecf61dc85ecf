"""``make chart``: Helm's chart says what the manifests say, and follows its values."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from launcher import helm_chart
from rollcall import __version__


@pytest.fixture
def chart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(helm_chart, "CHART", tmp_path / "rollcall")
    helm_chart.main()
    return tmp_path / "rollcall"


def rendered(chart: Path, *words: str) -> list[dict[str, Any]]:
    helm = shutil.which("helm")
    if helm is None:
        pytest.skip("helm is not installed")
    command: list[str | Path] = [
        helm,
        "template",
        "rollcall",
        chart,
        "--kube-version",
        "1.31.0",
        *words,
    ]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return by_name(text)


def by_name(text: str) -> list[dict[str, Any]]:
    found = [one for one in yaml.safe_load_all(text) if one]
    return sorted(found, key=lambda one: (one["kind"], one["metadata"]["name"]))


def test_every_value_is_somewhere_in_the_manifests() -> None:
    """Else it was renamed there, and the value does nothing."""
    every = {file.name: file.read_text() for file in helm_chart.sources()}
    for value in helm_chart.VALUES:
        where = [every[value.file]] if value.file else every.values()
        assert any(value.text in text for text in where), value.path


def test_values_have_their_defaults_and_reasons(chart: Path) -> None:
    text = (chart / "values.yaml").read_text()
    values = yaml.safe_load(text)
    for value in helm_chart.VALUES:
        found: Any = values
        for name in value.path.split("."):
            found = found[name]
        assert found == value.default, value.path
        assert f"# {value.why}" in text or not value.why, value.path


def test_with_its_defaults_it_is_the_manifests(chart: Path) -> None:
    texts = [file.read_text() for file in helm_chart.sources()]
    image = f"registry.example/rollcall:{__version__}"
    expected = "\n".join(texts).replace("image: rollcall\n", f"image: {image}\n")
    assert rendered(chart, "--set", "podMonitors=true") == by_name(expected)


def test_it_follows_its_values(chart: Path) -> None:
    words = ("replicas.node=5", "settings.ROLLCALL_ALLOWED_HOSTS=a.b", "settings.ROLLCALL_MORE=1")
    sets = [word for each in words for word in ("--set-string", each)]
    found = rendered(chart, *sets, "--set", "networkPolicy=false")
    assert "NetworkPolicy" not in {one["kind"] for one in found}
    of_nodes = [one for one in found if one["kind"] == "StatefulSet"]
    assert [one["spec"]["replicas"] for one in of_nodes] == [5]
    (settings,) = (one["data"] for one in found if one["kind"] == "ConfigMap")
    assert settings["ROLLCALL_ALLOWED_HOSTS"] == "a.b"
    assert settings["ROLLCALL_MORE"] == "1"
    assert settings["ROLLCALL_LOG_FORMAT"] == "json"
