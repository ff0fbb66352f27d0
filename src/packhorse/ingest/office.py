"""PDF and Office files, through an optional package."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from packhorse.errors import MissingExtraError
from packhorse.ingest.document import Document, title_among
from packhorse.ingest.markdown import markdown_headings
from packhorse.ingest.newlines import lf_only
from packhorse.text.wellformed import well_formed

if TYPE_CHECKING:
    from pathlib import Path

    from packhorse.ingest.report import IngestReport

__all__ = ["OFFICE_SUFFIXES", "office_document"]

OFFICE_SUFFIXES = frozenset(
    (".pdf", ".docx", ".pptx", ".xlsx", ".odt", ".ods", ".odp", ".rtf", ".epub", ".doc", ".ppt")
)


def office_document(source_id: str, path: Path, report: IngestReport) -> Document | None:
    """The text of a PDF or Office file as Markdown; None, and a report entry, when it has none.

    Raises:
        MissingExtraError: the extra `documents` is not installed.
    """
    if find_spec("kreuzberg") is None:
        raise MissingExtraError("kreuzberg", "documents", f"Reading {path.name}")
    import kreuzberg

    config = kreuzberg.ExtractionConfig(use_cache=False, output_format="markdown")
    try:
        result = kreuzberg.extract_file_sync(path, config=config)
    except (kreuzberg.KreuzbergError, RuntimeError, OSError, ValueError) as exc:
        report.lose(source_id, f"cannot be read: {' '.join(str(exc).split())}")
        return None
    text = lf_only(well_formed(result.content)).removeprefix("\ufeff")
    headings = markdown_headings(text)
    stated = result.metadata.get("title")
    title = " ".join(stated.split()) if isinstance(stated, str) else ""
    return Document(
        source_id=source_id,
        text=text,
        title=title or title_among(headings),
        headings=headings,
        markdown=True,
    )
