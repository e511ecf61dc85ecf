"""How Rollcall talks to PostgreSQL; it knows no group."""
