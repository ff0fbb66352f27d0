"""Looking back at a packet: why a chunk is in or out, what would change that, and replay."""
