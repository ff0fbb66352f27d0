"""kb.yaml: what the operator says about a knowledge base, read as strictly as a profile."""

import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from packhorse.config import KnowledgeBasePolicy
from packhorse.errors import ConfigError
from packhorse.profiles import values
from packhorse.profiles.keys import check_keys
from packhorse.profiles.values import Reader, WrongValueError
from packhorse.profiles.yaml_file import read_yaml

__all__ = ["load_policy"]

_READERS: Mapping[str, Reader] = {
    "name": values.word,
    "mandatory": values.text_list,
    "blocked_sources": values.text_list,
    "trust": values.text_to_share,
    "min_trust": values.optional(values.share),
    "max_age_days": values.optional(values.positive_number),
    "default_profile": values.optional(values.word),
}
_KEYS: Mapping[str, object] = {**dict.fromkeys(_READERS), "trust": {"*": None}}
_PROFILE_KEYS = ("weights", "mmr_lambda", "model", "query_types", "required_topics", "strategy")
_ELSEWHERE: Mapping[str, str] = dict.fromkeys(_PROFILE_KEYS, "it belongs in a profile")


def load_policy(path: Path, default_name: str) -> KnowledgeBasePolicy:
    """Reads a kb.yaml; an empty one says nothing but the name.

    `default_profile` is relative to the file and comes back as a path that can be opened.

    Args:
        path: the file.
        default_name: name of a knowledge base whose file gives none.

    Raises:
        UnknownKeyError: keys nobody knows, all of them named.
        ConfigError: the file cannot be read, or a value cannot be used.
    """
    file = read_yaml(path, "knowledge base policy")
    check_keys(
        file.data, _KEYS, what="knowledge base policy", where=file.where, elsewhere=_ELSEWHERE
    )
    fields: dict[str, object] = {"name": default_name}
    for key, value in file.data.items():
        try:
            fields[key] = _READERS[key](value)
        except WrongValueError as exc:
            at, shown = exc.place(key, value)
            raise ConfigError(
                f"{at} is {shown}, {file.where(at)}", hint=f"{at} takes {exc}"
            ) from exc
    if isinstance(fields.get("default_profile"), str):
        named = path.parent / str(fields["default_profile"])
        fields["default_profile"] = os.path.normpath(named)
    if "trust" in fields:
        fields["trust"] = MappingProxyType(fields["trust"])  # type: ignore[arg-type]  # a dict
    return KnowledgeBasePolicy(**fields)  # type: ignore[arg-type]  # checked by the readers
