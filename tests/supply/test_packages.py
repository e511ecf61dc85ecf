"""What the packages say of themselves (``make packages`` builds and uses them)."""

import re
import tomllib

import pytest

import rollcall
from hatch_build import addresses, described
from launcher.installation import CHECKOUT

PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())
README = (CHECKOUT / "README.md").read_text()
URL = "https://example.org/rollcall"
RELATIVE = re.compile(r"\]\((?!https://)")


def test_the_version_is_the_librarys() -> None:
    assert PROJECT["project"]["version"] == rollcall.__version__


def test_an_extra_belongs_to_code_that_is_in_the_wheel() -> None:
    folders = {"cli": "rollcall/cli", "django": "rollcall/contrib/django", "mcp": "rollcall/mcp"}
    extras = PROJECT["project"]["optional-dependencies"]
    assert extras.keys() <= folders.keys()
    assert [each for each in extras if not (CHECKOUT / folders[each]).is_dir()] == []


@pytest.mark.parametrize("url", ["", URL])
def test_the_description_has_no_relative_link(url: str) -> None:
    text = described(README, url, "v1")
    assert RELATIVE.search(README) and not RELATIVE.search(text)
    assert (f"]({URL}/blob/v1/docs/README.md)" in text) is bool(url)
    assert (f"]({URL}/raw/v1/docs/screenshots/" in text) is bool(url)
    assert len(addresses(url)) == (3 if url else 0)
