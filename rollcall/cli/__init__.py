"""The command line ``rollcall`` for operators, which uses only REST.

It is the extra ``rollcall[cli]`` of the wheel and imports neither the server nor the member
library. Nothing is decided here: each command sends one request and prints the response
(docs/cli.md).
"""
