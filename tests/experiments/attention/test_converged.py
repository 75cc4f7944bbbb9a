"""Chapter 01's longer trainings: the main record's settings, and the claims by hand."""

from dataclasses import replace

import pytest

from bottomup.experiments.attention import experiment as attention
from bottomup.experiments.attention.converged import experiment as converged
from bottomup.experiments.engine.claim import Kind, Verdict
from tests.experiments.records import record_of

IDS = [f"01.1{letter}" for letter in "klmno"]


def test_nothing_but_the_steps_differs_from_the_main_record():
    main, longer = attention.PRESETS["recorded"], converged.PRESETS["recorded"]
    assert longer.variants == ("none_1200", "none_2400", "bahdanau_1200", "bahdanau_2400")
    assert replace(longer, variants=main.variants, examples=main.examples) == main


def test_a_tiny_run_gives_every_measure_and_claim():
    tiny = converged.run(converged.PRESETS["tiny"], (0, 1, 2), "cpu")
    assert list(tiny.runs[0]["metrics"]) == list(converged.PRESETS["tiny"].variants)
    assert not tiny.arrays
    claims = converged.claims(tiny)
    assert [claim.id for claim in claims] == IDS
    assert "after 12 steps minus after 6" in claims[0].measured


@pytest.mark.parametrize(
    ("bleu", "fall", "verdicts"),
    [
        ({"none": (60, 70), "bahdanau": (97, 97.5)}, {"none": 20, "bahdanau": 1}, "hhhhh"),
        ({"none": (60, 60.5), "bahdanau": (95, 97)}, {"none": 4, "bahdanau": 3}, "fhfff"),
    ],
)
def test_the_claims_by_hand(
    bleu: dict[str, tuple[float, float]], fall: dict[str, float], verdicts: str
):
    metrics = {
        f"{kind}_{steps}": {"bleu": float(value), "bleu_fall": float(fall[kind])}
        for kind, pair in bleu.items()
        for steps, value in zip((1200, 2400), pair, strict=True)
    }
    config = converged.PRESETS["recorded"]
    claims = converged.claims(record_of(converged.NAME, [metrics] * 3, config))
    wanted = {"h": Verdict.HOLDS, "f": Verdict.FAILS}
    assert [claim.verdict for claim in claims] == [wanted[letter] for letter in verdicts]
    repeated = {claim.id: claim.repeats for claim in claims if claim.kind is Kind.REPETITION}
    assert repeated == {"01.1l": "01.1b", "01.1n": "01.1a"}
