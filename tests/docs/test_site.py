"""``make docs``: links lead where they led, and what leads nowhere is found."""

from pathlib import Path

import pytest

from launcher import docs_site


@pytest.mark.parametrize(
    ("source", "link", "of_the_site"),
    [
        ("docs/README.md", "../README.md#price", "index.md#price"),
        ("README.md", "docs/rest.md", "rest.md"),
        ("docs/decisions/0039-a-baseline.md", "../hosts.md", "../hosts.md"),
        ("docs/hosts.md", "../docker/README.md", "containers.md"),
        ("README.md", "https://kafka.apache.org", "https://kafka.apache.org"),
        ("docs/rest.md", "#errors", "#errors"),
    ],
)
def test_links_lead_to_the_pages_of_the_site(source: str, link: str, of_the_site: str) -> None:
    assert docs_site.target(source, link) == of_the_site


def test_every_page_is_in_the_navigation_or_is_the_table_of_contents() -> None:
    shown = docs_site.as_toml(docs_site.navigation())
    pages = {docs_site.page_of(source) for source in docs_site.sources()} - {"contents.md"}
    assert [page for page in sorted(filter(None, pages)) if f'"{page}"' not in shown] == []


def test_links_that_lead_nowhere_and_pages_that_nobody_finds_end_the_build(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text('<a href="a.html#there">a</a><a href="https://x.y">x</a>')
    (tmp_path / "a.html").write_text('<h2 id="there">a</h2><img src="none.png"><a href="#no">n</a>')
    (tmp_path / "b.html").write_text('<a href="index.html">home</a>')
    assert docs_site.problems(tmp_path) == [
        "a.html: #no leads nowhere",
        "a.html: none.png leads nowhere",
        "b.html: nothing leads there",
    ]
