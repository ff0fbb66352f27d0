"""Times: one instant however it is written, and a plain reason for what is none."""

import os
import time
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.ingest.timestamps import parse_timestamp

MAY_SECOND = datetime(2026, 5, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    "value",
    [
        "2026-05-02",
        "20260502",
        " 2026-05-02 ",
        "2026-W18-6",
        "2026-05-02T00:00",
        "2026-05-02 00:00:00",
        "2026-05-02T00:00:00.000",
        "2026-05-02T00:00:00,0Z",
        "20260502T000000Z",
        "2026-05-02t00:00:00z",
        "2026-05-01T19:00:00-05:00",
        "2026-05-01 19:00:00 -0500",
        "2026-05-02T05:30+05:30",
        1777680000,
        1777680000.0,
        date(2026, 5, 2),
        datetime(2026, 5, 2),  # noqa: DTZ001 - the rule for times without a zone
        datetime(2026, 5, 2, 2, tzinfo=timezone(timedelta(hours=2))),
    ],
)
def test_every_spelling_of_an_instant_is_that_instant_in_utc(value: object) -> None:
    parsed = parse_timestamp(value)
    assert parsed == MAY_SECOND
    assert parsed.tzinfo is UTC


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("", "is not an ISO 8601"),
        ("2026", "is not an ISO 8601"),
        ("2026-05", "is not an ISO 8601"),
        ("2026-02-30", "day is out of range"),
        ("2026-13-01", "month must be in 1..12"),
        ("2026-05-02T25:00", "hour must be in 0..23"),
        ("02.05.2026", "is not an ISO 8601"),
        ("May 2, 2026", "is not an ISO 8601"),
        ("2026-05-02X10:00", "is not an ISO 8601"),
        ("２０２６-05-02", "is not an ISO 8601"),
        ("0000-01-01", "year 0 is out of range"),
        ("0001-01-01T00:00+01:00", "outside the years 1 to 9999"),
        ("1777680000", "is not an ISO 8601"),
        ("x" * 500, "'" + "x" * 40 + "...' is not an ISO 8601"),
        (True, "bool is not"),
        (None, "NoneType is not"),
        ([2026], "list is not"),
        (float("nan"), "nan is not a time"),
        (float("inf"), "inf is not a time"),
        (10**400, "outside the years 1 to 9999"),
        (1777680000000, "looks like milliseconds"),
    ],
)
def test_what_is_no_time_gives_a_plain_reason(value: object, reason: str) -> None:
    with pytest.raises(ValueError, match=reason.replace(".", r"\.")):
        parse_timestamp(value)


def test_the_zone_of_the_computer_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    before = os.environ.get("TZ")
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        assert parse_timestamp("2026-05-02") == MAY_SECOND
        assert parse_timestamp(1777680000) == MAY_SECOND
    finally:
        monkeypatch.setenv("TZ", before or "UTC")
        time.tzset()


@given(st.datetimes(timezones=st.timezones() | st.none()))
def test_what_python_writes_is_read_back(moment: datetime) -> None:
    offset = moment.utcoffset() or timedelta()
    naive = moment.replace(tzinfo=None)
    if offset % timedelta(minutes=1):
        return  # historic offsets with seconds are no part of ISO 8601
    try:
        expected = (naive - offset).replace(tzinfo=UTC)
    except OverflowError:
        with pytest.raises(ValueError, match="outside the years"):
            parse_timestamp(moment.isoformat())
        return
    assert parse_timestamp(moment.isoformat()) == expected


@given(st.integers(-62_135_596_800, 253_402_300_799))
def test_whole_seconds_of_all_years_are_read(seconds: int) -> None:
    assert parse_timestamp(seconds) - datetime(1970, 1, 1, tzinfo=UTC) == timedelta(seconds=seconds)
