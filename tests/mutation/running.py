"""Copies of the checkout, a process in each that runs tests, and one PostgreSQL for all of them."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import chain, groupby
from pathlib import Path
from typing import IO, NoReturn
from urllib.parse import urlsplit

import psycopg

from coordinator_site import database
from launcher import postgres
from launcher.output import Output
from tests.mutation.areas import Row
from tests.mutation.reaching import VARIABLE, Reached, read
from tests.mutation.worker import BROKEN, PLUGIN, SURVIVED

PURE = ("-c", "tests/pure.ini", "--rootdir", ".", "--noconftest")
WHOLE = ("-p", "pytest_django.plugin", "-p", "pytest_asyncio.plugin")
ALWAYS = (
    *("-p", "pytest_timeout", "-p", "_hypothesis_pytestplugin", "-p", "no:cacheprovider"),
    *("-x", "-q", "--tb=line", "-m", "not long"),
)
CPU_S, WALL_S = 60, 600
"""A mutant that loops is ended by the first, one that waits by pytest's own limit, and one that
waits outside of tests by the second."""

QUICK = 4
"""Files of a row in the first stage."""

NO_JUDGEMENT = 2
"""The run's status when the tests fail without any mutant: survivors are 1."""

PASSABLE = 0o711  # PostgreSQL's user, where we run as root, must pass through
EXAMPLES = "10"


@dataclass
class Bench:
    """One copy, and the process in it."""

    root: Path
    url: str
    name: str
    environment: dict[str, str]
    process: "subprocess.Popen[str]"
    writes: int = 0

    def run(
        self, row: Row, path: str, changed: str | None, reaching: Collection[str] | None = None
    ) -> tuple[str, str]:
        """How the row's tests end, and what they say, when a file has this text. ``reaching``: the
        only ones that can tell; None: all of them."""
        if row.has_database:
            self._new_database()
        if changed is None:
            return self._run_tests(row, path, reaching)
        file = self.root / path
        before, times = file.read_bytes(), file.stat()
        try:
            file.write_text(changed)
            # Python takes a module for compiled already when size and second are those of before.
            self.writes += 1
            os.utime(file, (self.writes, self.writes))
            return self._run_tests(row, path, reaching)
        finally:
            file.write_bytes(before)
            os.utime(file, (times.st_atime, times.st_mtime))

    def _run_tests(self, row: Row, path: str, reaching: Collection[str] | None) -> tuple[str, str]:
        kind = WHOLE if row.has_database else PURE
        outcome, said = self._answer(
            [[*kind, *files] for files in _stages(row.tests, path, reaching)]
        )
        if outcome == SURVIVED and row.last:
            self._new_database()
            outcome, said = self._answer([[*WHOLE, *row.last]])
        return outcome, said

    def _answer(self, tests: Sequence[Sequence[str]]) -> tuple[str, str]:
        stages = [[*ALWAYS, *arguments] for arguments in tests]
        request = {"stages": stages, "cpu_s": CPU_S, "wall_s": WALL_S}
        asked, answers = self._pipes()
        print(json.dumps(request), file=asked, flush=True)
        line = answers.readline()
        if not line:
            return BROKEN, "the process that runs the tests has ended"
        answer = json.loads(line)
        return answer["outcome"], answer["said"]

    def _pipes(self) -> tuple[IO[str], IO[str]]:
        assert self.process.stdin is not None and self.process.stdout is not None
        return self.process.stdin, self.process.stdout

    def _new_database(self) -> None:
        parts = urlsplit(self.url)
        template = parts.path.removeprefix("/")
        with psycopg.connect(
            parts._replace(path="/postgres").geturl(), autocommit=True
        ) as connection:
            connection.execute(f'DROP DATABASE IF EXISTS "{self.name}" WITH (FORCE)'.encode())
            connection.execute(
                f'CREATE DATABASE "{self.name}" TEMPLATE "{template}" STRATEGY file_copy'.encode()
            )
        with psycopg.connect(parts._replace(path=f"/{self.name}").geturl()) as connection:
            # not a restored dump
            connection.execute("UPDATE rollcall_timeline SET timeline = timeline")


