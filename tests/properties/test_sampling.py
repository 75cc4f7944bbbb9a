"""What temperature does to any logits: entropy grows with it, and the order of tokens stays."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from bottomup.decoding import softmax_with_temperature

numbers = st.floats(min_value=-1e4, max_value=1e4)
rows = st.lists(numbers, min_size=1, max_size=7)
temperatures = st.floats(min_value=1e-6, max_value=1e6)


def entropy(probabilities: Tensor) -> float:
    return float(torch.special.entr(probabilities).sum())


@settings(max_examples=100)
@given(logits=rows, low=temperatures, high=temperatures)
def test_entropy_grows_with_the_temperature(logits, low, high):
    low, high = sorted((low, high))
    tensor = torch.tensor(logits, dtype=torch.float64)
    cool, warm = (softmax_with_temperature(tensor, each) for each in (low, high))
    assert entropy(cool) <= entropy(warm) + 1e-9


@settings(max_examples=100)
@given(logits=rows, temperature=temperatures)
def test_probabilities_sum_to_one_and_keep_the_order(logits, temperature):
    tensor = torch.tensor(logits, dtype=torch.float64)
    probabilities = softmax_with_temperature(tensor, temperature)
    assert abs(probabilities.sum().item() - 1) < 1e-12
    assert (probabilities >= 0).all()
    assert (probabilities[tensor.argsort()].diff() >= 0).all()
