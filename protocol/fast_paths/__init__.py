"""Requests that are answered, or passed on, without the queue: heartbeats, commits, fetches."""
