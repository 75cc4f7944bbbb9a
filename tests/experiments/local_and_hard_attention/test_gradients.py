"""Chapter 01b's trainings: they start from the same parameters."""

from dataclasses import replace

import torch

from bottomup.experiments.attention.reversal.experiment import model_config, task_of
from bottomup.experiments.local_and_hard_attention.gradients import experiment
from bottomup.experiments.local_and_hard_attention.gradients.experiment import PRESETS, TRAININGS
from bottomup.experiments.shared.recurrent import Variant, untrained
from bottomup.models import HardSeq2Seq


def test_all_trainings_start_from_the_same_parameters(trial):
    config = replace(PRESETS["tiny"], variants=())
    task = task_of(config, 3)
    soft = untrained(model_config(config, "general", len(task.vocabulary)), 3)
    starts = []
    for kind in TRAININGS:
        own = replace(trial, seed=3, checkpoint=trial.checkpoint.with_name(kind))
        frozen = replace(config, learning_rate=1e-30, warmup=0)
        model = experiment.train(frozen, Variant(kind, 1), task, own)
        assert isinstance(model, HardSeq2Seq) == (kind != "soft")
        starts.append(list(model.parameters()))
    for start in starts:
        for one, other in zip(start, soft.parameters(), strict=True):
            torch.testing.assert_close(one, other)
