"""The member library at listeners with TLS and SASL, in both faces."""

import asyncio
import logging
import ssl
from collections.abc import AsyncIterator
from typing import Any

import pytest

from groups.clients.scram_credentials import HASHES
from protocol.authentication.tls import Tls, TlsSettings
from protocol.connection.listeners import Listener, Security
from rollcall.client import AuthenticationFailed, BlockingMember, Kind, Member, Metrics
from rollcall.client.core.events import Partitions
from tests.in_process import Other
from tests.security.certificates import Certificates
from tests.security.test_sasl import PASSWORD, make_user
from tests.server.serving import Serving, serving, until

SENTENCE = "Authentication failed: invalid credentials with SASL mechanism {}"


@pytest.fixture
async def served(
    _prepared: None, settings: Any, other: Other, certificates: Certificates
) -> AsyncIterator[Serving]:
    """A server with a listener SASL_SSL, and a user whose name SCRAM has to escape."""
    settings.SASL_ENABLED_MECHANISMS = (*HASHES, "PLAIN")
    settings.CONNECTION_FAILED_AUTHENTICATION_DELAY_MS = 10
    await other.execute("DELETE FROM rollcall_credential")
    await make_user(other, "a=n,n")
    await other.execute(
        "INSERT INTO rollcall_topic (name, topic_id, partitions, end_offsets, created_at)"
        " VALUES ('t', gen_random_uuid(), 2, '{0,0}', now())"
    )
    where = (Listener("SASL_SSL", "127.0.0.1", 0, Security.SASL_SSL),)
    async with serving(where, Tls(TlsSettings(keystore=str(certificates.server)))) as started:
        yield started


class Counted(Metrics):
    """The reported changes, in order."""

    def __init__(self) -> None:
        self.told: list[tuple[Any, ...]] = []

    def authenticated(self, node: str, mechanism: str, seconds: float, again: bool) -> None:
        self.told.append(("authenticated", mechanism, again))

    def authentication_failed(self, node: str, reason: str) -> None:
        self.told.append(("failed", reason))

    def connected(self, node: str, seconds: float) -> None:
        self.told.append(("connected", node))

    def disconnected(self, node: str) -> None:
        self.told.append(("disconnected", node))

    def answered(self, request: str, version: int, seconds: float) -> None:
        self.told.append((request, version))

    def changed(self, kind: str, partitions: int, seconds: float) -> None:
        self.told.append((kind, partitions))

    def count(self, what: str) -> int:
        return sum(each[0] == what for each in self.told)


def options(certificates: Certificates, **over: Any) -> dict[str, Any]:
    """How Ann gets in."""
    return {
        "security_protocol": "SASL_SSL",
        "ssl_cafile": str(certificates.ca),
        "sasl_mechanism": "SCRAM-SHA-256",
        "sasl_plain_username": "a=n,n",
        "sasl_plain_password": PASSWORD,
        **over,
    }


@pytest.mark.parametrize("mechanism", [*HASHES, "PLAIN"])
async def test_a_member_authenticates(
    served: Serving, certificates: Certificates, mechanism: str
) -> None:
    counted = Counted()
    how = options(certificates, sasl_mechanism=mechanism)
    async with Member(served.address, "g", ["t"], metrics=counted, **how) as member:
        async for change in member:
            assert (change.kind, len(change.partitions)) == (Kind.ASSIGNED, 2)
            break
        for partition in member.assigned:
            member.note(partition, 7)
        await member.commit()
        who = {c.session.principal for c in served.connections if c.session.has_authenticated}
        assert who == {"User:a=n,n"}
    assert ("authenticated", mechanism, False) in counted.told
    assert {("assigned", 2), ("revoked", 2)} <= set(counted.told)
    assert {"ConsumerGroupHeartbeat", "OffsetCommit"} <= {each[0] for each in counted.told}
    assert counted.count("connected") == counted.count("disconnected") >= 3


async def test_a_blocking_member_authenticates(served: Serving, certificates: Certificates) -> None:
    def work() -> int:
        with BlockingMember(served.address, "g", ["t"], **options(certificates)) as member:
            return len(next(iter(member.changes(timeout_s=60))).partitions)

    assert await asyncio.to_thread(work) == 2


