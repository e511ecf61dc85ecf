"""How a decided batch becomes rows, and rows a group."""
