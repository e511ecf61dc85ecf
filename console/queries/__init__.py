"""Queries for screens and REST."""
