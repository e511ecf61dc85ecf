"""A strategy as an installation would bring it, with a defect: its first call never returns, and
keeps the interpreter meanwhile."""

import itertools
import os
from collections.abc import Mapping
from pathlib import Path

from groups.core.strategy import Counts, Topics

MARK = "has-hung"


def assign(topics: Topics, counts: Counts) -> Mapping[str, list[tuple[str, int]]]:
    """Everything for the last consumer, from the second call on."""
    mark = Path(os.environ["ROLLCALL_DATA_DIR"], MARK)
    if not mark.exists():
        mark.touch()
        max(itertools.repeat(0))
    last = max(topics)
    return {last: [(topic, p) for topic in topics[last] for p in range(counts.get(topic, 0))]}
