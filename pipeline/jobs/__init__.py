"""What is run: sources, transforms and where results go, put together."""
