"""Old tool results in files: the message keeps its id and says where its text is."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any, NamedTuple

from packhorse.errors import InputError, StoreError

if TYPE_CHECKING:
    from packhorse.window.conversation import Conversation
    from packhorse.window.costs import Costs

__all__ = ["LEAST_TOKENS", "TO_SHARE", "Offloaded", "offload", "recall", "stored"]

TO_SHARE = 0.75
"""Share of the limit down to which results go once the limit is passed, so that the next requests
begin like this one."""
LEAST_TOKENS = 100
"""A result below that stays: its marker would take half of it."""
FIRST_LINE = 80
"""Characters of the first line that a marker shows."""

_HANDLE = re.compile(r"(text|json)-[0-9a-f]{64}")
_MARKER = re.compile(r"\[Offloaded as (?:text|json)-[0-9a-f]{64}: ")
_SUFFIX = {"text": ".txt", "json": ".json"}


class Offloaded(NamedTuple):
    """A result that is in a file."""

    place: int
    """Of its message, in the conversation as it was given."""
    handle: str
    """What `recall` takes: the kind, and the SHA-256 of the file."""
    tokens: int
    """That the result took; the marker takes a few of them back."""
    marker: str
    """What stands in its place."""


def offload(
    conversation: Conversation,
    costs: Costs,
    limit: int,
    directory: str | Path,
    pinned: frozenset[int] = frozenset(),
) -> tuple[Conversation, tuple[Offloaded, ...]]:
    """The conversation with old results in files, as many as it takes to be under its limit.

    Nothing happens while the request fits. Then results go oldest first, down to three quarters of
    the limit; those of the latest tool call stay, and so do small and pinned ones. The same content
    is the same file. Files are written beside and renamed, and readable by their owner alone.

    Args:
        conversation: what was said.
        costs: counts for the model.
        limit: tokens of the whole request.
        directory: where the files go; made where it is not there.
        pinned: units that may not be changed.

    Raises:
        StoreError: the directory cannot be written.
    """
    if costs.whole(conversation.body_with(conversation.items)).total_tokens <= limit:
        return conversation, ()
    units = conversation.units
    calls = [at for at, unit in enumerate(units) if unit.is_call and not unit.is_broken]
    unit_costs = costs.of_units(conversation)
    over = costs.whole(conversation.body_with(conversation.items)).total_tokens
    over -= int(limit * TO_SHARE)
    items, found = list(conversation.items), []
    for at in calls[:-1]:
        if over <= 0:
            break
        if at in pinned:
            continue
        shorter, gone = _offloaded(conversation, at, costs, Path(directory))
        if gone:
            items = [
                shorter.items[place] if place in units[at].places else item
                for place, item in enumerate(items)
            ]
            found += gone
            over -= unit_costs[at] - _cost(shorter, at, costs)
    if not found:
        return conversation, ()
    entries = conversation.shape.entries(items)
    return replace(conversation, items=tuple(items), entries=entries), tuple(found)


def _offloaded(
    conversation: Conversation, at: int, costs: Costs, directory: Path
) -> tuple[Conversation, list[Offloaded]]:
    """One unit with its large results in files."""
    found: list[Offloaded] = []
    shorter = conversation
    for place in conversation.units[at].places:
        if not conversation.entries[place].results:
            continue
        for n in range(len(conversation.entries[place].results)):
            content = conversation.shape.results(shorter.items[place])[n]
            tokens = _cost(shorter, at, costs) - _cost(_with(shorter, place, n, ""), at, costs)
            if tokens < LEAST_TOKENS or _is_marker(content):
                continue
            kind, data = _written(content)
            handle = f"{kind}-{hashlib.sha256(data).hexdigest()}"
            marker = f"[Offloaded as {handle}: {tokens} tokens. {_begins(content)}]"
            candidate = _with(shorter, place, n, marker)
            if _cost(candidate, at, costs) >= _cost(shorter, at, costs):
                continue
            _store(directory, handle, data)
            found.append(Offloaded(place, handle, tokens, marker))
            shorter = candidate
    return shorter, found


def _with(conversation: Conversation, place: int, n: int, text: str) -> Conversation:
    items = list(conversation.items)
    items[place] = conversation.shape.with_result(items[place], n, text)
    return replace(conversation, items=tuple(items))


def _cost(conversation: Conversation, at: int, costs: Costs) -> int:
    unit = conversation.units[at]
    alone = replace(
        conversation,
        items=tuple(conversation.items[place] for place in unit.places),
        entries=tuple(conversation.entries[place] for place in unit.places),
        units=(unit._replace(places=tuple(range(len(unit.places)))),),
    )
    return costs.of_units(alone)[0]


def _is_marker(content: Any) -> bool:
    text = content.get("result") if isinstance(content, Mapping) else content
    return isinstance(text, str) and _MARKER.match(text) is not None


def _written(content: Any) -> tuple[str, bytes]:
    """A text as its bytes, blocks as JSON in their own order of keys."""
    if isinstance(content, str):
        return "text", content.encode("utf-8", "surrogatepass")
    written = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return "json", written.encode("utf-8", "surrogatepass")


def _begins(content: Any) -> str:
    """The kinds of blocks, and the first line that says anything."""
    texts = list(_texts(content))
    line = next((line for text in texts for line in text.splitlines() if line.strip()), "")
    line = " ".join(line.split())
    shown = line if len(line) <= FIRST_LINE else f"{line[:FIRST_LINE]}..."
    kinds = ""
    if not isinstance(content, str):
        blocks = content if isinstance(content, Sequence) else ()
        named = [str(block.get("type", "block")) for block in blocks if isinstance(block, Mapping)]
        kinds = f"Blocks: {', '.join(named)}. " if named else ""
    # Brackets would end the marker early for who reads it.
    return f"{kinds}It begins: {shown.replace(']', ')').replace('[', '(')}"


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, Mapping):
        for key, value in content.items():
            if key not in ("type", "data", "url", "image_url", "source", "media_type"):
                yield from _texts(value)
    elif isinstance(content, Sequence) and not isinstance(content, bytes):
        for each in content:
            yield from _texts(each)


def _store(directory: Path, handle: str, data: bytes) -> None:
    path = _path(directory, handle)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        if path.is_file() and path.read_bytes() == data:
            return
        with NamedTemporaryFile(dir=directory, prefix=".offload-", delete=False) as file:
            try:
                file.write(data)
                file.close()
                Path(file.name).replace(path)
            except OSError:
                with suppress(OSError):
                    Path(file.name).unlink()
                raise
    except OSError as error:
        raise StoreError(
            f"Cannot write results into {directory}: {error.strerror or error}",
            hint="Name a directory that can be written",
        ) from error


def stored(handle: str) -> str:
    """The name of the file that a handle stands for.

    Raises:
        InputError: it is no handle.
    """
    if not _HANDLE.fullmatch(str(handle)):
        raise InputError(
            "This is not a handle of an offloaded result",
            hint="Give it as the marker has it: text- or json- and 64 hexadecimal digits",
        )
    kind, _, digest = handle.partition("-")
    return f"{digest}{_SUFFIX[kind]}"


def _path(directory: Path, handle: str) -> Path:
    return directory / stored(handle)


def recall(handle: str, directory: str | Path) -> Any:
    """An offloaded result as it was: a text, or the blocks of a result that had some.

    A handle names content and no place: whatever is written in it, only files of the directory that
    hold exactly that content are read.

    Args:
        handle: as the marker in the message has it, and `fitted.offloaded`.
        directory: where results were offloaded to.

    Raises:
        InputError: it is no handle.
        StoreError: there is no such file, or its content is another one.

    Example:
        >>> recall("text-" + 64 * "0", "no-such-folder")
        Traceback (most recent call last):
            ...
        packhorse.errors.StoreError: No offloaded result text-000000000000... in no-such-folder
    """
    path = _path(Path(directory), handle)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise StoreError(
            f"No offloaded result {handle[:17]}... in {directory}",
            hint="Name the directory that was given when it was offloaded",
        ) from error
    kind, _, digest = handle.partition("-")
    if hashlib.sha256(data).hexdigest() != digest:
        raise StoreError(
            f"The file of {handle[:17]}... in {directory} was changed",
            hint="Fit the conversation again with the result in it",
        )
    text = data.decode("utf-8", "surrogatepass")
    return text if kind == "text" else json.loads(text)
