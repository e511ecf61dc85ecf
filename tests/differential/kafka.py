"""Apache Kafka beside Rollcall: brought by Maven, started on free ports, ended with its folder.

Only ``python -m tests.differential`` needs it. The settings of both servers that a scenario can
notice stand in ``SAME``.
"""

import asyncio
import contextlib
import shutil
import signal
import socket
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from tests.differential.talking import Side

VERSIONS: Final = ("4.4.0", "4.3.1")
"""Those that Rollcall is compared with; recorded are the answers of the first."""

START_S = 120

BUILDS: Final = Path("build/kafka")

SAME: Final = {
    "group.initial.rebalance.delay.ms": "0",
    "group.min.session.timeout.ms": "300",
    "group.consumer.session.timeout.ms": "45000",
    "group.consumer.min.session.timeout.ms": "1000",
    "group.consumer.heartbeat.interval.ms": "500",
    "group.consumer.min.heartbeat.interval.ms": "200",
    "group.consumer.assignment.interval.ms": "0",
    "group.consumer.min.assignment.interval.ms": "0",
    "group.consumer.assignor.offload.enable": "false",
    "group.consumer.migration.policy": "bidirectional",
}
"""Sessions that outlast a scenario, targets at once and within the request."""

OURS: Final = {
    "group.quiet.window.ms": "0",
    "group.heartbeat.hold.ms": "0",
    "group.consumer.heartbeat.hold.percent": "0",
    "num.partitions": "1",
}
"""What Rollcall alone has: everything is answered at once. Kafka's ``num.partitions`` is 1 here."""

ALONE: Final = {
    "process.roles": "broker,controller",
    "node.id": "1",
    "controller.listener.names": "CONTROLLER",
    "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
    "offsets.topic.replication.factor": "1",
    "offsets.topic.num.partitions": "8",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "transaction.state.log.num.partitions": "4",
    "share.coordinator.state.topic.replication.factor": "1",
    "group.coordinator.rebalance.protocols": "classic,consumer",
    "num.partitions": "1",
}
"""One process is the whole cluster."""

POM: Final = """<project xmlns="http://maven.apache.org/POM/4.0.0">
<modelVersion>4.0.0</modelVersion>
<groupId>rollcall</groupId><artifactId>kafka-beside</artifactId><version>1</version>
<dependencies>
<dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId>
<version>{version}</version></dependency>
<dependency><groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId>
<version>1.7.36</version></dependency>
</dependencies>
</project>
"""

CLUSTER_ID: Final = "Um9sbGNhbGxCZXNpZGVLYQ"


class Missing(Exception):
    """Java or Maven is not installed."""


def jars(version: str) -> Path:
    """The folder with Kafka's jars; filled at the first time."""
    build = BUILDS / version
    for tool in ("java", "mvn"):
        if shutil.which(tool) is None:
            raise Missing(f"{tool} is not installed; Kafka needs Java 17 and Maven")
    folder = build / "lib"
    if not (build / ".complete").exists():
        folder.mkdir(parents=True, exist_ok=True)
        (build / "pom.xml").write_text(POM.format(version=version))
        copy = ("mvn", "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=lib")
        subprocess.run(copy, cwd=build, check=True)
        (build / ".complete").touch()
    return folder.resolve()


def free_ports(count: int) -> list[int]:
    """Ports without a listener."""
    with contextlib.ExitStack() as held:
        made = [held.enter_context(socket.socket()) for _ in range(count)]
        for each in made:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in made]


class Kafka:
    """``async with Kafka(version) as it``: ``it.address`` is HOST:PORT of a broker that serves."""

    def __init__(self, version: str, **more: str) -> None:
        """``more``: further settings, with ``_`` for ``.``."""
        self.more = {name.replace("_", "."): value for name, value in more.items()}
        self.folder = Path(tempfile.mkdtemp(prefix="kafka-"))
        port, self.controller = free_ports(2)
        self.address = f"127.0.0.1:{port}"
        self._classpath = f"{jars(version)}/*"
        self._process: asyncio.subprocess.Process | None = None

    async def __aenter__(self) -> Self:
        try:
            await self._start()
        except BaseException:
            await self._stop()
            raise
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _e: BaseException | None, _t: TracebackType | None
    ) -> None:
        await self._stop()

    async def _start(self) -> None:
        settings = {
            **ALONE,
            **SAME,
            "controller.quorum.voters": f"1@127.0.0.1:{self.controller}",
            "listeners": f"PLAINTEXT://{self.address},CONTROLLER://127.0.0.1:{self.controller}",
            "advertised.listeners": f"PLAINTEXT://{self.address}",
            "log.dirs": str(self.folder / "log"),
            **self.more,
        }
        file = self.folder / "server.properties"
        file.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
        tool = ("kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c", str(file))
        formatted = await self._java(*tool)
        if await formatted.wait():
            raise RuntimeError((self.folder / "log.txt").read_text())
        self._process = await self._java("kafka.Kafka", str(file))
        async with asyncio.timeout(START_S):
            await self._serves()

    async def _java(self, *command: str) -> asyncio.subprocess.Process:
        level = "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"
        with (self.folder / "log.txt").open("ab") as log:
            return await asyncio.create_subprocess_exec(
                *("java", "-Xms512m", "-Xmx512m", level, "-cp", self._classpath, *command),
                stdin=asyncio.subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip

    async def _serves(self) -> None:
        """Groups and transactions can be queried."""
        while True:
            side = Side(self.address, "warm", "")
            try:
                codes = [
                    (await side.ask("FindCoordinator", 2, key="warm", key_type=kind)).error_code
                    for kind in (0, 1)
                ]
                made = await side.ask(
                    "InitProducerId", 4, transactional_id="warm", transaction_timeout_ms=1_000
                )
                if not any(codes) and not made.error_code:
                    return
            except (OSError, EOFError):
                pass
            finally:
                await side.close()
            assert self._process is not None
            if self._process.returncode is not None:
                raise RuntimeError((self.folder / "log.txt").read_text())
            await asyncio.sleep(0.3)

    async def _stop(self) -> None:
        if self._process is not None and self._process.returncode is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                await asyncio.wait_for(self._process.wait(), 20)
            except TimeoutError:
                self._process.kill()
                await self._process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
