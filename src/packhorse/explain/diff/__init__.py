"""Two packets, or two folders of them, compared: what differs, and which changed input did it."""
