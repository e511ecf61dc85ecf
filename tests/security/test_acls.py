"""ACLs and users over the wire: created, described, deleted, sent to nodes, and journalled."""

from collections.abc import AsyncIterator
from threading import Thread, current_thread
from typing import Any

import pytest

from console.queries.journal_text import sentence
from groups.clients import acls
from groups.clients import scram_credentials as scram
from groups.core.acls.bindings import AclOperation, Filter, PatternType, Permission, ResourceType
from groups.core.errors import ErrorCode
from groups.models import Journal
from protocol.connection.listeners import Listener, Security
from protocol.handlers.support.wire_codes import WireCode
from rollcall.wire.messages.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    ScramCredentialDeletion,
    ScramCredentialUpsertion,
)
from rollcall.wire.messages.create_acls import AclCreation, CreateAclsRequest
from rollcall.wire.messages.delete_acls import DeleteAclsFilter, DeleteAclsRequest
from rollcall.wire.messages.describe_acls import DescribeAclsRequest
from rollcall.wire.messages.describe_user_scram_credentials import (
    DescribeUserScramCredentialsRequest,
    UserName,
)
from rollcall.wire.messages.find_coordinator import FindCoordinatorRequest
from tests.in_process import Other
from tests.security.test_sasl import PASSWORD, make_user, with_scram
from tests.server.client import Client
from tests.server.serving import Serving, serving, until

LITERAL, PREFIXED = PatternType.LITERAL, PatternType.PREFIXED
GROUP, ANY = ResourceType.GROUP, 1
FORBIDDEN = ErrorCode.CLUSTER_AUTHORIZATION_FAILED


@pytest.fixture
async def served(_prepared: None, settings: Any, other: Other) -> AsyncIterator[Serving]:
    """A SASL listener, an authorizer, Ann who may everything, and Ben who may nothing yet."""
    settings.AUTHORIZER, settings.SUPER_USERS = "on", "User:ann"
    settings.CONNECTION_FAILED_AUTHENTICATION_DELAY_MS = 10
    await other.execute("DELETE FROM rollcall_credential")
    for name in ("ann", "ben"):
        await make_user(other, name, "SCRAM-SHA-256")
    async with serving((Listener("SASL", "127.0.0.1", 0, Security.SASL_PLAINTEXT),)) as started:
        yield started


@pytest.fixture
async def ann(served: Serving) -> Client:
    return await logged_in(served, "ann")


@pytest.fixture
async def ben(served: Serving) -> Client:
    return await logged_in(served, "ben")


async def logged_in(served: Serving, name: str) -> Client:
    """A connection of this user."""
    client, _ = await served.connect()
    assert (await with_scram(client, name)).error_code == 0
    return client


def reading(group: str, principal: str = "User:ben", pattern: int = LITERAL, **more: Any) -> Any:
    """Be a member of a group."""
    fields = {
        "resource_type": GROUP,
        "resource_name": group,
        "resource_pattern_type": pattern,
        "principal": principal,
        "host": "*",
        "operation": AclOperation.READ,
        "permission_type": Permission.ALLOW,
    }
    return AclCreation(**{**fields, **more})


async def create(client: Client, *creations: Any, version: int = 3) -> list[int]:
    """The codes."""
    answer = await client.call(CreateAclsRequest(creations=creations), version)
    return [result.error_code for result in answer.results]


def everything(kind: type[Any] = DeleteAclsFilter, **more: Any) -> Any:
    """A filter that leaves all open."""
    fields = {
        "resource_type_filter": ANY,
        "resource_name_filter": None,
        "pattern_type_filter": ANY,
        "principal_filter": None,
        "host_filter": None,
        "operation": ANY,
        "permission_type": ANY,
    }
    return kind(**{**fields, **more})


async def names(client: Client, **more: Any) -> list[str]:
    """The resources that have ACLs, as they are described."""
    answer = await client.call(everything(DescribeAclsRequest, **more), 3)
    assert answer.error_code == 0, answer
    return [resource.resource_name for resource in answer.resources]


async def finds(client: Client, group: str) -> int:
    """What FindCoordinator says."""
    answer = await client.call(FindCoordinatorRequest(coordinator_keys=[group]), 6)
    return int(answer.coordinators[0].error_code)


async def test_an_acl_takes_effect_is_described_and_ends_when_it_is_deleted(
    ann: Client, ben: Client
) -> None:
    denied = ErrorCode.GROUP_AUTHORIZATION_FAILED
    assert await finds(ben, "g") == denied
    assert await create(ann, reading("g"), reading("tenant-", pattern=PREFIXED)) == [0, 0]
    assert [await finds(ben, name) for name in ("g", "tenant-x", "h")] == [0, 0, denied]
    assert sorted(await names(ann)) == ["g", "tenant-"]
    assert await names(ann, pattern_type_filter=PatternType.MATCH, resource_name_filter="g") == [
        "g"
    ]
    assert await names(ann, principal_filter="User:eve") == []

    gone = await ann.call(DeleteAclsRequest(filters=[everything(resource_name_filter="g")]), 3)
    (result,) = gone.filter_results
    assert [found.resource_name for found in result.matching_acls] == ["g"]
    assert [await finds(ben, name) for name in ("g", "tenant-x")] == [denied, 0]


