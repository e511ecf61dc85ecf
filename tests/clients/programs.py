"""Which command starts which client: tables of workers, administrators and producers.

Each of them talks to a test in the same few lines of JSON (``workers.py``,
``admins.py``), whatever its language. Nothing here runs one.
"""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from tests.clients import workers
from tests.clients.builds import built

JVM = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx128m")
"""A test's Java lives for seconds: a quick start is worth more than fast code."""

QUIET = "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"


@dataclass(frozen=True, slots=True)
class Program:
    """``before`` the bootstrap address, group and session of the command line, and ``after``."""

    language: str
    before: tuple[str, ...]
    after: tuple[str, ...] = ()

    def command(self, *words: str) -> list[str]:
        """What to execute; builds it first, if need be. ``{out}`` is where the build lies."""
        if self.language == "python":
            return [sys.executable, "-m", *self.before, *words, *self.after]
        out = built(self.language)
        return [*(word.format(out=out) for word in self.before), *words, *self.after]


def _jvm(lib: str) -> tuple[str, ...]:
    return ("java", *JVM, QUIET, "-cp", os.pathsep.join(("{out}/classes", f"{{out}}/{lib}/*")))


_JAVA, _JAVA_4_3 = _jvm("lib"), _jvm("lib-4.3")
"""Kafka's newest release, and the one before it."""


def _java(main: str, *after: str) -> Program:
    return Program("java", (*_JAVA, main), after)


def _python(module: str, *words: str) -> Program:
    return Program("python", (module, *words))


_FRANZ, _SARAMA = "{out}/franz", "{out}/sarama"
_RUST = "{out}/release/rollcall-clients"
_CONFLUENT_NODE = ("node", "{out}/worker.js")
_COOPERATIVE = "org.apache.kafka.clients.consumer.CooperativeStickyAssignor"

PYTHON_WORKERS: Mapping[str, Program] = {
    name: _python("tests.clients.workers", name) for name in workers.PROGRAMS
}

WORKERS_OF_OTHER_LANGUAGES: Mapping[str, Program] = {
    "java": _java("rollcall.Worker"),
    "java-cooperative": _java("rollcall.Worker", f"partition.assignment.strategy={_COOPERATIVE}"),
    "java-848": _java("rollcall.Worker", "group.protocol=consumer"),
    "spring-kafka": _java("rollcall.Spring"),
    "java-4.3": Program("java", (*_JAVA_4_3, "rollcall.Worker")),
    "java-4.3-848": Program("java", (*_JAVA_4_3, "rollcall.Worker"), ("group.protocol=consumer",)),
    "franz-go": Program("go", (_FRANZ, "work"), ("range",)),
    "franz-go-cooperative": Program("go", (_FRANZ, "work"), ("cooperative",)),
    "franz-go-848": Program("go", (_FRANZ, "work"), ("consumer",)),
    "sarama": Program("go", (_SARAMA, "work")),
    "kafka-go": Program("go", ("{out}/kafkago", "work")),
    "kafkajs": Program("node", ("node", "{out}/worker.js")),
    "confluent-node": Program("node-confluent", _CONFLUENT_NODE),
    "confluent-node-848": Program("node-confluent", _CONFLUENT_NODE, ("group.protocol=consumer",)),
    "rust": Program("rust", (_RUST, "work")),
    "rust-cooperative": Program(
        "rust", (_RUST, "work"), ("partition.assignment.strategy=cooperative-sticky",)
    ),
    "rust-848": Program("rust", (_RUST, "work"), ("group.protocol=consumer",)),
}
"""Consumers: each takes BOOTSTRAP NAME SESSION_MS, those of Java also ``setting=value``."""

WORKERS: Mapping[str, Program] = {**PYTHON_WORKERS, **WORKERS_OF_OTHER_LANGUAGES}

ADMINS: Mapping[str, Program] = {
    "kafka-python": _python("tests.clients.admins", "kafka-python"),
    "confluent-kafka": _python("tests.clients.admins", "confluent-kafka"),
    "java": _java("rollcall.Admin"),
    "java-4.3": Program("java", (*_JAVA_4_3, "rollcall.Admin")),
    "franz-go": Program("go", (_FRANZ, "admin")),
    "sarama": Program("go", (_SARAMA, "admin")),
    "kafkajs": Program("node", ("node", "{out}/admin.js")),
    "rust": Program("rust", (_RUST, "admin")),
}
"""Administrators: each takes BOOTSTRAP, then a verb a line (``admins.py`` says which)."""

PRODUCERS: Mapping[str, Program] = {
    "kafka-python": _python("tests.clients.producers", "kafka-python"),
    "aiokafka": _python("tests.clients.producers", "aiokafka"),
    "confluent-kafka": _python("tests.clients.producers", "confluent-kafka"),
    "java": _java("rollcall.Producer"),
    "java-4.3": Program("java", (*_JAVA_4_3, "rollcall.Producer")),
    "franz-go": Program("go", (_FRANZ, "produce")),
    "sarama": Program("go", (_SARAMA, "produce")),
    "kafkajs": Program("node", ("node", "{out}/producer.js")),
    "rust": Program("rust", (_RUST, "produce")),
}
"""Transactional producers of offsets: each takes BOOTSTRAP TRANSACTIONAL_ID, then a verb a line
(``producers.py`` says which)."""

JAVA_STICKY = _java("rollcall.Sticky")
JAVA_STICKY_4_3 = Program("java", (*_JAVA_4_3, "rollcall.Sticky"))
"""Java's sticky assignors by themselves: a group a line."""

KAFKA_TOOL = Program("java", _JAVA)
"""One of Kafka's command-line tools by itself: its main class and arguments."""

KAFKA_TOOLS = _java("rollcall.Tools")
KAFKA_TOOLS_4_3 = Program("java", (*_JAVA_4_3, "rollcall.Tools"))
"""All of them in one process: a JSON list of main class and arguments a line."""
