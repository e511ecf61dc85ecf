"""The transcripts of commanded groups in scenarios/: read them, run them, and write them anew.

``python -m tests.core_commanded.scenarios`` says which would change; with ``--rewrite`` it writes
what the rules do today, and the diff is the review.
"""

import re
import sys
from pathlib import Path

from tests.core_commanded.conversation import Conversation

FOLDER = Path(__file__).parent / "scenarios"


def paths() -> list[Path]:
    """All transcripts, by name."""
    return sorted(FOLDER.glob("*.txt"))


def run(text: str) -> str:
    """The transcript as the rules would have it today."""
    conversation = Conversation()
    lines = []
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            lines.append(line.rstrip())
        else:
            lines.append(conversation.say(re.split(r"\s{2,}", line.strip(), maxsplit=1)[0]))
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    """Compare every transcript with the rules, or rewrite those that differ."""
    changed = [
        (path, new) for path in paths() if (new := run(path.read_text())) != path.read_text()
    ]
    for path, new in changed:
        if "--rewrite" in arguments:
            path.write_text(new)
        sys.stdout.write(f"{path.name}\n")
    return 0 if "--rewrite" in arguments else len(changed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
