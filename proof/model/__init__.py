"""A model small enough for an exhaustive search: lease, takeover and write, step by step."""
