"""A model small enough to be searched whole: lease, takeover and write, step by step."""
