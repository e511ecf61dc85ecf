"""What consoles ask for besides groups: logs, of which there are none, and what has a
configuration."""

from dataclasses import dataclass

import pytest

from groups.catalogue.cache import Unavailable
from groups.core.errors import ErrorCode
from protocol.handlers import describe_log_dirs, list_config_resources
from rollcall.wire.messages.describe_log_dirs import DescribableLogDirTopic, DescribeLogDirsRequest
from rollcall.wire.messages.list_config_resources import ListConfigResourcesRequest
from tests.handlers.world import World

ALL = [(2, "orders"), (4, "0"), (4, "1"), (32, "billing")]


@dataclass
class Configs:
    """Groups with settings of their own."""

    is_away: bool = False

    async def listed(self) -> list[str]:
        if self.is_away:
            raise Unavailable("the database is away")
        return ["billing"]


@pytest.fixture
async def known(world: World) -> World:
    """A world with a topic, two nodes, and a group with settings."""
    await world.catalogue.create("orders", 2)
    world.configs = Configs()
    return world


@pytest.mark.parametrize("version", range(1, 6))
async def test_there_is_a_directory_without_logs(cut_off: World, version: int) -> None:
    topics = [DescribableLogDirTopic(topic="orders", partitions=[0])]
    for asked in (None, topics):
        request = DescribeLogDirsRequest(topics=asked)
        reply = await cut_off.ask(describe_log_dirs.handle, version, request)
        (found,) = reply.results
        assert (reply.error_code, found.error_code, list(found.topics)) == (0, 0, [])
        assert found.log_dir and (found.total_bytes, found.usable_bytes) == (-1, -1)


async def listed(world: World, *types: int, version: int = 1) -> tuple[int, list[tuple[int, str]]]:
    request = ListConfigResourcesRequest(resource_types=list(types))
    reply = await world.ask(list_config_resources.handle, version, request)
    found = [(each.resource_type, each.resource_name) for each in reply.config_resources]
    return reply.error_code, found


async def test_what_has_a_configuration_is_listed_by_its_type(known: World) -> None:
    assert await listed(known) == (0, ALL)
    assert await listed(known, 32, 2) == (0, [ALL[0], ALL[3]])
    assert await listed(known, 8, 16) == (0, []), "loggers and client metrics are not kept here"
    assert await listed(known, version=0) == (0, [])
    assert await listed(known, 4, 7) == (ErrorCode.UNSUPPORTED_VERSION, [])


async def test_a_list_is_whole_or_an_error(known: World) -> None:
    known.configs.is_away = True
    assert await listed(known) == (ErrorCode.COORDINATOR_NOT_AVAILABLE, [])
    assert await listed(known, 2) == (0, ALL[:1])
