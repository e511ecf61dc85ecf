"""What an import writes, request by request: one refusal keeps nothing else from being written."""

from typing import Any

import pytest

from rollcall.importing import writing
from rollcall.importing.cluster import Cluster
from rollcall.importing.plan import Action, Step, Subject
from rollcall.importing.reading import read
from rollcall.importing.snapshot import Committed, Rule
from rollcall.importing.writing import OFFSETS_PER_REQUEST, execute
from tests.server.serving import Serving, serving

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


@pytest.mark.usefixtures("_prepared")
async def test_a_rule_that_is_refused_keeps_no_other_from_being_created(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first of three requests has one whose operation is any: that is for filters alone."""
    settings.AUTHORIZER, settings.SUPER_USERS = "on", "User:ANONYMOUS"
    monkeypatch.setattr(writing, "RULES_PER_REQUEST", 1)
    topic, literal, any_one, read_it, allow = 2, 3, 1, 3, 3
    refused, *others = (
        Rule(topic, name, literal, "User:ann", "*", operation, allow)
        for name, operation in (("a", any_one), ("b", read_it), ("c", read_it))
    )
    rules = (refused, *others)
    step = Step(Subject.ACLS, "User:ann", Action.CREATE, "", rules=rules)
    async with serving() as served, Cluster(served.address, None) as cluster:
        (done,) = [each async for each in execute(cluster, [step])]
        there = await read(cluster, lambda _name: False)
    assert done.action is Action.CANNOT and done.detail
    assert there.rules == frozenset(others)
