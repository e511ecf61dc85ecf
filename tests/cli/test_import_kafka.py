"""``rollcall import-kafka`` from a real Kafka into an installation with TLS, SCRAM and an
authorizer: by dry run, for real, and once more."""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, ConsumerGroupTopicPartitions, TopicPartition
from confluent_kafka.admin import (
    AclBinding,
    AclOperation,
    AclPermissionType,
    AdminClient,
    NewTopic,
    ResourcePatternType,
    ResourceType,
)

from launcher import ports
from launcher.installation import CHECKOUT, Installation
from tests.differential.kafka import VERSIONS, Kafka, Missing
from tests.installations import TOKEN
from tests.launcher.waiting import until
from tests.security.certificates import Certificates
from tests.security.test_stock_clients import make_user

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

TOPICS = {"orders": 6, "returns": 3}
OFFSETS = [TopicPartition("orders", n, 100 + n, metadata=f"note {n}") for n in range(6)]
AUTHORIZER = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"


@asynccontextmanager
async def kafka() -> AsyncIterator[str]:
    """Its address."""
    try:
        server = Kafka(VERSIONS[0], authorizer_class_name=AUTHORIZER, super_users="User:ANONYMOUS")
    except (Missing, subprocess.CalledProcessError) as missing:
        pytest.skip(f"Kafka cannot be had: {missing}")
    async with server:
        yield server.address


@pytest.fixture(scope="module")
def source() -> Iterator[str]:
    """A Kafka with topics, an access rule, a group that rests and one that works."""
    with asyncio.Runner() as runner:
        server = kafka()
        address = runner.run(server.__aenter__())
        try:
            fill(address)
            yield address
        finally:
            runner.run(server.__aexit__(None, None, None))


def fill(address: str) -> None:
    admin = AdminClient({"bootstrap.servers": address})
    for made in admin.create_topics([NewTopic(n, c, 1) for n, c in TOPICS.items()]).values():
        made.result(60)
    commit(admin, "packers", *OFFSETS)
    rule = AclBinding(
        ResourceType.TOPIC,
        "orders",
        ResourcePatternType.PREFIXED,
        "User:ann",
        "*",
        AclOperation.READ,
        AclPermissionType.ALLOW,
    )
    for created in admin.create_acls([rule]).values():
        created.result(60)


@pytest.fixture(scope="module")
def live(source: str) -> Iterator[Consumer]:
    """A member of a group in Kafka."""
    consumer = Consumer({"bootstrap.servers": source, "group.id": "live"})
    consumer.subscribe(["returns"])
    until(lambda: consumer.poll(0.1) is None and consumer.assignment(), "it is a member", 60)
    yield consumer
    consumer.close()


def offsets(admin: AdminClient, group: str) -> list[tuple[int, int, str]]:
    """Partition, offset and metadata."""
    asked = admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)])
    found = asked[group].result(60).topic_partitions
    return sorted((each.partition, each.offset, each.metadata or "") for each in found)


def commit(admin: AdminClient, group: str, *committed: TopicPartition) -> None:
    """As an administrator, in a group without members."""
    asked = admin.alter_consumer_group_offsets(
        [ConsumerGroupTopicPartitions(group, list(committed))]
    )
    asked[group].result(60)


