"""The journal as server-sent events: one query for all clients; a waiting client holds neither a
thread nor a database connection."""
