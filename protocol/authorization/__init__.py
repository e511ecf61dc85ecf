"""The table of permissions of each API, and its enforcement."""
