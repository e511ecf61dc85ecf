"""Stock clients at the listeners of a whole installation."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from launcher import ports
from launcher.installation import Installation
from tests.security.certificates import Certificates
from tests.security.doors import LIBRARIES, Door, joined

pytestmark = pytest.mark.xdist_group("secured")


class Secured:
    """An installation with a listener of each kind."""

    def __init__(self, certificates: Certificates) -> None:
        self.certificates = certificates
        self.ports = dict(zip(("SSL", "PLAINTEXT"), ports.free(2), strict=True))
        self.settings = {
            "ROLLCALL_LISTENERS": ",".join(
                f"{name}://127.0.0.1:{port}" for name, port in self.ports.items()
            ),
            "ROLLCALL_SSL_KEYSTORE_LOCATION": str(certificates.server),
            "ROLLCALL_SSL_TRUSTSTORE_LOCATION": str(certificates.ca),
            "ROLLCALL_SSL_CLIENT_AUTH": "requested",
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
    with Installation(found.settings):
        yield found


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
