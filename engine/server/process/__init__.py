"""A server that runs: its settings, how it starts, and how it ends."""
