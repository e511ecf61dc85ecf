"""The pipeline: Spark reads the journal of groups and writes what it means.

Knows neither Django nor the other applications; PostgreSQL's tables are all that it shares.
"""
