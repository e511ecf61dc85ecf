"""What the worker does by the clock."""
