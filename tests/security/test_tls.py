"""Encrypted listeners: who gets in, who does not, and what is held of either."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from benchmarks.wire import frame
from groups.places import Places
from protocol.authentication.principals import read
from protocol.authentication.tls import LOOK_AGAIN_S, Tls, TlsError, TlsSettings
from protocol.connection import tls_connection
from protocol.connection.connection_limits import PATIENCE_MAX
from protocol.connection.listeners import Listener, Security
from protocol.connection.tls_connection import ACCEPTED_A_TURN, AT_ONCE, TlsConnection
from rollcall.wire.messages.describe_cluster import DescribeClusterRequest
from rollcall.wire.messages.find_coordinator import FindCoordinatorRequest
from rollcall.wire.messages.metadata import MetadataRequest
from tests.in_process import Other
from tests.security.certificates import Certificates
from tests.security.doors import LIBRARIES, Door, joined
from tests.security.test_sasl import SHA_256, make_user, with_scram
from tests.server.client import Client, hello
from tests.server.serving import Serving, serving, until

pytestmark = pytest.mark.usefixtures("_prepared")

Serve = Callable[..., AbstractAsyncContextManager[Serving]]


@pytest.fixture
def serve(certificates: Certificates) -> Serve:
    """Starts a server with the listeners SSL and PLAINTEXT; TLS settings are its arguments."""

    @asynccontextmanager
    async def serving_tls(**over: object) -> AsyncIterator[Serving]:
        values = {"keystore": str(certificates.server), "truststore": str(certificates.ca), **over}
        where = (
            Listener("SSL", "127.0.0.1", 0, Security.SSL),
            Listener("PLAINTEXT", "127.0.0.1", 0, Security.PLAINTEXT, "plain.example", 7),
        )
        async with serving(where, Tls(TlsSettings(**values))) as served:  # type: ignore[arg-type]
            yield served

    return serving_tls


async def connected(served: Serving, context: ssl.SSLContext) -> Client:
    """A client over TLS."""
    host, _, port = served.address.rpartition(":")
    return Client(*await asyncio.open_connection(host, int(port), ssl=context))


async def left_alone(served: Serving) -> None:
    """Until no connection has a place at the server any more."""
    await until(lambda: not served.server.admission._taken)


async def test_each_listener_advertises_its_own_address(
    serve: Serve, certificates: Certificates
) -> None:
    async with serve() as served:
        secured = await connected(served, certificates.context())
        plain = await Client.connect(f"127.0.0.1:{served.server.bound[1]}")
        addresses = {}
        for name, client in (("SSL", secured), ("PLAINTEXT", plain)):
            metadata = await client.call(MetadataRequest(topics=[]), 12)
            coordinator = await client.call(FindCoordinatorRequest(key="g"), 3)
            cluster = await client.call(DescribeClusterRequest(), 1)
            found = {(b.host, b.port) for b in (*metadata.brokers, *cluster.brokers, coordinator)}
            assert len(found) == 1
            addresses[name] = found.pop()
        assert addresses == {
            "SSL": ("127.0.0.1", int(served.address.rpartition(":")[2])),
            "PLAINTEXT": ("plain.example", 7),
        }


async def test_a_member_works_over_tls_as_over_plain_text(
    serve: Serve, certificates: Certificates
) -> None:
    async with serve() as served:
        client = await connected(served, certificates.context())
        beat = await client.settled("g")
        for _ in range(3):
            assert (await client.call(beat, 3)).error_code == 0
        assert [c.session.principal for c in served.connections] == ["User:ANONYMOUS"]


async def test_a_certificate_names_the_principal(serve: Serve, certificates: Certificates) -> None:
    rules = read("RULE:^.*CN=(.*?)(,.*)?$/$1/L")
    async with serve(client_auth="required", rules=rules) as served:
        client = await connected(served, certificates.context(certificates.client("Ann")))
        assert (await client.call(hello(), 3)).error_code == 0
        assert [c.session.principal for c in served.connections] == ["User:ann"]


async def test_a_client_without_the_required_certificate_is_refused(
    serve: Serve, certificates: Certificates
) -> None:
    async with serve(client_auth="required") as served:
        client = await connected(served, certificates.context())  # TLS 1.3 reports it afterwards
        client.send(hello(), 3)
        with pytest.raises((ssl.SSLError, OSError, asyncio.IncompleteReadError)):
            await client.receive()
        await left_alone(served)


@pytest.mark.parametrize(
    "client",
    [pytest.param(c, marks=pytest.mark.long if c != "kafka-python" else ()) for c in LIBRARIES],
)
async def test_a_stock_client_authenticates_with_its_certificate(
    serve: Serve, certificates: Certificates, client: str
) -> None:
    """Where it is required: no client is accepted without."""
    shown = str(certificates.client(client))
    async with serve(client_auth="required", rules=read("RULE:^.*CN=(.*?)(,.*)?$/$1/")) as served:
        door = Door(served.address, {"security.protocol": "SSL"}, str(certificates.ca), shown)
        ended = await asyncio.to_thread(joined, client, "mtls", door)
        assert ended.stdout.strip() == "[0, 1]", ended.stderr
        assert {c.session.principal for c in served.ended} == {f"User:{client}"}


async def test_a_certificate_without_a_mapping_rule_is_refused(
    serve: Serve, certificates: Certificates
) -> None:
    async with serve(client_auth="required", rules=read("RULE:^CN=root$/root/")) as served:
        client = await connected(served, certificates.context(certificates.client("Ann")))
        assert await client.ended() == b""
        await left_alone(served)


@pytest.mark.parametrize(
    "sent", [b"\0\0\0\x0a" + bytes(10), b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03"]
)
async def test_a_client_without_tls_is_closed_and_leaves_nothing(serve: Serve, sent: bytes) -> None:
    async with serve(handshake_s=0.3) as served:
        client = await Client.connect(served.address)
        client.writer.write(sent)
        await client.ended()
        await left_alone(served)


async def test_a_certificate_required_beside_the_password_names_no_principal(
    settings: Any, other: Other, certificates: Certificates
) -> None:
    """As in Kafka: whom no rule names is the one who authenticates."""
    settings.SASL_ENABLED_MECHANISMS = (SHA_256,)
    await make_user(other, "ann", SHA_256)
    files = TlsSettings(
        keystore=str(certificates.server),
        truststore=str(certificates.ca),
        client_auth="required",
        rules=read("RULE:^CN=root$/root/"),
    )
    where = (Listener("SASL", "127.0.0.1", 0, Security.SASL_SSL),)
    async with serving(where, Tls(files)) as served:
        client = await connected(served, certificates.context(certificates.client("Laptop")))
        assert [c.session.principal for c in served.connections] == ["User:ANONYMOUS"]
        assert (await with_scram(client, "ann")).error_code == 0
        assert [c.session.principal for c in served.connections] == ["User:ann"]
        stranger = await connected(served, certificates.context())  # TLS 1.3 reports it afterwards
        stranger.send(hello(), 3)
        with pytest.raises((ssl.SSLError, OSError, asyncio.IncompleteReadError)):
            await stranger.receive()


async def test_a_disconnect_during_the_handshake_leaves_nothing(serve: Serve) -> None:
    async with serve() as served:
        clients = [await Client.connect(served.address) for _ in range(20)]
        for number, client in enumerate(clients):
            client.writer.write(b"\x16\x03\x01" if number % 3 else b"")
            (client.abort if number % 2 else client.close)()
        await until(lambda: served.server._accepted == 20)
        await left_alone(served)


async def test_a_connection_closed_while_waiting_for_its_handshake_leaves_nothing(
    serve: Serve, settings: Any
) -> None:
    """Many slow handshakes that end or are closed at once; the sweep continues."""
    settings.MAX_CONNECTION_CREATION_RATE = 1
    async with serve() as served:
        clients = [await Client.connect(served.address) for _ in range(12)]
        await until(lambda: sum(c.pauses.muted is not None for c in served.connections) > 5)
        for client in clients[::2]:
            client.abort()
        served.sweep(later_s=served.server.first_s_max * PATIENCE_MAX + 1)
        await asyncio.sleep(0)
        served.sweep()
        await left_alone(served)


async def test_a_place_is_freed_at_once_when_its_connection_ends_before_the_handshake(
    serve: Serve, settings: Any
) -> None:
    settings.MAX_CONNECTION_CREATION_RATE = 1
    settings.MAX_CONNECTIONS = 3
    async with serve() as served:
        for _ in range(30):
            await Client.connect(served.address)
        await until(lambda: served.server._accepted == 30)
        served.sweep()
        assert served.server.admission._taken == 3


async def test_the_sweep_handles_connections_that_end_during_it(
    serve: Serve, certificates: Certificates
) -> None:
    async with serve() as served:
        client = await connected(served, certificates.context())
        assert (await client.call(hello(), 3)).error_code == 0
        [connection] = served.connections
        connection.pauses.mute(10_000)
        connection.abort()
        while served.server.admission._taken:
            served.sweep()
            await asyncio.sleep(0)


async def test_tls_below_1_2_is_refused(serve: Serve, certificates: Certificates) -> None:
    context = certificates.context()
    context.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
    with pytest.warns(DeprecationWarning, match="TLSv1_1"):
        context.maximum_version = ssl.TLSVersion.TLSv1_1
    context.set_ciphers("ALL:@SECLEVEL=0")
    async with serve() as served:
        with pytest.raises((ssl.SSLError, ConnectionResetError)):
            await connected(served, context)
        await left_alone(served)


async def test_a_new_certificate_is_used_for_new_connections(
    serve: Serve, certificates: Certificates
) -> None:
    async with serve() as served:
        shown = []
        for _ in range(2):
            client = await connected(served, certificates.context())
            shown.append(client.writer.get_extra_info("peercert")["serialNumber"])
            assert (await client.call(hello(), 3)).error_code == 0
            certificates.renew()
            served.clock.ahead_s += LOOK_AGAIN_S
        assert shown[0] != shown[1]


async def test_invalid_files_change_nothing_for_a_running_server(
    serve: Serve, certificates: Certificates
) -> None:
    async with serve() as served:
        certificates.server.write_text("no certificate")
        served.clock.ahead_s += LOOK_AGAIN_S
        client = await connected(served, certificates.context())
        assert (await client.call(hello(), 3)).error_code == 0


async def test_a_key_of_another_certificate_changes_nothing_and_is_logged_once(
    serve: Serve, certificates: Certificates, caplog: pytest.LogCaptureFixture
) -> None:
    """As where the two halves of a file are replaced one after the other."""
    async with serve() as served:
        first = await connected(served, certificates.context())
        right = certificates.server.read_bytes()
        shown = first.writer.get_extra_info("peercert")["serialNumber"]
        certificates.renew()
        begins = b"-----BEGIN CERTIFICATE"
        key, _, _ = certificates.server.read_bytes().partition(begins)
        _, _, chain = right.partition(begins)
        certificates.server.write_bytes(key + begins + chain)
        caplog.clear()
        for _ in range(3):
            served.clock.ahead_s += LOOK_AGAIN_S
            client = await connected(served, certificates.context())
            assert client.writer.get_extra_info("peercert")["serialNumber"] == shown
        warnings = [line for line in caplog.messages if "previous certificates" in line]
        assert len(warnings) == 1 and "ssl.keystore.location" in warnings[0]
        assert (await first.call(hello(), 3)).error_code == 0


async def test_members_stay_while_certificates_change_under_many_connections(
    serve: Serve, certificates: Certificates
) -> None:
    """Who is connected is not disturbed, and who connects is shown one certificate or the other,
    never none."""
    async with serve() as served:
        member = await connected(served, certificates.context())
        beat = await member.settled("g")
        context, shown = certificates.context(), set[str]()
        for _ in range(4):
            certificates.renew()
            served.clock.ahead_s += LOOK_AGAIN_S
            crowd = await asyncio.gather(*(connected(served, context) for _ in range(8)))
            numbers = {c.writer.get_extra_info("peercert")["serialNumber"] for c in crowd}
            assert len(numbers) == 1
            shown |= numbers
            assert (await member.call(beat, 3)).error_code == 0
        assert len(shown) == 4


async def test_clients_of_a_removed_authority_are_refused(
    serve: Serve, certificates: Certificates, tmp_path: Path
) -> None:
    """Not by the session that its library kept either (TLS resumes those without a certificate)."""
    context = certificates.context(certificates.client("ann"))
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    trusted = tmp_path / "trusted.pem"
    trusted.write_bytes(certificates.ca.read_bytes())
    rules = read("DEFAULT")
    async with serve(client_auth="required", truststore=str(trusted), rules=rules) as served:
        host, _, port = served.address.rpartition(":")
        session = await asyncio.to_thread(spoken, context, host, int(port), None)
        assert session is not None
        (tmp_path / "others").mkdir()
        trusted.write_bytes(Certificates.make(tmp_path / "others").ca.read_bytes())
        served.clock.ahead_s += LOOK_AGAIN_S
        with pytest.raises((ssl.SSLError, OSError)):
            await asyncio.to_thread(spoken, context, host, int(port), session)


def spoken(
    context: ssl.SSLContext, host: str, port: int, session: ssl.SSLSession | None
) -> ssl.SSLSession | None:
    """Asks one thing, with the session of before if there is one; returns that of now."""
    with (
        socket.create_connection((host, port), 10) as plain,
        context.wrap_socket(plain, server_hostname=host, session=session) as secured,
    ):
        secured.sendall(frame(hello(), 3, 1))
        if not secured.recv(4):
            raise ConnectionResetError
        return secured.session


async def test_a_turn_of_the_loop_accepts_a_limited_number_of_connections(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of thousands that return at once; all other clients have the loop in between."""
    accepted: list[TlsConnection] = []
    init = TlsConnection.__init__

    def counted(self: TlsConnection, *args: Any, **more: Any) -> None:
        accepted.append(self)
        init(self, *args, **more)

    monkeypatch.setattr(TlsConnection, "__init__", counted)
    async with serve() as served:
        host, _, port = served.address.rpartition(":")
        crowd = [socket.create_connection((host, int(port))) for _ in range(5 * ACCEPTED_A_TURN)]
        in_a_turn = []
        while len(accepted) < len(crowd):
            before = len(accepted)
            await asyncio.sleep(0)
            in_a_turn.append(len(accepted) - before)
        assert max(in_a_turn) <= ACCEPTED_A_TURN
        for each in crowd:
            each.close()
        await left_alone(served)


