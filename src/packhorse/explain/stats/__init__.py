"""Many packets: how full, what was left out and why, and what to do about it."""
