"""What Prometheus reads: one table of series, and those who fill it, on the web and on nodes."""
