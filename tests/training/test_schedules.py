import pytest

from bottomup.training import constant, warmup_then_decay


def test_constant_is_one():
    assert [constant(step) for step in (0, 5, 10**9)] == [1.0, 1.0, 1.0]


def test_warmup_then_decay_by_hand():
    factor = warmup_then_decay(warmup=4, steps=9)
    expected = [0.25, 0.5, 0.75, 1.0, 1.0, 0.8, 0.6, 0.4, 0.2, 0.0, 0.0]
    assert [factor(step) for step in range(11)] == pytest.approx(expected)


def test_no_warmup_starts_at_one():
    factor = warmup_then_decay(warmup=0, steps=4)
    assert [factor(step) for step in range(4)] == [1.0, 0.75, 0.5, 0.25]


@pytest.mark.parametrize(
    "options, message",
    [
        ({"warmup": -1, "steps": 3}, "warmup: .* at least 0, got -1"),
        ({"warmup": 3, "steps": 3}, "steps: .* at least 4, got 3"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        warmup_then_decay(**options)


def test_a_negative_step_is_refused():
    for schedule in (constant, warmup_then_decay(warmup=1, steps=3)):
        with pytest.raises(ValueError, match="step: expected an integer of at least 0, got -1"):
            schedule(-1)
