"""Templates are rendered as jinja2 renders them, reach nothing outside, and end."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2.sandbox import ImmutableSandboxedEnvironment

from packhorse.tokens.templates.allowance import MAX_WORK, TemplateError
from packhorse.tokens.templates.sandbox import MAX_SOURCE_CHARS, render
from tests.strategies import texts

DAY = date(2026, 1, 5)

CHATML = (
    "{%- if tools %}\n{{- tools | tojson }}\n{% endif -%}\n{% for m in messages %}\n"
    "    {%- if m['role'] == 'system' and not loop.first %}{% continue %}{% endif %}\n"
    "{{ '<|im_start|>' + m.role + '\\n' }}{% if m.content is string %}{{ m.content | trim }}\n"
    "{% else %}{% for part in m.content %}{{ part.text ~ loop.index ~ '/' ~ loop.length }}"
    "{% endfor %}{% endif %}<|im_end|>\n{% endfor %}{{ messages[1:] | length }}"
    "{%- set ns = namespace(n=0) %}{% for m in messages | selectattr('role', 'equalto', 'user') %}"
    "{% set ns.n = ns.n + loop.index * 2 %}{% endfor %}{{ ns.n }}{{ '%s-%d' % ('x', ns.n) }}"
    "{% macro twice(x) %}{{ x }}{{ x }}{% endmacro %}{{ twice('ab') }}{{ 'z'.join(['a', 'b']) }}"
    "{{ {'k': [1, none, true]} | tojson(indent=2) }}{{ 'a-b'.split('-')[-1].upper() }}"
    "{{ (messages | map(attribute='role') | join(', ')) }}{{ 'x' in 'xyz' }}{{ 7 // 2 ** 1 }}"
)


def plainly(source: str, values: dict[str, Any]) -> str:
    """The same with jinja2 alone, as transformers sets it up."""
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    environment.filters["tojson"] = lambda value, indent=None: json.dumps(
        value, ensure_ascii=False, indent=indent
    )
    return environment.from_string(source).render(**values)


@given(
    messages=st.lists(
        st.fixed_dictionaries(
            {
                "role": st.sampled_from(["system", "user", "assistant"]),
                "content": st.one_of(
                    texts(3), st.lists(st.fixed_dictionaries({"text": texts(2)}), max_size=3)
                ),
            }
        ),
        max_size=5,
    ),
    tools=st.one_of(st.none(), st.lists(st.dictionaries(texts(1), texts(1)), max_size=2)),
)
def test_it_renders_as_jinja_does(
    messages: list[dict[str, Any]], tools: list[dict[str, str]] | None
) -> None:
    values = {"messages": messages, "tools": tools}
    assert render(CHATML, values, DAY) == plainly(CHATML, values)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("{{ strftime_now('%d %b %Y') }}", "05 Jan 2026"),
        ("{% generation %}a{{ 1 }}{% endgeneration %}b", "a1b"),
        ("{{ none }}|{{ nothing }}|{{ 1.5 }}|{{ [1, 'a'] }}", "None||1.5|[1, 'a']"),
        ("{{ 'é<&>' | tojson }}", '"é<&>"'),
        ("{% for i in range(3) %}{{ i }}{{ '' if loop.last else ',' }}{% endfor %}", "0,1,2"),
        ("{% for k, v in {'a': 1}.items() %}{{ k }}{{ v }}{% endfor %}", "a1"),
        ("{% for x in [1, 2] if x > 1 %}{{ x }}{% else %}none{% endfor %}", "2"),
    ],
)
def test_what_chat_templates_use_is_there(source: str, text: str) -> None:
    assert render(source, {}, DAY) == text


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("{{ raise_exception('No  such\nrole') }}", "No such role"),
        ("{{ 'a' + 1 }}", "can only concatenate str"),
        ("{{ x.y.z }}", "'x' is undefined"),
        ("{% for %}", "Expected"),
        ("{{ 1 / 0 }}", "division by zero"),
        ("{{ messages.append(1) }}", "unsafe"),
        ("{{ ''['__class__'].mro() }}", "unsafe"),
        ("{{ cycler.__init__.__globals__ }}", "unsafe"),
        ("{{ ('x' | attr('__class__')).mro() }}", "unsafe"),
        ("{% include '/etc/passwd' %}", "no loader"),
        ("{% import 'os' as os %}", "no loader"),
        ("{{ lipsum() }}", "undefined"),
        ("{{ [1] | random }}", "No filter named 'random'"),
        ("{{ " + "(" * 3_000 + "1" + ")" * 3_000 + " }}", "RecursionError"),
        ("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "RecursionError"),
    ],
)
def test_what_goes_wrong_is_said(source: str, reason: str) -> None:
    with pytest.raises(TemplateError, match=reason):
        render(source, {"messages": []}, DAY)


@pytest.mark.parametrize(
    "source",
    [
        "{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}",
        "{% for a in xs recursive %}{{ loop(xs) }}{{ loop(xs) }}{% endfor %}",
        (
            "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}"
            "{{ f(60) }}"
        ),
        "{{ 'a' * 10 ** 10 }}",
        "{{ [1] * 10 ** 10 }}",
        (
            "{% set ns = namespace(x='a') %}{% for i in range(99) %}{% set ns.x = ns.x ~ ns.x %}"
            "{% endfor %}"
        ),
        (
            "{% set ns = namespace(x='a') %}{% for i in range(99) %}{% set ns.x = ns.x + ns.x %}"
            "{% endfor %}"
        ),
        (
            "{% set ns = namespace(x=[1]) %}{% for i in range(99) %}{% set ns.x = [ns.x, ns.x] %}"
            "{% endfor %}{{ ns.x }}"
        ),
        (
            "{% set ns = namespace(x=[1]) %}{% for i in range(99) %}{% set ns.x = [ns.x, ns.x] %}"
            "{% endfor %}{{ ns.x | tojson }}"
        ),
        (
            "{% set ns = namespace(x=3) %}{% for i in range(99) %}{% set ns.x = ns.x * ns.x %}"
            "{% endfor %}"
        ),
        "{{ 10 ** (10 ** 9) }}",
        "{{ 'a'.ljust(10 ** 10) }}",
        "{{ 'a\t'.expandtabs(10 ** 10) }}",
        "{{ '%10000000000d' % 1 }}",
        "{{ '%*d' % (10 ** 10, 1) }}",
        "{{ '{:10000000000}'.format(1) }}",
        "{{ '{:{w}}'.format(1, w=10 ** 10) }}",
        "{{ 'a' | indent(10 ** 10, true) }}",
        "{{ ['a'] | batch(10 ** 10, 'x') | list }}",
        "{{ ('a' * 100000).replace('', 'b' * 100000) }}",
        "{{ ('a' * 100000) | replace('a', 'b' * 100000) }}",
        "{{ ['b' * 1000] | map('replace', 'b', 'd' * 1000000) | list }}",
        "{{ (['a' * 1000000] * 100000) | join }}",
        "{{ ''.join(['a' * 1000000] * 100000) }}",
        "{{ range(100000) | map('string') | join('a' * 100000) }}",
        "{{ {'a': 1} | tojson(indent=10 ** 10) }}",
        "{% set b %}{% for i in range(100000) %}{{ 'a' * 100000 }}{% endfor %}{% endset %}",
        "{% set b = 'a' * 5000000 %}{% for i in range(100000) %}{{ 'zz' in b }}{% endfor %}",
        "{% set b = 'a' * 5000000 %}{% for i in range(100000) %}{% set c = b[1:] %}{% endfor %}",
        "{% for i in range(100000) %}{% for j in range(100) %}" + "x" * 10_000 + "{% endfor %}"
        "{% endfor %}",
        "{% macro f() %}" + "x" * 100_000 + "{% endmacro %}"
        "{% for i in range(100000) %}{% set y = f() %}{% endfor %}",
    ],
)
def test_a_hostile_template_is_stopped(source: str) -> None:
    tree: list[Any] = [1, 2]
    with pytest.raises(TemplateError, match=r"units of work|width|bits|RecursionError"):
        render(source, {"xs": tree}, DAY)


def test_a_long_honest_conversation_is_within_the_allowance() -> None:
    messages = [
        {"role": ("user", "assistant")[at % 2], "content": "word " * 1_000} for at in range(1_000)
    ]
    assert len(render(CHATML, {"messages": messages}, DAY)) > 1_000 * 4_999
    assert MAX_WORK == 100_000_000


def test_a_source_above_the_limit_is_refused() -> None:
    with pytest.raises(TemplateError, match="longer than 1,000,000"):
        render("x" * (MAX_SOURCE_CHARS + 1), {}, DAY)
    assert len(render("x" * MAX_SOURCE_CHARS, {}, DAY)) == MAX_SOURCE_CHARS
