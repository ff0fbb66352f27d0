"""Words that exclude each other where they stand in the same place, as search terms."""

from __future__ import annotations

from collections.abc import Mapping

from packhorse.text.analysis import terms

__all__ = ["OPPOSITES", "are_opposite"]

_PAIRS = """
    accept/reject accept/refuse accept/decline allow/prohibit allow/forbid allow/deny allow/ban
    allowed/disallowed permit/prohibit permit/forbid permit/ban permitted/barred legal/illegal
    lawful/unlawful eligible/ineligible deductible/nondeductible taxable/nontaxable
    taxable/exempt taxable/untaxed refundable/nonrefundable required/optional mandatory/optional
    mandatory/voluntary mandatory/prohibited compulsory/optional compulsory/voluntary
    include/exclude included/excluded enable/disable enabled/disabled open/closed active/inactive
    valid/invalid true/false correct/incorrect safe/unsafe safe/dangerous effective/ineffective
    possible/impossible able/unable available/unavailable supported/unsupported known/unknown
    increase/decrease increase/reduce increase/lower raise/lower raise/reduce rise/fall
    higher/lower high/low more/less more/fewer most/least greater/lesser best/worst better/worse
    largest/smallest larger/smaller longest/shortest longer/shorter earlier/later before/after
    first/last oldest/youngest older/younger gain/lose win/lose won/lost success/failure
    successful/unsuccessful succeed/fail succeeded/failed positive/negative promote/inhibit
    activate/inhibit activate/suppress induce/suppress enhance/impair enhance/reduce
    upregulate/downregulate improve/worsen improve/impair accelerate/delay protect/harm
    begin/end began/ended start/end start/stop join/leave joined/left married/unmarried
    married/divorced alive/dead born/died male/female public/private always/never all/none
    everyone/nobody everything/nothing hot/cold wet/dry toxic/nontoxic temporary/permanent
    approve/reject approved/rejected approve/deny confirm/deny agree/refuse agree/disagree
    support/oppose popular/unpopular likely/unlikely common/rare frequent/rare major/minor
    victory/defeat profit/loss buy/sell import/export north/south east/west northern/southern
    eastern/western northwest/southwest northeast/southeast northwest/northeast
    upgraded/downgraded expand/shrink free/paid solved/unsolved finished/unfinished
    complete/incomplete formed/disbanded founded/dissolved famous/unknown positively/negatively
"""


def _opposites() -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair in _PAIRS.split():
        one, other = (terms(word)[0] for word in pair.split("/"))
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in found.items()}


OPPOSITES = _opposites()
"""Term -> terms that say the opposite of it."""


def are_opposite(one: str, other: str) -> bool:
    """Whether two terms exclude each other where they stand in the same place."""
    return other in OPPOSITES.get(one, ())
