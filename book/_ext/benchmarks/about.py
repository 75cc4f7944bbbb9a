"""Where and when a benchmark was run."""

from docutils import nodes
from sphinx import addnodes

from bottomup.i18n import _
from bottomup.results import (
    AttentionBenchmark,
    Benchmark,
    DecodingBenchmark,
    ScalingBenchmark,
    TrainingBenchmark,
)

from . import scaling

FOLDER = "/src/bottomup/results/benchmarks"  # from the folder of _config.yml


def facts(page: str, name: str, measured: Benchmark) -> nodes.bullet_list:
    """Return machine, versions, date, sizes and file, one item each."""
    lines = (machine(measured), versions(measured), when(measured), sizes(measured))
    items = [nodes.list_item("", nodes.paragraph("", line)) for line in lines]
    file = nodes.paragraph("", _("The figures: "), download(page, name))
    return nodes.bullet_list("", *items, nodes.list_item("", file))


def machine(measured: Benchmark) -> str:
    """Say what it ran on."""
    text = _(
        "{processor}, {cores} cores, of which {threads} was used, {system}. "
        "Load at the start: {load}."
    )
    found = dict(measured.machine)
    load = found.pop("load_at_start")[0]
    return text.format(**found, threads=measured.threads, load=load)


def versions(measured: Benchmark) -> str:
    """Name the versions."""
    text = _("{versions}, and this package at commit {commit}{changed}.")
    named = ", ".join(f"{name} {number}" for name, number in measured.versions.items())
    changed = _(" with changes that were not committed yet") if measured.dirty else ""
    return text.format(
        versions=named[:1].upper() + named[1:], commit=measured.base_commit[:10], changed=changed
    )


def when(measured: Benchmark) -> str:
    """Say when it ran, and for how long."""
    text = _("Run on {day} at {time} UTC; it took {minutes:.0f} minutes.")
    day, time = measured.date.split("T")
    return text.format(day=day, time=time[:5], minutes=measured.minutes)


def sizes(measured: Benchmark) -> str:
    """Say what was computed, and how often."""
    if isinstance(measured, TrainingBenchmark):
        return training_sizes(measured)
    if isinstance(measured, DecodingBenchmark):
        return decoding_sizes(measured)
    if isinstance(measured, ScalingBenchmark):
        return scaling.sizes(measured)
    if not isinstance(measured, AttentionBenchmark):
        raise TypeError(f"no sizes for {type(measured).__name__}")
    text = _("Batch {batch}, width {d_model}, {heads} heads, float32. Rounds: {rounds}.")
    rounds = {case.n: case.rounds for case in measured.cases}
    listed = ", ".join(
        _("{rounds} at n = {n}").format(rounds=rounds[n], n=n) for n in measured.sizes
    )
    return text.format(
        batch=measured.batch, d_model=measured.d_model, heads=measured.heads, rounds=listed
    )


def training_sizes(measured: TrainingBenchmark) -> str:
    """Say which models and batches were trained, and how often each of them."""
    text = _("Vocabulary {vocabulary:,}, float32. {batches}.")
    one = _("At width {d_model} with {heads} heads, {batch} × {n} tokens: {rounds}")
    rounds = _("{rounds} rounds with {layers} + {layers} layers")
    batches = []
    for d_model, batch, n in measured.batches:
        cases = measured.select(d_model=d_model, batch=batch, n=n)
        listed = ", ".join(rounds.format(rounds=c.rounds, layers=c.layers) for c in cases)
        heads = cases[0].heads
        batches.append(one.format(d_model=d_model, heads=heads, batch=batch, n=n, rounds=listed))
    return text.format(vocabulary=measured.vocabulary, batches=". ".join(batches))


def decoding_sizes(measured: DecodingBenchmark) -> str:
    """Say which models decoded what, and how often each of them."""
    text = _("Vocabulary {vocabulary:,}, float32. {cases}.")
    one = _(
        "{layers} + {layers} layers, width {d_model}, {heads} heads, {batch} × {n} tokens: "
        "{rounds} rounds"
    )
    listed = "; ".join(one.format(**vars(case)) for case in measured.cases)
    return text.format(vocabulary=measured.vocabulary, cases=listed)


def download(page: str, name: str) -> addnodes.download_reference:
    """Return a link to the file, which the build copies."""
    return addnodes.download_reference(
        "", "", nodes.literal("", name), refdoc=page, reftarget=f"{FOLDER}/{name}"
    )
