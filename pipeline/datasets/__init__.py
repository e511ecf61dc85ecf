"""The tables: what each row means, what identifies it, and what holds of every one."""
