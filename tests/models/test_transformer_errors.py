"""What a Transformer refuses, and what it says."""

from dataclasses import replace

import pytest
import torch
from torch import Tensor

from bottomup.data import Batch
from tests.models.test_transformer import LONGEST, SOURCES, TARGETS, batch, model_of

ONES = torch.ones(3, 5, dtype=torch.bool)


def rows(*counts: int) -> Tensor:
    """A mask with that many real tokens in each row."""
    return torch.arange(5) < torch.tensor(counts)[:, None]


def ids(*shape: int) -> Tensor:
    return torch.ones(shape, dtype=torch.int64)


def of_length(n: int) -> dict[str, Tensor]:
    return {"source": ids(3, n), "source_mask": torch.ones(3, n, dtype=torch.bool)}


CASES = {
    "a source token outside the vocabulary": (
        {"source": ids(3, 5) * SOURCES},
        r"source: expected token numbers in \[0, 17\), got 17",
    ),
    "a target token outside the vocabulary": (
        {"target_in": ids(3, 5) * TARGETS},
        r"target_in: expected token numbers in \[0, 13\), got 13",
    ),
    "a negative token": ({"target_in": -ids(3, 5)}, r"target_in: .*in \[0, 13\), got -1"),
    "a source past the table of positions": (
        of_length(LONGEST + 1),
        "x: expected positions below max_length=7, got positions 0 to 7",
    ),
    "a target past the table of positions": (
        {"target_in": ids(3, 11), "target_mask": torch.ones(3, 11, dtype=torch.bool)},
        "x: expected positions below max_length=7, got positions 0 to 10",
    ),
    "a source that is all padding": (
        {"source_mask": rows(5, 0, 3)},
        r"source_mask: expected a real token in each row, got none in rows \[1\]",
    ),
    "a target that is all padding": (
        {"target_mask": rows(0, 5, 0)},
        r"target_mask: expected a real token in each row, got none in rows \[0, 2\]",
    ),
    "a source padded on the left": (
        {"source_mask": rows(5, 4, 3).flip(1)},
        "source_mask: expected padding on the right only",
    ),
    "a target padded on the left": (
        {"target_mask": rows(5, 4, 3).flip(1)},
        "target_mask: expected padding on the right only",
    ),
    "an empty batch": (
        {"source": ids(0, 5), "source_mask": ONES[:0], "target_in": ids(0, 5)},
        r"source: axis batch must not be empty, got shape \(0, 5\)",
    ),
    "no source positions": (
        of_length(0),
        r"source: axis source must not be empty, got shape \(3, 0\)",
    ),
    "another number of targets than sources": (
        {"target_in": ids(2, 5), "target_mask": ONES[:2]},
        r"target_in: expected axes \[batch=3, target\], got shape \(2, 5\)",
    ),
    "a mask of another shape": (
        {"source_mask": ONES[:, :4]},
        r"source_mask: expected axes \[batch=3, source=5\], got shape \(3, 4\)",
    ),
    "a mask on another device": (
        {"target_mask": ONES.to("meta")},
        "target_mask: expected the device cpu of target_embedding.weight, got meta",
    ),
    "a target on another device": (
        {"target_in": ids(3, 5).to("meta")},
        "target_in: expected the device cpu of target_embedding.weight, got meta",
    ),
}


def changed(changes: dict[str, Tensor]) -> Batch:
    return replace(batch(), **changes)


@pytest.mark.parametrize("name", CASES)
def test_bad_batches_are_refused(name):
    changes, message = CASES[name]
    with pytest.raises(ValueError, match=message):
        model_of()(changed(changes))


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"source": torch.ones(3, 5)}, "source: expected dtype torch.int64, got torch.float32"),
        ({"source": [[4, 5]]}, "source: expected a torch.Tensor, got list"),
        ({"target_in": None}, "target_in: expected a torch.Tensor, got NoneType"),
        ({"source_mask": ONES.float()}, "source_mask: expected a boolean mask"),
        ({"target_mask": None}, "target_mask: expected a torch.Tensor, got NoneType"),
    ],
)
def test_values_of_another_kind_are_refused(changes, message):
    with pytest.raises(TypeError, match=message):
        model_of()(changed(changes))


@pytest.mark.parametrize(
    "name", [name for name in CASES if "source" in name and "than" not in name]
)
@pytest.mark.parametrize("method", ["encode", "encoder_states", "start"])
def test_encoding_alone_refuses_the_same_sources(method, name):
    changes, message = CASES[name]
    given = changed(changes)
    with pytest.raises(ValueError, match=message):
        getattr(model_of(), method)(given.source, given.source_mask)


# ---- Step by step


def start(**options):
    model = model_of(**options)
    return model, model.start(batch().source, batch().source_mask)


@pytest.mark.parametrize(
    "token, message",
    [
        (ids(3) * TARGETS, r"token: expected token numbers in \[0, 13\), got 13"),
        (ids(3, 1), r"token: expected non-empty axes \[batch\], got \(3, 1\)"),
        (ids(2), "token: expected batch=3 as in the source, got 2"),
    ],
)
def test_bad_tokens_are_refused(token, message):
    model, state = start()
    with pytest.raises(ValueError, match=message):
        model.step(token, state)
    assert model.step(ids(3), state)[1].length == 1


@pytest.mark.parametrize("positions", ["sinusoidal", "learned"])
def test_a_step_past_the_table_of_positions_is_refused(positions):
    model, state = start(positions=positions)
    for _ in range(LONGEST):
        _, state, _ = model.step(ids(3), state)
    with pytest.raises(ValueError, match="x: expected positions below max_length=7, got .* 7 to 7"):
        model.step(ids(3), state)


def test_a_state_cannot_be_continued_twice():
    model, state = start()
    _, newest, _ = model.step(ids(3), state)
    message = "state: expected the newest, with length=1, got one with length=0"
    with pytest.raises(ValueError, match=message):
        model.step(ids(3), state)
    assert model.step(ids(3), newest)[1].length == 2


def test_a_step_in_training_mode_with_dropout_is_refused():
    model, state = start(dropout=0.2)
    with pytest.raises(ValueError, match="expected evaluation mode or dropout=0"):
        model.step(ids(3), state)
    assert model.eval().step(ids(3), state)[1].length == 1
