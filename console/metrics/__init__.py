"""What Prometheus reads of the web: state in PostgreSQL; and the pages and files that
are generated from the tables of series."""
