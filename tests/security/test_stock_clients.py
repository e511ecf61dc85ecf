"""Stock clients at the listeners of a whole installation."""

import asyncio
import json
import os
import subprocess
import sys
import urllib.request
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from joserfc.jwk import RSAKey

from benchmarks.wire import create_topic
from launcher.installation import CHECKOUT, Installation
from tests import installations
from tests.client_library.test_page import EXAMPLES
from tests.installations import MECHANISMS, TOKEN
from tests.keys import OTHER
from tests.security import issuer
from tests.security.doors import LIBRARIES, Door, joined

pytestmark = pytest.mark.xdist_group("secured")  # the users are made once


class Secured:
    """The shared installation, by its listeners."""

    def __init__(self, running: Installation) -> None:
        self.certificates = installations.certificates(Path(os.environ["ROLLCALL_TEST_DIR"]))
        listeners = running.settings["ROLLCALL_LISTENERS"].split(",")
        self.addresses = dict(each.split("://") for each in listeners)

    def door(self, name: str, **settings: str) -> Door:
        """Of a listener."""
        ca = str(self.certificates / "ca.pem") if "SSL" in name else ""
        token = settings.pop("token", "")
        named = {key.replace("_", "."): value for key, value in settings.items()}
        return Door(self.addresses[name], {"security.protocol": name, **named}, ca, token=token)


@pytest.fixture(scope="module")
def secured(installation: Installation) -> Secured:
    """It serves, and knows two users."""
    make_user(installation, "ann", "a secret")
    make_user(installation, "ben", "another one")  # whom wrong guesses lock out
    return Secured(installation)


def make_user(running: Installation, name: str, password: str) -> None:
    """Over REST, as an operator may; another worker may have made it before."""
    request = urllib.request.Request(
        f"{running.web}/api/v1/users/{name}",
        json.dumps({"password": password}).encode(),
        {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"},
        method="PUT",
    )
    with urllib.request.urlopen(request) as answer:
        assert answer.status in (200, 201)


def is_given_all(library: str, name: str, door: Door) -> None:
    """It joins, and has both partitions."""
    ended = joined(library, name, door)
    assert ended.stdout.strip() == "[0, 1]", ended.stderr


def those_not_long(*chosen: tuple[str, ...]) -> list[Any]:
    """Every mechanism with every client; all but these are long."""
    return [
        pytest.param(*both, marks=() if both in chosen else pytest.mark.long)
        for both in product(MECHANISMS, LIBRARIES)
    ]


@pytest.mark.long
@pytest.mark.parametrize("client", LIBRARIES)
def test_a_stock_client_works_over_tls(secured: Secured, client: str) -> None:
    door = secured.door("SSL")
    is_given_all(client, f"tls-{client}", door)


@pytest.mark.long
def test_the_other_listener_serves_beside_it(secured: Secured) -> None:
    door = secured.door("PLAINTEXT")
    is_given_all("confluent-kafka", "plain", door)


@pytest.mark.parametrize(
    ("mechanism", "client"),
    those_not_long(
        ("SCRAM-SHA-256", "kafka-python"),
        ("SCRAM-SHA-512", "aiokafka"),
        ("PLAIN", "confluent-kafka"),
    ),
)
def test_a_stock_client_authenticates(secured: Secured, client: str, mechanism: str) -> None:
    listener = "SASL_PLAINTEXT" if mechanism == "SCRAM-SHA-256" else "SASL_SSL"
    door = secured.door(
        listener, sasl_mechanisms=mechanism, sasl_username="ann", sasl_password="a secret"
    )
    is_given_all(client, f"{mechanism}-{client}", door)


@pytest.mark.parametrize(
    "mechanism",
    [pytest.param(m, marks=() if m == "SCRAM-SHA-256" else pytest.mark.long) for m in MECHANISMS],
)
def test_a_stock_client_with_a_wrong_password_gets_an_error(
    secured: Secured, mechanism: str
) -> None:
    door = secured.door(
        "SASL_SSL", sasl_mechanisms=mechanism, sasl_username="ben", sasl_password="a guess"
    )
    ended = joined("confluent-kafka", "nothing", door)
    assert "Authentication failed" in ended.stderr
    assert not ended.stdout


def token(sub: str) -> str:
    """Of the installation's issuer."""
    key = installations.issuers_key(Path(os.environ["ROLLCALL_TEST_DIR"]))
    return issuer.token(RSAKey.import_key(json.loads(key.read_text())), sub=sub)


@pytest.mark.parametrize(
    "client",
    [pytest.param(c, marks=() if c == "confluent-kafka" else pytest.mark.long) for c in LIBRARIES],
)
def test_a_stock_client_authenticates_with_a_token(secured: Secured, client: str) -> None:
    door = secured.door("SASL_SSL", sasl_mechanisms="OAUTHBEARER", token=token("cleo"))
    is_given_all(client, f"token-{client}", door)


@pytest.mark.long
def test_a_stock_client_with_a_foreign_token_gets_an_error(secured: Secured) -> None:
    shown = issuer.token(OTHER, sub="dora")
    door = secured.door("SASL_SSL", sasl_mechanisms="OAUTHBEARER", token=shown)
    ended = joined("confluent-kafka", "nothing", door)
    assert "Authentication failed" in ended.stderr
    assert not ended.stdout


def test_the_user_examples_of_the_library_page_work(
    secured: Secured, installation: Installation
) -> None:
    """docs/client.md, word for word but for the address and the file."""
    asyncio.run(create_topic(installation.kafka, "orders", 6))
    program = EXAMPLES["Over TLS, as a user"]
    program = program.replace("127.0.0.1:9094", secured.addresses["SASL_SSL"])
    program = program.replace('"ca.pem"', repr(str(secured.certificates / "ca.pem")))
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=CHECKOUT, capture_output=True, text=True, timeout=90
    )
    assert ended.stdout.strip() == "assigned 6", ended.stderr
