"""The journal as server-sent events: one look at the rows for all who follow, and none who waits
holds a thread or a connection to the database.
"""
