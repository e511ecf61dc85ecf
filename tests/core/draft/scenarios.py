"""Transcripts of the draft's groups, in scenarios/.

``python -m tests.core.draft.scenarios`` says which would change; with ``--rewrite`` it
writes what the rules do today, and the diff is the review.
"""

import sys
from pathlib import Path

from tests.core.draft.conversation import Conversation
from tests.transcripts import Transcripts

TRANSCRIPTS = Transcripts(Path(__file__).parent / "scenarios", Conversation)
paths, run = TRANSCRIPTS.paths, TRANSCRIPTS.run

if __name__ == "__main__":
    sys.exit(TRANSCRIPTS.main(sys.argv[1:]))
