"""An Apache Kafka to measure beside: one node (KRaft), its jars from Maven, default settings.

    python -m benchmarks.kafka PORT

serves in the foreground, with its data in the folder ``KAFKA_DATA``. The jars are fetched once,
into the user's cache. Needs Java and Maven.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from launcher import ports

VERSION = "4.4.0"
JARS = Path.home() / ".cache" / "rollcall" / f"kafka-{VERSION}"
HEAP = "1g"

POM = f"""<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>x</groupId><artifactId>x</artifactId><version>1</version><dependencies>
<dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId>
<version>{VERSION}</version></dependency>
<dependency><groupId>org.apache.kafka</groupId><artifactId>kafka-tools</artifactId>
<version>{VERSION}</version></dependency>
<dependency><groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId>
<version>1.7.36</version></dependency></dependencies></project>
"""

PROPERTIES = """process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
log.dirs={data}/log
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
"""

CLUSTER_ID = "AAAAAAAAQACAAAAAAAAAAA"


def can_run() -> bool:
    """Whether Java and Maven are installed."""
    return shutil.which("java") is not None and shutil.which("mvn") is not None


def fetch() -> None:
    """The jars, unless they are there."""
    if JARS.is_dir():
        return
    JARS.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=JARS.parent) as folder:
        (Path(folder) / "pom.xml").write_text(POM)
        made = Path(folder) / "jars"
        copy = ("mvn", "-q", "-B", "dependency:copy-dependencies", f"-DoutputDirectory={made}")
        subprocess.run(copy, cwd=folder, check=True)
        made.rename(JARS)


@contextmanager
def program() -> Iterator[str]:
    """A program that serves on the port that is its argument (``Options.kafka``)."""
    fetch()
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "kafka"
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m benchmarks.kafka "$1"\n')
        script.chmod(0o755)
        yield str(script)


@contextmanager
def serving_program(named: str | None) -> Iterator[str]:
    """The program of ``--kafka``, or one that is made here."""
    if named is not None:
        yield named
    else:
        with program() as made:
            yield made


def serve(port: int, data: Path) -> None:
    """Become Kafka."""
    properties = data / "server.properties"
    [controller] = ports.free(1)
    made = PROPERTIES.format(port=port, controller=controller, data=data)
    properties.write_text(made)
    java = ["java", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", f"{JARS}/*"]
    if not (data / "log" / "meta.properties").exists():
        tool = ("kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c", str(properties))
        subprocess.run([*java, *tool], check=True, stdout=subprocess.DEVNULL)
    os.execvp("java", [*java, f"-Xms{HEAP}", f"-Xmx{HEAP}", "kafka.Kafka", str(properties)])


if __name__ == "__main__":
    serve(int(sys.argv[1]), Path(os.environ["KAFKA_DATA"]))
