"""What is made of it: DataFrames in, DataFrames out, no I/O."""
