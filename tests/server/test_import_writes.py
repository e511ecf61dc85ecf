"""What an import writes, request by request: one refusal keeps nothing else from being written."""

from rollcall.importing.cluster import Cluster
from rollcall.importing.plan import Action, Step, Subject
from rollcall.importing.reading import read
from rollcall.importing.snapshot import Committed
from rollcall.importing.writing import OFFSETS_PER_REQUEST, execute
from tests.server.serving import Serving

COUNT = OFFSETS_PER_REQUEST + 2


async def test_an_offset_that_is_refused_keeps_no_other_from_being_committed(
    served: Serving,
) -> None:
    """The first of two requests has one whose metadata are longer than they may be here."""
    await served.node.catalogue.create("big", COUNT)
    longest = served.node.settings.offset_metadata_max_bytes
    metadata = ["x" * (longest + 1), *[""] * (COUNT - 1)]
    offsets = {("big", n): Committed(n, metadata[n]) for n in range(COUNT)}
    step = Step(Subject.GROUP, "packers", Action.COMMIT, "", offsets=offsets)
    async with Cluster(served.address, None) as cluster:
        (done,) = [each async for each in execute(cluster, [step])]
        there = await read(cluster, lambda name: name == "packers")
    assert (done.action, done.detail) == (Action.CANNOT, "the commit was refused: error 12")
    assert there.groups["packers"].offsets == {at: offsets[at] for at in list(offsets)[1:]}
