"""Line ends: LF alone, whatever the file had."""

__all__ = ["lf_only"]


def lf_only(text: str) -> str:
    """The text with CRLF and CR turned into LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
