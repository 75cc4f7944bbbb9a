"""Chapter 07: what the experiment on sparse attention claims. Rules and margins came first.

Those of 07.2 follow from formulas, and what two steps reach (07.3) had been computed before: these
two draw no random numbers and give one value under every seed. Nothing of the rest had been
measured when its margins were set.

One run came first, to learn how long it takes, under seed 7, which is not recorded. It had
recomputed stacks with dropout alone. There a layer keeps n^2 attention weights for each head, which
recomputation saves easily (0.08 in 07.5b); so stacks without dropout were added, and 07.5b and
07.5c take the worse of the two. It timed both at 256 positions alone (1.7 times the seconds);
1024 positions were added, as torch's work around a call weighs less there, and of no time a claim
is made. No margin was changed.
"""

from functools import partial
from statistics import fmean

from bottomup.experiments.engine.claim import Claim, EverySeedAbove, EverySeedBelow, Kind, Rule
from bottomup.experiments.engine.record import Record
from bottomup.experiments.sparse_transformers.findings import (
    NONE,
    SETS,
    grown,
    leaked,
    numbers,
    recomputed,
)
from bottomup.i18n import _

QUADRATIC = "Child et al. (2019), section 1"
VALID = "Child et al. (2019), section 4.2"
KERNELS = "Child et al. (2019), section 5.5"
SAME = _("the same under every seed")


def claims(record: Record) -> list[Claim]:
    """Return what the record decides, in the order of the claims' numbers."""
    return [
        *_equality(record),
        *_counts(record),
        *_reach(record),
        *leaked(record),
        *recomputed(record),
        *grown(record),
    ]


def _equality(record: Record) -> list[Claim]:
    claim = partial(
        Claim,
        kind=Kind.IDENTITY,
        paper_value=_("by construction"),
        record=record.name,
        section="Computing only what is needed",
        digits=1,
    )
    sizes = _(
        "in float64; the least of {sizes} sizes, some with n below l or no multiple of it, and of "
        "one softmax over both sets and heads with one set each"
    ).format(sizes=record.metric("equality.sizes")[0])

    def least(kind: str) -> tuple[float, ...]:
        merges = [record.metric(f"equality.{kind}_{merge}.output") for merge in ("union", "heads")]
        return tuple(min(values) for values in zip(*merges, strict=True))

    outputs = _("decimals on which the outputs agree {sizes}").format(sizes=sizes)
    return [
        claim(
            id="07.1a",
            sentence=_("Strided attention is dense attention under the mask of its pattern."),
            source=SETS,
            measured=outputs,
            rule=EverySeedAbove(12),
            values=least("strided"),
        ),
        claim(
            id="07.1b",
            sentence=_("Fixed attention is dense attention under the mask of its pattern."),
            source=SETS,
            measured=outputs,
            rule=EverySeedAbove(12),
            values=least("fixed"),
        ),
        claim(
            id="07.1c",
            sentence=_("Both have the gradients of dense attention under the mask."),
            source=SETS,
            measured=_(
                "decimals on which the gradients of queries, keys and values agree {sizes}"
            ).format(sizes=sizes),
            rule=EverySeedAbove(11),
            values=record.metric("equality.gradient_digits"),
        ),
    ]


def _counts(record: Record) -> list[Claim]:
    lengths = record.config["lengths"]
    first, last = lengths[0], lengths[-1]
    claim = partial(
        Claim,
        kind=Kind.IDENTITY,
        record=record.name,
        section="What it costs in time and memory",
        digits=3,
    )

    def exponents(name: str) -> tuple[tuple[float, ...], tuple[float, ...]]:
        needed, computed = (
            record.metric(f"counts.growth.{name}.{kind}") for kind in ("needed", "computed")
        )
        return needed, computed

    def growth(
        id: str, name: str, sentence: str, paper: str, rule: Rule, source: str = VALID
    ) -> Claim:
        pick = min if isinstance(rule, EverySeedAbove) else max
        needed, computed = exponents(name)
        return claim(
            id=id,
            sentence=sentence,
            source=source,
            paper_value=paper,
            measured=_(
                "exponent fitted to the counts for n = {first} to {last}, {same}; of those needed "
                "({needed:.3f}) and those computed ({computed:.3f}) the {which}"
            ).format(
                first=first,
                last=last,
                same=SAME,
                needed=fmean(needed),
                computed=fmean(computed),
                which=_("smaller") if pick is min else _("larger"),
            ),
            rule=rule,
            values=tuple(map(pick, needed, computed)),
        )

    half = _("proportional to n sqrt(n), for l about sqrt(n)")
    return [
        growth("07.2a", "strided", _("With l = sqrt(n) the scores of strided attention grow no "
               "faster than about n^1.5."), half, EverySeedBelow(1.6)),
        growth("07.2b", "fixed", _("With l = sqrt(n) and c = 1 the scores of fixed attention grow "
               "no faster than about n^1.5."), half, EverySeedBelow(1.6)),
        growth("07.2c", "dense", _("Those of dense causal attention grow as n^2."),
               _("stated: grows quadratically with the length"), EverySeedAbove(1.9), QUADRATIC),
        claim(
            id="07.2d",
            sentence=_("With c = 1 fixed attention needs less than three quarters of strided's "
                       "scores."),
            source=SETS,
            paper_value=_("stated: costs c times as much as strided attention; not counted"),
            measured=_("scores that fixed attention needs over those of strided, n = {n}, l = "
                       "sqrt(n), {same}").format(n=last, same=SAME),
            rule=EverySeedBelow(0.75),
            values=record.metric(f"counts.fixed_over_strided.{last}"),
        ),
        claim(
            id="07.2e",
            sentence=_("Without the triangle above the diagonal half of the scores are left."),
            source=KERNELS,
            paper_value=_("stated: half of the operations"),
            measured=_("(n + 1) / 2n at n = {n}, counted, {same}").format(n=first, same=SAME),
            rule=EverySeedBelow(0.51),
            values=record.metric(f"counts.triangle.{first}"),
            section="Computing only what is needed",
        ),
    ]  # fmt: skip


