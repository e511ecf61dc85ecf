"""The readers: PostgreSQL's tables as DataFrames."""
