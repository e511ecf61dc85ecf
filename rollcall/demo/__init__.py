"""``python -m rollcall.demo``: members come and go on a sample topic, told in plain words."""
