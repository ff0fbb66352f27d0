"""Elements escape by construction."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.report.element import Html, data_block, element, joined, verbatim
from tests.report.pages import parsed


def test_text_is_escaped_and_markup_is_not() -> None:
    inner = element("b", "a < b & c")
    assert inner == "<b>a &lt; b &amp; c</b>"
    assert element("i", inner, None, ["<", inner]) == f"<i>{inner}&lt;{inner}</i>"


def test_text_that_was_markup_once_is_text_again() -> None:
    assert element("b", str(element("i", "x")) + "") == "<b>&lt;i&gt;x&lt;/i&gt;</b>"


def test_attributes_are_quoted_and_may_be_left_out() -> None:
    made = element("input", class_='a"b', data_x="<&>", hidden=True, id=None, checked=False)
    assert made == '<input class="a&quot;b" data-x="&lt;&amp;&gt;" hidden>'


@pytest.mark.parametrize("name", ["onclick", "style", "src", "action", "srcdoc", "x y", "1"])
def test_an_attribute_that_runs_or_loads_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="no attribute"):
        element("p", **{name: "x"})


@pytest.mark.parametrize("target", ["javascript:alert(1)", "https://example.com", "", "page.html"])
def test_a_link_stays_in_the_page(target: str) -> None:
    with pytest.raises(ValueError, match="leads out"):
        element("a", "x", href=target)


@pytest.mark.parametrize("name", ["", "a b", "script>", "1"])
def test_an_element_has_a_plain_name(name: str) -> None:
    with pytest.raises(ValueError, match="no element"):
        element(name)


@pytest.mark.parametrize("code", ["</script>", "a <!-- b", "'</ScRiPt'"])
def test_code_that_could_end_its_element_is_refused(code: str) -> None:
    with pytest.raises(ValueError, match="holds"):
        verbatim("script", code)


@given(st.text(), st.text())
def test_any_text_comes_back_as_text(text: str, value: str) -> None:
    page = joined([Html("<!DOCTYPE html>"), element("div", text, id="x", data_value=value)])
    node = parsed(page).css_first("#x")
    assert node is not None
    assert [child.tag for child in node.css("*")] == ["div"]


@given(st.text())
def test_data_never_ends_its_element(text: str) -> None:
    import json

    page = data_block("x", json.dumps({"a": text}, ensure_ascii=False))
    node = parsed(page).css_first("script#x")
    assert node is not None
    assert len(parsed(page).css("script")) == 1
    if "\x00" not in text and "\r" not in text:
        assert json.loads(node.text()) == {"a": text}
