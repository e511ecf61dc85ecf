"""What screens, limits and the next owner read of a node: written periodically; it decides
nothing."""
