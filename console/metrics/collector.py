"""The web's collector: state in PostgreSQL, read when Prometheus asks, at a limited rate.

Results are cached for a moment, so that several Prometheus servers and users cause one read. If
PostgreSQL does not respond, ``rollcall_database_up`` is 0 and no other series is returned: old
values would hide the outage.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator

from django.db import DatabaseError, InterfaceError
from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from console.metrics import kafka_exporter, state_samples
from console.metrics.series import WEB
from console.metrics.state import MetricsSettings, State, look
from groups.metrics.series import Sample, exposed

logger = logging.getLogger(__name__)


class StateCollector(Collector):
    """``seen`` reads the rows; ``clock`` returns seconds."""

    def __init__(
        self,
        settings: MetricsSettings,
        seen: Callable[[MetricsSettings], State] = look,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.settings = settings
        self._seen = seen
        self._clock = clock
        self._looking = threading.Lock()
        self._state: State | None = None
        self._until = float("-inf")

    def describe(self) -> Iterable[Metric]:
        """Nothing: otherwise a registry would read the rows to learn the names."""
        return ()

    def collect(self) -> Iterable[Metric]:
        """All series."""
        return exposed(WEB, self._samples(self._latest()))

    def _latest(self) -> State | None:
        """The last result; None: PostgreSQL did not respond. Concurrent callers wait for one
        read."""
        with self._looking:
            if self._clock() >= self._until:
                self._state = self._try()
                self._until = self._clock() + self.settings.metrics_cache_ms / 1000
            return self._state

    def _try(self) -> State | None:
        try:
            return self._seen(self.settings)
        except (DatabaseError, InterfaceError) as error:
            logger.warning("metrics: PostgreSQL does not answer: %s", error)
            return None

    def _samples(self, state: State | None) -> Iterator[Sample]:
        yield from state_samples.up(state is not None)
        if state is None:
            return
        yield from state_samples.samples(state)
        if self.settings.metrics_compat == "kafka_exporter":
            yield from kafka_exporter.samples(state, self.settings.metrics_partitions_max)


def registry(settings: MetricsSettings) -> CollectorRegistry:
    """The registry of a web process: the state, and the usual metrics of the process."""
    collectors = CollectorRegistry(auto_describe=False)
    collectors.register(StateCollector(settings))
    ProcessCollector(registry=collectors)
    return collectors
