"""The operator's policy of a knowledge base: found beside its source, kept with its index."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from packhorse.config import KnowledgeBasePolicy
from packhorse.errors import ConfigError
from packhorse.kb.manifest import write_atomically

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["POLICY_FILES", "keep_policy", "merged_policy", "policy_of", "trust_in"]

POLICY_FILES = ("kb.yaml", "kb.yml")


def policy_of(path: Path) -> KnowledgeBasePolicy:
    """What the kb.yaml of a folder says; for a file, or without one, nothing but the name.

    Raises:
        ConfigError: the kb.yaml cannot be used.
    """
    name = path.resolve().name if path.is_dir() else path.stem
    file = _policy_file(path)
    if file is None:
        return KnowledgeBasePolicy(name=name)
    from packhorse.profiles.policy import load_policy

    return load_policy(file, name)


def trust_in(policy: KnowledgeBasePolicy) -> Callable[[str], float | None] | None:
    """The operator's trust by source id; None when the policy says nothing about trust."""
    if not policy.trust:
        return None
    from packhorse.profiles.trust import trust_for

    known: dict[str, float | None] = {}

    def trust_of(source_id: str) -> float | None:
        if source_id not in known:
            known[source_id] = trust_for(source_id, policy.trust)
        return known[source_id]

    return trust_of


def keep_policy(kb_dir: Path, text: str) -> None:
    """Writes a policy into an index directory; an empty one leaves what is there."""
    if text:
        write_atomically(kb_dir / POLICY_FILES[0], text.encode())


def merged_policy(kb_dir: Path, sources: Sequence[Path], trust: Path | None) -> str:
    """The policy of the sources with the trust of a file, as YAML; empty when there is neither.

    Where no source brings a policy, the trust of a file goes over the policy that the index has
    already. A profile that it names is named from `kb_dir`.

    Raises:
        ConfigError: a file cannot be used, or two sources each bring a policy.
    """
    files = [file for file in map(_policy_file, sources) if file is not None]
    if len(files) > 1:
        raise ConfigError(
            f"{files[0]} and {files[1]} both claim to be the policy of one index",
            hint="Keep one kb.yaml, or index the sources into directories of their own",
        )
    data: dict[str, Any] = {}
    if files:
        data |= _checked(files[0])
        if "default_profile" in data:
            profile = files[0].parent / str(data["default_profile"])
            data["default_profile"] = os.path.relpath(profile.resolve(), kb_dir.resolve())
    elif trust is not None and (kept := _policy_file(kb_dir)) is not None:
        data |= _checked(kept)
    if trust is not None:
        data |= _trust_file(trust, data.get("trust", {}))
    if not data:
        return ""
    import yaml

    text: str = yaml.safe_dump(data, allow_unicode=True, sort_keys=True)
    return text


def _policy_file(path: Path) -> Path | None:
    return next((path / name for name in POLICY_FILES if (path / name).is_file()), None)


def _checked(file: Path) -> Mapping[str, Any]:
    from packhorse.profiles.policy import load_policy
    from packhorse.profiles.yaml_file import read_yaml

    load_policy(file, "")
    return read_yaml(file, "knowledge base policy").data


def _trust_file(file: Path, before: Mapping[str, float]) -> Mapping[str, Any]:
    """A kb.yaml, or a mapping of source patterns to scores; its patterns go before older ones."""
    from packhorse.profiles.values import WrongValueError, text_to_share
    from packhorse.profiles.yaml_file import read_yaml

    read = read_yaml(file, "trust file")
    if not all(isinstance(value, int | float) for value in read.data.values()) or not read.data:
        data = _checked(file)
        return {**data, "trust": {**before, **data.get("trust", {})}}
    try:
        return {"trust": {**before, **text_to_share(read.data)}}
    except WrongValueError as exc:
        raise ConfigError(
            f"{read.where(exc.path)} gives {exc.path!r} a trust of {exc.value!r}",
            hint="Trust is a number from 0 to 1 for each source pattern",
        ) from exc
