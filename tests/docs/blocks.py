"""The blocks of code of every page, and the commands of those that are for a shell."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from launcher.installation import CHECKOUT

PAGES: Final = sorted(
    str(path.relative_to(CHECKOUT))
    for pattern in ("*.md", "docs/**/*.md", "docker/*.md", "deploy/**/*.md", "examples/*.md")
    for path in CHECKOUT.glob(pattern)
)
FENCED: Final = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)

DRAWN: Final = ("mermaid", "text")
"""Languages of what is no code: a drawing, or what a program printed."""

FILES: Final = ("ini", "json", "toml", "yaml")
"""Languages of what a reader saves as a file."""

SHELL: Final = ("", "sh")

SETTING: Final = re.compile(r"\w+=")
"""How a word begins that sets a variable of the command behind it."""


@dataclass(frozen=True)
class Block:
    """One of a page (its path in the repository)."""

    page: str
    language: str
    text: str


def blocks(page: str) -> list[Block]:
    """All of a page, in order."""
    text = (CHECKOUT / page).read_text()
    return [Block(page, language, block) for language, block in FENCED.findall(text)]


def commands(block: Block) -> list[str]:
    """A shell's commands of a block, each as one line; those of a document within it are none."""
    if block.language not in SHELL or "<<" in block.text:
        return []
    lines = _whole(block.text.replace("\\\n", " "))
    return [line.strip() for line in lines if line.strip() and not line.strip().startswith("#")]


def _whole(text: str) -> Iterator[str]:
    """Lines; a quoted text may have several."""
    kept = ""
    for line in text.splitlines():
        kept = f"{kept} {line}" if kept else line
        if kept.count("'") % 2 == 0 or kept.lstrip().startswith("#"):
            yield kept
            kept = ""


def words(command: str) -> list[str]:
    """Those of a command, without variables in front of it and the remark behind it."""
    found = shlex.split(command, comments=True)
    while found and SETTING.match(found[0]):
        found.pop(0)
    return found


def program(command: str) -> str:
    """What a command starts: ``rollcall``, ``curl``, ``-m pipeline`` of a Python; "": nothing."""
    found = words(command)
    if not found:
        return ""
    name = Path(found[0]).name
    is_module = name == "python" and found[1:2] == ["-m"]
    if is_module:
        return f"-m {found[2]}"
    return Path(found[1]).name if name == "python" and found[1:] else name