@pytest.mark.parametrize("mechanism", [*HASHES, "PLAIN"])
async def test_a_wrong_password_is_reported_in_the_servers_words_and_tried_once(
    served: Serving,
    certificates: Certificates,
    mechanism: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    counted = Counted()
    how = options(certificates, sasl_mechanism=mechanism, sasl_plain_password="a guess")
    said = SENTENCE.format(mechanism)
    async with Member(served.address, "g", ["t"], metrics=counted, **how) as member:
        with pytest.raises(AuthenticationFailed, match=said) as failed:
            async for _ in member:
                pass
        assert failed.value.code == 58
        assert member.failure is failed.value
        with pytest.raises(AuthenticationFailed, match=said):
            await member.committed([])
        with pytest.raises(AuthenticationFailed, match=said):
            member.subscribe(["u"])
    assert counted.told == [("failed", said)]
    [(_, (failures, _))] = served.server.sasl.lockouts._failed.items()
    assert failures == 1
    assert said in caplog.text and "a guess" not in caplog.text
    assert "Traceback" not in caplog.text


async def test_a_blocking_member_reports_a_wrong_password_too(
    served: Serving, certificates: Certificates
) -> None:
    how = options(certificates, sasl_plain_password="a guess")

    def work() -> None:
        with BlockingMember(served.address, "g", ["t"], **how) as member:
            for _ in member.changes(timeout_s=60):
                pass

    with pytest.raises(AuthenticationFailed, match="invalid credentials"):
        await asyncio.to_thread(work)


async def test_what_was_being_revoked_when_authentication_failed_is_lost(
    served: Serving, other: Other, certificates: Certificates
) -> None:
    """The first commit needs a connection, and the user is gone by then."""
    lost: list[int] = []

    def note(partitions: Partitions) -> None:
        for partition in partitions:
            member.note(partition, 7)

    def lose(partitions: Partitions) -> None:
        lost.extend(sorted(each.partition for each in partitions))

    how = options(certificates, sasl_mechanism="PLAIN", on_assigned=note, on_lost=lose)
    member = Member(served.address, "g", ["t"], **how)
    await member.start()
    await anext(member.changes())
    await other.execute("DELETE FROM rollcall_credential")
    await until(lambda: served.node.credentials.get("a=n,n", "SCRAM-SHA-256") is None)

    member.unsubscribe()

    await until(lambda: lost == [0, 1])
    assert isinstance(member.failure, AuthenticationFailed)
    await member.close()


async def test_an_unsupported_mechanism_ends_the_member(
    served: Serving, certificates: Certificates
) -> None:
    how = options(certificates, sasl_mechanism="OAUTHBEARER")
    how = {k: v for k, v in how.items() if "plain" not in k}
    member = Member(served.address, "g", ["t"], sasl_oauth_token_provider=lambda: "abc", **how)
    async with member:
        with pytest.raises(AuthenticationFailed, match="its mechanisms: SCRAM-SHA-256, SCRAM"):
            async for _ in member:
                pass


async def test_an_untrusted_certificate_ends_the_member(
    served: Serving, certificates: Certificates
) -> None:
    how = options(certificates)
    del how["ssl_cafile"]
    async with Member(served.address, "g", ["t"], **how) as member:
        with pytest.raises(AuthenticationFailed, match=r"is not trusted: .*certificate"):
            async for _ in member:
                pass
    assert not any(c.session.has_authenticated for c in served.connections)


@pytest.mark.usefixtures("_prepared")
async def test_sasl_at_a_listener_without_it_ends_the_member() -> None:
    how = {"sasl_plain_username": "ann", "sasl_plain_password": "x"}
    async with serving() as plain:
        member = Member(
            plain.address,
            "g",
            ["t"],
            security_protocol="SASL_PLAINTEXT",
            sasl_mechanism="SCRAM-SHA-512",
            **how,  # type: ignore[arg-type]
        )
        async with member:
            with pytest.raises(AuthenticationFailed, match="refuses to authenticate"):
                async for _ in member:
                    pass


async def test_a_member_reauthenticates_and_loses_nothing(
    served: Serving, certificates: Certificates
) -> None:
    """KIP-368: on the same connection, before its session ends; without a rebalance."""
    served.server.sasl.lifetime_ms = 600
    counted = Counted()
    how = options(certificates, heartbeat_interval_ms=100, session_timeout_ms=10_000)
    member = Member(served.address, "g", ["t"], protocol="classic", metrics=counted, **how)
    async with member:
        async for change in member:
            assert len(change.partitions) == 2
            break
        generation, connected = member.epoch, counted.count("connected")
        await until(lambda: counted.told.count(("authenticated", "SCRAM-SHA-256", True)) >= 2)
        assert (member.epoch, len(member.assigned)) == (generation, 2)
        assert counted.count("connected") <= connected + 1  # that of orders may come later
        assert counted.count("JoinGroup") == 2  # to be given an id, and to join
        assert counted.count("assigned") == 1 and not counted.count("lost")


async def test_a_password_changed_before_reauthentication_ends_the_member(
    served: Serving, certificates: Certificates, other: Other
) -> None:
    """Its partitions are reported as lost; nothing is retried."""
    served.server.sasl.lifetime_ms = 600
    lost: list[int] = []
    how = options(certificates, heartbeat_interval_ms=100, session_timeout_ms=10_000)
    member = Member(
        served.address,
        "g",
        ["t"],
        protocol="classic",
        on_lost=lambda which: lost.append(len(which)),
        **how,
    )
    async with member:
        async for _ in member:
            break
        await make_user(other, "a=n,n", password="another one")
        await until(lambda: member.failure is not None)
        assert isinstance(member.failure, AuthenticationFailed)
        await until(lambda: lost)
        assert lost == [2] and not member.assigned


class Broken(Metrics):
    """Whose hooks raise."""

    def answered(self, request: str, version: int, seconds: float) -> None:
        raise RuntimeError("no such counter")


async def test_an_exception_in_a_hook_is_logged_and_changes_nothing(
    served: Serving, certificates: Certificates, caplog: pytest.LogCaptureFixture
) -> None:
    how = options(certificates)
    async with Member(served.address, "g", ["t"], metrics=Broken(), **how) as member:
        async for change in member:
            assert len(change.partitions) == 2
            break
    assert "no such counter" in caplog.text


async def test_an_unreachable_node_is_one_log_line(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It is tried again and again, and said once."""
    ours = ssl.create_default_context()
    counted: list[str] = []

    class Failures(Metrics):
        def connection_failed(self, node: str, reason: str) -> None:
            counted.append(node)

    with caplog.at_level(logging.WARNING, "rollcall.client"):
        member = Member(
            "127.0.0.1:1", "g", ["t"], ssl_context=ours, metrics=Failures(), retry_backoff_ms=1
        )
        async with member:
            await until(lambda: len(counted) > 3)
            member.abandon()
    assert caplog.text.count("cannot connect to 127.0.0.1:1") == 1
