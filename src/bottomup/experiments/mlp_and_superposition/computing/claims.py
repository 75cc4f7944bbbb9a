"""Chapter 04: what the experiment on computed features claims.

Rules and margins of 04.9a, b, e and f were planned before the pilots that `experiment` tells of;
04.9c and d were added after them, and no margin was moved.
"""

from functools import partial
from statistics import fmean

from bottomup.experiments.engine.claim import Claim, EverySeedAbove, EverySeedBelow, Kind
from bottomup.experiments.engine.record import Record
from bottomup.i18n import _

PAPER = 'Elhage et al. (2022), section "Computing in Superposition"'


def claims(record: Record) -> list[Claim]:
    """Return what the record decides: what few neurons compute of dense and of sparse features."""
    config = record.config
    dense, sparse = config["sparsities"][0], config["sparsities"][-1]
    features, neurons = config["features"], config["neurons"]
    pairs = neurons // 2
    setting = _(
        "{n} features, {m} neurons, importance {decay:g}^i, {steps} steps, best of {restarts} "
        "starts"
    ).format(n=features, m=neurons, **config)
    pilot = _("a pilot under another seed, with 2,000 steps: {seen}").format

    def at(sparsity: float, name: str) -> tuple[float, ...]:
        return record.metric(f"{100 * sparsity:.0f}.{name}")

    def measured(sparsity: float, what: str) -> str:
        return _("{what}, at S = {sparsity:g}; {setting}").format(
            what=what, sparsity=sparsity, setting=setting
        )

    single = _("share of neurons with over {part:g} of their squared incoming weights on a feature")
    single = single.format(part=config["single"])
    share = _("number of features with over {part:g} of the variance of |x| explained")
    represented = share.format(part=config["represented"])
    computed = share.format(part=config["computed"])
    claim = partial(Claim, record=record.name, section="How much of a dimension")
    paper = partial(claim, kind=Kind.PAPER, source=PAPER + _(', "Superposition vs Sparsity"'))
    own = partial(
        claim,
        kind=Kind.OWN,
        source=PAPER + _(", for the question"),
        paper_value=_("no number; without superposition a feature needs two neurons"),
    )
    return [
        paper(
            id="04.9a",
            known=pilot(seen="1"),
            sentence=_("Of dense features a neuron that helps to compute |x| serves only one."),
            paper_value=_("100 features, 40 neurons: all neurons serve one feature"),
            measured=measured(dense, single),
            rule=EverySeedAbove(0.9),
            values=at(dense, "single"),
        ),
        own(
            id="04.9b",
            known=pilot(seen="0"),
            sentence=_(
                "A network computes |x| of one dense feature for each pair of its neurons, the "
                "most important ones."
            ),
            measured=measured(
                dense,
                _("features wrongly computed or left out, against the first {pairs}").format(
                    pairs=pairs
                ),
            ),
            rule=EverySeedBelow(0.5),
            values=at(dense, "wrong"),
        ),
        own(
            id="04.9c",
            known=pilot(seen="6"),
            sentence=_(
                "A network computes |x| of more than one sparse feature for each pair of its "
                "neurons."
            ),
            measured=measured(sparse, computed)
            + _(". Loss {loss:.2f} of that of one feature for each pair").format(
                loss=fmean(at(sparse, "loss")) / fmean(at(sparse, "one_by_one"))
            ),
            rule=EverySeedAbove(pairs + 0.5),
            values=at(sparse, "computed"),
        ),
        paper(
            id="04.9d",
            known=pilot(seen="14"),
            sentence=_(
                "A network represents more sparse features than it has neurons: over a quarter of "
                "the variance of |x|, half of what a neuron for one sign explains."
            ),
            paper_value=_("100 features, 40 neurons: more features than neurons"),
            measured=measured(sparse, represented),
            rule=EverySeedAbove(neurons + 0.5),
            values=at(sparse, "represented"),
        ),
        own(
            id="04.9e",
            known=pilot(seen="6"),
            sentence=_(
                "A network computes more sparse features than it has neurons: over three quarters "
                "of the variance of |x|."
            ),
            measured=measured(sparse, computed),
            rule=EverySeedAbove(neurons + 0.5),
            values=at(sparse, "computed"),
        ),
        paper(
            id="04.9f",
            known=pilot(seen="0"),
            sentence=_("Of sparse features no neuron serves one alone."),
            paper_value=_("100 features, 40 neurons: in the end every neuron serves many"),
            measured=measured(sparse, single),
            rule=EverySeedBelow(0.1),
            values=at(sparse, "single"),
        ),
    ]
