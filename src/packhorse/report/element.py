"""HTML elements whose text is escaped because there is no other way to make them.

A child that is a plain `str` is text; only what this module made is markup. Attributes are
checked as well, so that no text of a document can become a tag, a script or an address.
"""

import html
import re
from collections.abc import Iterable

from packhorse.report.visible import visible

__all__ = ["Child", "Html", "Value", "classes", "data_block", "element", "joined", "verbatim"]


class Html(str):
    """A piece of HTML that was made here. Any other string is text."""

    __slots__ = ()


Child = str | None | Iterable["Child"]
"""Text, markup, nothing, or several of them."""
Value = str | int | bool | None
"""Of an attribute: True for one without a value, None and False for none."""

NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9-]*")
VOID = frozenset({"br", "col", "input", "meta"})
EMPTY_SHAPES = frozenset({"path", "rect"})
"""Of SVG, where an element without content has to close itself."""
OWN_LINE = frozenset(
    {
        *("body", "dd", "details", "div", "dl", "dt", "fieldset", "footer", "form", "h1", "h2"),
        *("h3", "head", "header", "html", "label", "li", "link", "main", "meta", "nav", "ol"),
        *("option", "p", "rect", "script", "section", "style", "summary", "svg", "table", "tbody"),
        *("thead", "title", "tr", "ul", "article"),
    }
)
"""Elements after which a line ends, so that a page can be compared line by line."""
BANNED = frozenset({"style", "srcdoc", "src", "action", "formaction", "ping"})
"""Attributes that run, load or send something, or that the page's own policy forbids."""


def element(name: str, /, *children: Child, **attributes: Value) -> Html:
    """One element. `class_` and `for_` stand for `class` and `for`, `data_x` for `data-x`.

    Raises:
        ValueError: the name of the element or of an attribute is none, the attribute could run
            or load something, or a link leads out of the page.
    """
    if not NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no element")
    opening = "".join([name, *(_attribute(key, value) for key, value in attributes.items())])
    end = "\n" if name in OWN_LINE else ""
    if name in VOID:
        return Html(f"<{opening}>{end}")
    if name in EMPTY_SHAPES:
        return Html(f"<{opening}/>{end}")
    return Html(f"<{opening}>{joined(children)}</{name}>{end}")


def joined(children: Iterable[Child]) -> Html:
    """Children one after the other: text escaped, markup as it is."""
    return Html("".join(_markup(child) for child in children))


def classes(*names: str | None) -> str | None:
    """The value of `class`; None for no name at all."""
    return " ".join(filter(None, names)) or None


def verbatim(name: str, code: str, /, **attributes: Value) -> Html:
    """A script or style of our own, character for character.

    Raises:
        ValueError: the code could end its element before its end.
    """
    if re.search(r"</|<!--", code):
        raise ValueError(f"a {name} of a report holds '</' or '<!--'")
    opening = "".join([name, *(_attribute(key, value) for key, value in attributes.items())])
    return Html(f"<{opening}>{code}</{name}>\n")


def data_block(element_id: str, json_text: str) -> Html:
    """JSON for scripts to read; nothing in it can end the element or open a comment."""
    safe = json_text
    for char in "<>&\u2028\u2029":
        safe = safe.replace(char, f"\\u{ord(char):04x}")
    return verbatim("script", safe, type="application/json", id=element_id)


def _markup(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Html):
        return child
    if isinstance(child, str):
        return html.escape(visible(child), quote=False)
    return joined(child)


def _attribute(key: str, value: Value) -> str:
    name = key.rstrip("_").replace("_", "-")
    if not NAME.fullmatch(name) or name in BANNED or name.startswith("on"):
        raise ValueError(f"{key!r} is no attribute for a report")
    if value is None or value is False:
        return ""
    if value is True:
        return f" {name}"
    text = visible(str(value))
    if name == "href" and not text.startswith("#"):
        raise ValueError(f"the link {text!r} leads out of the page")
    return f' {name}="{html.escape(text)}"'
