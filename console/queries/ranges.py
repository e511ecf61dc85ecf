"""Partition numbers for display."""

from collections.abc import Iterable


def ranges(numbers: Iterable[int], most: int | None = None) -> str:
    """ "0-3, 7"; the first ``most`` ranges: "0-3, 7 and 12 more"."""
    parts: list[list[int]] = []
    for number in sorted(numbers):
        if parts and number == parts[-1][-1] + 1:
            parts[-1] = [parts[-1][0], number]
        else:
            parts.append([number, number])
    text = ", ".join(f"{a}-{b}" if a != b else f"{a}" for a, b in parts[:most])
    more = sum(b - a + 1 for a, b in parts[most:]) if most is not None else 0
    return f"{text} and {more} more" if more else text
