"""Conflicts are found where two statements cannot both hold, and nowhere else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.types.chunk import Chunk
from packhorse.types.verdict import Conflict, Status
from packhorse.verify.consistency import consistency_check, find_conflicts
from packhorse.verify.consistency.align import align
from packhorse.verify.consistency.classifier import Classifier
from packhorse.verify.consistency.features import FEATURES
from packhorse.verify.consistency.rules import difference
from packhorse.verify.consistency.statements import facts_of
from tests.strategies import AS_OF, chunk_lists


def chunk(chunk_id: str, text: str) -> Chunk:
    return Chunk(chunk_id=chunk_id, source_id=f"s-{chunk_id}", text=text)


def conflicts(*texts: str) -> tuple[Conflict, ...]:
    return find_conflicts([chunk(f"p{n}", text) for n, text in enumerate(texts)])


@pytest.mark.parametrize(
    ("a", "b", "kind", "value_a", "value_b"),
    [
        (
            "The refund window is 30 days.",
            "Refunds are accepted within 14 days.",
            "duration",
            "30 days",
            "14 days",
        ),
        ("The fee is $5 a month.", "The fee is $6 a month.", "money", "$5", "$6"),
        (
            "The standard mileage rate is 67 cents per mile.",
            "The standard mileage rate is 70 cents per mile.",
            "number",
            "67",
            "70",
        ),
        ("The discount is 15%.", "The discount is 20%.", "percentage", "15%", "20%"),
        (
            "Customer data is stored in Frankfurt.",
            "Customer data is stored in Dublin.",
            "name",
            "Frankfurt",
            "Dublin",
        ),
        (
            "The library requires Python 3.9 or newer.",
            "The library requires Python 3.11 or newer.",
            "number",
            "3.9",
            "3.11",
        ),
        (
            "The beta shipped on 3 May 2024.",
            "The beta shipped on 5 June 2024.",
            "date",
            "3 May 2024",
            "5 June 2024",
        ),
        ("The beta shipped on 3 May.", "The beta shipped on 5 June.", "date", "3 May", "5 June"),
        (
            "Interest is charged at 5% per month.",
            "Interest is charged at 7.5 % per month.",
            "percentage",
            "5%",
            "7.5 %",
        ),
        (
            "The company was founded in 1998.",
            "The company was founded in 1999.",
            "date",
            "1998",
            "1999",
        ),
        (
            "The form is due on April 15.",
            "The form is due on June 17.",
            "date",
            "April 15",
            "June 17",
        ),
        (
            "Ritchie (June 19, 1910) was a judge.",
            "Ritchie (January 1, 1900) was a judge.",
            "date",
            "June 19, 1910",
            "January 1, 1900",
        ),
        (
            "Home office costs are deductible for employees.",
            "Home office costs are not deductible for employees.",
            "polarity",
            "deductible",
            "not deductible",
        ),
        (
            "You may not claim the credit twice.",
            "You may claim the credit twice.",
            "polarity",
            "not claim",
            "claim",
        ),
        (
            "Smoking is allowed in the lobby area.",
            "Smoking is prohibited in the lobby area.",
            "polarity",
            "allowed",
            "prohibited",
        ),
        (
            "The old post office of the town is located in New Orleans.",
            "The old post office of the town is located in Cloutierville.",
            "name",
            "New Orleans",
            "Cloutierville",
        ),
    ],
)
def test_two_statements_that_cannot_both_hold_are_a_conflict(
    a: str, b: str, kind: str, value_a: str, value_b: str
) -> None:
    (found,) = conflicts(a, b)
    assert (found.kind, found.a.value, found.b.value) == (kind, value_a, value_b)
    assert (found.a.text, found.b.text) == (a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        # another subject
        ("The refund window is 30 days.", "Delivery takes 14 days."),
        ("Widget A costs $5.", "Widget B costs $7."),
        ("Step 1 takes 5 minutes.", "Step 2 takes 10 minutes."),
        ("Refunds are issued within 14 days.", "The refund window is 30 days."),
        # another condition
        (
            "The standard deduction for single filers is $14,600.",
            "The standard deduction for married filers is $29,200.",
        ),
        ("The refund window is 30 days.", "The refund window for sale items is 14 days."),
        ("In Texas, the limit on fees is $5.", "The limit on fees is $7."),
        # another edition
        (
            "The standard deduction for 2023 is $13,850.",
            "The standard deduction for 2024 is $14,600.",
        ),
        ("The deadline is April 15, 2024.", "The deadline is April 15, 2025."),
        ("Python 3.11 was released in October 2022.", "Python 3.12 was released in October 2023."),
        ("In 2023 the company grew quickly.", "In 2024 the company grew quickly."),
        # both hold
        ("You need at least 10 employees.", "You need up to 50 employees."),
        ("The warranty lasts 12 months.", "The warranty lasts 1 year."),
        ("The fee is about $100.", "The fee is $105."),
        ("Take 2 to 4 tablets daily.", "Take 6 tablets daily."),
        ("The fee is $10.", "The fee is \u20ac12."),
        # nothing stated
        ("Is the refund window 30 days?", "The refund window is 14 days."),
        ("For example, Ana paid $500 in rent.", "For example, Ana paid $700 in rent."),
        ("Section 5 covers refunds.", "Section 6 covers refunds."),
        # two places, two pointers, two identifiers
        (
            "The main office in Berlin is led by Anna Schmidt.",
            "The main office in Paris is led by Jean Dupont.",
        ),
        (
            "For more information please visit our Jury Service page.",
            "For more information please visit our Records page.",
        ),
        (
            "The trial is registered under the number ABC123.",
            "The trial is registered under the number ABD987.",
        ),
        # the subject of the text is another one
        (
            "Broken Bow is a city. The population was 3,559 at the census.",
            "Blue Lake is a township. The population was 990 at the census.",
        ),
    ],
)
def test_statements_that_can_both_hold_are_none(a: str, b: str) -> None:
    assert conflicts(a, b) == ()
    assert conflicts(b, a) == ()


@pytest.mark.parametrize(
    ("a", "b", "values"),
    [
        (
            "Beacon Mill Beacon Mill closed as a working mill in 1921 after it was built.",
            "Beacon Mill closed as a working mill in 1955 after it was built.",
            ("1921", "1955"),
        ),
        (
            "The chuch of the old parish was built in 1856.",
            "The church of the old parish was built in 1900.",
            ("1856", "1900"),
        ),
    ],
)
def test_a_title_said_twice_and_another_spelling_do_not_hide_a_conflict(
    a: str, b: str, values: tuple[str, str]
) -> None:
    (found,) = conflicts(a, b)
    assert (found.a.value, found.b.value) == values


def test_sentences_of_one_chunk_are_never_compared() -> None:
    assert conflicts("The fee is $5 a month. The fee is now $6 a month.") == ()


def test_offsets_are_those_of_the_chunk_text() -> None:
    a = chunk("b", "Intro here.\n\nThe fee is $5 a month.")
    b = chunk("a", "\u00e9\U0001f600 The fee is $60 a month.")
    (found,) = find_conflicts([a, b])
    assert (found.chunk_a, found.chunk_b) == ("a", "b")
    assert b.text[found.a.start : found.a.end] == found.a.value == "$60"
    assert a.text[found.b.start : found.b.end] == found.b.value == "$5"


@given(
    chunk_lists(
        text=st.sampled_from(
            (
                "The fee is $5 a month.",
                "The fee is $6 a month.",
                "The fee is not $6 a month.",
                "Smoking is allowed in the lobby area. The fee is $7 a month.",
                "Smoking is prohibited in the lobby area.",
                "\u00e9 The fee is $8 a month!",
            )
        )
    ),
    st.randoms(use_true_random=False),
)
def test_conflicts_do_not_depend_on_the_order_of_chunks(
    packed: list[Chunk], random: object
) -> None:
    found = find_conflicts(packed)
    shuffled = list(packed)
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # Hypothesis gives a random.Random
    assert find_conflicts(shuffled) == found
    texts = {each.chunk_id: each.text for each in packed}
    for conflict in found:
        assert conflict.chunk_a < conflict.chunk_b
        for chunk_id, claim in ((conflict.chunk_a, conflict.a), (conflict.chunk_b, conflict.b)):
            assert texts[chunk_id][claim.start : claim.end] == claim.value
            assert claim.value in claim.text


WORDS = st.sampled_from(("fee", "refund", "window", "lobby", "city", "tax", "report", "office"))
VALUES = st.sampled_from(("$5", "$6", "30 days", "14 days", "7%", "not", "allowed", "prohibited"))


@given(
    st.lists(
        st.lists(st.one_of(WORDS, WORDS, VALUES), min_size=1, max_size=9).map(
            lambda words: f"{' '.join(words)}."
        ),
        min_size=2,
        max_size=6,
    )
)
def test_the_index_finds_what_comparing_all_pairs_finds(sentences: list[str]) -> None:
    packed = [chunk(f"c{n}", text) for n, text in enumerate(sentences)]
    never = Classifier(intercept=-1.0, weights=(0.0,) * len(FEATURES), threshold=0.0)
    expected = set()
    for n, first in enumerate(packed):
        for second in packed[n + 1 :]:
            for a in facts_of(first.text).statements:
                for b in facts_of(second.text).statements:
                    common, larger = len(a.stems & b.stems), max(len(a.stems), len(b.stems))
                    near = common >= 1 if larger <= 2 else common * 10 >= 4 * larger
                    found = difference(align(a, b)) if near else None
                    if found is not None:
                        expected.add(
                            (first.chunk_id, second.chunk_id, found.kind, *found.a, *found.b)
                        )
    assert expected == {
        (c.chunk_a, c.chunk_b, c.kind, c.a.start, c.a.end, c.b.start, c.b.end)
        for c in find_conflicts(packed, never)
    }


def test_the_check_names_both_sides_with_date_and_trust() -> None:
    a = Chunk(
        chunk_id="p1",
        source_id="s",
        text="The fee is $5 a month.",
        timestamp=AS_OF,
        trust_score=0.5,
    )
    b = chunk("p2", "The fee is $6 a month.")
    check = consistency_check([a, b], find_conflicts([a, b]))
    assert check.status is Status.WARN
    assert check.detail == (
        "1 factual conflict: p1 (2026-01-15, trust 0.5) says '$5' against p2 says '$6'"
    )


def test_the_check_spells_out_three_conflicts_and_counts_the_rest() -> None:
    packed = [chunk(f"p{n}", f"The fee is ${n} a month.") for n in range(1, 5)]
    found = find_conflicts(packed)
    assert len(found) == 6
    assert consistency_check(packed, found).detail.endswith("; and 3 more")


def test_nothing_packed_is_no_conflict() -> None:
    check = consistency_check([], find_conflicts([]))
    assert (check.status, check.detail) == (Status.PASS, "no factual conflicts detected")


def under(chunk_id: str, text: str, header: str, section_id: str = "", source: str = "s") -> Chunk:
    return Chunk(
        chunk_id=chunk_id, source_id=source, text=text, header=header, section_id=section_id
    )


def test_sentences_under_other_headings_of_one_document_are_about_other_things() -> None:
    a, b = "Release date: 2022-04-05.", "Release date: 2022-01-13."
    assert not find_conflicts([under("a", a, "News / 3.7"), under("b", b, "News / 3.6")])
    assert not find_conflicts([under("a", a, "News", "v3-7"), under("b", b, "News", "v3-6")])


def test_other_headings_of_two_documents_hide_no_conflict() -> None:
    a, b = "Refunds are accepted within 30 days.", "Refunds are accepted within 14 days."
    chunks = [under("a", a, "Shop / Refunds"), under("b", b, "Terms / Returns", source="other")]
    assert len(find_conflicts(chunks)) == 1


def test_items_of_a_list_in_one_section_do_not_contradict_each_other() -> None:
    a, b = "The new user will be a superuser.", "The new user will not be a superuser."
    assert not find_conflicts([under("a", a, "createuser"), under("b", b, "createuser")])
    assert find_conflicts([under("a", a, "createuser"), under("b", b, "createuser", source="o")])
    values = [under(n, f"The fee is ${n} a month.", "Fees") for n in ("5", "6")]
    assert len(find_conflicts(values)) == 1


def test_without_headings_one_source_can_contradict_itself() -> None:
    chunks = [under("a", "The fee is $5 a month.", ""), under("b", "The fee is $6 a month.", "")]
    assert len(find_conflicts(chunks)) == 1


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The discount is 15%.", "The discount is 15 percent."),
        ("Its discount is 15%.", "Its discount is 20%."),
        ("The discount of Mill is 15%.", "The discount of Dale is 20%."),
        ("Customer data is stored in Frankfurt.", "Billing data is stored in Dublin."),
        ("Customer data is copied to Frankfurt.", "Customer data is copied to Dublin."),
        ("It is located in Frankfurt.", "It is located in Dublin."),
        ("The tool requires Python 3.9 or newer.", "The tool requires Python 3.9+."),
        ("The tool requires Python 3.9 or newer.", "The tool requires Ruby 3.11 or newer."),
        ("Curl uses TLS version 1.0 or later here.", "Curl uses TLS version 1.3 or later here."),
        ("The beta shipped on 3 May 2024.", "The beta shipped on 2024-05-03."),
        ("The beta shipped in 2023.", "The beta shipped in 2024."),
    ],
)
def test_what_another_thing_or_the_same_value_explains_is_no_conflict(a: str, b: str) -> None:
    assert conflicts(a, b) == ()
