"""Access rules at the door: what each API needs, who may, and how a request is cut to that."""
