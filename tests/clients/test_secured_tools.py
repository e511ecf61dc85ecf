"""Kafka's own tools, unchanged, as users of a listener with TLS, SCRAM and an authorizer:
``kafka-acls``, ``kafka-configs --entity-type users``, ``kafka-console-consumer``."""

import signal
import subprocess
from collections.abc import Iterator

import pytest

from launcher import ports
from launcher.installation import Installation
from tests.clients.conftest import PATIENCE_S, Shell
from tests.clients.programs import KAFKA_TOOL, KAFKA_TOOLS
from tests.clients.test_kafka_tools import GROUPS, TOPICS, Tools
from tests.installations import TOKEN
from tests.launcher.conftest import heed_signals
from tests.launcher.waiting import until
from tests.security.certificates import Certificates
from tests.security.test_stock_clients import make_user

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]  # the first of them builds

ACLS = "org.apache.kafka.tools.AclCommand"
CONFIGS = "org.apache.kafka.tools.ConfigCommand"
CONSUMER = "org.apache.kafka.tools.consumer.ConsoleConsumer"
MECHANISM = "SCRAM-SHA-512"

COMMITTED = {"0": "0", "1": "0"}

LONG_MS = 300_000
"""For a record, which here nobody ever gets: longer than what ends a consumer takes."""

PROPERTIES = """
security.protocol=SASL_SSL
sasl.mechanism={mechanism}
sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required \
username="{user}" password="{password}";
ssl.truststore.type=PEM
ssl.truststore.location={ca}
"""


class Site:
    """An installation that requires authentication, and Kafka's tools there."""

    def __init__(self, running: Installation, certificates: Certificates, tools: Tools) -> None:
        self.running = running
        self.certificates = certificates
        self.tools = tools

    def config(self, user: str, password: str) -> str:
        """A file of properties, as an operator of Kafka has it."""
        path = self.certificates.folder / f"{user}-{len(password)}.properties"
        path.write_text(
            PROPERTIES.format(
                mechanism=MECHANISM, user=user, password=password, ca=self.certificates.ca
            )
        )
        return str(path)

    def admin(self, tool: str, *words: str) -> str:
        """Run a tool as the super user."""
        return self.tools.run(tool, *words, "--command-config", self.config("chief", "of all"))

    def offsets(self, group: str) -> dict[str, str]:
        """Partition to committed offset, as the super user reads them."""
        words = ("--describe", "--offsets", "--group", group, "--command-config")
        rows = self.tools.table(GROUPS, *words, self.config("chief", "of all"))
        return {row[2]: row[3] for row in rows}

    def refused(self, name: str, user: str, password: str) -> str:
        """What a console consumer says that may not consume, and ends by itself."""
        with self._consumer(name, user, password, "--command-config") as consumer:
            return consumer.communicate()[0]

    def stopped(self, name: str, user: str, password: str, option: str) -> str:
        """What a console consumer says that has its partitions, and is ended by Ctrl-C."""
        with self._consumer(name, user, password, option) as consumer:
            until(lambda: self._has_committed(name), "it has its partitions", PATIENCE_S)
            consumer.send_signal(signal.SIGINT)
            return consumer.communicate()[0]

    def _consumer(
        self, name: str, user: str, password: str, option: str
    ) -> "subprocess.Popen[str]":
        """In a process of its own; it also ends when it has had no record for a long time."""
        words = ("--topic", name, "--group", name, "--timeout-ms", str(LONG_MS))
        where = (option, self.config(user, password), "--bootstrap-server", self.tools.bootstrap)
        return subprocess.Popen(
            KAFKA_TOOL.command(CONSUMER, *words, *where),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            preexec_fn=heed_signals,
        )

    def _has_committed(self, group: str) -> bool:
        """Who has partitions, but no positions yet, commits nothing when it is ended."""
        is_stable = group in self.admin(GROUPS, "--list", "--state", "stable").split()
        return is_stable and self.offsets(group) == COMMITTED


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    certificates = Certificates.make(tmp_path_factory.mktemp("secured"))
    [port] = ports.free(1)
    settings = {
        "ROLLCALL_LISTENERS": f"SASL_SSL://127.0.0.1:{port}",
        "ROLLCALL_SSL_KEYSTORE_LOCATION": str(certificates.server),
        "ROLLCALL_AUTHORIZER": "on",
        "ROLLCALL_SUPER_USERS": "User:chief",
        "ROLLCALL_API_TOKEN": TOKEN,
    }
    with Installation(settings) as running, Shell(KAFKA_TOOLS.command()) as shell:
        make_user(running, "chief", "of all")
        yield Site(running, certificates, Tools(shell, running.kafka))


def test_a_user_is_created_authorized_consumes_and_is_removed(site: Site, name: str) -> None:
    site.admin(TOPICS, "--create", "--topic", name, "--partitions", "2")
    user = ("--entity-type", "users", "--entity-name", name)
    rule = ("--allow-principal", f"User:{name}", "--consumer", "--topic", name, "--group", name)

    credential = f"{MECHANISM}=[iterations=8192,password=of {name}]"
    made = site.admin(CONFIGS, "--alter", *user, "--add-config", credential)
    assert f"Completed updating config for user {name}." in made
    described = site.admin(CONFIGS, "--describe", *user)
    assert f"SCRAM credential configs for user-principal '{name}' are" in described
    assert f"{MECHANISM}=iterations=8192" in described

    refused = site.refused(name, name, f"of {name}")
    assert "AuthorizationException" in refused
    site.admin(ACLS, "--add", *rule)
    listed = site.admin(ACLS, "--list", "--topic", name)
    assert f"principal=User:{name}, host=*, operation=READ, permissionType=ALLOW" in listed

    for option in ("--consumer.config", "--command-config"):
        said = site.stopped(name, name, f"of {name}", option)
        assert "Processed a total of 0 messages" in said
        assert "AuthorizationException" not in said and "AuthenticationException" not in said
    assert site.offsets(name) == COMMITTED
    assert "Authentication failed" in site.refused(name, name, "a guess")

    site.admin(ACLS, "--remove", *rule, "--force")
    assert "operation=READ" not in site.admin(ACLS, "--list", "--topic", name)
    assert "AuthorizationException" in site.refused(name, name, f"of {name}")
    site.admin(CONFIGS, "--alter", *user, "--delete-config", MECHANISM)
    assert "Authentication failed" in site.refused(name, name, f"of {name}")
