"""What if: a table with one thing different, decided again with the dice that fell."""
