"""What a table comes to, as words for a terminal, as JSON and as pictures."""
