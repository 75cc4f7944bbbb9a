"""Local attention: what the stub says of its inputs, and what the centre is called."""

import re

import torch

from bottomup.exercises import catalog

LOCAL_P_WINDOW = catalog()["local-p-window"]


def test_the_stub_excludes_what_no_case_holds():
    stub = " ".join(LOCAL_P_WINDOW.stub.split())
    assert "a whole number of at least 1" in stub
    assert "every window holds at least one position" in stub
    for case in LOCAL_P_WINDOW.cases:
        scores, center, half_width = case.fresh().inputs.values()
        distance = torch.arange(scores.shape[-1]) - center[..., None]
        assert half_width >= 1
        assert (distance.abs() <= half_width).any(-1).all()


def test_what_the_reader_sees_calls_the_centre_as_the_page_does():
    texts = [
        LOCAL_P_WINDOW.stub,
        *LOCAL_P_WINDOW.hints,
        *(mistake.diagnosis for mistake in LOCAL_P_WINDOW.mistakes),
    ]
    assert not [text for text in texts if re.search(r"\bp_t\b|\bp\b(?!_)", text)]
