"""The only exception that bytes of a peer can cause.

Callers catch only ``WireError``; a peer must never cause an IndexError, a UnicodeDecodeError or a
struct.error. Programming errors are ValueError and TypeError and are not here.
"""


class WireError(Exception):
    """The peer's bytes are not a valid message: the connection cannot continue."""


class FrameError(WireError):
    """A frame's length is invalid; nothing after it on this connection can be read."""
