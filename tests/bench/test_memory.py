import torch

from bench.memory import peak_bytes

FLOAT = 4


def test_the_peak_counts_what_stands_at_one_moment():
    x = torch.ones(1000)

    def chain():
        first = x + 1
        second = first * 2
        del first
        third = second.repeat(2)  # while `second` stands
        del second
        return third

    peak, result = peak_bytes(chain)
    assert 3000 * FLOAT <= peak < 3100 * FLOAT  # `repeat` keeps a few bytes of its own
    assert torch.equal(result, torch.full((2000,), 4.0))


def test_what_stood_before_does_not_count():
    x = torch.ones(1000)
    assert peak_bytes(lambda: x.view(10, 100))[0] == 0
