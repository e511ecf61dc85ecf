"""kafka-python's messages, for comparison: the only place that loads them."""

import importlib
import warnings
from typing import Any


def load(module: str) -> Any:
    """A module of ``kafka.protocol``. It reads its schemas in a way that Python deprecates."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return importlib.import_module(f"kafka.protocol.{module}")


MESSAGES: dict[str, Any] = {
    name: getattr(module, name)
    for module in map(
        load, ("admin", "consumer", "consumer.metadata", "metadata", "producer", "sasl")
    )
    for name in dir(module)
    if name.endswith(("Request", "Response")) or name.startswith("ConsumerProtocol")
}
