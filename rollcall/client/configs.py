"""Configurations written for confluent-kafka (librdkafka), aiokafka and kafka-python, as arguments
of ``Member``: what they call by other names and mean the same. Tables only, no I/O."""

from collections.abc import Callable, Mapping
from typing import Any, Final

Converted = Callable[[Any], Any]


def _same(value: Any) -> Any:
    return value


def _lower(value: Any) -> str:
    return str(value).lower()


def _strategies(value: Any) -> list[str]:
    """Names with commas, or classes with a name, in order of preference."""
    several = value.split(",") if isinstance(value, str) else list(value)
    names = (each if isinstance(each, str) else getattr(each, "name", each) for each in several)
    return [name.strip() if isinstance(name, str) else name for name in names]


def _token_of(callback: Any) -> Callable[[], Any]:
    """confluent-kafka's ``oauth_cb`` takes a text and returns the token first; the member asks for
    a token at each connection, so that its expiry is not needed."""
    return lambda: callback("")[0]


NAMES: Final[Mapping[str, tuple[str, Converted]]] = {
    "bootstrap.servers": ("bootstrap", _same),
    "metadata.broker.list": ("bootstrap", _same),
    "group.id": ("group", _same),
    "group.protocol": ("protocol", _lower),
    "group.remote.assignor": ("assignor", _same),
    "partition.assignment.strategy": ("assignor", _strategies),
    "group.instance.id": ("instance_id", _same),
    "client.id": ("client_id", _same),
    "client.rack": ("rack", _same),
    "session.timeout.ms": ("session_timeout_ms", int),
    "heartbeat.interval.ms": ("heartbeat_interval_ms", int),
    "max.poll.interval.ms": ("rebalance_timeout_ms", int),
    "rebalance.timeout.ms": ("rebalance_timeout_ms", int),
    "request.timeout.ms": ("request_timeout_ms", int),
    "socket.timeout.ms": ("request_timeout_ms", int),
    "retry.backoff.ms": ("retry_backoff_ms", int),
    "retry.backoff.max.ms": ("retry_backoff_max_ms", int),
    "metadata.max.age.ms": ("metadata_max_age_ms", int),
    "topic.metadata.refresh.interval.ms": ("metadata_max_age_ms", int),
    "security.protocol": ("security_protocol", _same),
    "ssl.context": ("ssl_context", _same),
    "ssl.cafile": ("ssl_cafile", _same),
    "ssl.ca.location": ("ssl_cafile", _same),
    "ssl.certfile": ("ssl_certfile", _same),
    "ssl.certificate.location": ("ssl_certfile", _same),
    "ssl.keyfile": ("ssl_keyfile", _same),
    "ssl.key.location": ("ssl_keyfile", _same),
    "ssl.password": ("ssl_password", _same),
    "ssl.key.password": ("ssl_password", _same),
    "ssl.check.hostname": ("ssl_check_hostname", _same),
    "sasl.mechanism": ("sasl_mechanism", _same),
    "sasl.mechanisms": ("sasl_mechanism", _same),
    "sasl.username": ("sasl_plain_username", _same),
    "sasl.plain.username": ("sasl_plain_username", _same),
    "sasl.password": ("sasl_plain_password", _same),
    "sasl.plain.password": ("sasl_plain_password", _same),
    "sasl.oauth.token.provider": ("sasl_oauth_token_provider", _same),
    "oauth.cb": ("sasl_oauth_token_provider", _token_of),
}
"""By the name with dots, of which the names with underscores follow."""

OF_RECORDS: Final = frozenset(
    {
        "auto.commit.interval.ms",
        "auto.offset.reset",
        "check.crcs",
        "consumer.timeout.ms",
        "enable.auto.commit",
        "enable.auto.offset.store",
        "enable.partition.eof",
        "exclude.internal.topics",
        "fetch.max.bytes",
        "fetch.max.wait.ms",
        "fetch.min.bytes",
        "fetch.wait.max.ms",
        "isolation.level",
        "key.deserializer",
        "max.partition.fetch.bytes",
        "max.poll.records",
        "queued.max.messages.kbytes",
        "queued.min.messages",
        "value.deserializer",
    }
)
"""What says how records are fetched and when their offsets are committed: there are no records, and
a member commits what it noted."""


def from_config(config: Mapping[str, Any]) -> dict[str, Any]:
    """A consumer's configuration as arguments of ``Member``, ``BlockingMember`` and ``worker``:

        Member(topics=["orders"], **from_config({"bootstrap.servers": ..., "group.id": ...}))

    Names have dots (confluent-kafka) or underscores (aiokafka, kafka-python). What concerns records
    is left out; the classic protocol is the default, as in those clients. Raises ``ValueError`` for
    a name without a meaning here, and for two names of one setting."""
    taken: dict[str, Any] = {"protocol": "classic"}
    said: dict[str, str] = {}
    for name, value in config.items():
        dotted = str(name).replace("_", ".")
        if dotted in OF_RECORDS or value is None:
            continue
        if dotted not in NAMES:
            raise ValueError(f"{name!r} means nothing to a member")
        argument, convert = NAMES[dotted]
        if argument in said:
            raise ValueError(f"{said[argument]!r} and {name!r} are the same setting")
        said[argument], taken[argument] = str(name), _converted(name, value, convert)
    return taken


def _converted(name: str, value: Any, convert: Converted) -> Any:
    try:
        return convert(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name!r} cannot be {value!r}") from None
