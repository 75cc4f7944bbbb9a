"""Chapter 07: the claims on leaks, recomputation and the stream's growth."""

from functools import partial
from statistics import fmean

from bottomup.experiments.engine.claim import Claim, EverySeedAbove, EverySeedBelow, Kind
from bottomup.experiments.engine.record import Record
from bottomup.i18n import _

SETS = "Child et al. (2019), section 4.3"
MEMORY = "Child et al. (2019), section 5.4; Chen et al. (2016), section 4"
BLOCKS = "Child et al. (2019), section 5.2"
OWN = _("no paper: our question")
ONE_RUN = _("one run of the experiment under another seed, seen first")
NONE = EverySeedBelow(0.5)  # for counts of things of which there must be none
REQUIRED = _("required in section 4.2: every set lies in {j: j <= i}; not part of the formula")


def numbers(record: Record, path: str) -> tuple[float, ...]:
    """Return a count, one a seed, as a claim takes it."""
    return tuple(float(value) for value in record.metric(path))


def leaked(record: Record) -> list[Claim]:
    """Return what is claimed of the printed sets and of positions that count twice."""
    n, size, summary = record.config["leak"]
    shape = _("n = {n}, l = {l}, c = {c}").format(n=n, l=size, c=summary)
    claim = partial(Claim, record=record.name)
    share = _(
        "share of the pairs i < j for which an edit of key and value j changes the output at i; "
        "{shape}"
    ).format(shape=shape)

    def largest(name: str) -> float:
        return fmean(record.metric(f"leak.literal.{name}.largest"))

    own, summaries = (
        record.metric(f"leak.literal.{name}.share") for name in ("own", "summaries")
    )  # fmt: skip
    return [
        claim(
            kind=Kind.IDENTITY,
            id="07.4a",
            sentence=_("The column of strided attention, read as printed, leaks: a position reads "
                       "later ones."),
            source=SETS,
            paper_value=REQUIRED,
            measured=_("{share}; the largest change, mean over seeds, is {largest:.2f}").format(
                share=share, largest=largest("column")
            ),
            rule=EverySeedAbove(0),
            values=record.metric("leak.literal.column.share"),
            section="Strided attention",
        ),
        claim(
            kind=Kind.IDENTITY,
            id="07.4b",
            sentence=_("So do both sets of fixed attention."),
            source=SETS,
            paper_value=REQUIRED,
            measured=_("{share}; the smaller of own block ({own:.2f}; the largest change, mean "
                       "over seeds, is {most:.2f}) and summaries ({summaries:.2f}; "
                       "{most_of_summaries:.2f})").format(
                share=share,
                own=fmean(own),
                most=largest("own"),
                summaries=fmean(summaries),
                most_of_summaries=largest("summaries"),
            ),
            rule=EverySeedAbove(0),
            values=tuple(map(min, own, summaries)),
            section="Fixed attention",
        ),
        claim(
            kind=Kind.IDENTITY,
            id="07.4c",
            sentence=_("With j <= i in every set nothing later is read, by edits and by "
                       "gradients."),
            source=SETS,
            paper_value=_("by construction"),
            measured=_("pairs i < j for which a bit of the output at i changes, or its gradient "
                       "is not zero; all four sets, strided and fixed attention; {shape}").format(
                shape=shape
            ),
            rule=NONE,
            values=numbers(record, "leak.proper_pairs"),
            section="Fixed attention",
            digits=0,
        ),
        claim(
            kind=Kind.IDENTITY,
            id="07.4d",
            sentence=_("A window of l + 1 positions, as printed, gives the same union as one of "
                       "l."),
            source=SETS,
            paper_value=_("l + 1 positions in the formula, l in the released code"),
            measured=_("entries in which the two unions differ; {shape}; in both sets, besides i "
                       "itself: {twice:.0f} pairs in place of {ours:.0f}").format(
                shape=shape,
                twice=fmean(record.metric("leak.window.twice.l_plus_1")),
                ours=fmean(record.metric("leak.window.twice.l")),
            ),
            rule=NONE,
            values=numbers(record, "leak.window.union_differs"),
            section="Strided attention",
            digits=0,
        ),
        claim(
            kind=Kind.IDENTITY,
            id="07.4e",
            sentence=_("In one softmax over both sets a position that stands in both counts twice, "
                       "and the output is another."),
            source=OWN,
            paper_value=_("not mentioned"),
            measured=_("largest difference from attention to the union, values of variance 1; "
                       "the least of strided with l and l + 1 and of fixed; {shape}; without the "
                       "duplicates {digits:.1f} decimals agree").format(
                shape=shape, digits=fmean(record.metric("leak.duplicates.removed_digits"))
            ),
            rule=EverySeedAbove(0.1),
            values=tuple(
                min(values)
                for values in zip(
                    *(record.metric(f"leak.duplicates.{name}.largest")
                      for name in ("l", "l_plus_1", "fixed")),
                    strict=True,
                )
            ),
            section="One softmax over two sets",
        ),
    ]  # fmt: skip