async def test_a_member_whose_right_ends_gets_an_error_at_its_next_heartbeat(
    ann: Client, ben: Client
) -> None:
    """On the fast path, which has answered it from memory until then."""
    await create(ann, reading("g"))
    beat = await ben.settled("g")
    assert [(await ben.call(beat, 3)).error_code for _ in range(3)] == [0, 0, 0]
    await ann.call(DeleteAclsRequest(filters=[everything()]), 3)
    assert (await ben.call(beat, 3)).error_code == ErrorCode.GROUP_AUTHORIZATION_FAILED
    await create(ann, reading("g"))
    assert (await ben.call(beat, 3)).error_code == 0


async def test_every_node_applies_a_change(served: Serving, ben: Client, other: Other) -> None:
    """Somebody else writes a row, and rings."""
    rules = served.node.acls
    assert rules is not None
    before = rules.version
    await other.execute(
        "INSERT INTO rollcall_acl (resource_type, name, pattern, principal, host, operation,"
        " permission, created_at) VALUES ('GROUP', 'g', 'LITERAL', 'User:*', '*', 'READ', 'ALLOW',"
        " now())"
    )
    await other.execute("NOTIFY rollcall_acls")
    await until(lambda: rules.version > before)
    assert await finds(ben, "g") == 0


async def test_acls_change_only_with_the_right_to_alter_the_cluster(
    served: Serving, ann: Client, ben: Client
) -> None:
    await create(ann, reading("g"))
    assert await create(ben, reading("h"), reading("i")) == [FORBIDDEN, FORBIDDEN]
    answer = await ben.call(DeleteAclsRequest(filters=[everything()]), 3)
    assert [result.error_code for result in answer.filter_results] == [FORBIDDEN]
    answer = await ben.call(everything(DescribeAclsRequest), 3)
    assert (answer.error_code, answer.resources) == (FORBIDDEN, [])
    assert await names(ann) == ["g"]


async def test_an_invalid_acl_is_refused_alone(ann: Client) -> None:
    invalid = ErrorCode.INVALID_REQUEST
    assert await create(
        ann,
        reading(""),
        reading("g"),
        reading("g", principal="ben"),
        reading("g", operation=99),
        reading("g"),
    ) == [invalid, 0, invalid, invalid, 0]
    assert await names(ann) == ["g"]


async def test_filters_with_unknown_words_match_nothing(ann: Client) -> None:
    await create(ann, reading("g"))
    filters = [everything(operation=99), everything(resource_name_filter="h")]
    answer = await ann.call(DeleteAclsRequest(filters=filters), 3)
    assert [r.error_code for r in answer.filter_results] == [ErrorCode.INVALID_REQUEST, 0]
    assert [list(r.matching_acls) for r in answer.filter_results] == [[], []]
    answer = await ann.call(everything(DescribeAclsRequest, pattern_type_filter=9), 3)
    assert answer.error_code == ErrorCode.INVALID_REQUEST
    assert await names(ann) == ["g"]


