"""What a node does with rows that were read, at once and without pauses."""

from collections.abc import Mapping

from groups.core.rows import Durable
from groups.runtime import loading
from groups.runtime.entries import GroupEntry
from groups.runtime.runtime import CoordinatorRuntime


def adopt(
    runtime: CoordinatorRuntime,
    epochs: Mapping[int, int],
    durables: Mapping[str, Durable],
    inherited: loading.Inherited = loading.NOTHING,
) -> None:
    """Serve newly owned slots with these groups."""
    for merge in loading.adopting(runtime, epochs, durables, inherited=inherited):
        merge.run()


def reseat(runtime: CoordinatorRuntime, entry: GroupEntry, durable: Durable | None) -> None:
    """Combine these rows with the group's live state, and continue."""
    merge = loading.reseating(runtime, entry, durable)
    merge.run()
    loading.reseated(runtime, entry, merge)
