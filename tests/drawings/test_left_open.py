"""Drawings with something left open: they ask, keep the answer to themselves, and then give it."""

import re

import pytest

from bottomup.drawings import Drawing, after_2017_memory, encoder_decoder
from tests.drawings.words import written
from tools.notebooks.drawings import every

OPEN = {name.removesuffix("_open"): draw for name, draw in every() if hasattr(draw, "__wrapped__")}
# These leave arrows and lines open, without a question mark.
UNASKED = {"after_2017_memory.memory", "encoder_decoder.words_and_places"}
# How often "?" stands in a drawing, and what its answer alone holds.
ANSWERS = {
    "after_2017.it_looks": (30, ["hungry, ate, cat, meat, it."]),
    "after_2017.exchange": (18, ["=", "≠"]),
    "after_2017.hidden_word": (12, ["cat", "mother", "18%"]),
    "after_2017.in_sight": (2, ["0.7", "2.8"]),
    "after_2017_memory.three_trainings": (1, ["100%"]),
    "after_2017_memory.on_text": (2, ["0.99", "0.00"]),
    "after_2017_orders.two_words": (12, ["9%", "15%"]),
    "after_2017_orders.never": (1, ["3%"]),
    "attention.crossing_order": (3, []),
    "attention.no_bend": (12, ["64%"]),
    "circuits.layer_by_layer": (16, ["100%"]),
    "circuits.three_heads": (0, ["copying score 0", "copying score −1"]),
    "circuits.three_cuts": (4, ["20%"]),
    "circuits.two_gates": (4, ["lost", "not restored", "restored", "not lost"]),
    "circuits.three_trainings": (60, ["72%", "37%"]),
    "encoder_decoder.cross_attention": (25, ["86%", "100%"]),
    "encoder_decoder.who_is_it": (11, ["0.59", "leaves it out", "writes meat"]),
    "local_and_hard_attention.two_orders": (16, ["step 1 looks at"]),
    "local_and_hard_attention.window": (10, ["33%"]),
    "local_and_hard_attention.bell": (5, ["51%"]),
    "mlp_and_superposition.stream_of_it": (10, ["3.30"]),
    "mlp_and_superposition.lens_of_it": (40, ["6.60"]),
    "mlp_and_superposition.two_neurons": (30, ["−1.59"]),
    "mlp_and_superposition.cuts_of_it": (20, []),
    "multi_head_attention.one_head": (2, ["same"]),
    "multi_head_attention.early_and_late": (28, ["98%", "96%", "1.96", "1.94", "1.92"]),
    "decoding_by_hand.four_scores": (16, ["86"]),
    "pretrained.it": (4, ["50%", "58%"]),
    "pretrained.professions": (2, ["90%", "36%"]),
    "pretrained.joined": (3, ["0.18", "0.03"]),
    "pretrained.frozen": (12, ["9%"]),
    "pretrained.opposites": (0, ["0.07", "0.59"]),
    "pretrained.changes": (6, ["0.34"]),
    "pretrained.neighbours": (1, ["18%", "11%"]),
    "pretrained.paraphrases": (1, ["38%"]),
    "pretrained.begin_mark": (6, ["194", "164"]),
    "pretrained.reconstruction": (2, ["18%", "4%"]),
    "representation_analysis.stretched": (0, ["0.31"]),
    "representation_curves.three_curves": (0, ["3.90", "3.61"]),
    "representation_curves.before_training": (0, ["1.2", "1.7"]),
    "representation_curves.two_tools": (2, ["92%", "98%"]),
    "representation_curves.gains": (0, ["2.8", "2.3"]),
    "representation_curves.tasks_apart": (0, ["0.38", "0.49"]),
    "self_attention.dot_products": (23, ["5"]),
    "self_attention.value": (8, ["0.97", "0.03"]),
    "self_attention.two_layers": (2, ["80%", "12%"]),
    "self_attention.causal_mask": (4, ["25%"]),
    "sparse_transformers.two_windows": (6, ["reached meat"]),
    "sparse_transformers.fixed_hops": (5, ["reaches the first two rows"]),
    "warm_up.dot_products": (2, []),
}


def holds(drawing: Drawing, answer: str) -> bool:
    """Say whether an answer stands or is said in a drawing, and not as a part of something else."""
    told = (drawing.title, drawing.says, drawing.caption, *written(drawing))
    return any(re.search(rf"(?<![\w.−]){re.escape(answer)}(?![\w%]|\.\d)", words) for words in told)


@pytest.mark.parametrize("name", OPEN)
def test_the_open_drawing_asks_and_the_other_answers(name):
    asked, shown = OPEN[name](), OPEN[name].__wrapped__()
    assert ("?" in " ".join(written(asked))) == (name not in UNASKED)
    assert "?" not in written(shown)
    assert asked.says != shown.says


@pytest.mark.parametrize("name", ANSWERS)
def test_an_open_drawing_keeps_its_answer(name):
    asked, shown = OPEN[name](), OPEN[name].__wrapped__()
    holes, answers = ANSWERS[name]
    assert written(asked).count("?") == holes
    assert [answer for answer in answers if holds(asked, answer)] == []
    assert [answer for answer in answers if not holds(shown, answer)] == []


def test_an_open_memory_leaves_the_lower_layer():
    question, answer = after_2017_memory.memory_open(), after_2017_memory.memory()
    lines = [each.panels[0].svg.count('class="line') for each in (question, answer)]
    assert lines == [2 + 4, 2 + 4 + 4]  # borders; layer 2; layer 1


def test_the_sum_of_word_and_place_is_open_first():
    drawn, solved = encoder_decoder.words_and_places_open(), encoder_decoder.words_and_places()
    assert drawn.panels[0].svg.count("<polygon") == 2
    assert solved.panels[0].svg.count("<polygon") == 3
