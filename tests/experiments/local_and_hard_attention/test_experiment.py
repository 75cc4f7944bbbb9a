"""Chapter 01b's table of scores and spans: names of variants, a tiny run, its claims."""

import pytest

from bottomup.experiments import Record
from bottomup.experiments.local_and_hard_attention import experiment as local_and_hard_attention
from bottomup.experiments.local_and_hard_attention.experiment import Kind

SEEDS = (0, 1, 2)


@pytest.fixture(scope="module")
def tiny() -> Record:
    preset = local_and_hard_attention.PRESETS["tiny"]
    return local_and_hard_attention.run(preset, SEEDS, "cpu")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("sort-location", Kind("sort", "location", "global", False)),
        ("translate-dot-feed", Kind("translate", "dot", "global", True)),
        ("translate-general-local_m", Kind("translate", "general", "local_m", False)),
        ("translate-general-local_p-feed", Kind("translate", "general", "local_p", True)),
    ],
)
def test_a_variant_is_read_from_its_name(name, kind):
    assert Kind.parse(name) == kind


@pytest.mark.slow
def test_a_tiny_run_gives_every_measure_and_claim(tiny: Record):
    assert set(tiny.runs[0]["metrics"]) == set(tiny.config["variants"])
    for variant in tiny.config["variants"]:
        measured = "accuracy" if not variant.startswith("translate") else "exact"
        assert all(0 <= value <= 1 for value in tiny.metric(f"{variant}.{measured}"))
    assert "gold_weight" not in tiny.runs[0]["metrics"]["sort-none"]
    assert all(0 < value < 1 for value in tiny.metric("sort-general.gold_weight"))
    assert [claim.id for claim in local_and_hard_attention.claims(tiny)] == [
        "01b.3", "01b.5a", "01b.5b", "01b.5c", "01b.5d", "01b.5h",
    ]  # fmt: skip


@pytest.mark.slow
def test_the_lead_is_over_the_best_of_the_others(tiny: Record):
    fed = [name for name in tiny.config["variants"] if name.endswith("-feed")]
    rivals = [name for name in fed if name != "translate-general-local_p-feed"]
    assert len(rivals) == 7
    best = [max(tiny.metric(f"{name}.bleu")[seed] for name in rivals) for seed in SEEDS]
    own = tiny.metric("translate-general-local_p-feed.bleu")
    claim = next(c for c in local_and_hard_attention.claims(tiny) if c.id == "01b.5a")
    assert claim.values == pytest.approx([a - b for a, b in zip(own, best, strict=True)])


def test_a_record_of_the_sequences_alone_has_their_claim_alone():
    laptop = local_and_hard_attention.PRESETS["laptop"]
    assert not any(name.startswith("translate") for name in laptop.variants)
    record = local_and_hard_attention.run(
        type(laptop)(
            variants=laptop.variants, steps=3, warmup=1, d_state=8, d_embedding=5, sequences=5
        ),
        SEEDS,
        "cpu",
    )
    assert [claim.id for claim in local_and_hard_attention.claims(record)] == ["01b.3"]
