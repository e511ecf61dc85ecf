"""Builds the programs of other languages, once per change of their sources, into ``build/``.

The languages' own tools fetch what ``pom.xml``, ``go.sum``, ``package-lock.json`` and
``Cargo.lock`` pin. This file starts no client and knows nothing of what the programs do.
"""

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from launcher.installation import CHECKOUT

SOURCES = Path(__file__).resolve().parent
BUILDS = CHECKOUT / "build" / "clients"

VARIABLE = "ROLLCALL_CLIENTS"
"""``all``: a language whose tools are missing is a failure, not a skipped test."""

BUILD_S = 1200
"""A first build fetches everything; later ones take seconds, or are not needed."""

STAMP = "sources.sha256"

NOISE = re.compile(r"\x1b\[\d*m|^.*Picked up .*$", re.MULTILINE)
"""Maven says even its version in bold; and Java first tells what options it found."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A program that must be installed, and how it says its version."""

    name: str
    version: tuple[str, ...]
    at_least: tuple[int, ...] = (0,)

    def complaint(self) -> str | None:
        """Why it cannot be used, or None."""
        if shutil.which(self.name) is None:
            return f"{self.name} is not installed"
        output = subprocess.run(self.version, capture_output=True, text=True, check=False)
        found = re.search(r"\d+(\.\d+)*", NOISE.sub("", output.stdout + output.stderr))
        if found is None or tuple(map(int, found[0].split("."))) < self.at_least:
            least = ".".join(map(str, self.at_least))
            return f"{self.name} {found and found[0]} is older than {least}"
        return None


@dataclass(frozen=True, slots=True)
class Language:
    """What it takes to build its programs. Commands run in its folder beside this file, or in
    that of its output; ``{out}`` is the latter."""

    folder: str
    tools: tuple[Tool, ...]
    command: tuple[str, ...]
    more: tuple[str, ...] = ()
    """A second command, after the first."""

    builds_a_copy: bool = False
    """Whether its tool writes beside the sources: then a copy of them is built."""

    takes_minutes: bool = False
    """Whether only those wait for its build who insist on every language."""

    @property
    def out(self) -> Path:
        """Where the results lie."""
        return BUILDS / self.folder


C = (Tool("make", ("make", "--version")), Tool("g++", ("g++", "--version")))
"""The crate, and Confluent's package for Node, bring librdkafka as source."""

LANGUAGES: Mapping[str, Language] = {
    language.folder: language
    for language in (
        Language(
            "java",
            (Tool("java", ("java", "-version"), (17,)), Tool("mvn", ("mvn", "-v"), (3, 6))),
            (
                *("mvn", "-q", "-B", "compile", "dependency:copy-dependencies"),
                "-DoutputDirectory={out}/lib",
            ),
            (
                *("mvn", "-q", "-B", "dependency:copy-dependencies"),
                *("-Dkafka.version=4.3.1", "-DoutputDirectory={out}/lib-4.3"),
            ),
        ),
        Language(
            "go",
            (Tool("go", ("go", "version"), (1, 26)),),
            ("go", "build", "-o", "{out}/", "./franz", "./sarama", "./kafkago"),
        ),
        Language(
            "node",
            (Tool("node", ("node", "--version"), (20,)), Tool("npm", ("npm", "--version"))),
            ("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"),
            builds_a_copy=True,
        ),
        Language(
            "node-confluent",
            (
                Tool("node", ("node", "--version"), (20,)),
                Tool("npm", ("npm", "--version")),
                *C,
            ),
            ("sh", "build.sh"),
            builds_a_copy=True,
            takes_minutes=True,
        ),
        Language(
            "rust",
            (Tool("cargo", ("cargo", "--version"), (1, 80)), *C),
            ("cargo", "build", "--release", "--locked", "--target-dir", "{out}"),
            takes_minutes=True,
        ),
        Language(
            "librdkafka",
            (Tool("cargo", ("cargo", "--version"), (1, 80)), *C),
            ("sh", "build.sh", "{out}"),
            takes_minutes=True,
        ),
    )
}


def built(name: str) -> Path:
    """Where the programs of a language lie, built if need be.

    Skips the test where the language's tools are missing, or fails it if all are required; skips
    it where its build would take minutes, unless all are.
    """
    language = LANGUAGES[name]
    if language.takes_minutes and os.environ.get(VARIABLE) != "all":
        pytest.skip(f"building {name} takes minutes: make clients, {VARIABLE}=all")
    for tool in language.tools:
        complaint = tool.complaint()
        if complaint is not None:
            (pytest.fail if os.environ.get(VARIABLE) == "all" else pytest.skip)(complaint)
    with _alone(name):
        stamp = language.out / STAMP
        digest = _digest(SOURCES / language.folder)
        if not stamp.exists() or stamp.read_text() != digest:
            _build(language)
            stamp.write_text(digest)
    return language.out


def _build(language: Language) -> None:
    folder = SOURCES / language.folder
    shutil.rmtree(language.out, ignore_errors=True)
    if language.builds_a_copy:
        shutil.copytree(folder, language.out)
        folder = language.out
    else:
        language.out.mkdir(parents=True)
    for command in filter(None, (language.command, language.more)):
        _run([word.format(out=language.out) for word in command], folder)


def _run(command: Sequence[str], folder: Path) -> None:
    run = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=BUILD_S
    )
    assert run.returncode == 0, f"{' '.join(command)}:\n{run.stdout}{run.stderr}"


@contextmanager
def _alone(name: str) -> Iterator[None]:
    """One process of a parallel run builds, the others wait and find it done."""
    BUILDS.mkdir(parents=True, exist_ok=True)
    with (BUILDS / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _digest(folder: Path) -> str:
    """Changes with every name and every byte of the sources."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest.update(f"{path.relative_to(folder)}\0".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()
