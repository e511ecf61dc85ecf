"""Configuration over the wire, of a real node: described, changed, and applied at once."""

import asyncio
import time
from collections.abc import Mapping
from typing import Any

import pytest

from benchmarks.wire import create_topic
from groups.core.configs.entries import Source
from groups.core.errors import ErrorCode
from groups.core.rows import slot_of
from groups.postgres import connections
from groups.postgres.connections import Connection
from protocol.handlers.support.config_resources import Resource
from rollcall.wire.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from rollcall.wire.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from rollcall.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from tests.server.client import Client, hello, join
from tests.server.serving import Serving, until

TRANSACTIONS = """
SELECT count(*), count(DISTINCT c.xmin::text),
       (SELECT count(*) FROM rollcall_journal WHERE group_id LIKE 'g-%'),
       (SELECT count(DISTINCT j.xmin::text) FROM rollcall_journal j WHERE group_id LIKE 'g-%')
FROM rollcall_group_config c
"""
"""Settings and the journal's entries about them, and by how many transactions they were written."""

FREEZE, COMMITS = "rollcall.freeze", "rollcall.max.commits.per.second"
SESSION = "consumer.session.timeout.ms"


async def describe(
    client: Client, kind: int, name: str, *keys: str, version: int = 4, **said: bool
) -> Any:
    """One resource."""
    resource = DescribeConfigsResource(
        resource_type=kind, resource_name=name, configuration_keys=keys or None
    )
    request = DescribeConfigsRequest(resources=[resource], **said)
    (result,) = (await client.call(request, version)).results
    return result


async def values(client: Client, group_id: str) -> Mapping[str, tuple[str, int]]:
    """What holds for a group: value and source by name."""
    result = await describe(client, Resource.GROUP, group_id)
    assert result.error_code == ErrorCode.NONE
    return {c.name: (c.value, c.config_source) for c in result.configs}


def change(kind: int, name: str, **configs: str | None) -> AlterConfigsResource:
    """Set (or delete, where None) settings; underscores stand for dots."""
    changes = [
        AlterableConfig(name=n.replace("_", "."), config_operation=v is None, value=v)
        for n, v in configs.items()
    ]
    return AlterConfigsResource(resource_type=kind, resource_name=name, configs=changes)


async def alter(client: Client, *resources: AlterConfigsResource, validate: bool = False) -> Any:
    """The codes, in order."""
    request = IncrementalAlterConfigsRequest(resources=resources, validate_only=validate)
    return [r.error_code for r in (await client.call(request, 1)).responses]


@pytest.fixture
async def client(served: Serving) -> Client:
    return await Client.connect(served.address)


# -- describing


async def test_a_missing_group_has_a_configuration(client: Client) -> None:
    """KIP-1142: what it will have of its own may be said before."""
    assert (await values(client, "nobody's"))[FREEZE] == ("false", Source.DEFAULT)
    assert await alter(client, change(32, "nobody's", rollcall_freeze="true")) == [0]
    assert (await values(client, "nobody's"))[FREEZE] == ("true", Source.GROUP)
    assert (await values(client, "another's"))[FREEZE] == ("false", Source.DEFAULT)


async def test_each_version_returns_its_fields(client: Client) -> None:
    said = {"include_synonyms": True, "include_documentation": True}
    for version in (1, 2, 3, 4):
        result = await describe(client, Resource.GROUP, "g", SESSION, version=version, **said)

        (config,) = result.configs
        assert (config.name, config.value, config.read_only) == (SESSION, "45000", False), version
        assert [s.name for s in config.synonyms] == ["group.consumer.session.timeout.ms"]
        assert bool(config.documentation) is (version >= 3)
        assert config.config_type == (3 if version >= 3 else 0)


async def test_only_requested_settings_are_returned(client: Client) -> None:
    result = await describe(client, Resource.GROUP, "g", SESSION, "bogus")

    (config,) = result.configs
    assert config.synonyms == [] and config.documentation is None


async def test_a_topic_has_fixed_defaults(client: Client, served: Serving) -> None:
    await create_topic(served.address, "t", 1)

    result = await describe(client, Resource.TOPIC, "t", "retention.ms")
    (config,) = result.configs
    assert (config.value, config.read_only, config.config_source) == ("604800000", True, 5)
    refused = await alter(
        client, change(2, "t", retention_ms="5"), change(2, "no-such", retention_ms="5")
    )
    assert refused == [ErrorCode.INVALID_REQUEST, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]


