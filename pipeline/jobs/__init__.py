"""What is run: sources, transforms and where the results go, put together."""
