"""Every page: what it links to is there, its Python is Python, its verbs and variables exist."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from coordinator_site import kafka_settings
from launcher.installation import CHECKOUT

PAGES = sorted(
    [*CHECKOUT.glob("*.md"), *CHECKOUT.glob("docs/**/*.md"), *CHECKOUT.glob("docker/*.md")]
)
OURS = [
    "benchmarks",
    "coordinator_site",
    "demo",
    "docker",
    "groups",
    "launcher",
    "pipeline",
    "proof",
    "protocol",
    "rollcall",
    "tests",
]
"""Folders of what may read a variable."""

FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
VERB = re.compile(r"\bmake ([a-z][a-z-]*)\b")
CODE = re.compile(r"`([^`\n]+)`")
VARIABLE = re.compile(r"\bROLLCALL_[A-Z0-9_]*[A-Z0-9]\b(?!_?\*|\.\.\.|_<)")

every_page = pytest.mark.parametrize(
    "page", PAGES, ids=lambda page: str(page.relative_to(CHECKOUT))
)


def prose(page: Path) -> str:
    """The page without its blocks."""
    return FENCED.sub("", page.read_text())


def blocks(page: Path, language: str) -> list[str]:
    """The blocks of one language."""
    return [text for named, text in FENCED.findall(page.read_text()) if named == language]


@cache
def variables() -> set[str]:
    """Those of the table, and every other that stands in a program."""
    programs = (path for folder in OURS for path in (CHECKOUT / folder).rglob("*.py"))
    others = {name for path in programs for name in VARIABLE.findall(path.read_text())}
    return others | {setting.variable for setting in kafka_settings.SETTINGS}


def anchors(page: Path) -> set[str]:
    """What a link may name behind its ``#``, as GitHub makes it of headings."""
    plain = (heading.lower().replace("`", "") for heading in HEADING.findall(prose(page)))
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in plain}


@every_page
def test_what_it_links_to_is_there(page: Path) -> None:
    for link in LINK.findall(prose(page)):
        if "://" in link or link.startswith("mailto:"):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


@every_page
def test_its_python_compiles(page: Path) -> None:
    for block in blocks(page, "python"):
        compile(block, str(page), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)


@every_page
def test_its_verbs_are_those_of_make(page: Path) -> None:
    told = re.findall(r"^([a-z-]+):", (CHECKOUT / "Makefile").read_text(), re.MULTILINE)
    commands = [text for _, text in FENCED.findall(page.read_text())] + CODE.findall(prose(page))

    assert {verb for text in commands for verb in VERB.findall(text)} <= set(told)


@every_page
def test_the_variables_that_it_names_are_read_somewhere(page: Path) -> None:
    assert set(VARIABLE.findall(page.read_text())) <= variables()
