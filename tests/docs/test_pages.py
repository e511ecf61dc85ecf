"""Every page: what it links to is there, its Python is Python, its verbs and variables exist."""

import ast
import re
from functools import cache
from pathlib import Path

from coordinator_site import kafka_settings, secret_files
from launcher.installation import CHECKOUT

PAGES = sorted(
    [*CHECKOUT.glob("*.md"), *CHECKOUT.glob("docs/**/*.md"), *CHECKOUT.glob("docker/*.md")]
)
OURS = [
    "benchmarks",
    "console",
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
    "web",
]
"""Folders of what may read a variable."""

FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
VERB = re.compile(r"\bmake ([a-z][a-z-]*)\b")
CODE = re.compile(r"`([^`\n]+)`")
VARIABLE = re.compile(r"\bROLLCALL_[A-Z0-9_]*[A-Z0-9]\b(?!_?\*|\.\.\.|_<)")


def prose(page: Path) -> str:
    """The page without its blocks."""
    return FENCED.sub("", page.read_text())


def blocks(page: Path, language: str) -> list[str]:
    """The blocks of one language."""
    return [text for named, text in FENCED.findall(page.read_text()) if named == language]


@cache
def variables() -> set[str]:
    """Those of the table, and every other that a program names."""
    programs = (path for folder in OURS for path in (CHECKOUT / folder).rglob("*.py"))
    others = {name for path in programs for name in VARIABLE.findall(path.read_text())}
    in_files = {name + secret_files.FILE for name in secret_files.SECRETS}
    return others | in_files | {setting.variable for setting in kafka_settings.SETTINGS}


@cache
def anchors(page: Path) -> set[str]:
    """What a link may name behind its ``#``, as GitHub makes it of headings."""
    plain = (heading.lower().replace("`", "") for heading in HEADING.findall(prose(page)))
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in plain}


def test_links_of_pages_resolve() -> None:
    links = [(page, link) for page in PAGES for link in LINK.findall(prose(page))]
    assert [(str(page), link) for page, link in links if not leads_somewhere(page, link)] == []


def leads_somewhere(page: Path, link: str) -> bool:
    """Whether a link within the repository has a target; of others we do not know."""
    if "://" in link or link.startswith("mailto:"):
        return True
    name, _, anchor = link.partition("#")
    target = (page.parent / name).resolve() if name else page
    return target.exists() and (not anchor or anchor in anchors(target))


def test_the_python_of_pages_compiles() -> None:
    """A block that does not names its page in the error."""
    found = [(page, block) for page in PAGES for block in blocks(page, "python")]
    assert found
    for page, block in found:
        compile(block, str(page), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)


def test_the_make_targets_of_pages_exist() -> None:
    targets = re.findall(r"^([a-z-]+):", (CHECKOUT / "Makefile").read_text(), re.MULTILINE)
    assert [(str(page), odd) for page in PAGES if (odd := verbs(page) - set(targets))] == []


def verbs(page: Path) -> set[str]:
    """What the page has people ask of make."""
    commands = [text for _, text in FENCED.findall(page.read_text())] + CODE.findall(prose(page))
    return {verb for text in commands for verb in VERB.findall(text)}


def test_the_variables_of_pages_are_read_by_the_code() -> None:
    named = [(str(page), set(VARIABLE.findall(page.read_text()))) for page in PAGES]
    assert [(page, odd) for page, names in named if (odd := names - variables())] == []
