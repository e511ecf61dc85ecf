"""Partition numbers as people read them."""

from collections.abc import Iterable


def ranges(numbers: Iterable[int]) -> str:
    """ "0-3, 7"."""
    parts: list[list[int]] = []
    for number in sorted(numbers):
        if parts and number == parts[-1][-1] + 1:
            parts[-1] = [parts[-1][0], number]
        else:
            parts.append([number, number])
    return ", ".join(f"{a}-{b}" if a != b else f"{a}" for a, b in parts)
