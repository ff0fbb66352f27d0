"""The report of a packet as a page: plain data first, then HTML."""
