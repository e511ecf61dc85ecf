"""Members of the library that are drained, over the real wire: they give up their partitions, stay,
and get some again when the drain ends."""

import pytest

from benchmarks.wire import create_topic
from tests.pause.asking import Other, completed
from tests.pause.conftest import Join
from tests.pause.test_members import at
from tests.server.serving import Serving, until


@pytest.mark.parametrize(
    "protocol",
    ["consumer", pytest.param("draft", marks=pytest.mark.long), "commanded"],
)
async def test_a_drained_member_stays_and_has_nothing_until_its_drain_ends(
    protocol: str, served: Serving, other: Other, join: Join
) -> None:
    await create_topic(served.address, "t", 4)
    anna = await join(at(served, protocol), protocol=protocol)
    ben = await join(at(served, protocol), protocol=protocol)
    await until(lambda: len(anna.assigned) == len(ben.assigned) == 2)

    await completed(other, "drain", ben.member_id)
    assert not ben.assigned
    await until(lambda: len(anna.assigned) == 4)
    assert ben.heard[-1] == ("revoked", 2)

    await completed(other, "undrain", ben.member_id)
    await until(lambda: len(anna.assigned) == len(ben.assigned) == 2)


async def test_a_classic_member_is_not_drained(served: Serving, other: Other, join: Join) -> None:
    await create_topic(served.address, "t", 4)
    anna = await join(at(served, "classic"), protocol="classic")
    await until(lambda: len(anna.assigned) == 4)
    with pytest.raises(AssertionError, match="leader of a classic group"):
        await completed(other, "drain", anna.member_id)
