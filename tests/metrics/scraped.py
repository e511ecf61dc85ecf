"""A scrape taken apart, by the parser of Prometheus' own client."""

from collections.abc import Mapping

from prometheus_client.parser import text_string_to_metric_families

Key = tuple[str, tuple[tuple[str, str], ...]]


class Scrape:
    """The samples of one answer."""

    def __init__(self, text: str) -> None:
        self.families = list(text_string_to_metric_families(text))
        self.values: Mapping[Key, float] = {
            (sample.name, tuple(sorted(sample.labels.items()))): sample.value
            for family in self.families
            for sample in family.samples
        }
        self.names = {name for name, _ in self.values}

    def __call__(self, name: str, **labels: str) -> float | None:
        """One sample; None: it is not there."""
        return self.values.get((name, tuple(sorted(labels.items()))))

    def all(self, name: str) -> Mapping[Key, float]:
        """Every sample of a name."""
        return {key: value for key, value in self.values.items() if key[0] == name}
