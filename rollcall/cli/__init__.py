"""The command line ``rollcall``: what operators do, from a terminal, over REST alone.

It comes with the wheel as the extra ``rollcall[cli]`` and imports neither the server nor the member
library. Nothing is decided here: each command asks once and shows the answer (docs/cli.md).
"""
