"""Every number and date of a report, as it is written."""

__all__ = ["counted", "day", "decimals", "integer", "percent", "score", "share"]


def integer(value: int) -> str:
    """Thousands apart: `128,000`."""
    return f"{value:,}"


def counted(value: int, one: str, many: str | None = None) -> str:
    """A number and what it counts: `1 chunk`, `2 chunks`."""
    return f"{value:,} {one if value == 1 else many or one + 's'}"


def percent(part: float) -> str:
    """A part of 1: `97.9%`. Never rounded to all or nothing unless it is."""
    if 0 < part < 0.001:  # noqa: PLR2004 - what one decimal can show
        return "<0.1%"
    if 0.9995 <= part < 1:  # noqa: PLR2004 - as above
        return "99.9%"
    return f"{100 * part:.1f}%"


def share(part: int, whole: int) -> str:
    """`part` of `whole`; a dash where there is no whole."""
    return percent(part / whole) if whole > 0 else "–"  # noqa: RUF001 - a dash for no value


def score(value: float | None) -> str:
    """Three decimals for the eye; a dash for none."""
    return "–" if value is None else f"{value:.3f}"  # noqa: RUF001 - a dash for no value


def decimals(value: float | None) -> str:
    """All six decimals that a packet has."""
    return "–" if value is None else f"{value:.6f}"  # noqa: RUF001 - a dash for no value


def day(stamp: str | None) -> str:
    """The day of an ISO 8601 instant; `no date` for none."""
    return "no date" if stamp is None else stamp[:10]
