"""Connections of clients: bytes to frames, the queue of requests, and the order of replies."""
