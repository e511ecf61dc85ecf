"""Storage of results: report rows in PostgreSQL, tables of Parquet files in a folder."""
