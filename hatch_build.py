"""How the wheel is built: the rules for ``rollcall.testing``, and its description.

Hatchling calls these hooks (``pyproject.toml``). ``groups.core`` is pure and needs the standard
library alone; in the wheel it is ``rollcall.testing.rules``, since a library may not take the name
``groups``. An editable installation, as in a checkout, is left as it is.
"""

import os
import re
import shutil
from pathlib import Path
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

URL: Final = "ROLLCALL_PROJECT_URL"
"""Where the repository is, for instance https://example.org/rollcall: a release sets it."""

LINK: Final = re.compile(r"(!?)\[([^\]]*)\]\((?!https?://)([^)]+)\)")
RULES, COPY = "groups.core", "rollcall.testing.rules"
NAME: Final = re.compile(r"\bgroups\.core\b")


class CustomMetadataHook(MetadataHookInterface):
    """The README as a package index shows it, and the project's addresses."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Hatchling's: add what ``dynamic`` names."""
        url = os.environ.get(URL, "").rstrip("/")
        readme = Path(self.root, "README.md").read_text(encoding="utf-8")
        text = described(readme, url, f"v{metadata['version']}")
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
        metadata["urls"] = addresses(url)


def described(readme: str, url: str, tag: str) -> str:
    """The README with links to this version's files, or without them where it has no address."""

    def link(found: re.Match[str]) -> str:
        picture, words, target = found.groups()
        if not url:
            return "" if picture else words
        if target.startswith("#"):
            return f"[{words}]({url}/blob/{tag}/README.md{target})"
        return f"{picture}[{words}]({url}/{'raw' if picture else 'blob'}/{tag}/{target})"

    return LINK.sub(link, readme)


def addresses(url: str) -> dict[str, str]:
    """Of the repository: PyPI's well-known labels."""
    if not url:
        return {}
    pages = {"Documentation": "docs", "Changelog": "CHANGELOG.md"}
    return {"Source": url, **{name: f"{url}/blob/main/{path}" for name, path in pages.items()}}


class CustomBuildHook(BuildHookInterface[Any]):
    """``rollcall.testing`` with a copy of the rules."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Hatchling's: before the wheel is written."""
        if version == "editable":
            return
        made = Path(self.directory, "rollcall-testing")
        shutil.rmtree(made, ignore_errors=True)
        copied(Path(self.root, "rollcall", "testing"), made)
        copied(Path(self.root, "groups", "core"), made / "rules")
        build_data["force_include"][str(made)] = "rollcall/testing"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Hatchling's: after it was written."""
        shutil.rmtree(Path(self.directory, "rollcall-testing"), ignore_errors=True)


def copied(source: Path, target: Path) -> None:
    """The modules of a package, with the rules by their name in the wheel."""
    for path in sorted(source.rglob("*.py")):
        place = target / path.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(NAME.sub(COPY, path.read_text(encoding="utf-8")), encoding="utf-8")
