"""Figures, and what counts."""
