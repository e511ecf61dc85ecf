"""The one exception that bytes from a peer can cause.

Whoever decodes catches ``WireError`` and nothing else; what a peer sends must
never surface as an IndexError, a UnicodeDecodeError or a struct.error.
Mistakes of our own code are ValueError and TypeError and do not appear here.
"""


class WireError(Exception):
    """The peer sent bytes that are no message: the connection cannot go on."""


class FrameError(WireError):
    """A frame's length is impossible; nothing after it on this connection can be read."""
