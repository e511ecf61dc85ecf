"""How a client gets in, in the words of each library."""

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from launcher.installation import CHECKOUT

PATIENCE_S = 90

PROGRAM = (sys.executable, "-m", "tests.security.stock_clients")

LIBRARIES = ("confluent-kafka", "kafka-python", "aiokafka")


@dataclass(frozen=True, slots=True)
class Door:
    """An address, settings by the names of librdkafka, PEM files, and a token; "": none."""

    address: str
    settings: Mapping[str, str] = field(default_factory=dict)
    ca: str = ""
    certificate: str = ""
    token: str = ""

    def confluent(self) -> dict[str, str]:
        """For confluent-kafka."""
        files = {"ssl.ca.location": self.ca, "ssl.certificate.location": self.certificate}
        files["ssl.key.location"] = self.certificate
        found = {name: path for name, path in files.items() if path}
        return {"bootstrap.servers": self.address, **found, **self.settings}

    def python(self) -> dict[str, Any]:
        """For kafka-python and aiokafka, but for files."""
        names = {
            "sasl.username": "sasl_plain_username",
            "sasl.password": "sasl_plain_password",
            "sasl.mechanisms": "sasl_mechanism",
        }
        return {
            "bootstrap_servers": self.address,
            **{names.get(k, k.replace(".", "_")): v for k, v in self.settings.items()},
        }


def joined(library: str, name: str, door: Door) -> "subprocess.CompletedProcess[str]":
    """What became of a stock client that went in by this door."""
    return subprocess.run(
        (*PROGRAM, library, name, json.dumps(asdict(door))),
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
