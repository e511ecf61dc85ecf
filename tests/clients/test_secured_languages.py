"""Stock clients of Java and Go at listeners with TLS, by each mechanism. (Those of Python:
``tests/security/test_stock_clients.py``, which has the users.)"""

import asyncio
import os
from pathlib import Path

import pytest

from benchmarks.wire import create_topic
from launcher.installation import Installation
from protocol.authentication.principals import read
from tests.clients.conftest import SESSION_MS, Start, Worker, topic
from tests.installations import MECHANISMS
from tests.security import options
from tests.security.certificates import Certificates
from tests.security.conftest import _prepared, certificates, other
from tests.security.doors import Door
from tests.security.test_stock_clients import Secured, secured, token
from tests.security.test_tls import Serve, serve

__all__ = ["_prepared", "certificates", "other", "secured", "serve"]

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(900),  # the first of them builds
    pytest.mark.xdist_group("secured"),
]

LIBRARIES = ("java", "franz-go")
ALL = {0, 1}


def opened(start: Start, library: str, name: str, door: Door) -> Worker:
    """A worker that goes in by this door."""
    return start(library, door.address, name, SESSION_MS, *options.words(library, door))


def is_given_all(worker: Worker) -> None:
    """It joins, has both partitions, and commits."""
    worker.until(lambda: worker.owned == ALL, "both")
    assert worker.commit(7) == {"0": 7, "1": 7}


def is_told(worker: Worker) -> None:
    """It ends by Java's exception for Kafka's code 58, and was given nothing."""
    worker.until(lambda: bool(worker.errors), "it ends")
    assert "SaslAuthenticationException" in worker.errors, worker.errors
    assert not worker.owned


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("mechanism", ["none", *MECHANISMS])
def test_a_client_works_over_tls(
    secured: Secured,
    installation: Installation,
    start: Start,
    name: str,
    library: str,
    mechanism: str,
) -> None:
    asyncio.run(topic(installation.kafka, name, 2))
    door = secured.door("SSL")
    if mechanism != "none":
        user = {"sasl_username": "ann", "sasl_password": "a secret"}
        door = secured.door("SASL_SSL", sasl_mechanisms=mechanism, **user)
    is_given_all(opened(start, library, name, door))


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_client_authenticates_with_a_token(
    secured: Secured,
    installation: Installation,
    start: Start,
    name: str,
    library: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asyncio.run(topic(installation.kafka, name, 2))
    door = secured.door("SASL_SSL", sasl_mechanisms="OAUTHBEARER", token=token("cleo"))
    given = options.java_token(door, tmp_path)
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", given.option)
    words = given.words if library == "java" else options.words(library, door)
    is_given_all(start(library, door.address, name, SESSION_MS, *words))


def test_a_wrong_password_is_reported(secured: Secured, start: Start, name: str) -> None:
    """By Java, which ends; franz-go keeps retrying."""
    user = {"sasl_username": f"nobody-{os.getpid()}", "sasl_password": "a guess"}
    door = secured.door("SASL_SSL", sasl_mechanisms="SCRAM-SHA-256", **user)
    is_told(opened(start, "java", name, door))


@pytest.mark.usefixtures("_prepared")
@pytest.mark.parametrize("library", LIBRARIES)
async def test_a_client_authenticates_with_its_certificate(
    serve: Serve, certificates: Certificates, start: Start, name: str, library: str
) -> None:
    """The server is in this process: what waits for the client, or builds it, is in a thread."""
    rules = read("RULE:^.*CN=(.*?)(,.*)?$/$1/")
    async with serve(client_auth="required", rules=rules) as served:
        await create_topic(f"127.0.0.1:{served.server.bound[1]}", name, 2)
        own = str(certificates.client("Ann"))
        door = Door(served.address, {"security.protocol": "SSL"}, str(certificates.ca), own)
        worker = await asyncio.to_thread(opened, start, library, name, door)
        try:
            await asyncio.to_thread(is_given_all, worker)
            principals = {c.session.principal for c in served.connections}
            assert "User:Ann" in principals
        finally:
            await asyncio.to_thread(worker.kill)
