import pytest
import torch

from bottomup.data import PairRetrieval, RetrievalBatch
from bottomup.training import TrainingBatch

TASK = PairRetrieval(positions=5, symbols=3, batch_size=7, seed=2)


def parts(batch: RetrievalBatch) -> tuple[torch.Tensor, ...]:
    return batch.symbols, batch.asked, batch.answer


def same(one: RetrievalBatch, other: RetrievalBatch) -> bool:
    return all(torch.equal(a, b) for a, b in zip(parts(one), parts(other), strict=True))


def test_the_answer_is_what_stands_at_the_two_positions_in_the_order_of_the_question():
    batch = TASK(3)
    assert [tuple(part.shape) for part in parts(batch)] == [(7, 5), (7, 2), (7, 2)]
    assert {part.dtype for part in parts(batch)} == {torch.int64}
    for symbols, (a, b), answer in zip(*(part.tolist() for part in parts(batch)), strict=True):
        assert a != b
        assert answer == [symbols[a], symbols[b]]


def test_a_batch_can_be_trained_on_and_moved(device):
    batch = TASK(0).to(device)
    assert isinstance(batch, TrainingBatch)
    assert batch.tokens == 14
    assert {part.device.type for part in parts(batch)} == {device.type}


def test_batches_depend_on_seed_and_step_alone():
    again = PairRetrieval(positions=5, symbols=3, batch_size=7, seed=2)
    other = PairRetrieval(positions=5, symbols=3, batch_size=7, seed=3)
    assert same(TASK(11), again(11))
    assert not same(TASK(11), TASK(12))
    assert not same(TASK(11), other(11))


def test_evaluation_is_apart_from_training_and_from_the_task_s_seed():
    other = PairRetrieval(positions=5, symbols=3, batch_size=7, seed=3)
    batch = TASK.evaluation(7, seed=2)
    assert same(batch, other.evaluation(7, seed=2))
    assert not same(batch, TASK.evaluation(7, seed=4))
    assert not any(same(batch, TASK(step)) for step in range(5))


def test_every_symbol_and_every_ordered_pair_is_drawn_equally_often():
    batch = PairRetrieval(positions=3, symbols=2).evaluation(12_000, seed=0)
    pairs = batch.asked[:, 0] * 3 + batch.asked[:, 1]
    counts = torch.bincount(pairs, minlength=9).view(3, 3)
    assert counts.diagonal().tolist() == [0, 0, 0]
    # 2,000 of each are expected, with a standard deviation of 41
    assert all(1800 < count < 2200 for count in counts[~torch.eye(3, dtype=torch.bool)].tolist())
    assert abs(batch.symbols.double().mean().item() - 0.5) < 0.015
    both = (batch.answer[:, 0] == batch.answer[:, 1]).double().mean().item()
    assert abs(both - 0.5) < 0.03  # the two answers may be the same symbol


def test_two_positions_are_asked_for_in_both_orders():
    asked = PairRetrieval(positions=2, symbols=2).evaluation(40, seed=0).asked
    assert set(map(tuple, asked.tolist())) == {(0, 1), (1, 0)}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"positions": 1}, "positions: expected an integer of at least 2, got 1"),
        ({"symbols": 1}, "symbols: expected an integer of at least 2, got 1"),
        ({"batch_size": 0}, "batch_size: expected an integer of at least 1, got 0"),
        ({"seed": -1}, "seed: expected an integer of at least 0, got -1"),
    ],
)
def test_bad_settings_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        PairRetrieval(**options)


def test_bad_steps_and_counts_are_refused():
    with pytest.raises(ValueError, match="step: expected an integer of at least 0, got -1"):
        TASK(-1)
    with pytest.raises(TypeError, match="count: expected an integer, got 2.5"):
        TASK.evaluation(2.5, seed=0)
    with pytest.raises(ValueError, match="seed: expected an integer of at least 0, got -3"):
        TASK.evaluation(2, seed=-3)
