"""Drawings of chapter 10b: what they write is what the code of the chapter gives."""

from math import exp

import pytest

from bottomup.attention import alibi_slopes, sliding_window_mask
from bottomup.blocks import FeedForward, GatedFeedForward
from bottomup.drawings import decoder_of_today
from tests.drawings.words import written


def test_only_turned_positions_give_one_score_at_all_places():
    found = decoder_of_today.at_places()
    assert max(found["turned"]) - min(found["turned"]) < 1e-9
    assert len({round(score, 1) for score in found["added"]}) == len(found["added"])


def test_each_head_looks_most_at_the_word_itself():
    rows = decoder_of_today.lowered_weights()
    assert all(max(row) == row[-1] for row in rows.values())
    assert [rows[head][-1] for head in rows] == sorted(row[-1] for row in rows.values())[::-1]
    ratio = rows[1][-2] / rows[1][-1]
    assert ratio == pytest.approx(exp(-alibi_slopes(8)[0].item()), rel=1e-4)


def test_the_wrong_copies_are_right_at_both_ends():
    one, other = decoder_of_today.copied().values()
    assert [h for h, pair in enumerate(zip(one, other, strict=True)) if pair[0] != pair[1]] == [
        1,
        4,
    ]
    for groups in (1, 6):
        assert len({tuple(row) for row in decoder_of_today.copied(groups=groups).values()}) == 1


def test_only_rms_norm_notices_a_common_shift():
    found = decoder_of_today.normed()
    assert found["LayerNorm"][0] == pytest.approx(found["LayerNorm"][1], abs=1e-4)
    assert found["RMSNorm"][0] == pytest.approx(found["LayerNorm"][0], abs=1e-4)
    assert found["RMSNorm"][1] != pytest.approx(found["RMSNorm"][0], abs=0.5)


def test_a_gated_network_with_so_many_neurons_is_as_large():
    words = written(decoder_of_today.gate())
    plain, gated = (int(word.split(": ")[1]) for word in words if ": " in word)
    sizes = [
        sum(p.numel() for p in network.parameters())
        for network in (FeedForward(64, plain, bias=False), GatedFeedForward(64, gated))
    ]
    assert sizes[1] == pytest.approx(sizes[0], rel=0.01)


def test_four_layers_of_a_window_reach_the_first_word():
    mask = sliding_window_mask(9, decoder_of_today.WIDTH).double()
    states = mask
    for layer, seen in enumerate(decoder_of_today.reached()):
        assert seen == [place for place in range(9) if states[8, place] > 0]
        assert len(seen) == (layer + 1) * (decoder_of_today.WIDTH - 1) + 1
        states = states @ mask
    assert seen[0] == 0


def test_what_can_be_known_came_a_few_places_before():
    says = decoder_of_today.said_twice().says
    text = says.split("twice: ")[1].split(" and then")[0].replace(",", "").split()
    before = max(place for place, symbol in enumerate(text[:-1]) if symbol == text[-1])
    assert says.endswith(f"followed by {text[before + 1]}.")
