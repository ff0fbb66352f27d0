"""Two sentences are compared only where they may be about one thing."""

import pytest

from packhorse.types.chunk import Chunk
from packhorse.verify.consistency import find_conflicts
from packhorse.verify.consistency.statements import facts_of
from packhorse.verify.consistency.subject import leans_on_its_text


def kinds(*sides: tuple[str, str]) -> list[str]:
    """What is found between texts, each given with its title."""
    packed = [
        Chunk(chunk_id=f"c{n}", source_id=f"s{n}", header=title, text=text)
        for n, (title, text) in enumerate(sides)
    ]
    return [each.kind for each in find_conflicts(packed)]


@pytest.mark.parametrize(
    "text",
    [
        "It was founded in 1998.",
        "The season has 12 episodes.",
        "The film's sets were designed by Ann Lee.",
        "Born in Ulm, she was the sixth of eleven children.",
    ],
)
def test_a_pronoun_or_a_role_names_no_subject(text: str) -> None:
    assert leans_on_its_text(facts_of(text).statements[0])


@pytest.mark.parametrize(
    "text", ["The refund window is 30 days.", "Metallica is a band from San Rafael."]
)
def test_a_name_or_a_thing_of_its_own_is_a_subject(text: str) -> None:
    assert not leans_on_its_text(facts_of(text).statements[0])


def test_the_same_role_under_two_titles_is_two_things() -> None:
    a, b = "The season will have 12 episodes.", "The season will have 16 episodes."
    assert not kinds(("Homeland", a), ("Grey's Anatomy", b))
    assert kinds(("Homeland", a), ("Homeland", b)) == ["number"]


def test_titles_that_differ_in_a_number_are_editions() -> None:
    a = "Rates are set by law at 5 percent of income."
    b = "Rates are set by law at 7 percent of income."
    assert not kinds(("Tax guide 2023", a), ("Tax guide 2024", b))
    assert kinds(("Tax guide", a), ("Tax guide", b)) == ["percentage"]


def test_a_title_that_says_the_difference_explains_it() -> None:
    a = "Carroll County is a county located in the state of Arkansas."
    b = "Carroll County is a county located in the state of Kentucky."
    assert not kinds(("Carroll County, Arkansas", a), ("Carroll County, Kentucky", b))


def test_under_two_titles_a_condition_in_front_hides_the_subject() -> None:
    a = "At the 2010 census the population was 38,401."
    b = "At the 2010 census the population was 27,446."
    assert not kinds(("Rockford", a), ("Berryville", b))


def test_under_two_titles_another_opening_name_is_another_subject() -> None:
    a = "Maria Theresa of Austria reigned for 40 years."
    b = "Maria Annunciata of Austria reigned for 20 years."
    assert not kinds(("The elder", a), ("The younger", b))


def test_without_titles_a_name_with_another_number_is_another_edition() -> None:
    a = "The 2011 Aztecs played in San Diego. The Aztecs won 8 games at home in San Diego."
    b = "The 2008 Aztecs played in San Diego. The Aztecs won 5 games at home in San Diego."
    assert not kinds(("", a), ("", b))
