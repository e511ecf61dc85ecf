"""What the packages say of themselves (``make packages`` builds and uses them)."""

import re
import tomllib

import pytest

import rollcall
from hatch_build import addresses, described
from launcher.installation import CHECKOUT
from tests.supply.packages import EXTRAS
from tests.supply.release import notes

PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())
README = (CHECKOUT / "README.md").read_text()
URL = "https://example.org/rollcall"
RELATIVE = re.compile(r"\]\((?!https://)")


def test_the_version_is_the_librarys() -> None:
    assert PROJECT["project"]["version"] == rollcall.__version__


def test_an_extra_belongs_to_code_that_is_in_the_wheel() -> None:
    places = {
        "cli": "rollcall/cli",
        "django": "rollcall/contrib/django",
        "mcp": "rollcall/cli/mcp.py",
    }
    extras = PROJECT["project"]["optional-dependencies"]
    assert extras.keys() <= places.keys() & EXTRAS.keys()
    assert [each for each in extras if not (CHECKOUT / places[each]).exists()] == []


def test_a_release_is_of_a_version_that_the_changelog_knows() -> None:
    log = "# Changelog\n\n## Unreleased\n\n- c\n\n## 1.2.0\n\n- b\n\n## 1.1.0\n\n- a\n"
    assert notes("v1.2.0", "1.2.0", log) == "- b"
    for tag, version, why in (
        ("v1.2", "1.2.0", "is not that of version"),
        ("v1.3.0", "1.3.0", "nothing about 1.3.0"),
        ("v1x2.0", "1x2.0", "nothing about"),
        ("v", "", "nothing about"),
    ):
        with pytest.raises(ValueError, match=why):
            notes(tag, version, log)


@pytest.mark.parametrize("url", ["", URL])
def test_the_description_has_no_relative_link(url: str) -> None:
    text = described(README, url, "v1")
    assert RELATIVE.search(README) and not RELATIVE.search(text)
    assert (f"]({URL}/blob/v1/docs/README.md)" in text) is bool(url)
    assert (f"]({URL}/raw/v1/docs/screenshots/" in text) is bool(url)
    assert len(addresses(url)) == (3 if url else 0)
