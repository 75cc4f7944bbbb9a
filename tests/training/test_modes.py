import pytest
from torch import nn

from bottomup.training import evaluating


def test_evaluating_switches_and_puts_each_mode_back():
    model = nn.Sequential(nn.Dropout(), nn.Dropout())
    model[1].eval()
    with evaluating(model):
        assert [module.training for module in model.modules()] == [False, False, False]
    assert [module.training for module in model.modules()] == [True, True, False]


def test_evaluating_puts_modes_back_after_an_exception():
    model = nn.Sequential(nn.Dropout())
    with pytest.raises(RuntimeError, match="stop"), evaluating(model):
        raise RuntimeError("stop")
    assert model.training
    assert model[0].training
