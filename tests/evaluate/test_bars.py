"""The table of what the shipped settings are held to says what is met and what is missed."""

from collections.abc import Mapping

from evals.bars import BARS, bars_table, conflicts_table


def means(built_in: float, bm25: float, dense: float) -> Mapping[str, Mapping[str, float]]:
    return {
        name: {f"gold_recall@{budget}": value for budget in (256, 512, 1024)}
        for name, value in (("built-in", built_in), ("bm25", bm25), ("dense", dense))
    }


def lines_of(name: str, *values: float) -> list[list[str]]:
    return [line.split() for line in list(bars_table({name: means(*values)}))[3:-1]]


def test_a_bar_is_met_only_when_it_is_reached() -> None:
    at_256, at_512, at_1024 = lines_of("hotpotqa", 0.94, 0.5, 0.6)
    assert at_256 == ["hotpotqa", "256", "0.940", "0.81", "met", "dense", "0.600"]
    assert at_512[4] == "met"
    assert at_1024[3:5] == ["0.97", "-0.030"]
    assert lines_of("hotpotqa", 0.8094, 0.5, 0.6)[0][2:5] == ["0.809", "0.81", "-0.001"]
    assert lines_of("hotpotqa", 0.8096, 0.5, 0.6)[0][2:5] == ["0.810", "0.81", "met"]


def test_a_set_below_its_better_channel_is_told() -> None:
    assert lines_of("nq", 0.94, 0.951, 0.2)[0][-3:] == ["BELOW", "by", "0.011"]
    assert "BELOW" not in lines_of("nq", 0.942, 0.951, 0.2)[0]


def test_a_set_without_a_bar_is_shown_after_the_others() -> None:
    results = {"own": means(0.5, 0.4, 0.3), **{name: means(0.5, 0.4, 0.3) for name in BARS}}
    names = [line.split()[0] for line in list(bars_table(results))[3:-1]]
    assert names[-3:] == ["own"] * 3
    assert names[:-3] == sorted(names[:-3])


def test_what_was_not_measured_has_no_line() -> None:
    lines = list(bars_table({"nq": {"built-in": {"gold_recall@256": None}}}))
    assert lines[3:] == ["0 of 0 bars met"]


def test_the_last_line_says_how_many_bars_are_met() -> None:
    assert list(bars_table({"hotpotqa": means(0.94, 0.5, 0.6)}))[-1] == "2 of 3 bars met"


def test_conflicts_are_those_of_a_classifier_that_did_not_see_the_set() -> None:
    lines = list(conflicts_table())
    assert [line.split()[0] for line in lines] == ["conflicts", "fever_symmetric", "ramdocs"]
    assert all("%" in line for line in lines[1:])
