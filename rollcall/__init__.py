"""What ``pip install rollcall`` gives: the member library and the codec; with extras the command
line."""

from typing import Final

__version__: Final = "0.2.0"
"""The version of the project, also where it is not installed but only copied (the image)."""
