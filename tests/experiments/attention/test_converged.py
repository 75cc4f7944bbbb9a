"""Chapter 01's longer trainings: the main record's settings, and a tiny run."""

from dataclasses import replace

from bottomup import experiments
from bottomup.experiments.attention import experiment as attention
from bottomup.experiments.attention.converged import experiment as converged


def test_nothing_but_the_steps_differs_from_the_main_record():
    main, longer = attention.PRESETS["recorded"], converged.PRESETS["recorded"]
    assert longer.variants == ("none_1200", "none_2400", "bahdanau_1200", "bahdanau_2400")
    assert replace(longer, variants=main.variants, examples=main.examples) == main


def test_a_tiny_run_gives_every_measure_and_claim():
    tiny = converged.run(converged.PRESETS["tiny"], (0, 1, 2), "cpu")
    assert list(tiny.runs[0]["metrics"]) == list(converged.PRESETS["tiny"].variants)
    assert not tiny.arrays
    claims = experiments.claims(tiny)
    assert [claim.id for claim in claims] == [f"01.1{letter}" for letter in "klmno"]
    assert "after 12 steps minus after 6" in claims[0].measured
