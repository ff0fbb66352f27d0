"""Near copies that do not say the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.rerank.differing_facts import Difference, difference, says_otherwise
from packhorse.rerank.duplicates import duplicates
from packhorse.rerank.stated_places import stated_places

RULE = "For 2023 the standard mileage rate for business use of a car is 65 cents a mile."
OTHER_YEAR = "For 2024 the standard mileage rate for business use of a car is 67 cents a mile."

HANDBOOK = (
    "Employees who travel on business are reimbursed for meals at a flat rate of 24 euros a day."
    " Receipts are handed in by 9 am on Monday, with the form that the manager has signed."
    " Hotels are booked by the travel desk and must not be paid in cash."
)
LEADER = "Maria Gomez leads the travel desk."


def both_stay(one: str, other: str) -> bool:
    return duplicates([one, other], 0.55) == duplicates([other, one], 0.55) == {}


def either_goes(one: str, other: str) -> bool:
    return list(duplicates([one, other], 0.55)) == list(duplicates([other, one], 0.55)) == [1]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("24 euros", "24.50 euros"),
        ("24 euros", "twenty euros"),
        ("24 euros", "24 to 30 euros"),
        ("24 euros", "24 euros to 30 euros"),
        ("24 euros", "24 dollars"),
        ("9 am", "8:30 am"),
        ("must not be", "may be"),
        ("must not be", "must be"),
        ("on Monday", "on the last Friday of each month"),
        ("the manager", "the head of finance"),
        ("signed", "countersigned"),
        ("Hotels", "Only hotels"),
        ("are handed", "are hardly handed"),
        ("Receipts", "Receipts above 10 euros"),
        ("are handed", "may be handed"),
        ("the travel desk", "the travel desk in Madrid"),
        ("paid in cash.", "paid in cash or by cheque."),
        ("paid in cash.", "settled at once."),
        ("Employees who", "Contractors who"),
    ],
)
def test_a_text_that_says_something_otherwise_stays_whichever_is_better(
    one: str, other: str
) -> None:
    changed = HANDBOOK.replace(one, other)
    assert changed != HANDBOOK
    assert both_stay(HANDBOOK, changed)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (f"{LEADER} {HANDBOOK}", f"Peter Novak leads the travel desk. {HANDBOOK}"),
        (f"{HANDBOOK} Ask Maria Gomez.", f"{HANDBOOK} Ask Peter Novak."),
        (
            "Alice Brown is the head of the legal team.",
            "Carol White is the head of the legal team.",
        ),
        ("The office in Berlin opens at 9 am.", "The office in Berlin opens at 8:30 am."),
        ("It runs when x < 100 and y == 2 hold.", "It runs when x > 100 and y == 2 hold."),
        ("It runs when x < 100 and y == 2 hold.", "It runs when x < 100 and y != 2 hold."),
        (
            "There are flights from Rome to Oslo on every day of the week.",
            "There are flights from Oslo to Rome on every day of the week.",
        ),
        (
            "The lowest reading of the probe in winter is 5 degrees.",
            "The lowest reading of the probe in winter is -5 degrees.",
        ),
    ],
)
def test_what_stands_first_or_last_counts_as_well(one: str, other: str) -> None:
    assert both_stay(one, other)


@pytest.mark.parametrize(
    "copy",
    [
        HANDBOOK.upper(),
        HANDBOOK.replace(" ", "\n  "),
        HANDBOOK.replace(",", "").replace(".", " "),
        HANDBOOK.replace("a flat rate", "the flat rate").replace("booked", "book"),
        HANDBOOK.replace("are booked", "are normally booked"),
        HANDBOOK.replace("9 am", "9am"),
        HANDBOOK.replace("on business are", "are on business"),
        HANDBOOK.replace("the manager has", "you have"),
        HANDBOOK.replace("signed.", "signed. [3]"),
        f"Home | Products | Pricing | Contact\n{HANDBOOK}",
        f"Home Products Pricing Contact Sign in\n{HANDBOOK}",
        f"ACME Corp - Employee Handbook\n{HANDBOOK}",
        f"ACME Handbook\nPage 3 of 12\n{HANDBOOK}",
        f"{HANDBOOK}\n\u00a9 2024 ACME Inc. All rights reserved.",
    ],
)
def test_copies_that_differ_in_form_and_furniture_alone_are_copies(copy: str) -> None:
    assert either_goes(HANDBOOK, copy)


def test_page_numbers_of_both_do_not_matter() -> None:
    assert either_goes(f"Page 3 of 12\n{HANDBOOK}", f"{HANDBOOK}\nPage 5")


@pytest.mark.parametrize(
    "long",
    [
        f"{LEADER} {HANDBOOK}",
        f"{HANDBOOK} {LEADER}",
        HANDBOOK.replace("Receipts", f"{LEADER} Receipts"),
        f"{HANDBOOK[:-1]} in Madrid",
    ],
)
def test_a_long_text_stays_beside_a_short_one_that_it_contains(long: str) -> None:
    assert duplicates([HANDBOOK, long], 0.55) == {}
    assert list(duplicates([long, HANDBOOK], 0.55)) == [1]


def test_windows_of_one_text_are_copies_below_a_title_as_well() -> None:
    words = HANDBOOK.split()
    first, second = " ".join(words[:36]), " ".join(words[8:])
    assert either_goes(first, second)
    title = "Handbook of business travel.\n"
    assert either_goes(title + first, title + second)


def test_words_that_a_splitter_cut_are_no_other_words() -> None:
    assert either_goes(HANDBOOK[26:-30], HANDBOOK[:-30])


def test_ends_of_more_than_twelve_words_are_more_text_unless_they_hold_a_sentence() -> None:
    further = (
        " Trains are booked in second class, and flights only when the way by train takes six hours"
        " or more."
    )
    assert list(duplicates([HANDBOOK + further, f"{HANDBOOK} Retrieved from"], 0.55)) == [1]
    assert duplicates([HANDBOOK + further, f"{HANDBOOK} The desk opens on Monday."], 0.55) == {}


def test_the_same_sentences_in_another_order_are_a_copy() -> None:
    sentences = HANDBOOK.split(". ")
    assert either_goes(HANDBOOK, ". ".join([*sentences[1:], sentences[0]]))


def test_a_difference_tells_what_either_text_says() -> None:
    changed = HANDBOOK.replace("must not be", "may be")
    assert difference(HANDBOOK, changed) == Difference(dropped="must not", kept="may")
    assert difference(HANDBOOK, HANDBOOK.upper()) is None
    longer = f"{HANDBOOK} {LEADER}"
    told = Difference(dropped="maria gomez leads the travel desk", kept="")
    assert difference(longer, HANDBOOK) == told
    assert difference(HANDBOOK, longer) is None


words = st.integers(0, 10**6).map("w{}".format)
said = st.lists(words, min_size=24, max_size=60, unique=True)


@given(said, st.integers(0, 60), st.integers(1, 4), st.lists(words, min_size=1, max_size=4))
def test_other_words_in_the_place_of_a_few_are_found_wherever_they_stand(
    base: list[str], at: int, out: int, new: list[str]
) -> None:
    at = min(at, len(base) - out)
    fresh = [f"x{word}" for word in new]
    one, other = " ".join(base), " ".join([*base[:at], *fresh, *base[at + out :]])
    assert says_otherwise(one, other, 0.7)
    assert says_otherwise(other, one, 0.7)


@given(said, st.integers(1, 59), st.sampled_from(["7", "seven", "not", "must", "only", "Rome"]))
def test_a_word_that_tells_is_found_between_any_two_in_either_text(
    base: list[str], at: int, word: str
) -> None:
    at = min(at, len(base) - 1)
    one, other = " ".join(base), " ".join([*base[:at], word, *base[at:]])
    assert says_otherwise(one, other, 0.7)
    assert says_otherwise(other, one, 0.7)


@given(said, st.integers(1, 59))
def test_any_other_word_more_is_no_other_statement(base: list[str], at: int) -> None:
    at = min(at, len(base) - 1)
    one, other = " ".join(base), " ".join([*base[:at], "quickly", *base[at:]])
    assert not says_otherwise(one, other, 0.7)
    assert not says_otherwise(other, one, 0.7)


@given(said, st.integers(1, 10), st.integers(1, 10))
def test_windows_say_nothing_otherwise(base: list[str], skipped: int, left: int) -> None:
    skipped, left = max(skipped, (left + 3) // 4), max(left, (skipped + 3) // 4)
    one, other = " ".join(base[:-left]), " ".join(base[skipped:])
    assert not says_otherwise(one, other, 0.7)
    assert not says_otherwise(other, one, 0.7)


def test_a_figure_of_its_own_matters_when_the_rest_is_nearly_identical() -> None:
    assert says_otherwise(f"{RULE} Form 2106.", RULE, 0.9)
    assert not says_otherwise(RULE, f"{RULE} Form 2106.", 0.9)
    assert says_otherwise(RULE, OTHER_YEAR, 0.6)
    assert not says_otherwise(RULE, f"As before. {RULE} Keep a log.", 0.6)


@pytest.mark.parametrize(
    ("plain", "negated"),
    [
        ("Commuting costs are deductible here.", "Commuting costs are not deductible here."),
        ("You can deduct the whole rent.", "You can't deduct the whole rent."),
        ("You can deduct the whole rent.", "You cannot deduct the whole rent."),
        ("They will be refunded soon.", "They won't be refunded soon."),
        ("This is allowed by law today.", "This isn't allowed by law today."),
        ("Deduction is allowed.", "No deduction is allowed."),
        ("Das gilt heute f\u00fcr alle.", "Das gilt heute nicht f\u00fcr alle."),
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


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a request", "the request"),
        ("Records are", "Records were"),
        ("allowed", "allow"),
        ("three years", "3 years"),
        ("customer data", "customer-data"),
    ],
)
def test_small_words_endings_and_spelling_do_not_matter(one: str, other: str) -> None:
    changed = POLICY.replace(one, other)
    assert changed != POLICY
    assert not says_otherwise(POLICY, changed, 0.85)


def test_figures_are_words_that_start_with_a_digit() -> None:
    assert stated_places("no figure, q3 and w4x7") == {}
    places = stated_places("limit is 1,500 here")
    assert places == {("limit", "is", "#", "here", ""): {("limit", "is", "1500", "here", "")}}


AIRLINE = "Airways International was an airline based in Miami, Florida. It was founded in 1979."


def test_another_name_between_the_same_words_is_another_statement() -> None:
    elsewhere = AIRLINE.replace("Miami, Florida", "Anchorage, Alaska")
    assert says_otherwise(AIRLINE, elsewhere, 0.8)
    assert says_otherwise(elsewhere, AIRLINE, 0.8)
    assert not says_otherwise(AIRLINE, f"As is known: {AIRLINE} It ended in 1999.", 0.8)


def test_capitals_that_are_no_names_do_not_matter() -> None:
    assert not says_otherwise(AIRLINE, AIRLINE.upper(), 0.8)
    assert stated_places("The airline grew. Later it was sold.") == {}


def test_a_name_is_masked_as_a_whole() -> None:
    assert stated_places("he lived in New York City until then") == {
        ("lived", "in", "@", "until", "then"): frozenset({("new", "york", "city")})
    }
