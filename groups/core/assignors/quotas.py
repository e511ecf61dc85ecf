"""How many partitions each member is due: arithmetic on numbers."""

from collections.abc import Sequence
from heapq import heapify, heapreplace


def quotas(weights: Sequence[int], total: int, held: Sequence[int]) -> list[int]:
    """Share ``total`` in proportion to the weights; each result differs from its exact share by
    less than one.

    Remainders go first to members that hold more already (which moves least), then to those with
    the largest fraction, then to the earlier ones.
    """
    whole = sum(weights)
    exact = [divmod(total * weight, whole) for weight in weights]
    shares = [least for least, _ in exact]
    more = total - sum(shares)
    if more:
        uneven = [i for i, (_, rest) in enumerate(exact) if rest]
        uneven.sort(key=lambda i: (held[i] <= shares[i], -exact[i][1], i))
        for i in uneven[:more]:
            shares[i] += 1
    return shares


def filled(weights: Sequence[int], loads: Sequence[int], free: int) -> list[int]:
    """How much of ``free`` each member gets if it always goes to the one with the least for its
    weight."""
    level = _level(weights, loads, free)
    given = [max(0, level * w - load) for w, load in zip(weights, loads, strict=True)]
    rest = free - sum(given)
    heap = [((loads[i] + given[i] + 1) / weights[i], i) for i in range(len(weights))]
    heapify(heap)
    for _ in range(rest):
        i = heap[0][1]
        given[i] += 1
        heapreplace(heap, ((loads[i] + given[i] + 1) / weights[i], i))
    return given


def _level(weights: Sequence[int], loads: Sequence[int], free: int) -> int:
    """The greatest load per weight up to which all can be filled."""
    low, high = 0, max(loads) + free + 1
    while high - low > 1:
        middle = (low + high) // 2
        needed = sum(max(0, middle * w - load) for w, load in zip(weights, loads, strict=True))
        low, high = (middle, high) if needed <= free else (low, middle)
    return low
