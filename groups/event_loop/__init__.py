"""How one event loop serves everybody in turn."""
