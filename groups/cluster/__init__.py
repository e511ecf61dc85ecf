"""Which node owns which slot."""
