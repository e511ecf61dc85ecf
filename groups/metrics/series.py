"""A table of series: name, meaning, type, labels and unit of each.

Every exposed series has a row (``exposed`` refuses others), and docs/metrics.md is generated from
the tables. The web reports the state in PostgreSQL, which is the same in each web process
(``console.metrics.series``); each node reports its own counts (``groups.metrics.node_series``).
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import accumulate
from typing import Final, NamedTuple

from prometheus_client.core import Metric

from groups.event_loop import BOUNDS_S, Durations


class Type(StrEnum):
    """Prometheus' own words."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


COUNTER, GAUGE, HISTOGRAM = Type.COUNTER, Type.GAUGE, Type.HISTOGRAM
SECONDS: Final = "seconds"


class Series(NamedTuple):
    """One row. ``name`` is the name in queries: a counter's ends in ``_total``. A series with
    ``bounds`` is a histogram, whose samples are ``_bucket``, ``_sum`` and ``_count``."""

    name: str
    type: Type
    meaning: str
    labels: tuple[str, ...] = ()
    unit: str = ""
    bounds: tuple[float, ...] = ()


class Sample(NamedTuple):
    """One value, or those of a histogram; ``labels`` in the order of the series."""

    name: str
    value: float | Durations
    labels: tuple[str, ...] = ()


def exposed(table: Sequence[Series], samples: Iterable[Sample]) -> Iterable[Metric]:
    """The samples as Prometheus' client needs them, in the order of the table, those of one series
    together. A series without samples is omitted. Raises ``KeyError`` for a name without a row."""
    metrics: Mapping[str, Metric] = {row.name: _metric(row) for row in table}
    labels = {row.name: row.labels for row in table}
    for sample in samples:
        label_values = dict(zip(labels[sample.name], sample.labels, strict=True))
        metric, value = metrics[sample.name], sample.value
        if isinstance(value, Durations):
            _add_histogram(metric, label_values, value)
        else:
            metric.add_sample(sample.name, label_values, value)
    return [metric for metric in metrics.values() if metric.samples]


def _metric(row: Series) -> Metric:
    # The client adds a counter's suffix again where the format needs it.
    return Metric(row.name.removesuffix("_total"), row.meaning, row.type.value)


def _add_histogram(metric: Metric, labels: Mapping[str, str], durations: Durations) -> None:
    """Each bucket includes those below it."""
    bounds = (*map(str, BOUNDS_S), "+Inf")
    for bound, count in zip(bounds, accumulate(durations.counts), strict=True):
        metric.add_sample(f"{metric.name}_bucket", {**labels, "le": bound}, count)
    metric.add_sample(f"{metric.name}_sum", dict(labels), durations.total_s)
    metric.add_sample(f"{metric.name}_count", dict(labels), sum(durations.counts))
