"""Random lives of one group, and what the rules decided in each (docs/testing.md, *Walks*)."""
