"""Access rules for requests: what each API needs, who may, and which elements are refused."""
