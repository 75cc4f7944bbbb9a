import torch

from bottomup.data import PairRetrieval


def test_the_answer_is_what_stands_at_the_two_positions_in_the_order_of_the_question():
    batch = PairRetrieval(positions=5, symbols=3, batch_size=7, seed=2)(3)
    parts = (batch.symbols, batch.asked, batch.answer)
    assert [tuple(part.shape) for part in parts] == [(7, 5), (7, 2), (7, 2)]
    assert {part.dtype for part in parts} == {torch.int64}
    for symbols, (a, b), answer in zip(*(part.tolist() for part in parts), strict=True):
        assert a != b
        assert answer == [symbols[a], symbols[b]]
    assert batch.tokens == 14


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
    asked = PairRetrieval(positions=2, symbols=2).evaluation(40, seed=0).asked
    assert set(map(tuple, asked.tolist())) == {(0, 1), (1, 0)}
