"""The Python interface: open a knowledge base, pack a question, count tokens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from packhorse.asked import asked_for, companions_of, heard, reranker_name, with_own
from packhorse.errors import InputError
from packhorse.question import make_query

if TYPE_CHECKING:
    from concurrent.futures import Future

    from packhorse.assemble import Asked
    from packhorse.config import Profile
    from packhorse.explain.stats.told import PacketStats
    from packhorse.packet.packet import Packet
    from packhorse.profiles.sections import Sections
    from packhorse.protocols import CrossEncoder, KnowledgeBase
    from packhorse.tokens.requests.request import RequestCount
    from packhorse.types.arrays import FloatArray
    from packhorse.types.query import Query
    from packhorse.window.few_shot.examples import Examples
    from packhorse.window.memory.notes import Memory
    from packhorse.window.tool_choice.read import Tools

    History = Sequence[Mapping[str, Any]] | Mapping[str, Any] | None

__all__ = ["count_request", "count_tokens", "open_kb", "pack", "stats"]


def open_kb(source: str | Path, **options: Any) -> KnowledgeBase:
    """Opens a knowledge base: an index, a folder with chunks.jsonl, a .jsonl file or documents.

    Anything but an index is indexed on first use into the user's cache directory; the next call
    reuses it as long as the content is the same.

    Args:
        source: what to open.
        **options: see `packhorse.indexing.open.open_kb`.

    Raises:
        StoreError: there is nothing at `source`, or it is damaged.
        ChunkError: a record cannot be used; nothing is indexed.

    Example:
        >>> kb = open_kb("fixtures/tax_kb")
        >>> kb.policy.name
        'tax_kb'
    """
    from packhorse.indexing.open import open_kb as open_source

    return open_source(source, **options)


def count_tokens(text: str, model: str = "gpt-4o") -> int:
    """Tokens of `text` for `model`: exact where the model's tokenizer is public.

    Text is data: a control token's spelling counts as the characters it is written with.

    Example:
        >>> count_tokens("<|endoftext|>", model="gpt-4o")
        7
    """
    from packhorse.tokens.models.table import model_spec
    from packhorse.tokens.registry import counter_for

    return counter_for(model_spec(model).name).count(text)


def count_request(
    body: Mapping[str, Any] | Sequence[Any],
    model: str | None = None,
    *,
    models: str | Path | Sequence[str | Path] = (),
) -> RequestCount:
    """Tokens of a whole chat request, on the lines of the ledger, and whether that is exact.

    Args:
        body: a request as a provider takes it (OpenAI chat completions or Responses, Anthropic
            messages, Gemini contents, Ollama chat), or a list of messages.
        model: whose tokenizer and rules count. Default: the model that the request names, else
            gpt-4o.
        models: a YAML file of models of your own, or several, laid over the built-in table.

    Raises:
        UnknownModelError: the model is not in the model table.
        InputError: not a request, or parts of it that no rule can count, by name and place.

    Example:
        >>> counted = count_request([{"role": "user", "content": "Hi"}], model="gpt-4o")
        >>> counted.total_tokens, counted.exact
        (8, True)
    """
    from packhorse.tokens.models.table import model_table
    from packhorse.tokens.registry import counter_of
    from packhorse.tokens.requests.count import count_request as count
    from packhorse.tokens.requests.turns import model_in

    asked = (model_in(body) or "gpt-4o") if model is None else model
    spec = model_table(models).spec(asked)
    return count(body, spec, counter_of(spec))


def pack(
    query: str,
    kb: KnowledgeBase | str | Path,
    *,
    model: str | None = None,
    budget: int | None = None,
    profile: Profile | Mapping[str, Any] | str | Path | None = None,
    as_of: datetime | str | None = None,
    strategy: str | None = None,
    order: str | None = None,
    format: str | None = None,
    candidates: int | None = None,
    top_k: int | str | None = None,
    lambda_: float | None = None,
    pin: Sequence[str] = (),
    attach: Sequence[str | Path] = (),
    history: Sequence[Mapping[str, Any]] | Mapping[str, Any] | None = None,
    require_topics: Sequence[str] = (),
    counting: str | None = None,
    closing_notice: bool | None = None,
    rewrite_query: bool | None = None,
    adaptive: bool | str | None = None,
    reranker: CrossEncoder | str | None = None,
    memory: Memory | None = None,
    examples: Examples | None = None,
    tools: Tools | None = None,
    max_tools: int | None = None,
    tool_tokens: int | None = None,
    pin_tools: Sequence[str] = (),
    sections: Sections | None = None,
    expand: str | None = None,
    models: str | Path | Sequence[str | Path] = (),
) -> Packet:
    """Packs evidence for a question, and says why each candidate is in or out.

    The same arguments over the same knowledge base give the same packet, byte for byte.

    Args:
        query: the question; plain text, never a query language.
        kb: an open knowledge base, or what `open_kb` takes.
        model: target model; its tokenizer counts and its window limits. Default: the profile's.
        budget: cap of the evidence section in tokens, everything rendered in it included; None
            is all that the window leaves.
        profile: settings, a mapping of them under the keys of a profile file, or such a file.
            Default: the knowledge base's, else built in.
        as_of: the day freshness is measured from. Default: the profile's, else today in UTC.
        strategy: how the budget is spent: `ranked`, `density`, `optimal` or `submodular`.
        order: `sandwich`, `edges`, `relevance`, `reverse`, `chronological` or `source`.
        format: `xml`, `markdown` or `plain`.
        candidates: how many chunks are fetched to choose from.
        top_k: how many of them may compete after reranking; `"auto"` is all.
        lambda_: MMR trade-off, 1.0 pure score to 0.0 pure diversity.
        pin: ids of chunks that must be in.
        attach: files that must be in, each whole.
        history: earlier messages of the conversation, oldest first, in the shape of OpenAI's chat
            or Responses endpoint, of Anthropic or of Gemini, or a request body of theirs: text,
            calls of functions and their results. Images and thinking are refused by name.
        require_topics: topics that the evidence must cover, besides those of the query's type.
        counting: `offline`, or `provider`: the model's provider counts, with the key in the
            environment; it is sent the request and a sample of the candidates.
        closing_notice: whether the evidence ends by saying how many relevant passages did not
            fit, and which required topics nothing covers. Default: the profile's, else no.
        rewrite_query: whether words that the conversation is about are searched with, where the
            question points back to it. Default: the profile's, else yes.
        adaptive: whether the question's complexity decides how much of `budget`, and how many
            candidates, it gets, or the level itself. Default: the profile's, else no.
        reranker: a cross-encoder that judges the best candidates: the path of an ONNX file, the
            URL of an endpoint, `none` to leave out the profile's, or an object with a `name` and
            `scores(query, texts)`, which gives probabilities unless the profile says `logits`.
        memory: notes from earlier conversations, as a JSONL file or a list; they compete for a
            section of their own before the evidence, each in or out with a reason.
        examples: questions with the answers that they should get, as a JSONL file or a list of
            `input`, `output`, `label`? and `id`?; the best for the question are shown, as turns.
        tools: definitions of tools, as a JSON file or a list, in any provider's form.
        max_tools: how many of them the request may define; those that have most to do with the
            question and the latest turns stay.
        tool_tokens: tokens of all definitions in the request.
        pin_tools: names of tools that stay.
        sections: floors, caps, priorities and growth of parts of the window, over those of the
            profile, as a YAML file, a mapping or a list of `Section`; and sections of your own.
        expand: what competes besides what the search finds: `none`, the `neighbours` of relevant
            chunks in their source, or their `section`. Default: the profile's, else none.
        models: a YAML file of models of your own, or several, laid over the built-in table.

    Raises:
        BudgetError: the budget is invalid, or what must be in does not fit.
        UnknownModelError: the model is not in the model table.
        ConfigError: a setting cannot be used, or the provider is to count and its key is missing.
        CountingError: the provider's counting endpoint gives no usable answer.
        InputError: the query is empty, a topic is blank, or a message, an attached file, an
            example or a tool cannot be read.

    Example:
        >>> packet = pack("Can I deduct home office expenses?", "fixtures/tax_kb", budget=2800)
        >>> packet.budget.packed_evidence <= 2800
        True
    """
    with ExitStack() as stack:
        settings = with_flags(
            resolve_profile(kb := opened(kb, stack), profile),
            {"model": model, "counting": counting, "adaptive": adaptive, "sections": sections},
            {"candidates": candidates, "top_k": top_k, "mmr_lambda": lambda_, "expand": expand},
            {"strategy": strategy, "order": order, "format": format},
            {"closing_notice": closing_notice, "rewrite_query": rewrite_query},
            {"reranker": reranker_name(reranker)},
        )
        beside = companions_of(
            memory, examples, tools, max_tools=max_tools, tool_tokens=tool_tokens, pins=pin_tools
        )
        text, talk, rewritten, direction, cosines = heard(stack, kb, history, query, settings)
        asked = asked_for(stack, budget=budget, pin=pin, attach=attach, talk=talk, models=models)
        question = make_query(text, settings, as_of, require_topics, rewritten, cosines=cosines)
        return made(question, kb, settings, with_own(asked, beside, reranker, settings), direction)


def stats(
    packets: Iterable[Packet | Mapping[str, Any] | str | Path] | str | Path,
    *,
    skip_bad: bool = False,
) -> PacketStats:
    """What many packets have in common: how full, what was skipped, why, and what to do about it.

    Packets are taken one by one and not kept; their order changes nothing. Advice needs at least
    20 packets.

    Args:
        packets: packets, their documents, or paths of files, folders and logs with a packet a
            line; one path may stand alone. Each packet is counted as often as it comes.
        skip_bad: whether to go on without what is no packet.

    Raises:
        InputError: something is no packet.

    Example:
        >>> packet = pack("Can I deduct home office expenses?", "fixtures/tax_kb", budget=2800)
        >>> stats([packet]).stats.utilization.max > 0.9
        True
    """
    from packhorse.explain.stats.told import stats_of

    return stats_of([packets] if isinstance(packets, (str, Path)) else packets, skip_bad=skip_bad)


def opened(kb: KnowledgeBase | str | Path, stack: ExitStack) -> KnowledgeBase:
    """The knowledge base, open; one that is opened here is closed with `stack`.

    Raises:
        InputError: it is neither a knowledge base nor a path.
    """
    if isinstance(kb, (str, Path)):
        return stack.enter_context(closing(open_kb(kb)))
    if not hasattr(kb, "search"):
        raise InputError(
            f"The knowledge base is {kb!r}", hint="Give what open_kb returns, or a path"
        )
    return kb


def made(
    question: Query,
    kb: KnowledgeBase,
    settings: Profile,
    asked: Asked,
    direction: Future[FloatArray | None],
) -> Packet:
    """The packet; what makes it was imported while the question's direction was made."""
    from packhorse.assemble import assemble_packet

    if settings.request.adaptive is not None:
        from packhorse.window.allocation import adapted_to

        settings, budget = adapted_to(question.text, settings, asked.budget)
        asked = replace(asked, budget=budget)
    return assemble_packet(question, kb, settings, asked, direction)


def with_flags(profile: Profile, *flags: Mapping[str, Any]) -> Profile:
    """The profile with groups of the keywords of `override` over it."""
    from packhorse.profiles.overrides import override

    return override(profile, **{name: value for group in flags for name, value in group.items()})


def resolve_profile(
    kb: KnowledgeBase, profile: Profile | Mapping[str, Any] | str | Path | None
) -> Profile:
    """The profile given, else the knowledge base's default, else the built-in one."""
    from packhorse.config import Profile as BuiltIn
    from packhorse.profiles.profile import load_profile, profile_from_dict, recorded_profile

    if isinstance(profile, BuiltIn):
        return recorded_profile(profile)
    if isinstance(profile, Mapping):
        return profile_from_dict(profile)
    path = profile if profile is not None else kb.policy.default_profile
    return BuiltIn() if path is None else load_profile(Path(path))
