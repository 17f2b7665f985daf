"""Pairs of tables, equal but for what is hidden: nobody else can tell one from the other."""
