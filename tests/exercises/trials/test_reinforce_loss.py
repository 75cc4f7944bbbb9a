"""The REINFORCE loss: what the report says of its value and of its gradients."""

from bottomup.exercises import catalog
from bottomup.exercises.engine.checking import examine

EXERCISE = catalog()["reinforce-loss"]
MISTAKES = {mistake.slug: mistake.forms for mistake in EXERCISE.mistakes}


def test_a_first_term_that_moves_the_baseline_is_told_of_its_gradient():
    report = examine(EXERCISE, MISTAKES["first-term-moves-the-baseline"][0].answer)
    assert "The gradient of baseline" in report.evidence.difference


def test_an_answer_without_gradient_is_told_so():
    report = examine(EXERCISE, lambda *inputs: EXERCISE.solution(*inputs).detach())
    assert "has no gradient: the model could not learn from it" in report.message


def test_an_answer_for_each_draw_is_told_its_shape():
    report = examine(EXERCISE, lambda r, log_p, b: -(r + (r - b).detach() * log_p))
    assert "The result has shape (2,), expected ()." in report.message


def test_a_baseline_outside_of_the_bracket_is_not_said_to_have_no_gradient():
    report = examine(EXERCISE, lambda r, log_p, b: -(r + r.detach() * log_p - b).mean())
    assert report.mistake == "baseline-unused"
    assert "no gradient" not in report.message
    assert "gradient of baseline: 1 (float32)" in report.evidence.got


def test_the_report_shows_the_loss_and_says_that_its_value_is_free():
    report = examine(EXERCISE, lambda r, log_p, b: -r.mean())
    assert report.evidence.got.startswith("2 (float32)\n")  # the mean of 1 and 3
    assert "The value of the loss is not compared." in report.evidence.difference
    assert "'" not in report.evidence.expected
