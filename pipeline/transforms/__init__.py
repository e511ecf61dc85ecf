"""The computations: DataFrames in, DataFrames out, no I/O."""
