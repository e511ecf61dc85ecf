"""Access to PostgreSQL; knows no group."""
