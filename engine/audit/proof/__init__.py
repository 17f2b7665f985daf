"""Proof: hashes, signatures, commitments, shares, dice. No rule of a game, and none of the engine.

Its own books say who sits at the table and what a throw must answer; nothing is taken from the
projections' fold, so that a fault there does not hide from it. A test holds what it imports.
"""
