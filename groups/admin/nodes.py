"""Filled by its room."""
