"""What an entry of the journal consists of, for those who write, show and serve it. Pure."""

from typing import Final

TOLD: Final = (
    "kind",
    "trigger",
    "reason",
    "client_reason",
    "member_id",
    "client_id",
    "generation_before",
    "generation_after",
    "duration_ms",
    "waited_for",
    "joined",
    "left",
    "details",
)
"""The fields of an entry that are columns of its row, in their order."""
