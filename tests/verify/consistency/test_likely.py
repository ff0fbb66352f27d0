"""What the classifier is asked about, and what it never is."""

import json
from importlib.resources import files

import pytest

from packhorse.types.chunk import Chunk
from packhorse.types.verdict import Conflict
from packhorse.verify.consistency import find_conflicts
from packhorse.verify.consistency.classifier import Classifier, shipped_classifier
from packhorse.verify.consistency.conflicts import compared
from packhorse.verify.consistency.features import FEATURES

ALWAYS = Classifier(intercept=1.0, weights=(0.0,) * len(FEATURES), threshold=0.0)


def chunks(a: str, b: str) -> list[Chunk]:
    return [Chunk(chunk_id=side, source_id=side, text=text) for side, text in (("a", a), ("b", b))]


def found(a: str, b: str) -> list[Conflict]:
    return list(find_conflicts(chunks(a, b)))


@pytest.mark.parametrize(
    ("a", "b", "kind"),
    [
        (
            "Big Girl is a Canadian short film, directed by R. Jeyapalan and released in 2005.",
            "Big Girl is a Canadian documentary, directed by R. Jeyapalan and released in 2005.",
            "description",
        ),
        (
            "Hot Right Now is the third single by the drum and bass producer DJ Fresh.",
            "Hot Right Now is the second single by the drum and bass producer DJ Fresh.",
            "number",
        ),
        (
            "Carlos Santana (born July 20, 1947) is a Mexican musician who first became famous.",
            "Carlos Santana (born July 20, 1947) is an Indian musician who first became famous.",
            "name",
        ),
        (
            "Yale has graduated many notable alumni, including zero presidents and 19 judges.",
            "Yale has graduated many notable alumni, including five presidents and 19 judges.",
            "number",
        ),
        (
            "Heavy metal developed in the 1970s largely in the United Kingdom.",
            "Heavy metal developed in the 1990s largely in the United Kingdom.",
            "date",
        ),
    ],
)
def test_copies_that_differ_in_one_thing_are_a_conflict(a: str, b: str, kind: str) -> None:
    (conflict,) = found(a, b)
    assert conflict.kind == kind
    for claim, text in ((conflict.a, a), (conflict.b, b)):
        assert text[claim.start : claim.end] == claim.value


@pytest.mark.parametrize(
    ("a", "b"),
    [
        # one says more
        ("The lake lies in Essex County, England.", "The lake lies in Essex County."),
        # other words for it
        ("It can be accessed from the Long Lake Landing.", "It can be reached from Long Lake."),
        # a value under another condition, date, name or step
        ("The fee for adults in Bern is $5.", "The fee for children in Bern is $3."),
        ("Rent was $500 a month in 2019.", "Rent was $700 a month in 2023."),
        ("Widget A costs $5.", "Widget B costs $7."),
        ("Step 1 takes 5 minutes.", "Step 2 takes 10 minutes."),
        ("In 2023 the company grew quickly.", "In 2024 the company grew quickly."),
        # another subject
        ("Rock Lake contains brook trout and bass.", "Cedar Lake contains brook trout and bass."),
        # names alone
        ("Hon. John J. Lonergan, Jr.", "Hon. Wilfred J. Schneider, Jr."),
        # two names, of which one explains the other
        (
            "The office in Berlin is led by Anna Schmidt.",
            "The office in Paris is led by Jean Dupont.",
        ),
        # identifiers and pointers
        ("The trial has the number ABC123.", "The trial has the number ABD987."),
        ("For more please visit our Jury page.", "For more please visit our Records page."),
        # other units for the same, ranges, limits
        ("The bridge is 1,000 m long.", "The bridge is 1 km long."),
        ("Take 2 to 4 tablets daily with food.", "Take 3 to 5 tablets daily with food."),
        ("The trip takes at least 2 hours.", "The trip takes up to 3 hours."),
        # other languages
        ("Die Frist betr\u00e4gt 30 Tage ab Kauf.", "Die Frist betr\u00e4gt 14 Tage ab Lieferung."),
    ],
)
def test_statements_with_a_reason_to_differ_are_no_candidates(a: str, b: str) -> None:
    assert not found(a, b)
    assert not find_conflicts(chunks(a, b), ALWAYS)


def test_under_two_titles_the_classifier_is_not_asked() -> None:
    a, b = (
        "Big Girl is a short film, directed by Renuka Jeyapalan.",
        "Big Girl is a documentary, directed by Renuka Jeyapalan.",
    )
    for title, n_open in (("Big Girl", 1), ("Directors", 0)):
        packed = [
            Chunk(chunk_id="a", source_id="a", header="Big Girl", text=a),
            Chunk(chunk_id="b", source_id="b", header=title, text=b),
        ]
        assert sum(each.candidate is not None for each in compared(packed)) == n_open


def test_a_copied_page_makes_a_conflict_likelier() -> None:
    a = "The mill was last worked in 1921 and the sails were removed."
    b = "The mill was last worked in 1955 and the sails were removed."
    around = " The river turned the great wheel every day. A granary stood near the old gate."
    alone, copied = (next(iter(compared(chunks(a + rest, b + rest)))) for rest in ("", around))
    weigh = shipped_classifier()
    assert alone.candidate
    assert copied.candidate
    twins = FEATURES.index("twins")
    assert (alone.features[twins], round(copied.features[twins], 6)) == (0.0, 0.666667)
    assert weigh.weights[twins] > 0


def test_the_shipped_weights_name_every_feature_and_how_they_were_measured() -> None:
    path = files("packhorse.verify.consistency") / "data" / "classifier.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    assert tuple(data["weights"]) == FEATURES
    assert set(data["left_out_results"]) == {"fever_symmetric", "ramdocs", "scifact"}
    assert shipped_classifier().score((0.0,) * len(FEATURES)) == data["intercept"]
