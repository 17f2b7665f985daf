"""What may happen next: commands in, events out, and the machine between them."""
