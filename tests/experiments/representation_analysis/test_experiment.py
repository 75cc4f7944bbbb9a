"""Chapter 08's main experiment: the encoders that are kept."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from bottomup.experiments import Record
from bottomup.experiments.representation_analysis import experiment as analysis
from bottomup.experiments.representation_analysis import networks
from bottomup.experiments.representation_analysis.config import (
    Config,
    language_model_config,
)
from bottomup.experiments.representation_analysis.experiment import TINY
from bottomup.experiments.representation_analysis.networks import Start
from bottomup.experiments.representation_analysis.text import Text
from bottomup.models import LanguageModel, MaskedLanguageModel
from tests.experiments.representation_analysis.tiny_layers import (
    OBJECTIVES,
    STATIONS,
    tiny_batches,
    tiny_text,
)

NAME = "representation_analysis"


def test_stations_and_layers_have_their_numbers(tiny: Record):
    for objective in OBJECTIVES:
        (found,) = tiny.metric(f"networks.{objective}")
        assert list(found["information"]) == list(found["neighbours"]) == STATIONS
        assert list(found["probe"]) == ["layer_0", "layer_1", "layer_3"]
        for table in (*found["change"].values(), found["change_by_group"]):
            assert list(table) == list(found["influence_by_group"]) == STATIONS[1:]


def read_back(
    kept: dict[str, np.ndarray], objective: str, text: Text, config: Config = TINY
) -> LanguageModel:
    kind = LanguageModel if objective == "lm" else MaskedLanguageModel
    model = kind(language_model_config(config, len(text.words)))
    weights = {
        name.removeprefix(f"{objective}."): torch.from_numpy(array).float()
        for name, array in kept.items()
        if name.startswith(f"{objective}.")
    }
    model.load_state_dict(weights, strict=True)
    return model.eval()


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_kept_encoder_gives_the_states_up_to_rounding(objective: str, norm: str):
    config, text = replace(TINY, norm=norm), tiny_text()
    model = networks.untrained(config, text, objective, Start.of(3, 0)).eval()
    copy = read_back(analysis.kept(objective, model), objective, text, config)
    for tokens in tiny_batches()[:3]:
        with torch.no_grad():
            expected, found = networks.states_of(model, tokens), copy(tokens).states
        for one, other in zip(found, expected, strict=True):
            assert 0 < (one - other).abs().max() < 0.02  # states of about 1, in 11 bits
