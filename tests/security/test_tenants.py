"""Two tenants with the same names behind their prefixes: what one asks about the other's has no
effect, and reveals nothing."""

from random import Random
from uuid import UUID

import pytest

from groups.core.acls.bindings import AclOperation, Binding, PatternType, Permission, ResourceType
from rollcall.wire.messages import MESSAGES
from rollcall.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from tests.in_process import Other
from tests.security.asking import Tenant, Variant, codes, made, variants
from tests.security.door import ANN, BY_REQUEST, Door, every_case
from tests.server.client import Client

BEN = "User:ben"
FEW, MANY = 400, 10_000

SESSION_MS = 120_000
"""Ben's member says nothing while thousands of requests are made."""

TABLES = (
    "group",
    "member",
    "command",
    "offset",
    "offset_history",
    "journal",
    "topic",
    "producer",
    "txn_group",
    "pending_offset",
    "group_config",
    "acl",
    "credential",
)
"""All that a client can change."""

NAMELESS = {18, 60}
"""ApiVersions, DescribeCluster: about nobody's resources, as a producer id without a name is."""


def own(principal: str, prefix: str) -> list[Binding]:
    """Everything, of what begins so."""
    kinds = ResourceType.TOPIC, ResourceType.GROUP, ResourceType.TRANSACTIONAL_ID
    return [
        Binding(
            kind, prefix, PatternType.PREFIXED, principal, "*", AclOperation.ALL, Permission.ALLOW
        )
        for kind in kinds
    ]


async def rows(other: Other) -> dict[str, str]:
    """A digest of each table."""
    found = {}
    for table in TABLES:
        text = "SELECT md5(coalesce(string_agg(t::text, ' ' ORDER BY t::text), '')) FROM"
        cursor = await other.execute(f"{text} rollcall_{table} t".encode())
        ((found[table],),) = await cursor.fetchall()
    return found


async def settle(door: Door, ben: Tenant) -> None:
    """Ben has a member, offsets and a transaction."""
    client = await Client.connect(door.served.address)
    for connection in door.served.connections:
        if connection.session.principal != ANN:
            connection.session.principal = BEN
    beat = await client.settled(ben.group, session_ms=SESSION_MS)
    topic = OffsetCommitRequestTopic(
        name=ben.topic,
        partitions=[OffsetCommitRequestPartition(partition_index=0, committed_offset=7)],
    )
    answer = await client.call(
        OffsetCommitRequest(
            group_id=ben.group,
            member_id=beat.member_id,
            generation_id_or_member_epoch=beat.generation_id,
            topics=[topic],
        ),
        8,
    )
    assert set(codes(answer)) == {0}
    begin = made(MESSAGES[22].request, 5, ben, Variant())
    assert set(codes(await client.call(begin, 5))) == {0}


@pytest.mark.parametrize(
    "calls", [FEW, pytest.param(MANY, marks=[pytest.mark.long, pytest.mark.timeout(300)])]
)
async def test_cross_tenant_calls_have_no_effect_and_reveal_nothing(
    door: Door, other: Other, calls: int
) -> None:
    """Each response about Ben's resources equals the one about missing ones, but for the name."""
    door.allow([*own(ANN, "anna-"), *own(BEN, "ben-")])
    ben, nobody = Tenant("ben", door.topic_ids["ben"]), Tenant("zoe", UUID(int=7))
    await settle(door, ben)
    before, rng, cases = await rows(other), Random(20), every_case()
    for _ in range(calls):
        where, api, variant = rng.choice(cases).values
        if api.key in NAMELESS or variant.values.get("transactional_id", "") is None:
            continue
        version = rng.randint(api.min_version, api.max_version)
        asked = [made(api.request, version, tenant, variant) for tenant in (ben, nobody)]
        responses = [await door.ask(api, request, version, where) for request in asked]
        about = [
            repr(answer).replace(t.name, "?")
            for answer, t in zip(responses, (ben, nobody), strict=True)
        ]
        if repr(ben.topic_id) not in repr(asked[0]):  # Kafka hides no ids
            assert about[0] == about[1], (api.name, version)
        assert BEN not in about[0]
    assert await rows(other) == before


LISTING = ("ListGroups", "DescribeGroups", "ListTransactions", "Metadata", "OffsetFetch")
"""And DescribeTopicPartitions: what tells of all that there is, or of what is asked for by name."""


async def seen(door: Door, principal: str, tenant: Tenant) -> str:
    """All that a tenant gets who requests everything, and only their own."""
    responses = []
    for request, (where, api) in BY_REQUEST.items():
        if api.name in (*LISTING, "DescribeTopicPartitions") and not where:
            for variant in variants(request):
                asked = made(request, api.max_version, tenant, variant)
                responses.append(await door.ask(api, asked, api.max_version, where, principal))
    return repr(responses)


async def test_each_tenant_sees_only_its_own(door: Door) -> None:
    """In lists, and by the names that it has."""
    door.allow([*own(ANN, "anna-"), *own(BEN, "ben-")])
    anna, ben = (Tenant(name, door.topic_ids[name]) for name in ("anna", "ben"))
    await settle(door, ben)
    assert "ben-" not in await seen(door, ANN, anna)
    theirs = await seen(door, BEN, ben)
    assert "anna-" not in theirs
    assert [n for n in (ben.group, ben.topic, ben.transactional_id) if n not in theirs] == []
    assert "committed_offset=7" in theirs
