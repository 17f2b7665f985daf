"""A server that calls: what a seat is told at the addresses that it left, and whom it may call."""