def _stages(
    tests: Sequence[str], path: str, reaching: Collection[str] | None
) -> Iterator[Sequence[str]]:
    """Most mutants are killed by the first few, or by the tests that bear the file's name: the
    others need not even be imported."""
    namesake = f"test_{Path(path).stem}.py" if path else ""
    ordered = sorted(tests, key=lambda test: Path(test).name != namesake)
    if reaching is not None:
        by_file = groupby(sorted(reaching), key=lambda test: test.partition("::")[0])
        found = {file: list(names) for file, names in by_file}
        ordered = [file for file in ordered if file in found]
    chosen = [[file] if reaching is None else found[file] for file in ordered]
    for some in (chosen[:QUICK], chosen[QUICK:]):
        if some:
            yield list(chain.from_iterable(some))


def no_judgement(said: str) -> NoReturn:
    """End the run: what is broken is not a mutant."""
    print(said, file=sys.stderr)
    raise SystemExit(NO_JUDGEMENT)


def reached(bench: Bench, tests: Sequence[str]) -> Reached:
    """Which of these, all of them pure, run which line."""
    path = bench.root.with_name("reached.json")
    arguments = ("-p", PLUGIN, "-p", "tests.mutation.reaching", *ALWAYS, *PURE, *tests)
    output = subprocess.run(
        (sys.executable, "-m", "pytest", *arguments),
        cwd=bench.root,
        env={**bench.environment, VARIABLE: str(path)},
        capture_output=True,
        text=True,
    )
    if output.returncode:
        no_judgement(f"tests fail without any mutant\n{output.stdout}{output.stderr}")
    return read(path)


@contextmanager
def benches(
    checkout: Path, folder: Path, count: int, *, database_too: bool
) -> Iterator[list[Bench]]:
    """So many of them, in a folder that others remove."""
    folder.chmod(PASSABLE)
    with ExitStack() as stack:
        url = stack.enter_context(_migrated(checkout, folder)) if database_too else ""
        made = []
        for number in range(count):
            root = folder / f"copy-{number}"
            _copy(checkout, root)
            made.append(_bench(root, url, f"mutants_{number}"))
            stack.callback(_end, made[-1])
        yield made


def _copy(checkout: Path, root: Path) -> None:
    """What git knows or would take, as it is now, with its times."""
    listed = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    output = subprocess.run(listed, cwd=checkout, capture_output=True, text=True, check=True)
    for name in output.stdout.split("\0"):
        if name and (checkout / name).is_file():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(checkout / name, root / name)


def _environment(folder: Path, url: str) -> dict[str, str]:
    folder.mkdir(mode=PASSABLE)
    return {
        **os.environ,
        "ROLLCALL_TEST_DIR": str(folder),
        "ROLLCALL_TEST_EXAMPLES": EXAMPLES,
        "ROLLCALL_TEST_SEEDS": EXAMPLES,
        "ROLLCALL_FUZZ_FACTOR": "0.2",
        "ROLLCALL_TEST_SERVER_IS_SHARED": "on",
        "ROLLCALL_DATABASE_MAY_BE_UNSAFE": "on",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        database.VARIABLE: url,
    }


def _bench(root: Path, url: str, name: str) -> Bench:
    own = urlsplit(url)._replace(path=f"/{name}").geturl() if url else database.NOWHERE
    environment = _environment(root.with_name(f"{root.name}-data"), own)
    process = subprocess.Popen(
        (sys.executable, "-m", "tests.mutation.worker"),
        cwd=root,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    return Bench(root, url, name, environment, process)


def _end(bench: Bench) -> None:
    asked, answers = bench._pipes()
    asked.close()
    bench.process.wait()
    answers.close()


@contextmanager
def _migrated(checkout: Path, folder: Path) -> Iterator[str]:
    """A server whose database has all tables: the template of every other."""
    with ExitStack() as stack:
        log = stack.enter_context((folder / "postgres.log").open("wb", buffering=0))
        output = Output(log.fileno())
        stack.callback(output.close)
        url = stack.enter_context(postgres.serve(folder, throwaway=True, output=output))
        migrate = (sys.executable, "manage.py", "migrate", "--verbosity=0")
        env = _environment(folder / "migrate", url)
        subprocess.run(migrate, cwd=checkout, env=env, check=True)
        yield url
