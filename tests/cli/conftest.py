"""The command line before the installation that all tests share: what is typed, what is printed.

Commands run in the test's own process, from the words to the exit code; only their start is left
out, which costs each process half a second and has a test of its own.
"""

import csv
import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from launcher.installation import Installation
from rollcall.cli.app import run
from tests.clients.conftest import Worker, stock_consumer
from tests.installations import TOKEN, certificates


@dataclass(frozen=True)
class Ended:
    """A command that has ended."""

    code: int
    printed: str
    errors: str

    @property
    def json(self) -> Any:
        """What ``-o json`` printed."""
        assert self.code == 0, self.errors
        return json.loads(self.printed)

    @property
    def rows(self) -> list[dict[str, str]]:
        """What ``-o csv`` printed."""
        assert self.code == 0, self.errors
        return list(csv.DictReader(StringIO(self.printed)))

    @property
    def table(self) -> list[list[str]]:
        """The cells of a table whose cells have no spaces, with its titles."""
        return [line.split() for line in self.printed.splitlines()]


Cli = Callable[..., Ended]


@pytest.fixture
def cli(
    installation: Installation,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> Cli:
    """Types ``rollcall`` and these words; the token has every right."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("ROLLCALL_URL", installation.web)
    monkeypatch.setenv("ROLLCALL_TOKEN", TOKEN)
    # httpx reads its authorities for http too; reading the world's takes longer than the command.
    authority = certificates(Path(os.environ["ROLLCALL_TEST_DIR"])) / "ca.pem"
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))

    def typed(*words: str) -> Ended:
        capsys.readouterr()
        monkeypatch.setattr(sys, "argv", ["rollcall", *words])
        with pytest.raises(SystemExit) as ended:
            run()
        printed, errors = capsys.readouterr()
        code = ended.value.code
        return Ended(code if isinstance(code, int) else 0, printed, errors)

    return typed


@pytest.fixture(scope="module")
def worker(installation: Installation, request: pytest.FixtureRequest) -> Iterator[Worker]:
    """A stock consumer, alone in a group of the module's own, with the six partitions of a topic of
    the same name."""
    name = named(request)
    with stock_consumer(installation.kafka, name) as consumer:
        yield consumer


@pytest.fixture(scope="module")
def name(request: pytest.FixtureRequest) -> str:
    """The name of the module's group and topic."""
    return named(request)


def named(request: pytest.FixtureRequest) -> str:
    """After the module, and the process: several may have tests of it at once, before the one
    installation, and their workers would share the partitions."""
    return f"cli-{request.module.__name__.rpartition('test_')[2]}-{os.getpid()}"
