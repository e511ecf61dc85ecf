"""``make docs``: README and docs/ as a site that needs no network, in build/docs.

The pages stay what GitHub shows: docs/README.md is the table of contents, and becomes the
navigation. Links to files that are no pages (a schema, a unit of systemd) lead to copies of them.
Zensical builds it, strictly; a link of the site that leads nowhere ends the build, and so does a
page that no other leads to.
"""

import json
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from launcher.installation import CHECKOUT

SOURCE = CHECKOUT / "build" / "docs-source"
SITE = CHECKOUT / "build" / "docs"
PAGES = {
    "README.md": "index.md",
    "docs/README.md": "contents.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "reporting-vulnerabilities.md",
    "docker/README.md": "containers.md",
    "examples/README.md": "examples.md",
    "deploy/kubernetes/README.md": "kubernetes.md",
}
"""Where the others stand: those of docs/ keep their names."""

PROJECT = {
    "Contributing": "contributing.md",
    "Vulnerabilities": "reporting-vulnerabilities.md",
    "Changelog": "changelog.md",
}
"""What the table of contents names in a sentence."""

MERMAID = "mermaid@11.12.0"
"""Draws the state machines in the reader's browser; served by the site itself (MIT)."""

FENCED = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)
LINK = re.compile(r'(\]\(|<img [^>]*?src="|srcset="|<a href=")([^)\s"]+)')
ENTRY = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")

SETTINGS = """\
[project]
site_name = "Rollcall"
site_description = "A coordinator of consumer groups that speaks Kafka's protocol"
site_dir = "site"
docs_dir = "pages"
use_directory_urls = false
extra_javascript = {scripts}
nav = {nav}

[project.theme]
font = false
features = [
  "content.code.copy", "navigation.footer", "navigation.path", "navigation.sections",
  "navigation.top", "search.highlight", "toc.follow",
]

[[project.theme.palette]]
media = "(prefers-color-scheme: light)"
scheme = "default"
toggle.icon = "lucide/sun"
toggle.name = "Dark"

[[project.theme.palette]]
media = "(prefers-color-scheme: dark)"
scheme = "slate"
toggle.icon = "lucide/moon"
toggle.name = "Light"
"""


def page_of(path: str) -> str | None:
    """Where the site has a page of the repository; None for what is none."""
    if path in PAGES:
        return PAGES[path]
    if path.startswith("docs/") and path.endswith(".md"):
        return path.removeprefix("docs/")
    return None


def sources() -> Iterator[str]:
    """Every page, by its path in the repository."""
    yield from (path for path in PAGES if not path.startswith("docs/"))
    for page in sorted((CHECKOUT / "docs").rglob("*.md")):
        yield page.relative_to(CHECKOUT).as_posix()


def target(source: str, link: str) -> str:
    """The link of the site for a link of the page ``source``, relative to its place there."""
    if "://" in link or link.startswith(("#", "mailto:")):
        return link
    name, _, anchor = link.partition("#")
    path = (CHECKOUT / source).parent.joinpath(name).resolve().relative_to(CHECKOUT).as_posix()
    place = page_of(path) or copied(path)
    above = "../" * (len(PurePosixPath(page_of(source) or "").parts) - 1)
    return above + place + (f"#{anchor}" if anchor else "")


def copied(path: str) -> str:
    """A file that is no page is part of the site; of a folder, the list of what it has."""
    found, place = CHECKOUT / path, path.removeprefix("docs/")
    if found.is_dir():
        names = sorted(entry.name for entry in found.iterdir() if not entry.name.startswith("_"))
        return _put(f"{place.rstrip('/')}/files.txt", "\n".join(names).encode())
    # A browser shows these, and would offer the download of others.
    shown = found.suffix in {".png", ".svg", ".txt", ".yaml", ".json", ".html"}
    return _put(place if shown else f"{place}.txt", found.read_bytes())


def _put(place: str, content: bytes) -> str:
    path = SOURCE / "pages" / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return place


def page(source: str) -> str:
    """A page with the links of the site; blocks of code stay as they are."""
    parts = FENCED.split((CHECKOUT / source).read_text())
    parts[::2] = [
        LINK.sub(lambda found: found[1] + target(source, found[2]), part) for part in parts[::2]
    ]
    return "".join(parts)


