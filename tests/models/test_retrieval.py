import pytest
import torch

from bottomup.data import PairRetrieval
from bottomup.models import PairReader, PairReaderConfig
from tests.drawn import global_seed

POSITIONS, SYMBOLS, D_MODEL, BATCH = 5, 3, 8, 7
TASK = PairRetrieval(POSITIONS, SYMBOLS, BATCH, seed=1)


def reader(**options) -> PairReader:
    config = PairReaderConfig(positions=POSITIONS, symbols=SYMBOLS, d_model=D_MODEL, **options)
    with global_seed(0):
        return PairReader(config).double()


def test_two_heads_step_by_step():
    model, batch = reader(num_heads=2), TASK(0)
    logits, weights = model(batch.symbols, batch.asked)
    maps = {name: linear.weight for name, linear in model.attention.named_children()}
    d_head = D_MODEL // 2
    for row in range(BATCH):
        a, b = batch.asked[row]
        query = model.first.weight[a] + model.second.weight[b]
        value = model.symbol.weight[batch.symbols[row]] @ maps["W_V"].T
        key = model.position.weight @ maps["W_K"].T
        scores = [
            key[:, part] @ (maps["W_Q"] @ query)[part] / d_head**0.5
            for part in (slice(0, d_head), slice(d_head, None))
        ]
        own = torch.stack(scores).softmax(-1)
        torch.testing.assert_close(weights[row], own)
        read = torch.cat([own[0] @ value[:, :d_head], own[1] @ value[:, d_head:]])
        expected = model.readout(maps["W_O"] @ read)
        torch.testing.assert_close(logits[row].flatten(), expected)


def test_every_parameter_learns():
    model, batch = reader(num_heads=2, readout="mlp"), TASK(0)
    model(batch.symbols, batch.asked).logits.square().sum().backward()
    assert all(parameter.grad.abs().sum() > 0 for parameter in model.parameters())


def test_heads_must_divide_the_width():
    with pytest.raises(ValueError, match="num_heads"):
        reader(num_heads=3)


def test_bad_questions_are_named():
    model, batch = reader(), TASK(0)
    with pytest.raises(ValueError, match=r"asked: expected token numbers in \[0, 5\), got 5"):
        model(batch.symbols, torch.full((BATCH, 2), 5))
    with pytest.raises(ValueError, match=r"symbols: expected token numbers in \[0, 3\), got 3"):
        model(batch.symbols + 1, batch.asked)
