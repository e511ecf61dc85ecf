"""What a release says of itself: ``python -m tests.supply.release v0.2.0 > notes.md``.

Prints the version's part of the changelog. Ends with a sentence if tag, ``pyproject.toml``,
``rollcall.__version__`` and changelog do not agree, so that nothing is published that does not.
"""

import re
import sys
import tomllib

import rollcall
from launcher.installation import CHECKOUT


def notes(tag: str, version: str, changelog: str) -> str:
    """The changes of the version. ``ValueError`` if the tag is another's, or there are none."""
    if tag != f"v{version}":
        raise ValueError(f"the tag {tag} is not that of version {version}")
    found = re.search(rf"^## {re.escape(version)}\n(.*?)(?=^## |\Z)", changelog, re.M | re.S)
    if found is None or not found[1].strip():
        raise ValueError(f"CHANGELOG.md has nothing about {version}")
    return found[1].strip()


def main() -> None:
    """For the workflow."""
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    version = project["version"]
    try:
        if version != rollcall.__version__:
            raise ValueError(f"pyproject.toml has {version}, the package {rollcall.__version__}")
        sys.stdout.write(
            notes(sys.argv[1], version, (CHECKOUT / "CHANGELOG.md").read_text()) + "\n"
        )
    except ValueError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
