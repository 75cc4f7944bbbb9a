"""Chapter 01b's table of scores and spans: names of variants, a tiny run, its claims."""

import pytest

from bottomup import experiments
from bottomup.experiments import Record
from bottomup.experiments.local_and_hard_attention import experiment as local_and_hard_attention
from bottomup.experiments.local_and_hard_attention.experiment import Kind
from bottomup.experiments.local_and_hard_attention.quantities import lead, lead_in_table
from tests.experiments.records import alike

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
    assert [claim.id for claim in experiments.claims(tiny)] == [
        "01b.3", "01b.5a", "01b.5b", "01b.5c", "01b.5d", "01b.5h",
    ]  # fmt: skip


def test_the_lead_is_over_the_best_of_the_others():
    bleu = {"general-local_p": 25, "location": 20, "additive": 30}
    metrics = {
        f"translate-{name}": {"bleu": bleu.get(name.removesuffix("-feed"), 10)}
        for name in local_and_hard_attention.FED
    }
    config = {"variants": [*metrics, "translate-dot", "sort-general"]}
    record = alike(local_and_hard_attention.NAME, metrics, config)
    assert lead(record) == (-5, -5, -5)
    assert lead_in_table(record) == (5, 5, 5)  # additive is not in it


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
    assert [claim.id for claim in experiments.claims(record)] == ["01b.3"]
