"""What the patching board takes, what its table says, what it refuses, and what is measured."""

import gzip
import json
import re
from dataclasses import replace

import numpy as np
import pytest
import torch

from bottomup.data import make_batch
from bottomup.explorables import PatchedPair, patching_board
from bottomup.explorables.patching_board.measured import METRICS, patched_pair
from bottomup.models import ChangedTransformer, Changes, Patch, Transformer, TransformerConfig
from tests.explorables.demo import PATCHES

# One layer of one head, two words: the head brings 0.8 back of the first word, the second harms.
EFFECTS = [[0.8, -0.125, 0.7], [0.9, 0.004, 1.0]]
PAIR = PatchedPair(
    "noun",
    ["cat", "."],
    ["dog", "."],
    [],
    ("kat", "hund"),
    effects={"denoising": {"m": EFFECTS}, "noising": {"m": [[0.0] * 3] * 2}},
    weights={"clean": [[[0.75, 0.25]]], "corrupted": [[[0.5, 0.5]]]},
)
METRIC = {"m": "logit"}


def payload(*pairs: PatchedPair) -> dict:
    return json.loads(patching_board(list(pairs), METRIC).data)


def test_payload_holds_hundredths_by_head_and_position():
    board = payload(PAIR)
    [pair] = board["sentences"]
    assert board["heads"] == ["1.1"]
    assert pair["effects"]["denoising"]["m"] == [[80, -12, 70], [90, 0, 100]]
    assert pair["weights"] == {"clean": [[75, 25]], "corrupted": [[50, 50]]}
    assert (pair["clean"], pair["answers"], pair["written"]) == (["cat", "."], ["kat", "hund"], [])


def test_table_shows_denoising_by_the_first_metric():
    shown = patching_board([PAIR], METRIC).fallback
    assert re.findall(r">(-?[\d.]+)</td>", shown) == "0.80 -0.12 0.70 0.90 0.00 1.00".split()
    assert re.findall(r'scope="row"[^>]*>([^<]*)', shown) == ["1.1", "all"]
    assert "Denoising “dog .” with “cat .”: share of the logit" in shown


def test_lists_arrays_and_tensors_give_the_same_figure():
    def formed(form) -> str:
        effects = {d: {m: form(x) for m, x in parts.items()} for d, parts in PAIR.effects.items()}
        weights = {run: form(x) for run, x in PAIR.weights.items()}
        return patching_board([replace(PAIR, effects=effects, weights=weights)], METRIC).data

    assert len({formed(form) for form in (list, np.array, torch.tensor)}) == 1


def test_the_figure_stays_light():
    html = PATCHES._repr_html_()
    assert len(PATCHES.data) < 6_000
    assert len(html) < 45_000
    assert len(gzip.compress(html.encode())) < 12_500


@pytest.mark.parametrize(
    "changes, error, message",
    [
        ({"clean": "cat"}, TypeError, r"pairs\[0\].clean: expected a list of strings"),
        ({"clean": ["cat"]}, ValueError, "clean: expected 2 to 10, got 1"),
        ({"corrupted": ["a"] * 3}, ValueError, "corrupted: expected 2 words as in clean, got 3"),
        ({"corrupted": ["cat", "."]}, ValueError, "corrupted: expected another sentence"),
        ({"written": ["", "a"]}, ValueError, "written: .* 1 to 14 letters, got ''"),
        ({"answers": ("a",)}, ValueError, "answers: expected 2 to 2, got 1"),
        ({"kind": 3}, TypeError, "kind: expected a string, got 3"),
        ({"effects": {"denoising": {}}}, ValueError, "effects: .* each of .'denoising', 'noising'"),
        (
            {"effects": {"denoising": {"m": EFFECTS}, "noising": {"p": EFFECTS}}},
            ValueError,
            r"effects\['noising'\]: expected an entry for each of \['m'\], got \['p'\]",
        ),
        (
            {"effects": {"denoising": {"m": EFFECTS}, "noising": {"m": EFFECTS[:1]}}},
            ValueError,
            r"\['m'\]: expected axes \[head\+1=2, source\+1=3\], got shape \(1, 3\)",
        ),
        ({"weights": {"clean": [[[1, 0]]]}}, ValueError, "weights: expected an entry for each"),
        (
            {"weights": {"clean": [[[1, 1]]], "corrupted": [[[1, 0]]]}},
            ValueError,
            r"weights\['clean'\]: expected rows that sum to at most 1, got 2",
        ),
    ],
)
def test_a_wrong_pair_is_refused_by_name(changes, error, message: str):
    with pytest.raises(error, match=message):
        payload(replace(PAIR, **changes))


