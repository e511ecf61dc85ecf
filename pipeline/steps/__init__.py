"""The computations: datasets in, one out, no I/O. ``table`` lists them; ``run`` joins them."""
