"""Operators' requests."""