Entry = dict[str, "str | list[Entry]"]


def navigation() -> list[Entry]:
    """What docs/README.md lists: its headings as sections, its links to pages as entries."""
    nav: list[Entry] = [{"Rollcall": "index.md"}]
    section: list[Entry] = []
    listed = {"index.md"}
    for line in (CHECKOUT / "docs" / "README.md").read_text().splitlines():
        if line.startswith("## "):
            nav.append({line[3:].partition(":")[0]: (section := [])})
        elif line.startswith("- ") and line.endswith(":"):
            section.append({line[2:].partition(",")[0]: (below := list[Entry]())})
        for title, link in ENTRY.findall(line) if line.lstrip().startswith("- ") else ():
            place = target("docs/README.md", link).partition("#")[0]
            if place.endswith(".md") and place not in listed:
                listed.add(place)
                entry: Entry = {title[0].upper() + title[1:]: place}
                (below if line.startswith("  ") else section).append(entry)
    return [*nav, {"Project": [{title: place} for title, place in PROJECT.items()]}]


def as_toml(entries: list[Entry]) -> str:
    """Inline tables: a title, and a page or the entries below."""
    shown = (
        f"{{ {json.dumps(title)} = {json.dumps(of) if isinstance(of, str) else as_toml(of)} }}"
        for entry in entries
        for title, of in entry.items()
    )
    return f"[{', '.join(shown)}]"


def mermaid() -> list[str]:
    """The script, from npm's registry; without npm, diagrams are shown as their text."""
    npm = shutil.which("npm")
    if npm is None:
        sys.stderr.write("npm is not here: state machines are shown as text\n")
        return []
    packing = [npm, "pack", "--silent", MERMAID]
    name = subprocess.run(packing, cwd=SOURCE, check=True, capture_output=True, text=True).stdout
    with tarfile.open(SOURCE / name.strip()) as archive:
        script = archive.extractfile("package/dist/mermaid.min.js")
        assert script is not None
        return [_put("javascripts/mermaid.js", script.read())]


class Links(HTMLParser):
    """What a page of the site leads to, and what may be named in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.anchors: set[str] = {""}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect what a tag refers to and how it may be referred to."""
        for name, value in attrs:
            if name == "id" and value:
                self.anchors.add(value)
            elif name in ("href", "src") and value and "://" not in value and ":" not in value:
                self.links.add(value)


def problems(site: Path) -> list[str]:
    """Links that lead nowhere, and pages that nothing leads to."""
    # The page for what is not there has the paths of a server's root.
    paths = {path.resolve() for path in site.rglob("*.html")} - {site / "404.html"}
    pages = {path: Links(path.read_text()) for path in paths}
    found, reached = [], {site / "index.html"}
    for path, links in pages.items():
        for link in links.links:
            name, _, anchor = unquote(link).partition("#")
            to = path.parent.joinpath(name.partition("?")[0]).resolve() if name else path
            reached |= {to} - {path}
            if not to.exists() or (to in pages and anchor not in pages[to].anchors):
                found.append(f"{path.relative_to(site)}: {link} leads nowhere")
    found += (f"{path.relative_to(site)}: nothing leads there" for path in pages.keys() - reached)
    return sorted(found)


def main() -> None:
    """Build it."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    for source in sources():
        _put(page_of(source) or "", page(source).encode())
    settings = SETTINGS.format(scripts=json.dumps(mermaid()), nav=as_toml(navigation()))
    (SOURCE / "zensical.toml").write_text(settings)
    building = [sys.executable, "-m", "zensical", "build", "--strict", "--clean"]
    if failed := subprocess.run(building, cwd=SOURCE, check=False).returncode:
        sys.exit(failed)
    if wrong := problems((SOURCE / "site").resolve()):
        sys.exit("\n".join(wrong))
    shutil.rmtree(SITE, ignore_errors=True)
    shutil.move(SOURCE / "site", SITE)
    sys.stdout.write(f"{SITE}/index.html\n")


if __name__ == "__main__":
    main()
