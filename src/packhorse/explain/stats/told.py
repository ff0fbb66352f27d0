"""Statistics with what they ask for: the value that `packhorse.stats` returns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from packhorse.errors import InputError
from packhorse.explain.stats.advice import LEAST, MEDIANS, THRESHOLDS, Finding, findings
from packhorse.explain.stats.lines import stats_lines
from packhorse.explain.stats.packet_log import ReadReport, found_files, read_packets
from packhorse.explain.stats.stats import Collector, Share, Stats
from packhorse.packet.packet import Packet
from packhorse.text.printable import printable

__all__ = ["PacketStats", "stats_of"]

SIGNATURES = {"budget_exhausted": "exhausted", "top_ranked_skipped": "top_skipped"}
"""Code of a failure signature -> the field of `Stats` that it rests on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PacketStats:
    """What many packets say together. `str()` of it is for people."""

    stats: Stats
    findings: tuple[Finding, ...]
    """Empty below the minimum of packets, whatever the figures are."""

    def __str__(self) -> str:
        return "\n".join([*stats_lines(self.stats), "", *self.advice()])

    def advice(self) -> Iterator[str]:
        """Lines with the findings, or that there are none."""
        if self.stats.packets < LEAST:
            yield f"[INFO] No advice: it takes at least {LEAST} packets"
        elif not self.findings:
            yield "[PASS] No share reaches its threshold"
        for finding in self.findings:
            limit = f"{'below' if finding.code in MEDIANS else 'from'} {finding.threshold:.0%}"
            yield f"[WARN] {printable(finding.text)}; {limit} this is said"
            yield f"[HINT] {printable(finding.advice)}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data: the figures, the two signatures, the findings."""
        found = {finding.code for finding in self.findings}
        figures = _plain(self.stats)
        signatures = {
            code: {**figures[name], "threshold": THRESHOLDS[code], "found": code in found}
            for code, name in SIGNATURES.items()
        }
        return {
            **figures,
            "signatures": signatures,
            "findings": [asdict(finding) for finding in self.findings],
            "least_packets": LEAST,
        }


def stats_of(
    packets: Iterable[Packet | Mapping[str, Any] | str | Path], *, skip_bad: bool = False
) -> PacketStats:
    """Figures and advice over packets, documents and paths; see `packhorse.stats`."""
    collector = Collector()
    report = ReadReport()
    for each in packets:
        if isinstance(each, (str, Path)):
            for packet, _ in read_packets(found_files([Path(each)]), report, skip_bad=skip_bad):
                collector.add(packet.document)
        elif isinstance(each, Packet):
            collector.add(each.document)
        elif isinstance(each, Mapping):
            collector.add(_checked(each))
        else:
            raise InputError(
                f"{each!r} is no packet", hint="Give packets, their documents, or paths of files"
            )
    return told(collector)


def told(collector: Collector) -> PacketStats:
    """What was collected, with what it asks for."""
    stats = collector.result()
    return PacketStats(stats=stats, findings=findings(stats))


def _checked(document: Mapping[str, Any]) -> Mapping[str, Any]:
    from packhorse.packet.check import check_document

    check_document(document)
    return document


def _plain(stats: Stats) -> dict[str, Any]:
    """The fields, pairs as mappings, each share with its quotient."""
    data = asdict(stats)
    for name in ("checks", "conflict_kinds", "reasons"):
        data[name] = dict(data[name])
    for name in ("most_excluded", "most_packed", "packed_sources"):
        data[name] = [{**each, "reasons": dict(each["reasons"])} for each in data[name]]
    for name in data:
        value = getattr(stats, name)
        if isinstance(value, Share):
            data[name]["share"] = value.share
    return data
