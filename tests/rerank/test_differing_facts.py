"""Near copies that do not say the same."""

import pytest

from packhorse.rerank.differing_facts import says_otherwise, stated_places

RULE = "For 2023 the standard mileage rate for business use of a car is 65 cents a mile."
OTHER_YEAR = "For 2024 the standard mileage rate for business use of a car is 67 cents a mile."


def test_another_figure_between_the_same_words_is_another_statement() -> None:
    assert says_otherwise(RULE, OTHER_YEAR, 0.6)
    assert says_otherwise(OTHER_YEAR, RULE, 0.6)


def test_the_same_figures_are_the_same_statement() -> None:
    assert not says_otherwise(RULE, f"As before. {RULE} Keep a log.", 0.6)


def test_a_figure_elsewhere_does_not_matter_in_a_partial_overlap() -> None:
    assert not says_otherwise(f"{RULE} Form 2106 is for employees.", RULE, 0.7)


def test_a_figure_of_its_own_matters_when_the_rest_is_nearly_identical() -> None:
    assert says_otherwise(f"{RULE} Form 2106.", RULE, 0.9)
    assert not says_otherwise(RULE, f"{RULE} Form 2106.", 0.9)


@pytest.mark.parametrize(
    ("plain", "negated"),
    [
        ("Commuting costs are deductible here.", "Commuting costs are not deductible here."),
        ("You can deduct the whole rent.", "You can't deduct the whole rent."),
        ("You can deduct the whole rent.", "You cannot deduct the whole rent."),
        ("They will be refunded soon.", "They won't be refunded soon."),
        ("This is allowed by law today.", "This isn't allowed by law today."),
        ("Deduction is allowed.", "No deduction is allowed."),
    ],
)
def test_a_negation_more_or_less_is_another_statement_in_both_directions(
    plain: str, negated: str
) -> None:
    assert says_otherwise(plain, negated, 0.6)
    assert says_otherwise(negated, plain, 0.6)
    assert not says_otherwise(negated, negated, 0.6)


POLICY = (
    "Staff may export customer data within 30 days of a request. The export is allowed for"
    " managers with approval. Records are kept for three years."
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("allowed", "forbidden"),
        ("three years", "five years"),
        ("may export", "must export"),
        ("with approval", "without approval"),
        ("30 days", "30 hours"),
        ("30 days of", "60 hours of"),
        ("kept", "shredded"),
    ],
)
def test_another_word_between_the_same_words_is_another_statement(one: str, other: str) -> None:
    changed = POLICY.replace(one, other)
    assert changed != POLICY
    assert says_otherwise(POLICY, changed, 0.85)
    assert says_otherwise(changed, POLICY, 0.85)


@pytest.mark.parametrize(
    ("one", "other"), [("$10", "\u20ac10"), ("10%", "10 dollars"), ("99.9 percent", "99.5%")]
)
def test_what_a_figure_is_of_counts(one: str, other: str) -> None:
    fee = "The monthly fee for a single seat is {} and is due at once."
    assert says_otherwise(fee.format(one), fee.format(other), 0.8)


def test_small_words_and_endings_do_not_matter() -> None:
    for one, other in (("a request", "the request"), ("Records are", "Records were")):
        assert not says_otherwise(POLICY, POLICY.replace(one, other), 0.85)
    assert not says_otherwise(POLICY, POLICY.replace("allowed", "allow"), 0.85)


def test_other_sentences_with_the_same_small_words_do_not_matter() -> None:
    longer = f"{POLICY} This is in the middle of the text."
    assert not says_otherwise(f"{POLICY} That was in the end of the text.", longer, 0.8)


def test_figures_are_words_that_start_with_a_digit() -> None:
    assert stated_places("no figure, q3 and w4x7") == {}
    places = stated_places("limit is 1,500 here")
    assert set(places) == {("limit", "is", "#", "#", "here"), ("is", "#", "#", "here", "")}
    assert places["is", "#", "#", "here", ""] == {("is", "1", "500", "here", "")}


AIRLINE = "Airways International was an airline based in Miami, Florida. It was founded in 1979."


def test_another_name_between_the_same_words_is_another_statement() -> None:
    elsewhere = AIRLINE.replace("Miami, Florida", "Anchorage, Alaska")
    assert says_otherwise(AIRLINE, elsewhere, 0.8)
    assert says_otherwise(elsewhere, AIRLINE, 0.8)
    assert not says_otherwise(AIRLINE, f"As is known: {AIRLINE} It ended in 1999.", 0.8)


def test_names_elsewhere_and_capitals_that_are_no_names_do_not_matter() -> None:
    assert not says_otherwise(f"{AIRLINE} Its founder was Mr Doe.", AIRLINE, 0.8)
    assert not says_otherwise(AIRLINE, AIRLINE.upper(), 0.8)
    assert stated_places("The airline grew. Later it was sold.") == {}


def test_a_name_is_masked_as_a_whole() -> None:
    assert stated_places("he lived in New York City until then") == {
        ("lived", "in", "@", "until", "then"): frozenset({("new", "york", "city")})
    }
