"""Knowledge bases: stores of chunks that can be searched by words and by direction."""
