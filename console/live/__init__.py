"""Live pages: websockets that report which group changed, but not what.

The page requests the new content over HTTP, so that rights are checked in one place.
"""
