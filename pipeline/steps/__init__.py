"""The computations: datasets in, a dataset out, no I/O. ``table`` lists them; ``run`` joins them."""
