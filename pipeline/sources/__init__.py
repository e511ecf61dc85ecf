"""The sources: the journal."""