async def test_a_brokers_settings_are_read_only(client: Client) -> None:
    result = await describe(client, Resource.BROKER, "0")
    described = {c.name: c for c in result.configs}

    assert described["group.consumer.assignors"].value == "uniform,range"
    assert described["auto.create.topics.enable"].value == "true"
    assert all(c.read_only for c in described.values())
    assert (await describe(client, Resource.BROKER, "")).configs == []
    assert (await describe(client, Resource.BROKER, "9")).error_code == ErrorCode.INVALID_REQUEST
    refused = await alter(
        client, change(4, "0", num_partitions="3"), change(4, "", bogus="3"), change(4, "9")
    )
    assert refused == [ErrorCode.INVALID_REQUEST, ErrorCode.INVALID_CONFIG, 42]


UNCONFIGURED = (
    (Resource.GROUP, "", ErrorCode.INVALID_REQUEST),
    (Resource.GROUP, "a\0b", ErrorCode.INVALID_GROUP_ID),
    (Resource.TOPIC, "a b", ErrorCode.INVALID_TOPIC_EXCEPTION),
    (Resource.TOPIC, "no-such", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
    (16, "x", ErrorCode.INVALID_REQUEST),
)


async def test_a_resource_without_configuration_is_refused_with_a_reason(client: Client) -> None:
    for kind, name, code in UNCONFIGURED:
        result = await describe(client, kind, name)

        assert result.error_code == code and result.error_message, (kind, name)
        assert await alter(client, change(kind, name)) == [code]


async def test_a_resource_of_an_unknown_type_fails_the_request(client: Client) -> None:
    asked = [(Resource.GROUP, "g"), (99, "x"), (Resource.GROUP, "g")]
    resources = [DescribeConfigsResource(resource_type=k, resource_name=n) for k, n in asked]

    results = (await client.call(DescribeConfigsRequest(resources=resources), 4)).results

    assert [(r.resource_type, r.resource_name, r.error_code, len(r.configs)) for r in results] == [
        (kind, name, ErrorCode.INVALID_REQUEST, 0) for kind, name in asked
    ]
    assert await alter(client, change(99, "x")) == [ErrorCode.INVALID_REQUEST]


# -- changing


async def test_an_impossible_setting_is_refused_whether_or_not_the_topic_exists(
    client: Client,
) -> None:
    deleted = AlterableConfig(name="bogus", config_operation=1)
    bogus = AlterableConfig(name="bogus", config_operation=0, value="1")
    kept = AlterableConfig(name="retention.ms", config_operation=0, value="1")
    for name, configs, code in (
        ("no-such", [deleted, deleted], ErrorCode.INVALID_REQUEST),
        ("no-such", [bogus], ErrorCode.INVALID_CONFIG),
        ("no-such", [deleted], ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ("no-such", [kept], ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ("a b", [bogus], ErrorCode.INVALID_TOPIC_EXCEPTION),
        ("", [bogus], ErrorCode.INVALID_REQUEST),
    ):
        resource = AlterConfigsResource(resource_type=2, resource_name=name, configs=configs)
        assert await alter(client, resource) == [code], (name, configs)


async def test_validate_only_changes_nothing(client: Client) -> None:
    good, bad = change(32, "g", rollcall_freeze="true"), change(32, "h", rollcall_freeze="maybe")

    assert await alter(client, good, bad, validate=True) == [0, ErrorCode.INVALID_CONFIG]
    assert (await values(client, "g"))[FREEZE] == ("false", Source.DEFAULT)


async def test_a_resource_named_twice_is_refused_twice(client: Client) -> None:
    twice = change(32, "g", rollcall_freeze="true")

    assert await alter(client, twice, twice) == [ErrorCode.INVALID_REQUEST] * 2


async def test_many_groups_are_changed_in_one_transaction(
    client: Client, other: Connection
) -> None:
    """One that is refused keeps none of the others."""
    wanted = [change(32, f"g-{n}", rollcall_freeze="true") for n in range(30)]
    wanted[7] = change(32, "g-7", rollcall_freeze="maybe")

    codes = await alter(client, *wanted)

    assert [n for n, code in enumerate(codes) if code] == [7]
    row = await (await other.execute(TRANSACTIONS)).fetchone()
    assert row == (29, 1, 29, 1)


async def test_a_setting_can_be_deleted(client: Client) -> None:
    await alter(client, change(32, "g", rollcall_freeze="true", rollcall_max_members="5"))
    assert await alter(client, change(32, "g", rollcall_freeze=None)) == [0]

    now = await values(client, "g")
    assert now[FREEZE] == ("false", Source.DEFAULT)
    assert now["rollcall.max.members"] == ("5", Source.GROUP)


async def test_concurrent_changes_of_one_group_all_take_effect(served: Serving) -> None:
    """Two clients change different settings: neither change is lost."""
    clients = [await Client.connect(served.address) for _ in range(2)]
    for n in range(1, 20):
        await asyncio.gather(
            alter(clients[0], change(32, "g", rollcall_max_members=str(n))),
            alter(clients[1], change(32, "g", rollcall_rebalance_min_interval_ms=str(n))),
        )
        now = await values(clients[0], "g")
        assert now["rollcall.max.members"][0] == str(n)
        assert now["rollcall.rebalance.min.interval.ms"][0] == str(n)


# -- taking effect


async def test_a_freeze_holds_from_its_response_on_and_a_thaw_ends_it(served: Serving) -> None:
    first = await Client.connect(served.address)
    second = await Client.connect(served.address)
    beat = await first.settled("g")
    assert await alter(first, change(32, "g", rollcall_freeze="true")) == [0]

    second.send(join("g"), 3)
    group = served.node.coordinator.entries["g"]
    await until(lambda: group.group.live.joins)
    assert (await first.call(beat, 3)).error_code == ErrorCode.NONE

    assert await alter(first, change(32, "g", rollcall_freeze="false")) == [0]
    await first.hears_of_a_rebalance(beat)
    assert (await first.call(join("g", beat.member_id), 3)).generation_id == 2
    assert (await second.receive()).generation_id == 2


async def test_a_change_made_on_another_node_is_notified(
    served: Serving, other: connections.Connection
) -> None:
    """Another node wrote the row: this one, the owner, goes by it without being asked."""
    client = await Client.connect(served.address)
    await client.settled("g")
    entry = served.node.coordinator.entries["g"]

    await other.execute(
        "INSERT INTO rollcall_group_config (group_id, slot, name, value, updated_at)"
        " VALUES ('g', %s, %s, 'true', now())",
        [slot_of("g"), FREEZE],
    )
    await other.execute("SELECT pg_notify('rollcall_configs', 'g')")

    await until(lambda: entry.group.rules.guards.frozen)


async def test_a_new_owner_applies_the_freeze_from_its_first_step(served: Serving) -> None:
    client = await Client.connect(served.address)
    await client.settled("g")
    await alter(client, change(32, "g", rollcall_freeze="true"))
    coordinator = served.node.coordinator

    slots = list(coordinator.epochs)
    coordinator.drop(slots, ErrorCode.NOT_COORDINATOR)
    assert not coordinator.own.rules_of("g").guards.frozen
    served.node.keeper.look_soon()

    await until(lambda: "g" in coordinator.entries)
    assert coordinator.entries["g"].group.rules.guards.frozen


# -- limits


def commit(group_id: str) -> OffsetCommitRequest:
    """A commit without a member."""
    partition = OffsetCommitRequestPartition(partition_index=0, committed_offset=1)
    topic = OffsetCommitRequestTopic(name="t", partitions=[partition])
    return OffsetCommitRequest(group_id=group_id, topics=[topic])


async def test_commits_above_the_rate_are_answered_and_then_not_read(served: Serving) -> None:
    await create_topic(served.address, "t", 1)
    client, connection = await served.connect()
    await alter(client, change(32, "g", rollcall_max_commits_per_second="2"))
    answers = [await client.call(commit("g"), 8) for _ in range(2)]
    assert [a.throttle_time_ms for a in answers] == [0, 0]

    throttled = await client.call(commit("g"), 8)
    assert throttled.topics[0].partitions[0].error_code == ErrorCode.NONE
    assert 0 < throttled.throttle_time_ms <= 500

    asked = time.monotonic()
    assert connection.pauses.muted is not None
    await client.call(hello(), 3)
    assert time.monotonic() - asked > throttled.throttle_time_ms / 1000 - 0.1
    assert connection.pauses.muted is None


async def test_the_limit_of_one_group_affects_no_other(served: Serving) -> None:
    await create_topic(served.address, "t", 1)
    client = await Client.connect(served.address)
    await alter(client, change(32, "g", rollcall_max_commits_per_second="1"))

    assert [(await client.call(commit("h"), 8)).throttle_time_ms for _ in range(5)] == [0] * 5
    await alter(client, change(32, "g", rollcall_max_commits_per_second="0"))
    assert [(await client.call(commit("g"), 8)).throttle_time_ms for _ in range(5)] == [0] * 5


async def test_a_group_may_have_a_smaller_size_of_its_own(served: Serving) -> None:
    client, other = await Client.connect(served.address), await Client.connect(served.address)
    await client.settled("g")
    await alter(client, change(32, "g", rollcall_max_members="1"))

    assert (await other.call(join("g"), 3)).error_code == ErrorCode.GROUP_MAX_SIZE_REACHED
