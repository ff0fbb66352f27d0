"""What a whole chat request costs: contents, framing, tools, images."""
