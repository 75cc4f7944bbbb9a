"""Probe, removal and swap, of chapter 08: the toy networks, what is proved, what a report says."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from bottomup.exercises import catalog
from bottomup.exercises.engine.show import show
from bottomup.exercises.representation_analysis.rank_interventions.cases import drawn, multiplies
from tests.drawn import seeded
from tests.exercises.trials.verdicts import is_plain

RANK_INTERVENTIONS = catalog()["rank-interventions"]
evidence = RANK_INTERVENTIONS.solution

CASES = {case.name: case for case in RANK_INTERVENTIONS.cases}


def evidence_of(name: str) -> tuple[float, ...]:
    return RANK_INTERVENTIONS.run(evidence, CASES[name].fresh())


def test_what_the_networks_prove():
    proved = {
        name: evidence_of(name)[3] for name, case in CASES.items() if case.own and not case.gives
    }
    assert proved == {
        "eleven numbers: the token decides": 3,
        "the token decides, and a default where there is none": 3,
        "eleven numbers: nothing reads the token": 1,
        "control points at what the network reads": 1,
        "eleven numbers: lengths matter": 1,
        "eleven numbers: some token is needed": 2,
        "thirteen numbers: token and context are compared": 2,
        "eleven numbers: a copy takes over": 3,
        "the token is a product, which the probe cannot read": 3,
        "the token decides in some contexts": 1,
        "as many sentences as numbers": 3,
        "a part of one direction": 3,
        "float64": 3,
    }


def test_a_control_can_do_more_harm_than_the_removal():
    assert evidence_of("control points at what the network reads")[1] < -0.5


@pytest.mark.parametrize("name", CASES)
def test_every_case_is_what_the_statement_says(name: str):
    network, h, tokens, _read, part, control, donor = CASES[name].inputs.values()
    answer = network(h)
    assert (tokens[donor] != tokens).all()
    assert (answer[donor] != answer).all()
    torch.testing.assert_close(part.T @ part, torch.eye(part.shape[1]).to(part))
    assert control.norm().item() == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("name", CASES)
def test_rounding_decides_no_case(name: str):
    """Neither an answer that is counted nor a claim changes with the last digits of the states."""
    network, h, tokens, read, part, control, donor = CASES[name].inputs.values()
    here = h @ part @ part.T
    moved = h + here.norm(dim=1, keepdim=True) * control
    for states in (h, h - here, moved, h - here + here[donor]):
        for seed in range(5):
            noise = 1e-4 * torch.randn(h.shape, generator=seeded(seed))
            assert network(states + noise.to(h)).equal(network(states))
    numbers = [float(x) for x in evidence(network, h, tokens, read, part, control, donor)]
    assert CASES[name].gives or min(abs(x - 0.5) for x in numbers[:3]) > 0.03


@pytest.mark.parametrize("name", CASES)
def test_a_case_shows_what_its_network_answers(name: str):
    inputs = CASES[name].inputs
    shown = show(inputs["network"])
    assert shown.startswith(f"a function of states [sentence, {inputs['h'].shape[1]}]: ")
    assert "{" not in shown


def test_a_product_is_not_readable_by_a_linear_probe():
    inputs = drawn("", multiplies, 4001, 7, seed=1).inputs
    network, h, tokens = (inputs[name] for name in ("network", "h", "tokens"))
    sign = 2.0 * (tokens - tokens.min()) - 1
    train, test = slice(0, 2001), slice(2001, None)
    weights = torch.linalg.lstsq(h[train], sign[train, None]).solution
    share = ((h[test] @ weights)[:, 0].sign() == sign[test]).float().mean()
    assert 0.4 < share < 0.6
    assert len(set(zip(tokens.tolist(), network(h).tolist(), strict=True))) == 2


@pytest.mark.parametrize(
    "h, error, message",
    [
        (torch.zeros(3, 4).long(), TypeError, "floating-point numbers, got torch.int64"),
        ([[0.0]], TypeError, "floating-point numbers, got list"),
        (torch.zeros(3, 5), ValueError, r"expected states \[sentence, 4\], got shape \(3, 5\)"),
        (torch.zeros(1, 3, 4), ValueError, r"got shape \(1, 3, 4\)"),
    ],
)
def test_a_network_says_what_it_takes(h: Any, error: type[Exception], message: str):
    network = RANK_INTERVENTIONS.cases[0].inputs["network"]
    with pytest.raises(error, match=f"network: .*{message}"):
        network(h)


@pytest.mark.parametrize(
    "answer, sentence",
    [
        (lambda *inputs: evidence(*inputs)[:3], "expected 4 values"),
        (lambda *inputs: (*evidence(*inputs)[:3], 3), "In proved: "),
        (lambda *inputs: (*evidence(*inputs)[:3], "3"), "In proved: It returned"),
        (lambda *inputs: evidence(*inputs)[::-1], "In readable: "),
    ],
)
def test_another_measurement_gets_a_plain_report(answer: Callable[..., Any], sentence: str):
    assert is_plain(RANK_INTERVENTIONS, answer, sentence)
