"""``python -m demo``: groups of members join and leave on sample topics, in plain words."""
