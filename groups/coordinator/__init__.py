"""One node's state in memory, on its event loop."""
