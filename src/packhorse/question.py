"""From what a user asks to a question with all that decides its packet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from packhorse.errors import InputError
from packhorse.types.query import Query

if TYPE_CHECKING:
    from packhorse.config import Profile
    from packhorse.types.message import Message
    from packhorse.types.rewritten import RewrittenQuery
    from packhorse.verify.query_type import Cosines

__all__ = ["listed", "make_query", "query_text", "rewritten_by"]

ItemT = TypeVar("ItemT")
_SPEAKERS = frozenset({"user", "assistant"})


def query_text(query: object) -> str:
    """The question as text that UTF-8 can hold.

    Raises:
        InputError: it is no text, or holds nothing but space.
    """
    from packhorse.text.wellformed import well_formed

    if not isinstance(query, str):
        raise InputError(f"The query is {query!r}, which is no text", hint="Ask a question as text")
    if not query.strip():
        raise InputError("The query is empty", hint="Ask a question with --query or --query-file")
    return well_formed(query)


def make_query(
    text: str,
    profile: Profile,
    as_of: datetime | str | None,
    require_topics: Sequence[str],
    rewritten: RewrittenQuery | None = None,
    *,
    cosines: Cosines | None = None,
) -> Query:
    """The question with its day, its type and the topics an answer must cover.

    Args:
        text: the question.
        profile: the kinds of questions, and the day where `as_of` is None.
        as_of: the day.
        require_topics: topics besides those of the question's type.
        rewritten: the question as it is searched, where that is another one.
        cosines: cosine of the question with each of some texts, for the examples of the types.

    Raises:
        InputError: a topic is not text or holds nothing but space, or `as_of` is no date.
    """
    from packhorse.ingest.timestamps import parse_timestamp
    from packhorse.verify.query_type import query_type_of

    day = as_of if as_of is not None else profile.as_of
    if day is None:
        now = datetime.now(UTC)  # noqa: TID251 - the one clock: today is recorded in the packet
        day = now.replace(hour=0, minute=0, second=0, microsecond=0)
    try:
        instant = parse_timestamp(day)
    except ValueError as error:
        raise InputError(
            f"as_of {day!r} is not a date: {error}", hint="Write it as 2026-01-15"
        ) from error
    found = query_type_of(text, profile.coverage, cosines)
    topics = sorted(
        {
            *found.query_type.required_topics,
            *map(topic_name, listed("require_topics", require_topics)),
        }
    )
    return Query(
        text=text,
        as_of=instant,
        query_type=found.query_type.name,
        type_by=found.reason,
        required_topics=tuple(topics),
        rewritten=rewritten,
    )


def rewritten_by(history: Sequence[Message], text: str, profile: Profile) -> RewrittenQuery | None:
    """The question with the words that the conversation adds to it.

    None where there is no conversation, or the profile does not want it. Only what user and
    assistant say is looked at; turns are counted in `history`.
    """
    said = [at for at, each in enumerate(history) if each.role in _SPEAKERS and each.content]
    if not said or not profile.retrieval.rewrite_query:
        return None
    from packhorse.window.rewriting import rewrite_query

    talk = [{"role": history[at].role, "content": history[at].content} for at in said]
    found = rewrite_query([*talk, {"role": "user", "content": text}])
    added = tuple(each._replace(turns=tuple(said[at] for at in each.turns)) for each in found.added)
    return replace(found, text=text + found.text.removeprefix(found.last), added=added)


def topic_name(topic: object) -> str:
    """A required topic as the caller names it.

    Raises:
        InputError: it is not text, or holds nothing but space.
    """
    from packhorse.text.wellformed import well_formed

    if not isinstance(topic, str) or not topic.strip():
        raise InputError(f"The topic {topic!r} is blank", hint="Name each topic that must be in")
    return well_formed(topic)


def listed(name: str, values: Sequence[ItemT] | None) -> tuple[ItemT, ...]:
    """The values of a keyword that takes several; None is none.

    Raises:
        InputError: it is one text, which Python would take for a list of letters, or it holds
            something that is no text.
    """
    if values is None:
        return ()
    if isinstance(values, (str, Path)):
        raise InputError(f"{name} is one text, not a list", hint=f"Write it as {name}=[{values!r}]")
    for value in values:
        if not isinstance(value, (str, Path)):
            raise InputError(f"{name} holds {value!r}, which is no text", hint="Give texts only")
    return tuple(values)
