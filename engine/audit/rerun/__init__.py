"""Rerun: every command decided again by the engine itself, with the dice that the log holds.

What was allowed, what came of it, and what people decided are readings of that.
"""
