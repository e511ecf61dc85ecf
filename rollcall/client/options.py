"""The arguments of a ``Member``: its settings, and the values created from them."""

from collections.abc import Iterable, Mapping, Sequence

from rollcall.client import protocols, security
from rollcall.client.core.events import Identity, Subscription


class Settings(security.Options, total=False):
    """Times of ``core.events.Identity``, in milliseconds unless their names say otherwise, and
    options that begin with ``security_``, ``ssl_`` and ``sasl_``, with the names of aiokafka and
    kafka-python."""

    session_timeout_ms: int
    rebalance_timeout_ms: int
    heartbeat_interval_ms: int
    heartbeat_frequency: int
    request_timeout_ms: int
    retry_backoff_ms: int
    retry_backoff_max_ms: int
    metadata_max_age_ms: int


def identity_of(
    spoken: protocols.Spoken,
    chosen: Sequence[protocols.Named],
    group: str,
    instance_id: str | None,
    rack: str | None,
    settings: Mapping[str, int],
) -> Identity:
    """The member's identity; its times are the given ones, or the protocol's defaults."""
    if unknown := settings.keys() - Settings.__annotations__.keys():
        raise TypeError(f"unknown settings: {', '.join(sorted(unknown))}")
    names = tuple(each if isinstance(each, str) else each.name for each in chosen)
    return Identity(group, instance_id, rack, names, **{**spoken.defaults, **settings})


def subscription_of(
    topics: Iterable[str] | Mapping[str, int],
    pattern: str | None,
    blacklist: str | None,
    threads: int,
) -> Subscription:
    """The subscription; a single string is one name, not a list of letters."""
    names = (topics,) if isinstance(topics, str) else tuple(topics)
    by_topic = dict(topics) if isinstance(topics, Mapping) else {}
    return Subscription(names, pattern, blacklist, threads, by_topic)
