"""What holds for everything that gives a batch for a step. Of pairs: `tests/properties`."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from bottomup.data import (
    BatchStream,
    EchoTask,
    ImageStream,
    InductionTask,
    LabelledStream,
    MaskedStream,
    PairRetrieval,
    SequenceTask,
    WindowStream,
)
from bottomup.training import TrainingBatch

EXAMPLES = [([4, 5, 6], {1: 9}), ([7], {0: 2}), ([8, 4, 4, 5, 6], {0: 3, 4: 1}), ([5, 5], {})]
PAIRS = [([4 + (5 * p + n) % 13 for p in range(2 + n % 3)], []) for n in range(23)]
Stream = Callable[[int], Any]
STREAMS: dict[str, Callable[[int], Stream]] = {
    "echoes": lambda seed: EchoTask(length=23, symbols=11, shortest=2, longest=5, seed=seed),
    "induction": lambda seed: InductionTask(batch_size=7, seed=seed),
    "retrieval": lambda seed: PairRetrieval(positions=5, symbols=3, batch_size=31, seed=seed),
    "sequences": lambda seed: SequenceTask("copy", batch_size=7, seed=seed),
    "sorting": lambda seed: SequenceTask("sort", batch_size=7, seed=seed),
    "labelled": lambda seed: LabelledStream(EXAMPLES, batch_size=31, seed=seed),
    "masked": lambda seed: MaskedStream(
        BatchStream(PAIRS, tokens_per_batch=40, seed=7), mask_id=17, vocabulary=17, seed=seed
    ),
    "images": lambda seed: ImageStream(torch.eye(5).long(), batch_size=31, seed=seed),
    "windows": lambda seed: WindowStream(torch.arange(17), length=5, batch_size=31, seed=seed),
}
TASKS = {
    "echoes": lambda task, seed: task.evaluation(7, 30, seed=seed),
    "induction": lambda task, seed: task.evaluation(7, seed=seed),
    "retrieval": lambda task, seed: task.evaluation(31, seed=seed),
}


def told(batch: Any) -> str:
    return str([field.tolist() for field in vars(batch).values()])


@pytest.mark.parametrize("make", STREAMS.values(), ids=STREAMS)
def test_a_batch_depends_on_seed_and_step_alone(make: Callable[[int], Stream]):
    used, fresh = make(3), make(3)
    used(5), used(0)  # what was asked before does not count
    before = torch.get_rng_state()
    for step in (0, 1, 11):
        assert told(used(step)) == told(fresh(step))
    assert torch.equal(torch.get_rng_state(), before)  # the caller's random numbers stay
    assert len({told(make(seed)(step)) for seed in range(3) for step in range(4)}) == 12


@pytest.mark.parametrize("make", STREAMS.values(), ids=STREAMS)
def test_a_batch_can_be_trained_on_and_moved(make: Callable[[int], Stream], device):
    batch = make(0)(0)
    moved = batch.to(device)
    assert isinstance(moved, TrainingBatch) and moved.tokens == batch.tokens > 0
    fields = [field for field in vars(moved).values() if isinstance(field, Tensor)]
    assert {field.device.type for field in fields} == {device.type}
    assert told(moved) == told(batch)


@pytest.mark.parametrize("name", TASKS)
def test_evaluation_is_apart_from_training_and_from_the_task_s_seed(name: str):
    evaluate, task, other = TASKS[name], STREAMS[name](2), STREAMS[name](3)
    assert told(evaluate(task, 2)) == told(evaluate(other, 2)) != told(evaluate(task, 4))
    assert told(evaluate(task, 2)) not in {told(task(step)) for step in range(5)}
