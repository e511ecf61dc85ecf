"""All handwritten SQL statements, by subject."""
