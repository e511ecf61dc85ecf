"""What is fast, measured: each figure beside a ceiling or a goal, in one run on one machine."""
