"""Stock clients at the listeners of a whole installation."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from launcher import ports
from launcher.installation import CHECKOUT, Installation
from tests.security.certificates import Certificates
from tests.security.doors import LIBRARIES, Door, joined

pytestmark = pytest.mark.xdist_group("secured")


NAMES = ("SSL", "PLAINTEXT", "SASL_SSL", "SASL_PLAINTEXT")

MECHANISMS = ("SCRAM-SHA-256", "SCRAM-SHA-512", "PLAIN")


class Secured:
    """An installation with a listener of each kind."""

    def __init__(self, certificates: Certificates) -> None:
        self.certificates = certificates
        self.ports = dict(zip(NAMES, ports.free(len(NAMES)), strict=True))
        self.settings = {
            "ROLLCALL_LISTENERS": ",".join(
                f"{name}://127.0.0.1:{port}" for name, port in self.ports.items()
            ),
            "ROLLCALL_SSL_KEYSTORE_LOCATION": str(certificates.server),
            "ROLLCALL_SSL_TRUSTSTORE_LOCATION": str(certificates.ca),
            "ROLLCALL_SSL_CLIENT_AUTH": "requested",
            "ROLLCALL_SASL_ENABLED_MECHANISMS": ",".join(MECHANISMS),
            "ROLLCALL_CONNECTIONS_MAX_REAUTH_MS": "60000",
            "ROLLCALL_GROUP_INITIAL_REBALANCE_DELAY_MS": "0",
        }

    def door(self, name: str, certificate: Path | str = "", **settings: str) -> Door:
        """Of a listener."""
        ca = str(self.certificates.ca) if "SSL" in name else ""
        named = {key.replace("_", "."): value for key, value in settings.items()}
        address = f"127.0.0.1:{self.ports[name]}"
        return Door(address, {"security.protocol": name, **named}, ca, str(certificate))


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secured]:
    """It serves."""
    found = Secured(Certificates.make(tmp_path_factory.mktemp("certificates")))
    with Installation(found.settings) as running:
        make_user(running, "ann", "a secret")
        make_user(running, "ben", "another one")  # whom wrong guesses lock out
        yield found


def make_user(running: Installation, name: str, password: str) -> None:
    """By the command, as an operator does."""
    environ = {key: value for key, value in os.environ.items() if "ROLLCALL" not in key}
    subprocess.run(
        [sys.executable, "manage.py", "scram_user", name],
        cwd=CHECKOUT,
        env={
            **environ,
            **running.settings,
            "DJANGO_SETTINGS_MODULE": "coordinator_site.settings",
            "ROLLCALL_DATA_DIR": str(running.data_dir),
        },
        input=f"{password}\n",
        text=True,
        check=True,
    )


def is_given_all(library: str, name: str, door: Door) -> None:
    """It joins, and has both partitions."""
    ended = joined(library, name, door)
    assert ended.stdout.strip() == "[0, 1]", ended.stderr


@pytest.mark.parametrize("client", LIBRARIES)
def test_a_stock_client_works_over_tls(secured: Secured, client: str) -> None:
    door = secured.door("SSL")
    is_given_all(client, f"tls-{client}", door)


@pytest.mark.parametrize("client", LIBRARIES)
def test_a_stock_client_shows_its_certificate(secured: Secured, client: str) -> None:
    door = secured.door("SSL", secured.certificates.client(client))
    is_given_all(client, f"mtls-{client}", door)


def test_the_other_listener_serves_beside_it(secured: Secured) -> None:
    door = secured.door("PLAINTEXT")
    is_given_all("confluent-kafka", "plain", door)


@pytest.mark.parametrize("client", LIBRARIES)
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_stock_client_says_who_it_is(secured: Secured, client: str, mechanism: str) -> None:
    listener = "SASL_PLAINTEXT" if mechanism == "SCRAM-SHA-256" else "SASL_SSL"
    door = secured.door(
        listener, sasl_mechanisms=mechanism, sasl_username="ann", sasl_password="a secret"
    )
    is_given_all(client, f"{mechanism}-{client}", door)


@pytest.mark.parametrize(
    "mechanism",
    [pytest.param(m, marks=() if m == "SCRAM-SHA-256" else pytest.mark.long) for m in MECHANISMS],
)
def test_a_stock_client_with_a_wrong_password_is_told_so(secured: Secured, mechanism: str) -> None:
    door = secured.door(
        "SASL_SSL", sasl_mechanisms=mechanism, sasl_username="ben", sasl_password="a guess"
    )
    ended = joined("confluent-kafka", "nothing", door)
    assert "Authentication failed" in ended.stderr
    assert not ended.stdout
