"""Chapter 06's module and recipe: what is combined, a tiny run, its claims."""

import pytest

from bottomup import experiments
from bottomup.experiments import Verdict
from bottomup.experiments.decoding.config import PLAIN, Recipe
from bottomup.experiments.decoding.recipes import experiment as recipes
from bottomup.experiments.decoding.training import schedule
from tests.experiments.records import alike

RECORDED = recipes.PRESETS["recorded"]

# torch says of norm_first that it forgoes a fast path of evaluation.
pytestmark = pytest.mark.filterwarnings("ignore:enable_nested_tensor is True:UserWarning")


def test_the_plain_recipe_warms_up_for_the_same_share_of_a_shorter_training():
    share = RECORDED.plain.warmup / RECORDED.plain.steps
    assert share == pytest.approx(PLAIN.warmup / PLAIN.steps, abs=0.002)
    assert RECORDED.ours == Recipe(steps=538)


@pytest.mark.parametrize("preset", sorted(recipes.PRESETS))
def test_every_preset_has_schedules_that_end_low(preset: str):
    config = recipes.PRESETS[preset]
    for recipe in (config.ours, config.plain):
        rate = schedule(recipe)
        assert 0 <= rate(recipe.steps) <= rate(min(recipe.warmup, recipe.steps)) <= 1


def test_every_translator_has_its_module_and_its_recipe():
    tiny = recipes.run(recipes.PRESETS["tiny"], [0], "cpu")
    [ours], [same], [plain] = (tiny.metric(name) for name in recipes.TRANSLATORS)
    assert [each["steps"] for each in (ours, same, plain)] == [3, 3, 2]
    assert ours["parameters"] == same["parameters"]  # both end in a norm on each side
    assert plain["parameters"] == same["parameters"]
    assert ours["curve"]["3"]["loss"] != same["curve"]["3"]["loss"]
    assert all(0 <= each["greedy"]["bleu"] <= 100 for each in (ours, same, plain))


@pytest.mark.parametrize(
    ("scores", "verdicts"),
    [((21.5, 20.0, 14.0), "holds holds"), ((18.1, 20.0, 15.0), "fails holds"),
     ((17.9, 20.0, 14.9), "holds fails")],
)  # fmt: skip
def test_the_claims_set_module_and_recipe_apart(scores: tuple[float, ...], verdicts: str):
    metrics = {
        name: {"greedy": {"bleu": score}}
        for name, score in zip(recipes.TRANSLATORS, scores, strict=True)
    }
    record = alike(recipes.NAME, metrics, RECORDED)
    found = experiments.claims(record)
    assert [claim.id for claim in found] == ["06.4c", "06.4d"]
    assert [claim.verdict for claim in found] == [Verdict(word) for word in verdicts.split()]
