"""Chapter 01: what translation by length claims once additive attention has converged.

Nothing was tried before. Known from the main record and from `attention_lengths`, under other
seeds, after 600 steps: additive attention has 92.1 and 91.9 BLEU and falls by 4.6 ± 1.0 and
5.3 ± 1.1, the fixed vector has 51.0 and 51.2 and falls by 29.3 ± 2.7 and 29.3 ± 1.9. On reversed
digits, sixteen times the steps buy back the fixed vector's whole fall within trained lengths.
"""

from functools import partial

from bottomup.experiments.engine.claim import Claim, EverySeedAbove, EverySeedBelow, Kind
from bottomup.experiments.engine.record import Record
from bottomup.i18n import _

FALL = 5.0
CONVERGED = 1.0  # BLEU that twice the steps bring, at most
FLAT = 2.0  # BLEU: about as much as the flat curve of the paper's figure 2 goes up and down


def claims(record: Record) -> list[Claim]:
    """Return what the record decides: who has converged, and how far each falls with length."""
    fixed, additive = (_longer(record, kind) for kind in ("none", "bahdanau"))
    half, whole = (name.rpartition("_")[2] for name in additive)
    short, long = record.config["bins"][0], record.config["bins"][-1]
    gained = _(
        "BLEU over all test sentences, {model} after {whole} steps minus after {half}; "
        "mini-language"
    )
    fallen = _(
        "BLEU of test sentences of {a} to {b} words minus that of {c} to {d} words; "
        "mini-language, {model} after {whole} steps"
    )
    gain = partial(gained.format, half=half, whole=whole)
    fall = partial(fallen.format, a=short[0], b=short[1], c=long[0], d=long[1], whole=whole)
    claim = partial(Claim, record=record.name, section="Five decoders, three seeds", digits=1)
    own = partial(
        claim,
        kind=Kind.OWN,
        source=_("no paper: it asks whether the training was long enough"),
        paper_value=_("not asked"),
    )
    known = _("two records under other seeds, 600 steps: {bleu} BLEU, falls by {fall}")
    known_fixed = known.format(bleu="51.0, 51.2", fall="29.3 ± 2.7, 29.3 ± 1.9")
    known_additive = known.format(bleu="92.1, 91.9", fall="4.6 ± 1.0, 5.3 ± 1.1")
    return [
        own(
            id="01.1k",
            sentence=_(
                "Additive attention has converged after {half} steps: twice as many bring it less "
                "than {bound:g} BLEU."
            ).format(half=half, bound=CONVERGED),
            measured=gain(model=_("additive attention")),
            rule=EverySeedBelow(CONVERGED),
            values=_gain(record, additive),
            known=known_additive,
        ),
        claim(
            kind=Kind.REPETITION,
            repeats="01.1b",
            id="01.1l",
            sentence=_(
                "After {whole} steps additive attention loses less than {fall:g} BLEU from the "
                "shortest sentences to the longest, within the trained lengths."
            ).format(whole=whole, fall=FALL),
            source="Bahdanau et al. (2015), section 5.1 and figure 2",
            paper_value=_("a flat curve, drawn without numbers"),
            measured=fall(model=_("additive attention")),
            rule=EverySeedBelow(FALL),
            values=record.metric(f"{additive[1]}.bleu_fall"),
            known=known_additive,
        ),
        claim(
            kind=Kind.PAPER,
            id="01.1m",
            sentence=_(
                "After {whole} steps the curve of additive attention is flat: it loses less than "
                "{flat:g} BLEU from the shortest sentences to the longest, within the trained "
                "lengths."
            ).format(whole=whole, flat=FLAT),
            source="Bahdanau et al. (2015), section 5.1 and figure 2",
            paper_value=_("no performance deterioration even at 50 words or more"),
            measured=fall(model=_("additive attention")),
            rule=EverySeedBelow(FLAT),
            values=record.metric(f"{additive[1]}.bleu_fall"),
            known=known_additive,
        ),
        claim(
            kind=Kind.REPETITION,
            repeats="01.1a",
            id="01.1n",
            sentence=_(
                "After {whole} steps a fixed vector still loses more than {fall:g} BLEU from the "
                "shortest sentences to the longest, within the trained lengths."
            ).format(whole=whole, fall=FALL),
            source="Bahdanau et al. (2015), section 5.1 and figure 2",
            paper_value=_("said to drop dramatically with length; curves, no numbers"),
            measured=fall(model=_("fixed vector")),
            rule=EverySeedAbove(FALL),
            values=record.metric(f"{fixed[1]}.bleu_fall"),
            known=known_fixed,
        ),
        own(
            id="01.1o",
            sentence=_(
                "The fixed vector has not converged after {half} steps: twice as many bring it "
                "more than {bound:g} BLEU."
            ).format(half=half, bound=CONVERGED),
            measured=gain(model=_("fixed vector")),
            rule=EverySeedAbove(CONVERGED),
            values=_gain(record, fixed),
            known=known_fixed,
        ),
    ]


def _longer(record: Record, kind: str) -> tuple[str, str]:
    half, whole = (name for name in record.config["variants"] if name.startswith(f"{kind}_"))
    return half, whole


def _gain(record: Record, budgets: tuple[str, str]) -> tuple[float, ...]:
    half, whole = (record.metric(f"{name}.bleu") for name in budgets)
    return tuple(after - before for before, after in zip(half, whole, strict=True))
