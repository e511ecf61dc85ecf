"""``manage.py runcoordinator``: what it refuses before it serves, and what it says then."""

import asyncio
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.core.management import CommandError, call_command

from protocol.connection.listeners import Listener, is_loopback
from protocol.management.commands.runcoordinator import announce, draft_port
from tests.server.serving import serving


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_it_refuses_to_listen_on_a_public_address(host: str) -> None:
    with pytest.raises(CommandError, match="needs TLS and authentication"):
        call_command("runcoordinator", "--host", host)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
def test_loopback_addresses_are_accepted(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize(
    ("node_id", "port", "asked", "environ", "expected"),
    [
        (0, 9092, None, {}, 9392),
        (2, 9094, None, {}, 9394),
        (2, 9094, None, {"ROLLCALL_DRAFT_PORT": "7000"}, 7002),
        (2, 9094, None, {"ROLLCALL_DRAFT_PORT": "0"}, 0),
        (0, 0, None, {}, 0),
        (2, 9094, 8000, {"ROLLCALL_DRAFT_PORT": "7000"}, 8000),
        (0, 9092, -1, {}, None),
    ],
)
def test_each_node_has_its_own_draft_port(
    node_id: int, port: int, asked: int | None, environ: dict[str, str], expected: int | None
) -> None:
    options = {"node_id": node_id, "port": port, "draft_port": asked}
    assert draft_port(options, environ) == expected


def test_the_supervisor_and_the_log_have_the_addresses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ready = tmp_path / "node.ready"
    monkeypatch.setenv("ROLLCALL_READY_FILE", str(ready))
    announce("[::1]:9092", "127.0.0.1:9392")
    assert ready.read_text() == "[::1]:9092\n"
    assert capsys.readouterr().out == "serving kafka=[::1]:9092 draft=127.0.0.1:9392\n"


@pytest.mark.parametrize("host", ["127.0.0.2", "::1"])
@pytest.mark.usefixtures("_prepared")
async def test_the_addresses_that_it_tells_are_those_at_which_it_listens(host: str) -> None:
    """Those of Kafka and of the draft may differ. No stock client takes ``::1:9092``."""
    async with serving([Listener("PLAINTEXT", host, 0)]) as served:
        for told in (served.address, served.draft_address):
            reached, port = urlsplit(f"//{told}").hostname, told.rpartition(":")[2]
            _, writer = await asyncio.open_connection(reached, int(port))
            assert writer.get_extra_info("peername")[0] == reached
            writer.close()
        assert served.address.startswith(f"[{host}]:" if ":" in host else f"{host}:")
