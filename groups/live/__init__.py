"""Live pages: websockets that are told which group changed, and never what changed in it.

The page fetches the news itself, over http, so that rights are judged in one place.
"""
