"""What screens and REST read."""
