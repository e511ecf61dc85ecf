"""Which node should own which slot: every node computes the same result from the same rows.

No clock and no rows here. Every node keeps its slots up to its share, so that as few as possible
move (docs/architecture.md, *Slots*).
"""

from collections.abc import Collection, Iterator, Mapping


def plan(owners: Mapping[int, int | None], live: Collection[int]) -> Mapping[int, int]:
    """The node that shall own each slot.

    ``owners`` maps every slot to its owner in the rows, None if it has none; ``live`` are the nodes
    that may own slots. Shares differ by at most one, and nodes with the most slots get the larger
    ones. Empty if there are no live nodes.
    """
    if not live:
        return {}
    held = {node: [s for s in sorted(owners) if owners[s] == node] for node in sorted(live)}
    shares = dict(_shares(held, len(owners)))
    kept = {slot: node for node, slots in held.items() for slot in slots[: shares[node]]}
    homeless = iter([slot for slot in sorted(owners) if slot not in kept])
    for node, slots in held.items():
        for _ in range(shares[node] - len(slots)):
            kept[next(homeless)] = node
    return kept


def _shares(held: Mapping[int, Collection[int]], slots: int) -> Iterator[tuple[int, int]]:
    """The number of slots of each node, nodes with the most slots first."""
    least, more = divmod(slots, len(held))
    for rank, node in enumerate(sorted(held, key=lambda node: (-len(held[node]), node))):
        yield node, least + (rank < more)
