"""The packed protocols of a classic member's row, under the name by which programs outside this
repository make such a row. ``groups.core.subscription`` says what they are."""

from groups.core.subscription import pack_protocols as pack

__all__ = ["pack"]
