"""The packed protocols of a classic member's row, under the names by which programs outside this
repository make such a row. ``groups.core.subscription`` says what they are."""

from groups.core.subscription import pack_protocols as pack
from groups.core.subscription import unpack_protocols as unpack

__all__ = ["pack", "unpack"]
