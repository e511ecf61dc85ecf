"""The member's rules: state machines that take events and return requests, calls and deadlines.

Standard library and Kafka's messages only. Nothing here opens a connection, reads a clock, starts a
task or calls the application.
"""
