"""A backward pass: slopes by hand, the chapter's twelve lines, torch's autograd, typical slips."""

import pytest
import torch

from bottomup.exercises import catalog
from tests.exercises.trials.verdicts import expected_of, is_plain, named, report_on, wrong_answers

EXERCISE = catalog()["backward-pass"]


@pytest.mark.parametrize(
    "case, slopes",
    [
        (0, [1, 2, 1, 1, 1]),  # b + 2a and a
        (1, [-30, -10, 5, 1]),
        (2, [2, 0, 1]),
        (3, [1]),
        (4, [44, 22, 5, 1]),  # 7 directly and 3 * 5 the long way; then times 2
        (5, [44, 22, 5, 1]),
        (6, [32, 16, 8, 4, 2, 1]),
    ],
)
def test_slopes_by_hand(case: int, slopes: list[float]):
    assert expected_of(EXERCISE, case) == slopes


@pytest.mark.parametrize("case", range(7, 10))
def test_the_solution_agrees_with_autograd(case: int):
    numbers = []
    for parts in EXERCISE.cases[case].inputs["made_of"]:
        number = torch.ones((), dtype=torch.float64, requires_grad=True)
        for part, slope in parts:
            number = number + slope * numbers[part]
        number.retain_grad()
        numbers.append(number)
    numbers[-1].backward()
    slopes = [0.0 if number.grad is None else number.grad.item() for number in numbers]
    assert expected_of(EXERCISE, case) == pytest.approx(slopes)


def with_the_chapter_s_class(made_of):
    class Number:
        def __init__(self, parts):
            self.made_of, self.grad = parts, 0.0

        def backward(self, flow=1.0):
            self.grad += flow
            for part, slope in self.made_of:
                part.backward(flow * slope)

    numbers = []
    for parts in made_of:
        numbers.append(Number([(numbers[part], slope) for part, slope in parts]))
    numbers[-1].backward()
    return [number.grad for number in numbers]


def with_zip(made_of):
    grad = [0.0] * (len(made_of) - 1) + [1.0]
    for flow_from in range(len(made_of) - 1, -1, -1):
        for part, slope in made_of[flow_from]:
            grad[part] = grad[part] + slope * grad[flow_from]
    return tuple(grad)


def in_topological_order(made_of):
    order, met = [], set()

    def visit(number):
        if number not in met:
            met.add(number)
            for part, _slope in made_of[number]:
                visit(part)
            order.append(number)

    visit(len(made_of) - 1)
    grad = dict.fromkeys(range(len(made_of)), 0.0)
    grad[len(made_of) - 1] = 1.0
    for number in reversed(order):
        for part, slope in made_of[number]:
            grad[part] += slope * grad[number]
    return list(grad.values())


@pytest.mark.parametrize("answer", [with_the_chapter_s_class, with_zip, in_topological_order])
def test_right_answers_of_other_kinds_pass(answer):
    assert report_on(EXERCISE, answer).passed


def in_a_loop(update, *, forwards=False, end=1.0):
    def answer(made_of):
        grad = [0.0] * len(made_of)
        grad[-1] = end
        order = list(range(len(made_of)))
        for number in order if forwards else order[::-1]:
            for part, slope in made_of[number]:
                grad[part] = update(grad[part], grad[number], slope)
        return grad

    return answer


def from_a_queue(made_of):
    grad, queue = [0.0] * len(made_of), [len(made_of) - 1]
    grad[-1] = 1.0
    while queue:
        number = queue.pop(0)
        for part, slope in made_of[number]:
            grad[part] += grad[number] * slope
            queue.append(part)
    return grad


def by_layers(made_of):
    """All numbers that were met last pass on, then those that they met."""
    grad, layer, done = [0.0] * len(made_of), [len(made_of) - 1], set()
    grad[-1] = 1.0
    while layer:
        below = []
        for number in layer:
            if number in done:
                continue
            done.add(number)
            for part, slope in made_of[number]:
                grad[part] += grad[number] * slope
                below.append(part)
        layer = below
    return grad


def with_a_dictionary(made_of):
    parts = [dict(pairs) for pairs in made_of]
    grad = [0.0] * len(made_of)
    grad[-1] = 1.0
    for number in reversed(range(len(made_of))):
        for part in parts[number]:
            grad[part] += parts[number][part] * grad[number]
    return grad


@wrong_answers(
    {
        "overwritten": in_a_loop(lambda before, flow, slope: flow * slope),
        "passed-on-too-soon": [
            in_a_loop(lambda before, flow, slope: before + flow * slope, forwards=True),
            by_layers,
        ],
        "passed-on-again": from_a_queue,
        "slopes-added": in_a_loop(lambda before, flow, slope: before + flow + slope),
        "flow-left-out": in_a_loop(lambda before, flow, slope: before + slope),
        "slope-left-out": in_a_loop(lambda before, flow, slope: before + flow),
        "nothing-flows": in_a_loop(lambda before, flow, slope: before + flow * slope, end=0.0),
        "same-part-once": with_a_dictionary,
    }
)
def test_a_slip_is_named(wrong, mistake: str):
    assert named(EXERCISE, wrong) == mistake


def test_slopes_that_multiply_where_paths_meet_have_no_name():
    answer = in_a_loop(lambda before, flow, slope: (before or 1.0) * flow * slope)
    assert is_plain(EXERCISE, answer, "In value 1: The number differs by ")


def test_a_tensor_for_the_list_is_told_so():
    report = report_on(EXERCISE, lambda made_of: torch.tensor(EXERCISE.solution(made_of)))
    assert "It returned a tensor, expected 5 values." in report.message
