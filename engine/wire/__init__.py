"""What a server and its clients send: frames of a socket, bodies and problems of HTTP.

Structs and tables alone; nothing here reads, writes, or waits.
"""
