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


@pytest.mark.parametrize("readout", ["linear", "mlp"])
def test_shapes_for_each_readout(readout, device):
    batch = TASK(0).to(device)
    logits, weights = reader(num_heads=4, readout=readout).to(device)(batch.symbols, batch.asked)
    assert logits.shape == (BATCH, 2, SYMBOLS)
    assert weights.shape == (BATCH, 4, POSITIONS)


def test_the_weights_do_not_depend_on_the_symbols():
    model, batch = reader(num_heads=2), TASK(0)
    other = model((batch.symbols + 1) % SYMBOLS, batch.asked)
    one = model(batch.symbols, batch.asked)
    assert torch.equal(one.weights, other.weights)
    assert not torch.allclose(one.logits, other.logits)


def test_the_order_of_the_question_matters():
    model, batch = reader(), TASK(0)
    one, turned = model(batch.symbols, batch.asked), model(batch.symbols, batch.asked.flip(1))
    assert not torch.allclose(one.weights, turned.weights)


def test_a_linear_readout_makes_the_logits_a_sum_over_positions():
    # changing two symbols changes the logits by the sum of what each change does alone
    model, mlp = reader(), reader(readout="mlp")
    symbols, asked = torch.tensor([[0, 1, 2, 0, 1]]), torch.tensor([[3, 1]])
    once, twice, both = symbols.clone(), symbols.clone(), symbols.clone()
    once[0, 1], twice[0, 3] = 2, 1
    both[0, 1], both[0, 3] = 2, 1

    def interaction(network: PairReader) -> torch.Tensor:
        base, one, other, all_ = (network(s, asked).logits for s in (symbols, once, twice, both))
        return (all_ - one - other + base).abs().max()

    assert interaction(model) < 1e-12
    assert interaction(mlp) > 1e-6


def test_every_parameter_learns():
    model, batch = reader(num_heads=2, readout="mlp"), TASK(0)
    model(batch.symbols, batch.asked).logits.square().sum().backward()
    assert all(parameter.grad.abs().sum() > 0 for parameter in model.parameters())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_heads": 0}, "num_heads: expected an integer of at least 1, got 0"),
        ({"readout": "conv"}, "readout: expected one of 'linear', 'mlp', got 'conv'"),
        ({"positions": 1}, "positions: expected an integer of at least 2, got 1"),
        ({"symbols": 1}, "symbols: expected an integer of at least 2, got 1"),
    ],
)
def test_bad_configurations_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        PairReaderConfig(**{"positions": 3, "symbols": 2, **options})


def test_heads_must_divide_the_width():
    with pytest.raises(ValueError, match="num_heads"):
        reader(num_heads=3)


def test_bad_questions_are_named():
    model, batch = reader(), TASK(0)
    with pytest.raises(ValueError, match=r"asked: expected token numbers in \[0, 5\), got 5"):
        model(batch.symbols, torch.full((BATCH, 2), 5))
    with pytest.raises(ValueError, match=r"asked: expected axes \[batch=7, 2\], got .*\(6, 2\)"):
        model(batch.symbols, batch.asked[:6])
    with pytest.raises(ValueError, match=r"symbols: expected axes \[batch, positions=5\], got"):
        model(batch.symbols[:, :4], batch.asked)
    with pytest.raises(ValueError, match=r"symbols: expected token numbers in \[0, 3\), got 3"):
        model(batch.symbols + 1, batch.asked)


def test_many_heads_of_width_one_can_be_set_by_hand_to_answer_everything():
    """For each slot and position a head reads that position if asked for it, and position 0 if not.

    A symbol is a point on a circle, so each such head is there twice, once for each coordinate. Two
    more heads read position 0 always: what the others read of it in vain is subtracted.
    """
    positions, symbols = 5, 7
    heads = 2 * (2 * (positions - 1) + 1)
    config = PairReaderConfig(
        positions=positions, symbols=symbols, d_model=heads, num_heads=heads, d_value=1
    )
    model = PairReader(config).double()
    angles = 2 * torch.pi * torch.arange(symbols, dtype=torch.float64) / symbols
    circle = torch.stack([angles.cos(), angles.sin()])  # [coordinate, symbol]
    sharp = 40.0
    readout = torch.zeros(2, symbols, heads, dtype=torch.float64)
    head = 0
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
        for table, offset in ((model.first, 0), (model.second, positions), (model.position, 0)):
            table.weight[:, offset : offset + positions] = torch.eye(positions)
        model.symbol.weight[:, :2] = circle.T
        model.attention.W_O.weight.copy_(torch.eye(heads))
        for coordinate in range(2):
            for slot in range(2):
                for wanted in range(1, positions):
                    query = torch.full((positions,), -sharp)
                    query[wanted] = sharp
                    start = slot * positions
                    model.attention.W_Q.weight[head, start : start + positions] = query
                    model.attention.W_K.weight[head, [0, wanted]] = torch.tensor(
                        [-1.0, 1.0]
                    ).double()
                    model.attention.W_V.weight[head, coordinate] = 1
                    readout[slot, :, head] = circle[coordinate]
                    head += 1
            model.attention.W_Q.weight[head, :positions] = sharp
            model.attention.W_K.weight[head, 0] = 1
            model.attention.W_V.weight[head, coordinate] = 1
            readout[:, :, head] = -(positions - 2) * circle[coordinate]
            head += 1
        model.readout.weight.copy_(readout.flatten(0, 1))
        batch = PairRetrieval(positions=positions, symbols=symbols, seed=1).evaluation(999, seed=2)
        logits = model(batch.symbols, batch.asked).logits
    assert head == heads
    assert model.attention.d_head == model.attention.d_value == 1
    assert torch.equal(logits.argmax(dim=-1), batch.answer)
