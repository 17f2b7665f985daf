"""The isolates of Unicode: marks around a text that keep its direction apart from the rest.

A module of its own, because all that prints needs them and little of it needs the history.
"""

FSI, PDI = "\u2068", "\u2069"
