"""Which tests run a line: no others can kill its mutants.

Loaded into pytest once, before the mutants of a session, it writes down which test has run which
line. What runs while modules are imported belongs to no test, and so to all of them.
"""

import ast
import json
import os
from collections.abc import Generator, Iterator, Mapping
from pathlib import Path

import coverage
import pytest

VARIABLE = "ROLLCALL_MUTATION_REACHED"
"""Where the answer goes."""

SOURCES = ["console", "groups", "protocol", "rollcall"]

Lines = Mapping[str, Mapping[str, list[str]]]
"""By path and number of a line: tests, without parameters; "" for the import."""


class Reached:
    """What was written down."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines

    def tests(self, path: str, source: str, line: int) -> frozenset[str] | None:
        """The tests that run the statement of this line; None: every importer does."""
        lines = self._lines.get(path, {})
        found = {test for at in _statement(source, line) for test in lines.get(str(at), ())}
        return None if "" in found else frozenset(found)


def _statement(source: str, line: int) -> range:
    """The lines of the innermost statement here; of one that has a body, those before it."""
    spans = [span for span in _spans(ast.parse(source)) if line in span]
    return max(spans, key=lambda span: (span.start, -span.stop), default=range(line, line + 1))


def _spans(tree: ast.Module) -> Iterator[range]:
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case):
            first = getattr(node, "lineno", None) or node.pattern.lineno  # type: ignore[union-attr]
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if body else node.end_lineno  # type: ignore[union-attr]
            yield range(first, max(first, last or first) + 1)


def read(path: Path) -> Reached:
    """What pytest has written there."""
    return Reached(json.loads(path.read_text()))


class Recorder:
    """The part that runs inside of pytest."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.coverage = coverage.Coverage(data_file=None, source=SOURCES, config_file=False)
        self.coverage.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Each test under its own name."""
        self.coverage.switch_context(item.nodeid.partition("[")[0])
        result = yield
        self.coverage.switch_context("")
        return result

    def pytest_unconfigure(self) -> None:
        """All of it at once."""
        self.coverage.stop()
        data = self.coverage.get_data()
        found = {
            os.path.relpath(file): data.contexts_by_lineno(file) for file in data.measured_files()
        }
        self.path.write_text(json.dumps(found))


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Before any module of ours is imported."""
    config.pluginmanager.register(Recorder(Path(os.environ[VARIABLE])))
