"""HTTP: the server with its limits, health, errors, metrics, and the log of all processes."""
