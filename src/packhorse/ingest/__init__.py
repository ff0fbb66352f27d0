"""Files to chunks: strict record reading, document loading and splitting."""
