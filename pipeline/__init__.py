"""The pipeline: Spark reads the journal of groups and writes reports.

Knows neither Django nor the other applications; it shares only PostgreSQL's tables with them.
"""