def recomputed(record: Record) -> list[Claim]:
    """Return what is claimed of recomputation."""
    deepest = record.config["depths"][-1]
    claim = partial(
        Claim, source=MEMORY, record=record.name, section="Compute again instead of keeping"
    )

    def both(path: str) -> list[tuple[float, ...]]:
        return [record.metric(f"recompute.{name}.{path}") for name in ("dropout", "no_dropout")]

    def means(path: str) -> dict[str, float]:
        return {name: fmean(at) for name, at in zip(("on", "off"), both(path), strict=True)}

    return [
        claim(
            kind=Kind.IDENTITY,
            id="07.5a",
            sentence=_("Recomputation changes no output and no gradient, also with dropout."),
            paper_value=_("by construction"),
            measured=_("numbers that differ in a bit, of {compared:,.0f}; stacks of {depths} "
                       "layers, with dropout and without").format(
                compared=fmean(record.metric("recompute.compared")),
                depths=", ".join(map(str, record.config["depths"])),
            ),
            rule=NONE,
            values=numbers(record, "recompute.unequal"),
            digits=0,
        ),
        claim(
            kind=Kind.IDENTITY,
            id="07.5b",
            known=_("one run of the experiment under another seed, with dropout alone: 0.08; "
                    "stacks without dropout were added after it"),
            sentence=_("With it a deep stack needs less than a quarter of the memory for its "
                       "activations."),
            paper_value=_("dense networks of hundreds of layers at 16,384 positions; no ratio"),
            measured=_("bytes kept for the backward pass plus those of the one layer that is "
                       "computed again, over the bytes kept without it; the larger of with dropout "
                       "({on:.3f}) and without ({off:.3f}); {deepest} layers, d = {d}, n = "
                       "{n}").format(
                deepest=deepest,
                d=record.config["d_model"],
                n=record.config["length"],
                **means(f"with_one_layer.{deepest}"),
            ),
            rule=EverySeedBelow(0.25),
            values=tuple(map(max, *both(f"with_one_layer.{deepest}"))),
            digits=3,
        ),
        claim(
            kind=Kind.IDENTITY,
            id="07.5c",
            known=_("one run of the experiment under another seed, with dropout alone; stacks "
                    "without dropout were added after it"),
            sentence=_("What is kept grows by one stream a layer."),
            paper_value=_("no number"),
            measured=_("bytes by which a further layer adds to what is kept, in streams of batch x "
                       "n x d numbers, the larger of with dropout and without; without "
                       "recomputation {on:.1f} and {off:.1f}").format(
                **means("streams_per_layer.plain")
            ),
            rule=EverySeedBelow(1.5),
            values=tuple(map(max, *both("streams_per_layer.recomputed"))),
        ),
    ]  # fmt: skip


def grown(record: Record) -> list[Claim]:
    """Return what is claimed of the stream's growth with the number of layers."""
    few, many = record.config["stacks"][0], record.config["stacks"][-1]
    claim = partial(Claim, record=record.name, section="A deeper stack", known=ONE_RUN)
    networks = _("untrained strided networks of width {width} that read random tokens").format(
        width=record.config["d_model"]
    )

    def at(path: str) -> str:
        values = [fmean(record.metric(f"growth.{path}.{depth}")) for depth in (few, many)]
        return "{:.2f}, {:.2f}".format(*values)

    stream = _(
        "root mean square of the stream over that of the embedding in {networks}: N = {many} over "
        "N = {few}; the two are {at}"
    )
    blocks = record.metric("growth.scaled.blocks_growth")
    return [
        claim(
            kind=Kind.OWN,
            id="07.6a",
            sentence=_("Where the maps that write to the stream start smaller by 1/sqrt(2N), the "
                       "stream before training grows less than twofold from {few} to {many} "
                       "layers.").format(few=few, many=many),
            source=_("{paper}, for the question").format(paper=BLOCKS),
            paper_value=_("not stated; it follows from the ratio that is (07.6c)"),
            measured=stream.format(
                many=many, few=few, networks=networks, at=at("scaled.stream")
            ),
            rule=EverySeedBelow(2),
            values=record.metric("growth.scaled.stream_growth"),
        ),
        claim(
            kind=Kind.OWN,
            id="07.6b",
            sentence=_("Without that it grows more than threefold from {few} to {many} "
                       "layers.").format(few=few, many=many),
            source=BLOCKS,
            paper_value=_("no number"),
            measured=stream.format(
                many=many, few=few, networks=networks, at=at("unscaled.stream")
            ),
            rule=EverySeedAbove(3),
            values=record.metric("growth.unscaled.stream_growth"),
        ),
        claim(
            kind=Kind.PAPER,
            id="07.6c",
            sentence=_("With it, the ratio of the embedding's scale to that of all blocks together "
                       "stays within a factor of two from {few} to {many} layers.").format(
                few=few, many=many
            ),
            source=BLOCKS,
            paper_value=_("stated: invariant across values of N"),
            measured=_("change of that ratio from N = {few} to N = {many}, as a factor above 1, in "
                       "{networks}; blocks over embedding: {at}; unscaled: {unscaled}").format(
                many=many,
                few=few,
                networks=networks,
                at=at("scaled.blocks"),
                unscaled=at("unscaled.blocks"),
            ),
            rule=EverySeedBelow(2),
            values=tuple(max(value, 1 / value) for value in blocks),
        ),
    ]  # fmt: skip
