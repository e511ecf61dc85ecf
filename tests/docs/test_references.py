"""What comments, docstrings and pages refer to is in the tree: documents, and their sections."""

import re
from functools import cache
from pathlib import Path
from pkgutil import resolve_name

import pytest

from launcher.installation import CHECKOUT
from tests.docs.test_pages import LINK, OURS

SUFFIXES = {".py", ".md", ".txt", ".toml", ".ini", ".yaml", ".yml", ".sql", ".c", ".js", ".html"}
NAMES = {".importlinter", "Makefile", "Dockerfile"}
FOLDERS = (*OURS, "docs", "templates")

PAGE = re.compile(r"(?<![\w./-])(docs/[\w./-]*\w)(?:, (?:\*([^*]+)\*|\"([^\"]+)\"))?")
DECISION = re.compile(r"docs/decisions/\d{4}")
BY_NUMBER = re.compile(r"\bdecision (\d+)\b", re.IGNORECASE)
TITLE = re.compile(r"# (\d+)\. ")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
PROSE = re.compile(r"\s*\n[ \t#>*;-]*")
"""A line's end with what begins the next one in a comment or a docstring: one space."""

OUTSIDE = re.compile(
    r"\(design(?:\)|,)|\bdesign\.md\b|\bgotchas? \d|\breference-[a-z-]+\.md|\bhouse\.md",
    re.IGNORECASE,
)
"""Documents that the repository does not hold."""

MAPS = ("docs/architecture.md", "docs/glossary.md", "CONTRIBUTING.md")
PLACE = re.compile(r"`([a-z_]+/[\w./*-]*)`")
DOTTED = re.compile(r"`((?:console|groups|protocol|web)\.[\w.]+)`")

THIS = Path(__file__)


@cache
def texts() -> dict[str, str]:
    """Every text of the repository by its path, each in one line."""
    inside = (path for folder in FOLDERS for path in (CHECKOUT / folder).rglob("*"))
    paths = (path for path in (*CHECKOUT.iterdir(), *inside) if path.is_file() and path != THIS)
    return {
        str(path.relative_to(CHECKOUT)): PROSE.sub(" ", path.read_text())
        for path in paths
        if path.suffix in SUFFIXES or path.name in NAMES
    }


def missing(text: str) -> list[str]:
    """What a text refers to and is not there."""
    return [
        found[0]
        for found in PAGE.finditer(text)
        if not _is_there(found[1]) or any(s not in headings(found[1]) for s in sections(found))
    ]


def sections(found: re.Match[str]) -> set[str]:
    """The section that a reference names behind its page, if it names one."""
    named = found.groups()[1:] if found[1].endswith(".md") else ()
    return {section for section in named if section}


def _is_there(name: str) -> bool:
    if DECISION.fullmatch(name):
        return any(CHECKOUT.glob(f"{name}-*.md"))
    return (CHECKOUT / name).exists()


@cache
def headings(name: str) -> frozenset[str]:
    """The sections of a page."""
    return frozenset(HEADING.findall((CHECKOUT / name).read_text()))


def test_referenced_pages_and_sections_exist() -> None:
    dangling = {path: names for path, text in texts().items() if (names := missing(text))}
    assert dangling == {}


def test_nothing_refers_to_a_document_outside_the_tree() -> None:
    outside = {path: names for path, text in texts().items() if (names := OUTSIDE.findall(text))}
    assert outside == {}


def decisions() -> dict[int, str]:
    """The text of each decision, by the number of its file."""
    pages = CHECKOUT.glob("docs/decisions/*.md")
    return {int(page.name[:4]): page.read_text() for page in pages}


def test_a_decision_has_one_number() -> None:
    titles = {number: TITLE.match(text) for number, text in decisions().items()}
    assert [n for n, title in titles.items() if title is None or int(title[1]) != n] == []


def test_referenced_decisions_exist() -> None:
    named = {
        path: {int(number) for number in BY_NUMBER.findall(text)} for path, text in texts().items()
    }
    known = decisions().keys()
    assert {path: numbers - known for path, numbers in named.items() if numbers - known} == {}


def test_a_dangling_reference_is_detected() -> None:
    assert missing("docs/architecture.md, *Failover*; docs/decisions/0025 too") == []
    assert missing("(docs/architecture.md, *No such section*)")
    assert missing('docs/testing.md, "No such section"')
    assert missing("docs/no-such-page.md") == ["docs/no-such-page.md"]
    assert OUTSIDE.search("(design, *Failover*)")
    assert OUTSIDE.search("a join is answered (gotchas 1, 2)")


def test_the_index_has_every_page() -> None:
    index = CHECKOUT / "docs" / "README.md"
    linked = {(index.parent / link).resolve() for link in LINK.findall(index.read_text())}
    assert {*CHECKOUT.glob("docs/**/*.md")} - {index} <= linked


def test_the_readme_leads_to_the_index() -> None:
    assert "docs/README.md" in LINK.findall((CHECKOUT / "README.md").read_text())


@pytest.mark.parametrize("name", MAPS)
def test_folders_and_files_of_a_map_exist(name: str) -> None:
    named = PLACE.findall((CHECKOUT / name).read_text())
    assert named
    assert [place for place in named if not list(CHECKOUT.glob(place))] == []


def test_code_names_of_the_glossary_exist() -> None:
    named = DOTTED.findall((CHECKOUT / "docs" / "glossary.md").read_text())
    assert named
    for name in named:
        assert resolve_name(name) is not None, name
