"""``python -m demo``: groups of members come and go on sample topics, in plain words."""