async def test_many_acls_are_read_and_filtered_outside_the_event_loop(
    ann: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a filter by name compares that name alone."""
    rules = [reading(f"g{n}") for n in range(50)]
    assert set(await create(ann, *rules)) == {0}
    loop, read, compared = current_thread(), list[Thread](), list[Thread]()
    binding, matches = acls._binding, Filter.matches

    def noted(row: Any) -> Any:
        read.append(current_thread())
        return binding(row)

    def noted_too(asked: Filter, one: Any) -> bool:
        compared.append(current_thread())
        return matches(asked, one)

    monkeypatch.setattr(acls, "_binding", noted)
    monkeypatch.setattr(Filter, "matches", noted_too)
    filters = [everything(resource_name_filter=f"g{n}") for n in range(50)]
    answer = await ann.call(DeleteAclsRequest(filters=filters), 3)
    assert [len(each.matching_acls) for each in answer.filter_results] == [1] * 50
    assert len(compared) == 50
    assert read and loop not in read and loop not in compared


async def test_filters_that_would_take_seconds_are_refused(
    ann: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And nothing is deleted; those that say a name or a principal are compared with few."""
    monkeypatch.setattr(acls, "COMPARED_MAX", 60)
    assert set(await create(ann, *(reading(f"g{n}", f"User:{n}") for n in range(20)))) == {0}
    answer = await ann.call(DeleteAclsRequest(filters=[everything()] * 4), 3)
    assert {r.error_code for r in answer.filter_results} == {ErrorCode.POLICY_VIOLATION}
    assert len(await names(ann)) == 20
    filters = [everything(principal_filter=f"User:{n}") for n in range(20)]
    filters += [everything(resource_name_filter="g7", pattern_type_filter=PatternType.MATCH)]
    answer = await ann.call(DeleteAclsRequest(filters=filters), 3)
    assert [len(r.matching_acls) for r in answer.filter_results] == [1] * 21
    assert await names(ann) == []


async def test_the_number_of_acls_is_limited(served: Serving, ann: Client) -> None:
    rules = served.node.acls
    assert rules is not None
    rules._most = 2
    assert await create(ann, reading("a"), reading("b")) == [0, 0]
    assert await create(ann, reading("a"), reading("c")) == [ErrorCode.POLICY_VIOLATION] * 2
    assert await create(ann, reading("a")) == [0]
    assert await names(ann) == ["a", "b"]


def salted(password: str, mechanism: str = "SCRAM-SHA-256") -> dict[str, Any]:
    """What a client sends of a password."""
    salt = b"0123456789abcdef"
    made = scram.salted(mechanism, password, salt, scram.ITERATIONS_MIN)
    return {"salt": salt, "salted_password": made, "iterations": scram.ITERATIONS_MIN}


async def alter(client: Client, deletions: Any = (), upsertions: Any = ()) -> dict[str, int]:
    """The codes by user."""
    answer = await client.call(
        AlterUserScramCredentialsRequest(
            deletions=[ScramCredentialDeletion(name=n, mechanism=m) for n, m in deletions],
            upsertions=[ScramCredentialUpsertion(**each) for each in upsertions],
        ),
        0,
    )
    return {result.user: result.error_code for result in answer.results}


async def test_a_user_is_created_logs_in_and_is_deleted(served: Serving, ann: Client) -> None:
    eve = {"name": "eve", "mechanism": 1, **salted(PASSWORD)}
    assert await alter(ann, upsertions=[eve]) == {"eve": 0}
    client = await logged_in(served, "eve")
    described = await ann.call(
        DescribeUserScramCredentialsRequest(users=[UserName(name="eve"), UserName(name="zoe")]), 0
    )
    found, missing = described.results
    assert [(c.mechanism, c.iterations) for c in found.credential_infos] == [(1, 4096)]
    assert missing.error_code == WireCode.RESOURCE_NOT_FOUND
    assert await alter(ann, deletions=[("eve", 1)]) == {"eve": 0}
    assert await client.ended() == b""


async def test_invalid_credentials_are_refused_per_user(ann: Client) -> None:
    good = {"name": "eve", "mechanism": 1, **salted(PASSWORD)}
    results = await alter(
        ann,
        [("zoe", 1), ("ann", 9)],
        [
            good,
            {**good, "mechanism": 2},
            {**good, "name": ""},
            {**good, "name": "few", "iterations": 4095},
            {**good, "name": "many", "iterations": 16_385},
            {**good, "name": "twice"},
            {**good, "name": "twice"},
        ],
    )
    bad = WireCode.UNACCEPTABLE_CREDENTIAL
    assert results == {
        "zoe": WireCode.RESOURCE_NOT_FOUND,
        "ann": WireCode.UNSUPPORTED_SASL_MECHANISM,
        "eve": 0,
        "": bad,
        "few": bad,
        "many": bad,
        "twice": WireCode.DUPLICATE_RESOURCE,
    }
    everybody = await ann.call(DescribeUserScramCredentialsRequest(users=None), 0)
    assert [r.user for r in everybody.results] == ["ann", "ben", "eve"]


async def test_users_are_created_only_with_the_right_to_alter_the_cluster(
    served: Serving, ben: Client
) -> None:
    eve = {"name": "eve", "mechanism": 1, **salted(PASSWORD)}
    assert await alter(ben, [("ann", 1)], [eve]) == {"ann": FORBIDDEN, "eve": FORBIDDEN}
    assert set(served.node.credentials.iterations()) == {"ann", "ben"}
    answer = await ben.call(DescribeUserScramCredentialsRequest(users=None), 0)
    assert (answer.error_code, answer.results) == (FORBIDDEN, [])


ENTRIES = """
SELECT kind, client_id, details, reason FROM rollcall_journal
WHERE kind LIKE 'acl-%' OR kind LIKE 'credential-%' ORDER BY id
"""


async def test_the_journal_has_each_change_and_its_author(ann: Client, other: Other) -> None:
    await create(ann, reading("g"), reading("g"))
    await create(ann, reading("g"))  # it is there already
    await ann.call(DeleteAclsRequest(filters=[everything(), everything()]), 3)
    await alter(ann, upsertions=[{"name": "eve", "mechanism": 1, **salted(PASSWORD)}])
    await alter(ann, [("eve", 1)])
    rows = await (await other.execute(ENTRIES)).fetchall()
    entries = [Journal(kind=kind, client_id=c, details=d, reason=r) for kind, c, d, r in rows]
    assert [entry.kind for entry in entries] == [
        "acl-created",
        "acl-deleted",
        "credential-set",
        "credential-deleted",
    ]
    for entry in entries:
        author = entry.details["author"]
        assert (author["principal"], author["client_host"]) == ("User:ann", "/127.0.0.1")
        assert PASSWORD not in repr(entry.details)
    assert "created the ACL ALLOW User:ben READ of GROUP g." in sentence(entries[0])
    assert "set the password of eve (SCRAM-SHA-256)." in sentence(entries[2])
