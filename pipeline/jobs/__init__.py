"""The jobs: they combine sources, transforms and results."""