class Target:
    """An installation whose only listener is secured, and the command before it."""

    def __init__(self, running: Installation, certificates: Certificates) -> None:
        self.running = running
        self.authority = certificates.ca
        self.options = certificates.folder / "chief.toml"
        self.options.write_text(
            f'security_protocol = "SASL_SSL"\nssl_cafile = "{certificates.ca}"\n'
            'sasl_mechanism = "SCRAM-SHA-512"\n'
            'sasl_plain_username = "chief"\nsasl_plain_password = "of all"\n'
        )

    def moved(self, source: str, *words: str, code: int = 0) -> dict[tuple[str, str], Any]:
        """What the command prints, by subject and name."""
        return self._run("--from", source, *self.named("--to"), *words, code=code)

    def moved_back(self, source: str, *words: str) -> dict[tuple[str, str], Any]:
        """The same with the ends exchanged."""
        return self._run("--to", source, *self.named("--from"), *words)

    def named(self, end: str) -> tuple[str, ...]:
        """This installation as one end."""
        return end, self.running.kafka, f"{end}-options", str(self.options)

    def _run(self, *words: str, code: int = 0) -> dict[tuple[str, str], Any]:
        done = subprocess.run(
            [sys.executable, "-m", "rollcall.cli", "import-kafka", "-o", "json", *words],
            cwd=CHECKOUT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stderr[-2_000:]
        return {(row["subject"], row["name"]): row["action"] for row in json.loads(done.stdout)}

    @property
    def admin(self) -> AdminClient:
        """A stock client."""
        return AdminClient(
            {
                "bootstrap.servers": self.running.kafka,
                "security.protocol": "SASL_SSL",
                "ssl.ca.location": str(self.authority),
                "sasl.mechanism": "SCRAM-SHA-512",
                "sasl.username": "chief",
                "sasl.password": "of all",
            }
        )


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    certificates = Certificates.make(tmp_path_factory.mktemp("import"))
    [port] = ports.free(1)
    settings = {
        "ROLLCALL_LISTENERS": f"SASL_SSL://127.0.0.1:{port}",
        "ROLLCALL_SSL_KEYSTORE_LOCATION": str(certificates.server),
        "ROLLCALL_AUTHORIZER": "on",
        "ROLLCALL_SUPER_USERS": "User:chief",
        "ROLLCALL_API_TOKEN": TOKEN,
        "ROLLCALL_DATABASE_MAY_BE_UNSAFE": "on",
    }
    with Installation(settings) as running:
        make_user(running, "chief", "of all")
        yield Target(running, certificates)


def test_kafkas_topics_offsets_and_rules_are_moved_once(
    source: str, live: Consumer, target: Target
) -> None:
    planned = {
        ("topic", "orders"): "create",
        ("topic", "returns"): "create",
        ("group", "live"): "cannot",
        ("group", "packers"): "commit",
        ("acls", "User:ann"): "create",
    }
    assert target.moved(source, code=3) == planned
    assert offsets(target.admin, "packers") == [], "a dry run changes nothing"
    assert target.moved(source, "--execute", code=3) == planned
    moved = [(at.partition, at.offset, at.metadata) for at in OFFSETS]
    assert offsets(target.admin, "packers") == moved

    live.close()  # the cut-over of the last group
    admin = AdminClient({"bootstrap.servers": source})
    commit(admin, "live", TopicPartition("returns", 0, 7))
    done = target.moved(source, "--execute")
    assert done.pop(("group", "live")) == "commit"
    assert set(done.values()) == {"none"}, "what was moved is not moved again"
    assert offsets(target.admin, "live") == [(0, 7, "")]
    assert set(target.moved(source).values()) == {"none"}

    commit(target.admin, "live", TopicPartition("returns", 0, 9))
    assert target.moved(source, "--execute", code=3)["group", "live"] == "cannot"
    assert offsets(target.admin, "live") == [(0, 9, "")], "an import takes nobody back"
    assert target.moved_back(source, "--execute")["group", "live"] == "commit"
    assert offsets(admin, "live") == [(0, 9, "")]


def test_an_end_that_does_not_answer_is_a_sentence(target: Target, tmp_path: Path) -> None:
    [port] = ports.free(1)
    command = [sys.executable, "-m", "rollcall.cli", "import-kafka", "--from"]
    for where, words, code in (
        (f"127.0.0.1:{port}", "does not answer", 1),
        ("nowhere", "is not HOST:PORT", 2),
    ):
        done = subprocess.run(
            [*command, where], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == code
        assert words in done.stderr and "Traceback" not in done.stderr
