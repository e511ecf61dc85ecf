"""Transcripts of every kind of group: read them, run them, and write them again.

A transcript is a file of commands; behind each, set apart by two spaces, stand what came of it and
the state afterwards. Lines that begin with # are for the reader only. The commands themselves
are the languages' (``conversation.py`` in each folder that has ``scenarios/``).
"""

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


class Speaks(Protocol):
    """A conversation as a transcript needs it."""

    def say(self, command: str) -> str:
        """Run one command; the line as it must read."""
        ...


@dataclass(frozen=True)
class Transcripts:
    """The transcripts in one folder, and what begins a conversation in their language."""

    folder: Path
    begin: Callable[[], Speaks]

    def paths(self) -> list[Path]:
        """All transcripts, by name."""
        return sorted(self.folder.glob("*.txt"))

    def run(self, text: str) -> str:
        """The transcript as the rules would have it today."""
        conversation = self.begin()
        lines = []
        for line in text.splitlines():
            if not line.strip() or line.startswith("#"):
                lines.append(line.rstrip())
            else:
                command = re.split(r"\s{2,}", line.strip(), maxsplit=1)[0]
                lines.append(conversation.say(command))
        return "\n".join(lines) + "\n"

    def main(self, arguments: list[str]) -> int:
        """Compare every transcript with the rules, or rewrite those that differ."""
        texts = {path: path.read_text() for path in self.paths()}
        changed = {path: new for path, text in texts.items() if (new := self.run(text)) != text}
        for path, new in changed.items():
            if "--rewrite" in arguments:
                path.write_text(new)
            sys.stdout.write(f"{path.name}\n")
        return 0 if "--rewrite" in arguments else len(changed)
