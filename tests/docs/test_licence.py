"""LICENSE is the text that the metadata names."""

import tomllib

from launcher.installation import CHECKOUT


def test_the_licence_text_is_that_of_the_metadata() -> None:
    metadata = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    title, version = (CHECKOUT / "LICENSE").read_text().split("\n")[1:3]
    assert (metadata["license"], title.strip(), version.strip()) == (
        "Apache-2.0",
        "Apache License",
        "Version 2.0, January 2004",
    )
