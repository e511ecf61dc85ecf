"""Metrics for Prometheus: one table of series, and the code that fills it, on the web and on
nodes."""
