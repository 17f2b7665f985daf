"""A table, or one roll, as one file that proves what the log held."""
