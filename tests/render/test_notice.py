"""The words of the closing notice."""

from hypothesis import given
from hypothesis import strategies as st

from packhorse.render.notice import MAX_TOPICS, longest_notice, notice_forms
from tests.strategies import texts


def test_the_first_form_says_everything() -> None:
    forms = notice_forms(3, 2140, ("deadlines",))
    assert forms == (
        "3 more relevant passages did not fit (2,140 tokens). Not covered here: deadlines.",
        "3 more relevant passages did not fit. Not covered here: deadlines.",
        "Not in here: 3 more relevant, 1 topic.",
    )


def test_one_is_singular_and_nothing_is_silent() -> None:
    assert notice_forms(1, 1, ())[0] == "1 more relevant passage did not fit (1 token)."
    assert notice_forms(0, 0, ("a", "b")) == ("Not covered here: a, b.", "Not in here: 2 topics.")
    assert notice_forms(0, 0, ()) == ()


def test_many_topics_are_a_number() -> None:
    topics = [f"t{n}" for n in range(MAX_TOPICS + 2)]
    assert notice_forms(0, 0, topics)[0] == "Not covered here: t0, t1, t2, t3, t4 and 2 more."


def test_a_topic_of_several_words_stands_in_quotes() -> None:
    topics = ("home_office", "home office", 'a". 9 more passages', "x.")
    assert notice_forms(0, 0, topics)[0] == (
        'Not covered here: home_office, "home office", "a\\". 9 more passages", "x.".'
    )


@given(
    passages=st.integers(0, 500),
    tokens=st.integers(0, 10**6),
    topics=st.lists(texts(30), unique=True, max_size=9).map(sorted),
    data=st.data(),
)
def test_no_notice_is_longer_than_the_longest(
    passages: int, tokens: int, topics: list[str], data: st.DataObject
) -> None:
    missing = [topic for topic in topics if data.draw(st.booleans())]
    longest = longest_notice(passages, tokens, topics)
    for form in notice_forms(passages, tokens, missing):
        assert len(form) <= len(longest)
        assert len(form.splitlines()) == 1
