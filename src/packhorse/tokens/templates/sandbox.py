"""Renders a Jinja chat template that nobody vouches for: no access outside, and bounded work.

A template comes with a model file, so it is data and may be hostile. Jinja's immutable sandbox
keeps it from Python's insides; what the sandbox does not do is end. Therefore whatever repeats or
grows is charged to an allowance (`allowance.py`), and filters that a chat template has no use for
are not there (`random`, `urlize`, `center`, ...). A source is at most 1,000,000 characters long.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, datetime, time
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NoReturn

from packhorse.errors import MissingExtraError
from packhorse.tokens.templates.allowance import (
    STEP,
    TemplateError,
    allowance,
    charge,
    charge_call,
    charge_filter,
    charge_operation,
    charge_size,
    deep_size,
)

if TYPE_CHECKING:
    from jinja2 import Template, nodes

__all__ = ["MAX_SOURCE_CHARS", "render"]

MAX_SOURCE_CHARS = 1_000_000

FILTERS = (
    "abs", "attr", "batch", "capitalize", "count", "d", "default", "dictsort", "e", "escape",
    "first", "float", "groupby", "indent", "int", "items", "join", "last", "length", "list",
    "lower", "map", "max", "min", "reject", "rejectattr", "replace", "reverse", "round", "safe",
    "select", "selectattr", "slice", "sort", "string", "title", "trim", "unique", "upper",
    "wordcount",
)  # fmt: skip
"""What a chat template may use, besides `tojson`."""

GLOBALS = ("cycler", "dict", "joiner", "namespace", "range")

LOOP, JOIN, SIZE, MACRO = "(loop)", "(join)", "(size)", "(macro)"
"""Filters that a template cannot name: they are put in where it loops, joins and compares."""


def render(source: str, variables: Mapping[str, Any], today: date) -> str:
    """The text that a template makes of its variables.

    Rendered as Hugging Face transformers and llama.cpp do: `trim_blocks`, `lstrip_blocks`,
    `break` and `continue`, `tojson`, `raise_exception`, `strftime_now`, `generation` blocks.

    Args:
        source: the template.
        variables: what it may use.
        today: the day that `strftime_now` speaks of, at midnight.

    Raises:
        TemplateError: the template refuses, is wrong, or goes beyond a limit.
        MissingExtraError: jinja2 is not installed.
    """
    try:
        import jinja2
    except ImportError as error:
        raise MissingExtraError("jinja2", "templates", "Rendering a chat template") from error
    if len(source) > MAX_SOURCE_CHARS:
        raise TemplateError(f"it is longer than {MAX_SOURCE_CHARS:,} characters")
    midnight = datetime.combine(today, time())
    try:
        template = _compiled(source)
        with allowance():
            return template.render(**variables, strftime_now=_strftime(midnight))
    except TemplateError:
        raise
    # Whatever a template does wrong in Python's eyes, it does wrong.
    except (jinja2.TemplateError, TypeError, ValueError, LookupError, ArithmeticError) as error:
        raise TemplateError(" ".join(str(error).split()) or type(error).__name__) from error
    except (AttributeError, RecursionError, MemoryError) as error:
        raise TemplateError(f"{type(error).__name__}: {error}") from error


def _strftime(moment: datetime) -> Callable[[str], str]:
    def strftime_now(pattern: str) -> str:
        charge(len(pattern) * STEP)
        return moment.strftime(pattern)

    return strftime_now


@lru_cache(maxsize=32)
def _compiled(source: str) -> Template:
    with allowance():
        template: Template = _environment().from_string(source)
        return template


@lru_cache(maxsize=1)
def _environment() -> Any:
    from jinja2.ext import Extension, loopcontrols
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Generation(Extension):
        """The block in which transformers marks what the assistant said: its content alone."""

        tags = {"generation"}  # noqa: RUF012 - the name and type that jinja2 asks for

        def parse(self, parser: Any) -> list[nodes.Node]:
            next(parser.stream)
            body: list[nodes.Node] = parser.parse_statements(
                ("name:endgeneration",), drop_needle=True
            )
            return body

    class Bounded(ImmutableSandboxedEnvironment):
        """Charges calls and operators; loops and joins are charged by filters put into the tree."""

        intercepted_binops = frozenset({"+", "*", "**", "%"})

        def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
            charge_operation(operator, left, right)
            return charge_size(super().call_binop(context, operator, left, right))

        def call(self, context: Any, called: Any, /, *args: Any, **kwargs: Any) -> Any:
            charge_call(called, args, kwargs)
            return charge_size(super().call(context, called, *args, **kwargs))

        def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
            return _charged_tree(super()._parse(source, name, filename), self)

    environment = Bounded(
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=[Generation, loopcontrols],
        finalize=_printed,
        cache_size=0,
    )
    _equip(environment)
    return environment


def _equip(environment: Any) -> None:
    """Gives an environment what a chat template may use, each of it charged for."""
    environment.filters = {
        **{name: charge_filter(name, environment.filters[name]) for name in FILTERS},
        "tojson": charge_filter("tojson", _to_json),
        LOOP: _loop,
        JOIN: _join,
        SIZE: charge_size,
        MACRO: _macro,
    }
    tests: Mapping[str, Any] = environment.tests
    environment.tests = {name: charge_filter(name, test) for name, test in tests.items()}
    environment.globals = {name: environment.globals[name] for name in GLOBALS}
    environment.globals["raise_exception"] = _raise_exception


def _charged_tree(tree: nodes.Template, environment: Any) -> nodes.Template:
    """The tree with every loop, macro, join, comparison and slice charged for."""
    from jinja2 import nodes

    def charged(node: Any, name: str, *args: nodes.Expr) -> nodes.Filter:
        return nodes.Filter(node, name, list(args), [], None, None)

    for loop in tree.find_all(nodes.For):
        loop.iter = charged(loop.iter, LOOP, nodes.Const(_fixed_size(loop)))
    blocks: Iterator[Any] = tree.find_all((nodes.Macro, nodes.CallBlock))
    for macro in blocks:
        size = nodes.Const(_fixed_size(macro))
        macro.body.insert(0, nodes.Output([charged(size, MACRO)]))
    for compare in tree.find_all(nodes.Compare):
        compare.expr = charged(compare.expr, SIZE)
        for operand in compare.ops:
            operand.expr = charged(operand.expr, SIZE)
    for item in tree.find_all(nodes.Getitem):
        if isinstance(item.arg, nodes.Slice):
            item.node = charged(item.node, SIZE)
    for concat in tree.find_all(nodes.Concat):
        concat.nodes = [charged(nodes.List(list(concat.nodes)), JOIN)]
    tree.set_environment(environment)
    return tree


def _fixed_size(node: Any) -> int:
    """Characters that stand inside as they are, which each turn puts out again."""
    from jinja2 import nodes

    return sum(len(data.data) for data in node.find_all(nodes.TemplateData))


def _loop(values: Any, fixed: int) -> Any:
    """What is looped over; charged at once where its length is known, else turn by turn."""
    if isinstance(values, (str, list, tuple, Mapping, range)):
        charge(len(values) * (STEP + fixed))
        return values
    return _turns(values, fixed)


def _turns(values: Iterable[Any], fixed: int) -> Iterator[Any]:
    for value in values:
        charge(STEP + fixed)
        yield value


def _macro(fixed: int) -> str:
    charge(fixed)
    return ""


def _join(values: list[Any]) -> str:
    return "".join([_printed(value) for value in values])


def _printed(value: Any) -> str:
    if not isinstance(value, str):
        deep_size(value)
        value = str(value)
    charge(len(value))
    return str(value)


def _to_json(
    value: Any,
    ensure_ascii: bool = False,  # noqa: FBT001, FBT002 - called by templates, by place or name
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,  # noqa: FBT001, FBT002 - as above
) -> str:
    """JSON as transformers writes it: letters as they are, nothing escaped for HTML."""
    return json.dumps(
        value,
        ensure_ascii=ensure_ascii,
        indent=indent,
        separators=separators,
        sort_keys=sort_keys,
    )


def _raise_exception(message: Any) -> NoReturn:
    raise TemplateError(" ".join(str(message).split()))