def test_invalid_files_prevent_a_start(certificates: Certificates) -> None:
    with pytest.raises(TlsError, match=r"ssl\.keystore\.location"):
        Tls(TlsSettings(keystore=str(certificates.ca)))
    with pytest.raises(TlsError, match=r"ssl\.truststore\.location"):
        Tls(TlsSettings(keystore=str(certificates.server), client_auth="required"))


async def test_waiting_for_a_handshake_does_not_count_as_late(
    serve: Serve, certificates: Certificates
) -> None:
    """Of thousands that return at once most wait for their turn; their time begins with it."""
    async with serve() as served:
        places = served.server.handshakes = Places(0, 10)
        waiting = asyncio.create_task(connected(served, certificates.context()))
        await until(lambda: places.waiting)
        served.sweep(later_s=served.server.first_s_max * PATIENCE_MAX + 1)
        await asyncio.sleep(0)
        places.give()
        client = await waiting
        assert (await client.call(hello(), 3)).error_code == 0


async def test_half_open_handshakes_free_their_places(
    serve: Serve, certificates: Certificates
) -> None:
    """They delay others for no longer than a moment each."""
    async with serve() as served:
        strangers = [await Client.connect(served.address) for _ in range(AT_ONCE * 5)]
        for stranger in strangers[::2]:
            stranger.writer.write(b"\x16\x03\x01")
        client = await connected(served, certificates.context())
        assert (await client.call(hello(), 3)).error_code == 0
        assert all(not stranger.reader.at_eof() for stranger in strangers)


async def test_the_number_of_concurrent_handshakes_is_limited(
    serve: Serve, certificates: Certificates, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []
    shake_hands = TlsConnection._shake_hands

    async def counted(self: TlsConnection, accepted: Any) -> None:
        begun.append(self.peer)
        await shake_hands(self, accepted)

    monkeypatch.setattr(TlsConnection, "_shake_hands", counted)
    monkeypatch.setattr(tls_connection, "PLACE_S", 3_600.0)
    async with serve() as served:
        strangers = [await Client.connect(served.address) for _ in range(AT_ONCE + 3)]
        await until(lambda: served.server.handshakes.waiting == 3)
        assert len(begun) == AT_ONCE
        strangers[0].abort()
        await until(lambda: len(begun) == AT_ONCE + 1)


def test_a_second_handshake_is_refused(certificates: Certificates) -> None:
    """TLS 1.2's renegotiation costs a server much more than its client."""
    context = Tls(TlsSettings(keystore=str(certificates.server))).context(0.0)
    assert context.options & ssl.OP_NO_RENEGOTIATION
