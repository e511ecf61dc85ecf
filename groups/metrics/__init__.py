"""The tables of Prometheus' series, and what a node counts."""
