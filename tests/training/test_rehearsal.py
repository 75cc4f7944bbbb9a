"""A rehearsal takes a few steps, and counts them right."""

from dataclasses import dataclass

import pytest
import torch
from torch import Tensor, nn

from bottomup.training import fit
from bottomup.training.rehearsal import TAKEN, rehearsed

WIDTH, ROWS = 5, 7


@dataclass
class Rows:
    x: Tensor
    tokens: int = ROWS

    def to(self, device: torch.device | str) -> "Rows":
        return self


def train(steps: int, stop_at: int | None = None):
    def batch(step: int) -> Rows:
        if step == stop_at:
            raise KeyboardInterrupt
        return Rows(torch.full((ROWS, WIDTH), 1.0 + step))

    model = nn.Linear(WIDTH, WIDTH, bias=False)
    return fit(
        model,
        batch,
        steps=steps,
        loss=lambda model, batch: model(batch.x).square().mean(),
        optimizer=torch.optim.SGD(model.parameters(), lr=0.1),
    )


def test_a_training_is_cut_and_its_whole_length_kept():
    with rehearsed() as heard:
        assert len(train(100)) == TAKEN
    assert heard[0].steps == 100
    assert heard[0].whole == 100 * heard[0].seconds


def test_the_products_of_one_step_are_counted():
    with rehearsed() as heard:
        train(50)
    # Forward, and backward the product for the weights alone: x takes no gradient.
    assert heard[0].flops == 2 * (2 * ROWS * WIDTH * WIDTH)
    assert heard[0].parameters == WIDTH * WIDTH
    assert heard[0].state == 4 * 4 * WIDTH * WIDTH
    assert heard[0].operations > 5


def test_what_a_backward_pass_needs_is_counted_once():
    with rehearsed() as heard:
        train(50)
    x, y = 4 * ROWS * WIDTH, 4 * ROWS * WIDTH
    assert heard[0].kept == x + y  # of y, which is squared, and of x for the weights


def test_each_training_is_heard_and_nothing_afterwards():
    with rehearsed() as heard:
        train(20)
        train(30)
    assert [each.steps for each in heard] == [20, 30]
    assert len(train(9)) == 9
    assert len(heard) == 2


def test_a_training_shorter_than_a_rehearsal_is_taken_whole():
    with rehearsed() as heard:
        assert len(train(2)) == 2
    assert heard[0].steps == 2


def test_an_error_ends_the_rehearsal():
    with pytest.raises(ValueError, match="steps"), rehearsed():
        train(0)
    assert len(train(9)) == 9


def test_one_that_is_interrupted_counts_with_the_steps_that_were_timed():
    with rehearsed() as heard:
        with pytest.raises(KeyboardInterrupt):
            train(100, stop_at=TAKEN - 1)
        with pytest.raises(KeyboardInterrupt):
            train(100, stop_at=0)
    assert [each.steps for each in heard] == [100]
    assert heard[0].flops == 2 * (2 * ROWS * WIDTH * WIDTH)
    assert heard[0].seconds > 0
