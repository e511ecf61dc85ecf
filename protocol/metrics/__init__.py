"""A node's own HTTP port, and what it reports there."""
