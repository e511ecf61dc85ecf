"""Writes a batch of decisions to rows, and loads groups from rows."""
