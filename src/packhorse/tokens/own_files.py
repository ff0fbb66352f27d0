"""Files of a user's own that counts depend on, and hashes that tell when they change."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from packhorse.tokens.registry import TOKENIZERS, counter_named, counter_of
from packhorse.tokens.requests.mistral import is_mistral_format

if TYPE_CHECKING:
    from packhorse.tokens.models.spec import ModelSpec

__all__ = ["template_facts", "vocabulary_facts"]


def vocabulary_facts(spec: ModelSpec) -> dict[str, str] | None:
    """Path and hash of a model's vocabulary file; None for a registered tokenizer.

    The hash of a GGUF file is that of its vocabulary alone: the weights have no say in counts.
    """
    if spec.tokenizer in TOKENIZERS:
        return None
    from packhorse.tokens.vocabularies.file import vocabulary_file

    path = vocabulary_file(Path(spec.tokenizer))
    # An estimate is made of the same file.
    digest = getattr(counter_named(spec.tokenizer), "sha256", "")
    return {"path": str(path), "sha256": digest or hashlib.sha256(path.read_bytes()).hexdigest()}


def template_facts(spec: ModelSpec) -> dict[str, str] | None:
    """Path and hash of a model's chat template; None for one without a template of its own."""
    if spec.template is None or is_mistral_format(spec.template):
        return None
    from packhorse.tokens.templates.counter import template_counter

    template = template_counter(spec, counter_of(spec)).template
    return {"path": str(template.path), "sha256": template.sha256}