def test_pairs_and_metrics_are_counted():
    with pytest.raises(ValueError, match="pairs: expected 1 or more, got 0"):
        patching_board([], METRIC)
    with pytest.raises(ValueError, match="metrics: expected 1 to 3, got 0"):
        patching_board([PAIR], {})


# ---- Measured on a translator

CLEAN, CORRUPTED, WRITTEN, ANSWERS = [4, 5, 6], [4, 7, 6], [5, 8], (6, 9)


def translator(**changes: int) -> Transformer:
    sizes = {"encoder_layers": 1, "decoder_layers": 2, "num_heads": 2, **changes}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(5)
        config = TransformerConfig(
            source_vocabulary=9, target_vocabulary=11, d_model=8, d_ff=12, **sizes
        )
        return Transformer(config).double().eval()


def measured(model: Transformer) -> PatchedPair:
    return patched_pair(
        model, CLEAN, CORRUPTED, WRITTEN, ANSWERS, kind="noun", source_word=str, target_word=str
    )


def metrics(logits: torch.Tensor) -> torch.Tensor:
    right, wrong = ANSWERS
    last = logits[0, -1]
    return torch.stack([last[right] - last[wrong], last.softmax(-1)[right]])


def test_all_heads_at_a_position_are_a_patch_of_the_memory_there():
    model = translator()
    pair = measured(model)
    batches = {
        "clean": make_batch([(CLEAN, WRITTEN)]),
        "corrupted": make_batch([(CORRUPTED, WRITTEN)]),
    }
    plain = ChangedTransformer(model, Changes())
    inputs = {
        run: (batch.source, batch.source_mask, batch.target_in) for run, batch in batches.items()
    }
    with torch.no_grad():
        values = {run: metrics(plain(*given).logits) for run, given in inputs.items()}
        memory = plain.states(*inputs["clean"])["memory"][0]
        for position in range(4):
            patch = Patch("memory", position, tuple(memory[position].tolist()))
            changed = ChangedTransformer(model, Changes(patches=(patch,)))
            now = metrics(changed(*inputs["corrupted"]).logits)
            expected = (now - values["corrupted"]) / (values["clean"] - values["corrupted"])
            found = [pair.effects["denoising"][metric][-1, position] for metric in METRICS]
            torch.testing.assert_close(torch.stack(found), expected, rtol=0, atol=1e-6)


def test_everything_patched_is_the_other_run():
    for direction in measured(translator()).effects.values():
        for shares in direction.values():
            assert shares.shape == (5, 5)
            assert float(shares[-1, -1]) == pytest.approx(1)


def test_where_nothing_differs_nothing_comes_back():
    model = translator()
    torch.nn.init.zeros_(model.get_submodule("encoder_layers.0.attention.W_O").weight)
    pair = measured(model)
    same = [0, 2, 3]  # words whose states are the same where no word reads another
    for direction in pair.effects.values():
        for shares in direction.values():
            assert shares[:, same].abs().max() < 1e-9
            torch.testing.assert_close(shares[:, 1], shares[:, -1], rtol=0, atol=1e-9)


def test_the_only_head_is_all_heads():
    pair = measured(translator(decoder_layers=1, num_heads=1))
    for direction in pair.effects.values():
        for shares in direction.values():
            torch.testing.assert_close(shares[0], shares[1], rtol=0, atol=1e-12)


def test_a_measured_pair_can_be_shown():
    pair = measured(translator())
    assert pair.clean == ["4", "5", "6", "<eos>"]
    assert (pair.written, pair.answers) == (["5", "8"], ("6", "9"))
    assert pair.weights["clean"].shape == (2, 2, 4)
    patching_board([pair], {"logits": "difference", "probability": "probability"})
