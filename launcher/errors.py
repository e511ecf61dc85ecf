"""The one error of the launcher: a sentence for the person who started it."""


class LaunchError(Exception):
    """Rollcall cannot start here; the text says why and what would help."""
