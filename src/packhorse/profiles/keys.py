"""Names every key nobody knows, where it stands, and what was probably meant."""

import difflib
from collections.abc import Callable, Collection, Iterator, Mapping

from packhorse.errors import UnknownKeyError

__all__ = ["check_keys", "nearest"]


def nearest(name: str, known: Collection[str]) -> str | None:
    """The known name most like `name`, or None when none is near; ties by text."""
    folded = {candidate.casefold().replace("-", "_"): candidate for candidate in sorted(known)}
    asked = name.casefold().replace("-", "_")
    if asked in folded:
        return folded[asked]
    found = difflib.get_close_matches(asked, sorted(folded), n=1, cutoff=0.6)
    return folded[found[0]] if found else None


def check_keys(
    data: Mapping[str, object],
    known: Mapping[str, object],
    *,
    what: str,
    where: Callable[[str], str],
    elsewhere: Mapping[str, str],
    prefix: str = "",
) -> None:
    """Raises one error that names all unknown keys of a mapping.

    Args:
        data: the mapping as read. A mapping under an unknown key is reported leaf by leaf.
        known: valid key -> None, a mapping of the same kind for the level below, or any other
            value for "whatever is below is checked elsewhere". The key `*` stands for any name.
        what: how the message calls the file, for example `profile`.
        where: tells the place of a dotted path.
        elsewhere: name -> where a thing is said that people look for here.
        prefix: dotted path of `data` itself.

    Raises:
        UnknownKeyError: at least one key is unknown.
    """
    unknown = sorted(_unknown(data, known, prefix))
    if not unknown:
        return
    names = [path for path, _ in unknown]
    top = {name for name in known if name != "*"}
    hints = [f"{path}: {_advice(path, level, top, elsewhere)}" for path, level in unknown]
    plural = "s" if len(names) > 1 else ""
    listed = ", ".join(f"{name} ({where(name)})" for name in names)
    raise UnknownKeyError(
        f"Unknown key{plural} in the {what}: {listed}", keys=names, hint="; ".join(hints)
    )


def _unknown(
    data: Mapping[str, object], known: Mapping[str, object], prefix: str
) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Each unknown leaf's path with the names that are valid at its level."""
    for name, value in data.items():
        path = f"{prefix}.{name}" if prefix else name
        if name in known or "*" in known:
            below = known.get(name, known.get("*"))
            if isinstance(below, Mapping) and isinstance(value, Mapping):
                yield from _unknown(value, below, path)
        elif isinstance(value, Mapping) and value:
            yield from ((leaf, {}) for leaf in _leaves(value, path))
        else:
            yield path, known


def _leaves(data: Mapping[str, object], prefix: str) -> Iterator[str]:
    for name, value in data.items():
        path = f"{prefix}.{name}"
        if isinstance(value, Mapping) and value:
            yield from _leaves(value, path)
        else:
            yield path


def _advice(
    path: str, level: Mapping[str, object], top: set[str], elsewhere: Mapping[str, str]
) -> str:
    name = path.rpartition(".")[2]
    if "." in path and name in top:
        return f"{name} sits at the top level"
    if name in elsewhere:
        return elsewhere[name]
    candidates = {candidate for candidate in level if candidate != "*"} or top
    near = nearest(name, candidates | (set(elsewhere) if candidates == top else set()))
    if near is None:
        return f"known keys are {', '.join(sorted(candidates))}"
    if near in elsewhere and near not in candidates:
        return f"did you mean {near}? If so, {elsewhere[near]}"
    misplaced = "." in path and near in top and candidates == top
    return f"did you mean {near}?" + (" It sits at the top level" if misplaced else "")
