"""What docker/ says, read for the tests. It judges nothing."""

import re
import tomllib
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import yaml

CHECKOUT = Path(__file__).resolve().parents[2]
FOLDER = CHECKOUT / "docker"
DOCKERFILE = FOLDER / "Dockerfile"
COMPOSE = FOLDER / "compose.yaml"

COPY = re.compile(r"^COPY (?!--from)(?P<what>.+) \S+$", re.MULTILINE)
VARIABLE = re.compile(r"\$\{(\w+)")


def compose() -> dict[str, Any]:
    """The compose file, its anchors and merges resolved."""
    read: dict[str, Any] = yaml.safe_load(COMPOSE.read_text())
    return read


def services() -> dict[str, Any]:
    """The services that run Rollcall's own image, by name."""
    everything: dict[str, Any] = compose()["services"]
    return {name: service for name, service in everything.items() if name != "postgres"}


def copied() -> list[str]:
    """What the Dockerfile takes from the checkout."""
    text = DOCKERFILE.read_text()
    return [source.rstrip("/") for line in COPY.finditer(text) for source in line["what"].split()]


def packages() -> set[str]:
    """The packages of the checkout, without those that only developers run."""
    linter = ConfigParser()
    linter.read(CHECKOUT / ".importlinter")
    return set(linter["importlinter"]["root_packages"].split()) - {"benchmarks", "demo", "proof"}


def project() -> dict[str, Any]:
    """pyproject.toml."""
    return tomllib.loads((CHECKOUT / "pyproject.toml").read_text())


def variables_in_python() -> set[str]:
    """Every ``ROLLCALL_`` name in the code of the processes."""
    code = "".join(
        path.read_text() for package in packages() for path in (CHECKOUT / package).rglob("*.py")
    )
    return set(re.findall(r"ROLLCALL_[A-Z0-9_]*[A-Z0-9]", code))
