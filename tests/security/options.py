"""A door (``doors.py``) in the settings of each library, which is imported by who uses it."""

import json
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, NamedTuple

from tests.security.doors import Door

FILES: Final = ("ssl_cafile", "ssl_certfile", "ssl_keyfile")

LOGIN_MODULES: Final[Mapping[str, str]] = {
    "PLAIN": "plain.PlainLoginModule",
    "SCRAM-SHA-256": "scram.ScramLoginModule",
    "SCRAM-SHA-512": "scram.ScramLoginModule",
    "OAUTHBEARER": "oauthbearer.OAuthBearerLoginModule",
}
"""Of Java, below ``org.apache.kafka.common.security``."""

JAVA_FILES: Final = (
    "-Dorg.apache.kafka.sasl.oauthbearer.allowed.files={0}"
    " -Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=file://{0}"
)
"""Which files a Java client may read a token from: none unless told so."""


def confluent(door: Door) -> dict[str, Any]:
    """Of confluent-kafka."""
    if not door.token:
        return dict(door.confluent())
    return {**door.confluent(), "oauth_cb": lambda _config: (door.token, time.time() + 300)}


def kafka_python(door: Door) -> dict[str, Any]:
    """Of kafka-python."""
    from kafka.net.sasl.oauth import AbstractTokenProvider

    class Provider(AbstractTokenProvider):  # type: ignore[misc]  # kafka-python is untyped
        def token(self) -> str:
            return door.token

    paths = zip(FILES, (door.ca, door.certificate, door.certificate), strict=True)
    shown = {"sasl_oauth_token_provider": Provider()} if door.token else {}
    return {**door.python(), **{name: path for name, path in paths if path}, **shown}


def aiokafka(door: Door) -> dict[str, Any]:
    """Of aiokafka."""
    from aiokafka.abc import AbstractTokenProvider
    from aiokafka.helpers import create_ssl_context

    class Provider(AbstractTokenProvider):  # type: ignore[misc]  # aiokafka is untyped
        async def token(self) -> str:
            return door.token

    options = door.python()
    if door.ca:
        own = door.certificate or None
        options["ssl_context"] = create_ssl_context(cafile=door.ca, certfile=own, keyfile=own)
    if door.token:
        options["sasl_oauth_token_provider"] = Provider()
    return options


def words(library: str, door: Door) -> tuple[str, ...]:
    """What a worker of ``tests.clients.programs`` gets for a door, after its other arguments."""
    if library.startswith("java"):
        return tuple(f"{name}={value}" for name, value in _java(door).items())
    return (json.dumps(asdict(door)),)


def _java(door: Door) -> dict[str, str]:
    said = dict(door.settings)
    found = {"security.protocol": said["security.protocol"]}
    if door.ca:
        found |= {"ssl.truststore.type": "PEM", "ssl.truststore.location": door.ca}
    if door.certificate:
        found |= {"ssl.keystore.type": "PEM", "ssl.keystore.location": door.certificate}
    if mechanism := said.get("sasl.mechanisms"):
        module = f"org.apache.kafka.common.security.{LOGIN_MODULES[mechanism]} required"
        names = {"username": "sasl.username", "password": "sasl.password"}
        given = "".join(f' {key}="{said[name]}"' for key, name in names.items() if name in said)
        found |= {"sasl.mechanism": mechanism, "sasl.jaas.config": f"{module}{given};"}
    return found


READS_FILES: Final = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler"
"""Java's own handler makes up unsigned tokens."""


class JavaToken(NamedTuple):
    """The arguments of a worker of Java, and an option of its Java: it reads tokens from files."""

    words: tuple[str, ...]
    option: str


def java_token(door: Door, folder: Path) -> JavaToken:
    """The token of a door, in a file of this folder."""
    path = folder / "token"
    path.write_text(door.token)
    where = f"sasl.oauthbearer.token.endpoint.url={path.as_uri()}"
    given = (*words("java", door), where, f"sasl.login.callback.handler.class={READS_FILES}")
    return JavaToken(given, JAVA_FILES.format(path))
