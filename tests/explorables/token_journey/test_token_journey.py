"""What the figure of a token's journey takes, how small it stays, and what it refuses."""

import json
import re

import pytest
import torch

from bottomup.analysis import Journey, bearings, journey
from bottomup.data import make_batch
from bottomup.explorables import token_journey
from bottomup.models import Transformer, TransformerConfig

SOURCES, TARGETS, D_MODEL = 13, 17, 8
SOURCE_WORDS = [f"s{number}" for number in range(SOURCES)]
TARGET_WORDS = [f"t{number}" for number in range(TARGETS)]
PAIR = ([5, 12, 4], [16, 7, 7, 9])


def model_of(**options) -> Transformer:
    config = TransformerConfig(
        source_vocabulary=SOURCES,
        target_vocabulary=TARGETS,
        **{
            "d_model": D_MODEL,
            "encoder_layers": 1,
            "decoder_layers": 2,
            "num_heads": 2,
            "d_ff": 11,
            **options,
        },
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return Transformer(config).double()


def journeys(pair=PAIR, **options) -> tuple[Journey, Journey]:
    model, batch = model_of(**options), make_batch([pair])
    return journey(model, batch), journey(model, batch, residual=False)


def figure(whole=None, cut=None, source_words=SOURCE_WORDS, target_words=TARGET_WORDS, **options):
    made = journeys(**options)
    return token_journey(
        made[0] if whole is None else whole,
        made[1] if cut is None else cut,
        source_words=source_words,
        target_words=target_words,
    )


def payload(**arguments) -> dict:
    return json.loads(figure(**arguments).data)


def test_sides_hold_their_tokens_with_end_and_begin_and_stations_with_shapes():
    made = payload()
    encoder, decoder = made["sides"]
    assert encoder["tokens"] == ["s5", "s12", "s4", "s2"] and encoder["ids"] == [5, 12, 4, 2]
    assert decoder["tokens"] == ["t1", "t16", "t7", "t7", "t9"]
    assert encoder["cosines"] == ["word", "place"]
    assert decoder["cosines"] == ["word", "place", "following"]
    assert made["expected"] == ["t16", "t7", "t7", "t9", "t2"]
    assert [(station["name"], station["shape"]) for station in encoder["stations"]] == [
        ("Tokens", "[4]"),
        ("Embedding", "[4, 8]"),
        ("Positions", "[4, 8]"),
        ("Layer 1: self-attention", "[4, 8]"),
        ("Layer 1: feed-forward network", "[4, 8]"),
        ("Memory", "[4, 8]"),
    ]
    assert [station["name"] for station in decoder["stations"]][6:] == [
        "Layer 2: self-attention",
        "Layer 2: cross-attention",
        "Layer 2: feed-forward network",
        "End of the decoder",
        "Logits",
    ]
    assert [station["shape"] for station in decoder["stations"]][-2:] == ["[5, 8]", "[5, 17]"]
    lengths = [
        length
        for side in made["sides"]
        for station in side["stations"]
        for readings in station["readings"]
        for length in readings["length"]
    ]
    assert made["longest"] == max(lengths)


@pytest.mark.parametrize(
    "norm, attention, cross, end",
    [
        ("pre", ["x + Attention(N(x))", "Attention(N(x))"], "x + Attention(N(x), memory)", "N(x)"),
        ("post", ["N(x + Attention(x))", "N(Attention(x))"], "N(x + Attention(x, memory))", "x"),
    ],
)
def test_formulas_are_the_models_and_lose_the_sum(norm, attention, cross, end):
    _encoder, decoder = payload(norm=norm)["sides"]
    formulas = {station["part"]: station["formulas"] for station in decoder["stations"]}
    assert formulas["attention"] == attention
    assert formulas["cross_attention"][0] == cross
    assert formulas["norm"] == [end, end]
    assert formulas["embedding"][0] == "√8 · the token's row of the table"
    assert formulas["logits"][0] == "x · each of the 17 rows of the table"


def test_readings_are_the_bearings_with_and_without():
    made = payload()
    for setting, one in enumerate(journeys()):
        for side, track in zip(made["sides"], (one.encoder, one.decoder), strict=True):
            for station, found in zip(side["stations"], bearings(track), strict=True):
                if found is None:
                    assert station["readings"] == []
                    continue
                shown = station["readings"][setting]
                for name in ("length", "apart", *side["cosines"]):
                    expected = getattr(found, name).tolist()
                    assert shown[name] == pytest.approx(expected, abs=0.00501)
                assert shown["word_nearest"] == [int(yes) for yes in found.word_nearest.tolist()]
                share = (found.apart / found.length).tolist()
                assert shown["share"] == pytest.approx(share, abs=1e-4)


def test_answers_are_the_most_probable_tokens_and_say_which_is_right():
    made = payload()
    for answers, one in zip(made["answers"], journeys(), strict=True):
        logits = one.decoder.stations[-1].x
        assert len(answers) == 5
        for position, shown in enumerate(answers):
            order = logits[position].argsort(descending=True)[:5].tolist()
            assert [word for word, _share, _right in shown] == [f"t{token}" for token in order]
            shares = logits[position].softmax(-1)[order].tolist()
            assert [share for _word, share, _right in shown] == pytest.approx(shares, abs=1e-4)
            right = [token == [16, 7, 7, 9, 2][position] for token in order]
            assert [flag for _word, _share, flag in shown] == right


def test_tokens_with_the_same_writing_are_told_apart():
    made = payload(target_words=["same"] * TARGETS)
    flags = [[flag for _word, _share, flag in shown] for shown in made["answers"][0]]
    assert all(sum(flag) <= 1 for flag in flags)


def test_table_shows_every_station_with_and_without():
    table = figure().fallback
    names = re.findall(r'scope="row"[^>]*>([^<]*)', table)
    assert len(names) == 6 + 11
    assert names[0] == "Encoder: Tokens" and names[-1] == "Decoder: Logits"
    cells = re.findall(r">([^<>]*)</td>", table)[1:]
    assert cells[:7] == ["[4]", *[""] * 6]
    assert cells[7] == "[4, 8]" and cells[8] == "1.00" and cells[10] == "–" and cells[11] == "1.00"


LONG = ([4] * 12, [5])
OTHER = ([5, 12, 6], [16, 7, 7, 9])


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        ({"whole": "x"}, TypeError, "whole: expected a Journey, got str"),
        ({"cut": 3}, TypeError, "cut: expected a Journey, got int"),
        ({"cut": journeys()[0]}, ValueError, "cut: expected a journey with residual=False"),
        ({"whole": journeys()[1]}, ValueError, "whole: expected a journey with residual=True"),
        ({"cut": journeys(OTHER)[1]}, ValueError, "cut.encoder: expected the tokens"),
        ({"cut": journeys(decoder_layers=1)[1]}, ValueError, "cut.decoder: expected the tokens"),
        ({"pair": LONG}, ValueError, "whole.encoder.tokens: expected 1 to 12, got 13"),
        ({"encoder_layers": 7}, ValueError, "whole.encoder: layers: expected 1 to 6, got 7"),
        ({"target_words": TARGET_WORDS[:5]}, ValueError, "expected 17 strings, got 5"),
        ({"target_words": ["x" * 27] * TARGETS}, ValueError, "a word of 1 to 26 letters"),
    ],
)
def test_wrong_arguments_are_refused_by_name(arguments, error, message):
    with pytest.raises(error, match=message):
        figure(**arguments)
