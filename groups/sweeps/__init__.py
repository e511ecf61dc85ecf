"""Periodic work of the worker."""
