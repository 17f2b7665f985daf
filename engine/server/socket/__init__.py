"""The sockets of seats: connections, what is sent to them, and what they ask."""
