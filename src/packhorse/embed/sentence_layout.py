"""What stands beside a model for sentence-transformers and says how it is to be used.

    modules.json                        what follows the model: Pooling, Normalize, Dense, ...
    1_Pooling/config.json               how pieces become one vector
    sentence_bert_config.json           how many pieces are read, and whether of small letters
    config_sentence_transformers.json   what is put before questions and before passages

Each may be missing.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from packhorse.embed.prompts import Prompts
from packhorse.errors import ConfigError
from packhorse.text.wellformed import well_formed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = [
    "CLS",
    "LAST_TOKEN",
    "MEAN",
    "POOLINGS",
    "read_further_modules",
    "read_pooling",
    "read_prompts",
    "read_reading",
]

MEAN, CLS, LAST_TOKEN = "mean", "cls", "lasttoken"
POOLINGS = (MEAN, CLS, LAST_TOKEN)

_CORRECT = "Correct the file, or take it away"
_SAY_IT = " or ".join(f",pooling={pooling}" for pooling in POOLINGS)
_SWITCHES = {
    "pooling_mode_cls_token": CLS,
    "pooling_mode_lasttoken": LAST_TOKEN,
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_mean_tokens": MEAN,
    "pooling_mode_weightedmean_tokens": "weightedmean",
}
_SAME_DIRECTION = {"mean_sqrt_len_tokens": MEAN}
"""Divided by another number than the mean, which is lost when the row is scaled to length 1."""
_QUESTION_PROMPTS = ("query", "retrieval.query", "question")
_PASSAGE_PROMPTS = ("document", "passage", "corpus", "retrieval.passage")
_DONE_HERE = frozenset({"Transformer", "Pooling", "Normalize"})


def read_pooling(folder: Path) -> str | None:
    """One of `POOLINGS`, as `1_Pooling/config.json` says; None where there is none.

    Raises:
        ConfigError: the file cannot be read, or names what is not done here.
    """
    path = folder / "1_Pooling" / "config.json"
    config = _object(path)
    if not config:
        return None
    named = config.get("pooling_mode")
    if named is None:
        modes = [mode for switch, mode in _SWITCHES.items() if config.get(switch) is True]
    else:
        modes = [str(each) for each in (named if isinstance(named, list) else [named])]
    modes = [_SAME_DIRECTION.get(mode, mode) for mode in modes]
    without = ", and the prompt left out of it" if config.get("include_prompt") is False else ""
    if len(modes) != 1 or modes[0] not in POOLINGS or without:
        raise ConfigError(
            f"{path} wants pooling by {' and '.join(modes) or 'nothing'}{without},"
            " which is not done here",
            hint=f"Export the model with its pooling, or say what to do: {_SAY_IT}",
        )
    return modes[0]


def read_further_modules(folder: Path) -> tuple[str, ...]:
    """Modules behind the pooling that are more than scaling, such as `Dense`, in their order.

    Raises:
        ConfigError: `modules.json` cannot be read.
    """
    path = folder / "modules.json"
    modules = _json(path) or []
    if not isinstance(modules, list) or not all(isinstance(each, dict) for each in modules):
        raise ConfigError(f"{path} is no list of modules", hint=_CORRECT)
    kinds = [str(each.get("type", "")).rpartition(".")[2] for each in modules]
    return tuple(kind for kind in kinds if kind not in _DONE_HERE)


def read_prompts(folder: Path) -> Prompts:
    """What `config_sentence_transformers.json` puts before a question and before a passage.

    The prompt called `query` is that of questions, `document` or `passage` that of passages; where
    they are missing it is the default prompt, if one is named.

    Raises:
        ConfigError: the file cannot be read.
    """
    path = folder / "config_sentence_transformers.json"
    config = _object(path)
    named = config.get("prompts") or {}
    if not isinstance(named, dict) or not all(isinstance(each, str) for each in named.values()):
        raise ConfigError(f"`prompts` in {path} are no texts by name", hint=_CORRECT)
    usual = named.get(str(config.get("default_prompt_name")), "")

    def first(names: Sequence[str]) -> str:
        return well_formed(next((named[name] for name in names if name in named), usual))

    return Prompts(question=first(_QUESTION_PROMPTS), passage=first(_PASSAGE_PROMPTS))


def read_reading(folder: Path) -> tuple[int | None, bool]:
    """How many pieces the model reads, and whether texts are put in small letters before.

    `sentence_bert_config.json` says so.

    Raises:
        ConfigError: the file cannot be read.
    """
    config = _object(folder / "sentence_bert_config.json")
    length = config.get("max_seq_length")
    is_usable = type(length) is int and length > 0
    return length if is_usable else None, config.get("do_lower_case") is True


def _object(path: Path) -> Mapping[str, Any]:
    found = _json(path)
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise ConfigError(f"{path} is no JSON object", hint=_CORRECT)
    return found


def _json(path: Path) -> Any:
    """What a file holds; None where there is none."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as exc:
        raise ConfigError(f"Cannot read {path}: {exc}", hint=_CORRECT) from exc
