"""How the workers of a run share its work, beyond what xdist knows of it.

Tests of a thousandth of a second are handed out by files: one at a time, telling a worker of the
next test took as long as the test. And each worker reads the modules of tests beginning at another
one: in a fresh clone, where pytest compiles them, none is compiled by all.
"""

import gc
from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from contextlib import suppress
from importlib import import_module
from itertools import chain
from pathlib import Path

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadGroupScheduling

ROOT = Path(__file__).parent

QUICK = tuple(f"tests/{folder}/" for folder in ("core", "docs", "walks", "wire"))
"""Where no test waits, shares anything or leaves anything behind."""

LONGEST = ("spark", "browser")
"""Groups that take minutes, however few their tests are."""

LONG_S = 1_000.0
"""A time limit of tests that take minutes by themselves."""


class Scheduling(LoadGroupScheduling):  # type: ignore[misc]
    """Groups as they are marked; the other tests one by one, or by files where they are quick."""

    def _split_scope(self, nodeid: str) -> str:
        group: str = super()._split_scope(nodeid)
        if group == nodeid and nodeid.startswith(QUICK):
            return nodeid.partition("::")[0]
        return group


@pytest.hookimpl(optionalhook=True)  # there are runs without xdist
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Scheduling | None:
    """Where ``xdist_group`` counts (``--dist loadgroup``)."""
    return Scheduling(config, log) if config.option.dist == "loadgroup" else None


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Generator[None, None, None]:
    """Who begins a long one last ends last: what has to run in one worker begins early, the largest
    group first, and then a test of minutes. All else keeps the order that chance and
    pytest-django gave it."""
    yield
    sizes = Counter(_group(item) for item in items)
    sizes[""] = 0
    items.sort(key=lambda item: (_group(item) not in LONGEST, -sizes[_group(item)], -_limit(item)))


def _limit(item: pytest.Item) -> float:
    """The time limit of a test by itself, where it is a long one."""
    found = item.get_closest_marker("timeout")
    limit = float(found.args[0]) if found and not _group(item) else 0.0
    return limit if limit >= LONG_S else 0.0


def _group(item: pytest.Item) -> str:
    found = item.get_closest_marker("xdist_group")
    return str(found.args[0]) if found else ""


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """In a worker that is to run everything: read the modules, from its own place on."""
    gc.disable()  # what is read stays
    told = getattr(session.config, "workerinput", None)
    if told is None or session.config.args != session.config.getini("testpaths"):
        return
    import_module("protocol.server")  # before anything else of Twisted: it chooses the reactor
    number = int(told["workerid"].removeprefix("gw"))
    for name in from_own_place(modules(), number, told["workercount"]):
        with suppress(Exception, pytest.skip.Exception):  # collecting it says what is wrong
            import_module(name)


def pytest_collection_finish() -> None:
    """A million objects of modules and tests are no garbage that a test has left."""
    gc.freeze()
    gc.enable()


def modules() -> list[str]:
    """The name of every module of tests."""
    root = ROOT.parent
    paths = sorted(path.relative_to(root) for path in ROOT.rglob("test_*.py"))
    return [".".join(path.with_suffix("").parts) for path in paths]


def from_own_place(names: Sequence[str], number: int, count: int) -> Iterable[str]:
    """All names, beginning with another part of them for each of so many workers."""
    start = len(names) * number // count
    return chain(names[start:], names[:start])
