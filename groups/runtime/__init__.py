"""A node's state in memory, on its event loop: inboxes, committers, heartbeat views."""
