"""Words in which names are sought: their places, links, references and scripts without spaces."""

import pytest
from hypothesis import given

from packhorse.text.name_words import MAX_WORDS, PlacedWords, words_of
from tests.strategies import raw_texts


def terms_of(text: str, source_id: str | None = None) -> list[str]:
    return [word.term for word in words_of(text, source_id)]


def test_a_possessive_and_accents_make_no_difference() -> None:
    assert terms_of("Ada's café") == terms_of("Ada cafe\u0301") == terms_of("ada cafe")


def test_capitals_and_digits_are_noted() -> None:
    assert [word.capital for word in words_of("The mill of 1950 iPhone")] == [
        True, False, False, True, False,
    ]  # fmt: skip


def test_a_script_without_spaces_gives_pairs_of_characters() -> None:
    assert terms_of("東京タワー") == ["東京", "京タ", "タワ", "ワー"]
    words = PlacedWords("これは東京タワーです。")
    at = [word.term for word in words.words].index("東京")
    assert words.written(at, 4) == "東京タワー"


@pytest.mark.parametrize("written", ["Section 4.2", "Sec. 4.2", "§ 4.2", "§§4.2", "sections 4.2"])
def test_references_are_spelled_out_and_marked(written: str) -> None:
    words = words_of(f"see {written}")
    assert [word.term for word in words] == ["see", "section", "4.2"]
    assert [word.is_reference for word in words] == [False, True, False]


def test_a_section_without_a_number_is_a_word() -> None:
    assert not any(word.is_reference for word in words_of("this section of the articles"))


@pytest.mark.parametrize(
    "link",
    [
        "[a](b.md#c)", "[a](<b.md#c>)", "[a]: ./b.md#c", '<a href="b.md#c">a</a>',
        ":doc:`b.md#c`", "`a <b.md#c>`_", '[a](b.md#c "title")',
    ],
)  # fmt: skip
def test_a_link_of_any_form_is_a_document_and_a_place(link: str) -> None:
    assert {"\x00docs/b", "\x01c"} <= set(terms_of(link, "docs/a.md"))
    assert not any(term[0] in "\x00\x01" for term in terms_of(link))


def test_only_the_first_words_of_a_huge_text_are_looked_through() -> None:
    assert len(words_of("word " * (MAX_WORDS + 5))) == MAX_WORDS
    assert len(words_of("東" * (2 * MAX_WORDS))) <= MAX_WORDS


@given(raw_texts())
def test_words_of_any_text_can_be_shown_on_one_line(text: str) -> None:
    words = PlacedWords(text, "docs/a.md")
    assert words.words == words_of(text, "docs/a.md")
    for at in range(len(words.words)):
        written = words.written(at, min(3, len(words.words) - at))
        assert len(written.splitlines()) <= 1
