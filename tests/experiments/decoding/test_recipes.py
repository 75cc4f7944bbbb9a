"""Chapter 06's module and recipe: what is combined."""

import pytest

from bottomup.experiments import Record
from bottomup.experiments.decoding.recipes import experiment as recipes

NAME = "decoding_recipes"
RECORDED = recipes.PRESETS["recorded"]

# torch says of norm_first that it forgoes a fast path of evaluation.
pytestmark = pytest.mark.filterwarnings("ignore:enable_nested_tensor is True:UserWarning")


def test_every_translator_has_its_module_and_its_recipe(tiny: Record):
    [ours], [same], [plain] = (tiny.metric(name) for name in recipes.TRANSLATORS)
    assert [each["steps"] for each in (ours, same, plain)] == [3, 3, 2]
    assert ours["parameters"] == same["parameters"]  # both end in a norm on each side
    assert plain["parameters"] == same["parameters"]
    assert ours["curve"]["3"]["loss"] != same["curve"]["3"]["loss"]
    assert all(0 <= each["greedy"]["bleu"] <= 100 for each in (ours, same, plain))
