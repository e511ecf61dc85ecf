"""The pipeline: Spark reads what was recorded of groups, and writes reports.

Knows neither Django nor the other applications: it shares PostgreSQL's tables with them, and the
rules (``groups.core``).
"""
