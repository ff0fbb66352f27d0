"""What a window lets go of, in one message: quoted, or written by an endpoint and checked."""
