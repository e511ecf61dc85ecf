"""The runner's own judgement: what is no mutant, what a mutant is called, who may survive."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from launcher.installation import CHECKOUT
from tests.mutation import plugin
from tests.mutation.accepted import ACCEPTED, reason
from tests.mutation.areas import AREAS, files_of, rows
from tests.mutation.mutants import diff, mutants_of, mutated, spread
from tests.mutation.operators import OPERATORS
from tests.mutation.reaching import Reached
from tests.mutation.running import ALWAYS, PURE
from tests.mutation.worker import BROKEN, KILLED, NOT_STARTED, TIMED_OUT, _outcome

NOTHING = '''
"""A docstring with 7 and True."""
import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from x import y

logger = logging.getLogger(__name__)
LIMIT = 4 * 1024
Kinds = int | None


@made(slots=True)
class Made:
    field: int | None = 3
    other: int = -1
    third: bool = field(default=False, compare=False)

    def stub(self, one: int = 3) -> int:
        """Of a protocol."""
        ...

    def method(self, one: int | None) -> "list[int] | None":
        """Another."""
        logger.info("%s", one + 1)
        assert one is not None
        assert isinstance(one, int | str)
        yield f"{one + 1}"
'''

SOMETHING = """
def judged(given, most):
    for one in given:
        if one >= most and one not in given:
            forget(one)
            continue
        raise ValueError
    return True
"""


def of(folder: Path, source: str) -> set[tuple[str, str, str]]:
    """Operator, before and after of every mutant."""
    (folder / "m.py").write_text(source)
    found = set()
    for mutant in mutants_of(folder, "m.py"):
        changed = mutated(source, mutant)
        if changed is not None:
            found.add((mutant.operator, *diff(source, changed)))
    return found


def test_excluded_statements_are_not_mutated(tmp_path: Path) -> None:
    assert of(tmp_path, NOTHING) == set()


def test_decisions_are_mutated(tmp_path: Path) -> None:
    found = of(tmp_path, SOMETHING)
    line = "if one >= most and one not in given:"
    assert {
        ("ReplaceComparisonOperator_GtE_Gt", line, "if one > most and one not in given:"),
        ("ReplaceComparisonOperator_GtE_Lt", line, "if one < most and one not in given:"),
        ("ReplaceAndWithOr", line, "if one >= most or one not in given:"),
        ("AddNot", line, "if not one >= most and one not in given:"),
        ("ReplaceInWithNotIn", line, "if one >= most and one in given:"),
        ("RemoveStatement", "forget(one)", "pass"),
        ("RemoveStatement", "raise ValueError", "pass"),
        ("ReplaceContinueWithBreak", "continue", "break"),
        ("ReplaceTrueWithFalse", "return True", "return False"),
        ("ZeroIterationForLoop", "for one in given:", "for one in []:"),
    } == found
    assert {operator for operator, _, _ in found} <= set(OPERATORS)


def test_a_mutant_is_the_same_when_other_lines_change(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(SOMETHING)
    before = {mutant.name for mutant in mutants_of(tmp_path, "m.py")}
    (tmp_path / "m.py").write_text("import os\n\n" + SOMETHING)
    after = mutants_of(tmp_path, "m.py")

    assert {mutant.name for mutant in after} == before and len(before) == len(after)
    first, second = spread(after, 1), spread(after, 2)
    assert first != second and set(first) == set(second) == set(after)


def test_a_mutant_runs_the_tests_that_cover_its_statement() -> None:
    source = (
        "LIMIT = (\n    3,\n)\ndef f(x):\n    if x:\n        g(\n            x + 1,\n        )\n"
    )
    lines = {"1": [""], "4": [""], "5": ["a.py::a", "a.py::b"], "6": ["a.py::b"]}
    reached = Reached({"m.py": lines})
    reaching = {line: reached.tests("m.py", source, line) for line in (2, 4, 5, 7)}
    assert reaching == {2: None, 4: None, 5: {"a.py::a", "a.py::b"}, 7: {"a.py::b"}}
    assert reached.tests("never_run.py", source, 7) == frozenset()


def test_a_timeout_is_recognised_although_pytest_itself_failed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """As where it strikes between two lines, of which pytest can make no report."""

    def stopped() -> None:
        pytest.fail("Timeout (>30.0s) from pytest-timeout.")

    plugin.pytest_runtest_makereport(pytest.CallInfo.from_call(stopped, "call"))
    said = capsys.readouterr().out
    assert _outcome(pytest.ExitCode.INTERNAL_ERROR, said) == TIMED_OUT
    assert _outcome(pytest.ExitCode.INTERNAL_ERROR, "") == BROKEN


def test_a_mutant_at_which_django_cannot_be_set_up_is_killed() -> None:
    assert _outcome(NOT_STARTED, "TypeError") == KILLED


def test_every_row_has_existing_files_and_tests() -> None:
    for row in AREAS:
        assert list(files_of(CHECKOUT, row)), row.files_mutated
        missing = [test for test in (*row.tests, *row.last) if not (CHECKOUT / test).is_file()]
        assert not missing


def test_the_tests_of_a_row_without_a_database_need_no_django() -> None:
    """Those of other folders than the pure ones, which `make pure` runs in the same way."""
    files = {test for row in AREAS if not row.has_database for test in row.tests}
    folders = ("tests/core", "tests/foresight", "tests/walks", "tests/wire")
    others = sorted(file for file in files if not file.startswith(folders))
    command = [sys.executable, "-m", "pytest", *PURE, "--collect-only", *ALWAYS, *others]
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, cwd=CHECKOUT, env=alone, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_every_test_of_the_rules_is_in_the_table() -> None:
    """Otherwise its namesake among the files would seem to have no tests."""
    named = {test for row in AREAS for test in (*row.tests, *row.last)}
    folders = (
        *("core", "core/consumer", "core/draft", "core/commanded"),
        *("foresight", "walks", "wire"),
    )
    found = (path for folder in folders for path in CHECKOUT.glob(f"tests/{folder}/test_*.py"))
    left = {str(path.relative_to(CHECKOUT)) for path in found} - named
    assert left == {"tests/core/test_cases.py"}


@pytest.mark.parametrize("entry", ACCEPTED, ids=lambda entry: f"{entry.path}-{entry.after}")
def test_accepted_mutants_still_exist(entry: tuple[str, ...]) -> None:
    """Else the entry would be kept for ever, and might accept something else one day."""
    path, function, before, after, why = entry
    assert path in rows(CHECKOUT) and why
    assert before in (CHECKOUT / path).read_text()
    assert reason(path, function, before, after) == why
    assert reason(path, function, before, "something else") == ""
