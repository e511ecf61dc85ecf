"""``python -m rollcall.demo``: groups of members come and go on sample topics, in plain words."""