def _reach(record: Record) -> list[Claim]:
    config = record.config
    n, block, summary = (config[name] for name in ("positions", "stride", "summary"))
    sizes = _("n = {n}, l = {l}, c = {c}, {same}").format(n=n, l=block, c=summary, same=SAME)
    pairs = _("pairs j <= i that two layers do not connect, of {pairs}; {sizes}").format(
        pairs=n * (n + 1) // 2, sizes=sizes
    )
    claim = partial(
        Claim,
        kind=Kind.IDENTITY,
        record=record.name,
        source=SETS,
        section="Fixed attention",
        digits=0,
        known=_("its outcome, computed before"),
    )
    required = _("required: every earlier position within p + 1 locations, p = 2")

    def missing(path: str) -> tuple[float, ...]:
        return numbers(record, f"reach.{path}.missing")

    def share(path: str) -> float:
        return fmean(record.metric(f"reach.{path}.share"))

    either = zip(missing("strided.first_second"), missing("strided.second_first"), strict=True)
    return [
        claim(
            id="07.3a",
            sentence=_("Strided attention reaches every earlier position in two steps, in either "
                       "order of its two sets."),
            paper_value=required,
            measured=_("{pairs}; the more of the two orders").format(pairs=pairs),
            rule=NONE,
            values=tuple(max(orders) for orders in either),
            section="Strided attention",
        ),
        claim(
            id="07.3b",
            sentence=_("Fixed attention does, with the own block first and a residual connection."),
            paper_value=required,
            measured=pairs,
            rule=NONE,
            values=missing("fixed.first_second_residual"),
        ),
        claim(
            id="07.3c",
            sentence=_("Without the residual connection fixed attention does not reach all."),
            paper_value=_("stated (figure 3): all are connected by the two heads in sequence; the "
                          "residual connection is not mentioned"),
            measured=_("{pairs}; they are {share:.1%} of all, their share in the own block is "
                       "{own:.2f}").format(
                pairs=pairs,
                share=1 - share("fixed.first_second"),
                own=fmean(record.metric("reach.fixed.missing_in_own_block")),
            ),
            rule=EverySeedAbove(0.5),
            values=missing("fixed.first_second"),
        ),
        claim(
            id="07.3d",
            sentence=_("With the summaries first, {c} positions of each block of {l}, it misses "
                       "most, even with the residual connection.").format(c=summary, l=block),
            paper_value=_("stated (figure 3): all are connected by the two heads in sequence; no "
                          "order is mentioned"),
            measured=_("share of the pairs j <= i that are connected; {sizes}; without the "
                       "residual connection {without:.3f}").format(
                without=share("fixed.second_first"), sizes=sizes
            ),
            rule=EverySeedBelow(0.5),
            values=record.metric("reach.fixed.second_first_residual.share"),
            digits=3,
        ),
        claim(
            id="07.3e",
            sentence=_("Two layers with both sets in one head reach all, without a residual "
                       "connection."),
            source="Child et al. (2019), section 5.1, equation 7",
            paper_value=_("not stated"),
            measured=_("{pairs}; the more of strided and fixed").format(pairs=pairs),
            rule=NONE,
            values=tuple(
                map(max, missing("strided.unions"), missing("fixed.unions"))
            ),
        ),
    ]  # fmt: skip
