"""An assignor from outside: the example of docs/assignors.md, installed, found, loaded and run."""

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from coordinator_site.kafka_settings import read
from coordinator_site.setting_kinds import SettingError
from groups import plugins
from groups.core.assignors.task import AssignmentTask
from tests.core.consumer.promises import Case, cases, check_all
from tests.examples import at_most

PAGE = Path(__file__).parents[3] / "docs" / "assignors.md"
VARIABLE = "ROLLCALL_GROUP_CONSUMER_ASSIGNORS"

Install = Callable[..., None]


def example() -> str:
    """The first piece of Python on the page."""
    found = re.search(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert found is not None
    return found[1]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Put a package where Python finds it, as an installer would."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def made(module: str, code: str, **names: str) -> None:
        (tmp_path / f"{module}.py").write_text(code)
        info = tmp_path / f"{module}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
        lines = [f"{name} = {module}:{attribute}" for name, attribute in names.items()]
        text = "\n".join([f"[{plugins.GROUP}]", *lines])
        (info / "entry_points.txt").write_text(text + "\n")
        monkeypatch.delitem(sys.modules, module, raising=False)

    return made


def test_the_example_has_at_most_ten_lines_of_code() -> None:
    assert len([line for line in example().splitlines() if line.strip()]) <= 10


@settings(
    max_examples=at_most(40),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(case=cases(alike=False))
def test_the_example_keeps_the_common_guarantees_of_assignors(install: Install, case: Case) -> None:
    if "own_assignor" not in sys.modules:
        install("own_assignor", example(), striped="assign_striped")
    assign = plugins.load(["uniform", "striped"])["striped"]
    shares = check_all(assign, case)
    assert (
        AssignmentTask(1, "striped", assign, case.members, case.counts, case.racks).answer()
        == shares
    )


def test_only_configured_assignors_are_loaded(install: Install) -> None:
    with pytest.raises(SettingError, match=VARIABLE):
        read({VARIABLE: "uniform,striped"})
    install("another_assignor", example(), striped="assign_striped")
    assert read({VARIABLE: "uniform,striped"})["GROUP_CONSUMER_ASSIGNORS"] == ("uniform", "striped")


def test_a_class_is_instantiated_once_when_the_node_starts(install: Install) -> None:
    install("a_class", "class Own:\n    def __call__(self, *_): return {}\n", own="Own")
    assert plugins.load(["own"])["own"]([], {}, {}) == {}


@pytest.mark.parametrize(
    ("code", "attribute", "sentence"),
    [
        ("import no_such_module\n", "assign", "no_such_module"),
        ("assign = 5\n", "assign", "cannot be called"),
        ("", "assign", "assign"),
        ("class Own:\n    def __init__(self): raise OSError('no')\n", "Own", "no"),
    ],
)
def test_an_assignor_that_fails_to_load_prevents_the_start(
    install: Install, code: str, attribute: str, sentence: str
) -> None:
    install("cannot_load", code, own=attribute)
    with pytest.raises(plugins.NotLoaded, match=sentence):
        plugins.load(["own"])


def test_an_ambiguous_assignor_name_is_refused(install: Install) -> None:
    install("first_package", "def assign(*_): return {}\n", own="assign")
    install("second_package", "def assign(*_): return {}\n", own="assign")
    with pytest.raises(plugins.NotLoaded, match="Several"):
        plugins.load(["own"])


def test_an_unknown_assignor_name_is_refused() -> None:
    with pytest.raises(plugins.NotLoaded, match="No installed package has the assignor nobodys"):
        plugins.load(["nobodys"])
