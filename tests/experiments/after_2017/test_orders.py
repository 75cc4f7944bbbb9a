"""Chapter 10, XLNet: the tables of New York are what counting gives, and who asks how."""

import math

import pytest
import torch

from bottomup import experiments
from bottomup.experiments.after_2017.orders import experiment as orders
from bottomup.experiments.after_2017.orders import new_york as ny
from bottomup.experiments.engine.record import Record

NAME = "after_2017_orders"
TINY = orders.PRESETS["tiny"]
KINDS = pytest.mark.parametrize("kind", ny.PAIRS)


@pytest.fixture(scope="module")
def networks() -> ny.Networks:
    return ny.train_all(TINY, 3)


def test_the_joint_and_the_product_by_hand():
    joint = 2 * 0.3 * math.log(0.3) + 2 * 0.2 * math.log(0.2)
    first = 0.5 * math.log(0.5) + 0.3 * math.log(0.3) + 0.2 * math.log(0.2)
    assert ny.nats(ny.truth("city"), "city") == pytest.approx(joint)
    product = ny.independent(ny.truth("city"))
    assert ny.nats(product, "city") == pytest.approx(first + joint)  # each second word comes once
    los, york = ny.NUMBER["los"], ny.NUMBER["york"]
    assert product[los, york].item() == pytest.approx(0.3 * 0.3)


def test_a_batch_asks_for_the_last_of_each_order():
    batch = ny.batches(TINY, 5)(2)
    asked = batch.asked.gather(1, batch.order)  # in the order of the predictions
    assert (asked.long().diff(dim=1) >= 0).all()
    assert set(asked.sum(dim=1).tolist()) <= {1, 2, 3, 4}
    again = ny.batches(TINY, 5)(2)
    assert torch.equal(batch.sentences, again.sentences)
    assert batch.tokens == int(asked.sum())


@KINDS
def test_every_table_is_a_distribution(networks: ny.Networks, kind: str):
    assert ny.impossible(ny.truth(kind), kind) == 0
    for name, table in [("truth", ny.truth(kind)), *ny.tables(networks, kind).items()]:
        assert table.shape == (len(ny.WORDS), len(ny.WORDS)), name
        assert table.min() >= 0, name
        assert table.sum().item() == pytest.approx(1), name


@torch.no_grad()
def test_one_pass_is_a_product_and_two_passes_are_none(networks: ny.Networks):
    tables = ny.tables(networks, "city")
    for name, product in (("one_pass", True), ("two_passes", False), ("xlnet", False)):
        table = tables[name]
        assert torch.allclose(table, ny.independent(table), atol=1e-9, rtol=0) == product, name


@torch.no_grad()
def test_two_passes_write_the_first_word_in(networks: ny.Networks):
    """For one pair, word by word."""
    end = [ny.NUMBER[w] for w in ("is", "a", "state")]
    new, mexico = ny.NUMBER["new"], ny.NUMBER["mexico"]
    rows = torch.tensor([[ny.MASK, ny.MASK, *end], [new, ny.MASK, *end], [ny.MASK, mexico, *end]])
    said = networks.bert(rows).logits[..., : ny.MASK].double().softmax(dim=-1)
    forth, back = said[0, 0, new] * said[1, 1, mexico], said[0, 1, mexico] * said[2, 0, new]
    for expected, second_first in ((forth, False), (back, True)):
        table = ny.two_passes(networks.bert, "state", second_first=second_first)
        assert table[new, mexico].item() == pytest.approx(expected.item(), rel=1e-5)


@KINDS
def test_one_stream_says_the_same_of_both_places(networks: ny.Networks, kind: str):
    one, other = (ny.from_content(networks.one_stream, kind, target) for target in (0, 1))
    assert torch.equal(one, other)
    assert ny.mixture(kind).sum().item() == pytest.approx(1)


def test_one_stream_learns_from_the_state_before(networks: ny.Networks):
    """The loss, written out for one sentence of one target."""
    batch = ny.batches(TINY, 5)(0)
    one = ny.Drawn(batch.sentences[:1], torch.tensor([[4, 1, 3, 0, 2]]), torch.arange(5)[None] == 2)
    states = networks.one_stream(one.sentences, one.order).content[0, 0]
    expected = -networks.one_stream.unembed(states).log_softmax(dim=-1)[one.sentences[0, 2]]
    assert ny.one_stream_loss(networks.one_stream, one).item() == pytest.approx(expected.item())


def test_what_is_exact(tiny: Record):
    assert tiny.metric("exact.unseen") == (0,)  # an edit is never seen earlier
    assert tiny.metric("exact.seen")[0] > 1e-3
    for claim in experiments.claims(tiny):
        if claim.id in ("10.7a", "10.7b", "10.8a"):
            assert all(map(claim.rule.is_met_by, claim.values))
