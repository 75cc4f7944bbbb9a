"""The claims of every committed record have the numbers, words and rules of the register.

They hold what `quantities.py` computes and what ``claims.yaml`` asks for: a change of either is
seen here, with all the numbers of the recorded networks.
"""

import pytest

from bottomup import results
from bottomup.experiments.engine import register
from bottomup.experiments.mlp_and_superposition.autoencoder import quantities as autoencoder
from bottomup.experiments.multi_head_attention import quantities as heads


@pytest.mark.parametrize("name", results.available())
def test_a_claim_has_the_numbers_of_the_register(name: str):
    record = results.load(name)
    entries = register.last(register.registered().get(record.name, []))
    claims = results.claims(record)
    assert {claim.id for claim in claims} == {
        number for number, entry in entries.items() if entry.verdict != "dropped"
    }
    for claim in claims:
        entry, now = entries[claim.id], register.asked(claim, record.seeds)
        assert register.values_of(claim) == entry.values, claim.id
        assert (now.state, str(claim.verdict)) == (entry.state, entry.verdict), claim.id


def test_what_the_claims_choose_from_their_records():
    """A setting without the truth, and a number of heads on validation sentences."""
    record = results.load("mlp_and_superposition_autoencoder.json")
    for sweep in ("40_to_20.l1", "80_to_20.topk"):
        agreement, gain = (
            {key: sum(record.metric(f"{sweep}.{key}.{of}")) for key in record.metric(sweep)[0]}
            for of in ("agreement", "x1.gain")
        )
        assert agreement[autoencoder.chosen(record, sweep)] == max(agreement.values())
        assert gain[autoencoder.best(record, sweep)] == max(gain.values())
    record = results.load("multi_head_attention.json")
    best = heads.best_number(record)
    assert sum(record.metric(f"heads_{best}.validation_accuracy")) == max(
        sum(record.metric(f"heads_{n}.validation_accuracy")) for n in record.config["heads"]
    )
