"""The networks that chapter 08's record keeps: how they are read back, and what they can read."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor

from bottomup import results
from bottomup.data import Vocabulary, minilang
from bottomup.experiments import Record
from bottomup.experiments.representation_analysis import experiment as analysis
from bottomup.experiments.representation_analysis.config import LONGEST, Config
from bottomup.experiments.representation_analysis.networks import (
    Network,
    Start,
    held_out_loss,
    states_of,
    untrained,
)
from bottomup.experiments.representation_analysis.text import Text
from bottomup.models import LanguageModel, MaskedLanguageModel
from bottomup.results.encoders import Encoders, encoders
from tests.experiments.records import record_of as recorded

WORDS = "the cat dog ate two apples .".split()
TARGET = "고양이 -는 먹 -다 .".split()
CONFIG = Config(d_model=8, num_layers=3, num_heads=2, d_ff=11, decoder_layers=1)
TEXT = Text(Vocabulary(WORDS), Vocabulary(TARGET), [], [])
OBJECTIVES = ("lm", "mlm", "mt")


def network(objective: str, config: Config = CONFIG) -> Network:
    """A network of another start than the kept seed's, as if it had been trained."""
    return untrained(config, TEXT, objective, Start.of(7, 1)).eval()


def kept(*objectives: str, config: Config = CONFIG) -> dict[str, np.ndarray]:
    """The arrays in which the experiment keeps the networks of a seed."""
    found = {"words": np.array(TEXT.words.tokens, dtype=np.str_)}
    for objective in objectives:
        found |= analysis.kept(objective, network(objective, config))
    return {f"networks/0/{name}": array for name, array in found.items()}


def record_of(
    arrays: dict[str, np.ndarray], config: Config = CONFIG, name: str = "representation_analysis"
) -> Record:
    return recorded(name, [{}], config, arrays=arrays)


RECORD = record_of(kept(*OBJECTIVES))


@pytest.fixture(scope="module")
def made() -> Encoders:
    return Encoders.from_record(RECORD)


def states(model: torch.nn.Module, tokens: Tensor) -> list[Tensor]:
    with torch.no_grad():
        return list(states_of(model, tokens))


# ---- Networks


def test_there_is_a_network_for_each_objective_and_two_as_they_start(made: Encoders):
    assert {name: type(model) for name, model in made.networks.items()} == {
        "lm": LanguageModel,
        "mlm": MaskedLanguageModel,
        "mt": MaskedLanguageModel,
        "untrained": MaskedLanguageModel,
        "untrained_causal": LanguageModel,
    }
    assert made.words.tokens == TEXT.words.tokens
    for model in made.networks.values():
        assert not model.training
        assert model.config.vocabulary == len(WORDS) + 4 + 1  # the mask token
        assert (model.config.d_model, model.config.num_layers) == (8, 3)
        assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}


@pytest.mark.parametrize("objective", ["lm", "mlm"])
def test_a_language_model_is_read_as_it_was_kept(made: Encoders, objective: str):
    expected = dict(network(objective).named_parameters())
    found = dict(made.networks[objective].named_parameters())
    assert found.keys() == expected.keys()
    for name, value in found.items():
        assert torch.equal(value, expected[name].half().float()), name


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_every_station_is_that_of_the_kept_network_up_to_rounding(norm: str):
    config = replace(CONFIG, norm=norm)
    made = Encoders.from_record(record_of(kept(*OBJECTIVES, config=config), config))
    tokens = made.encode("the cat ate two apples .")
    for objective in OBJECTIVES:
        found, expected = made.networks[objective], network(objective, config)
        for one, other in zip(states(found, tokens), states(expected, tokens), strict=True):
            assert 0 < (one - other).abs().max() < 0.02  # states of about 1, in 11 bits


@pytest.mark.parametrize(("name", "objective"), [("untrained", "mlm"), ("untrained_causal", "lm")])
def test_an_untrained_network_is_the_start_of_the_kept_seed(
    made: Encoders, name: str, objective: str
):
    start = untrained(CONFIG, TEXT, objective, Start.of(analysis.KEPT_SEED, 0))
    found, expected = (model.state_dict() for model in (made.networks[name], start))
    assert found.keys() == expected.keys()
    assert all(torch.equal(found[name], expected[name]) for name in found)
    assert not torch.equal(found["embedding.weight"], network("mlm").embedding.weight)
    before = torch.get_rng_state()  # the caller's random numbers stay
    Encoders.from_record(RECORD)
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("name", [*OBJECTIVES, "untrained", "untrained_causal"])
def test_only_language_models_read_to_the_left(made: Encoders, name: str):
    one, other = (made.encode(f"the cat ate two {word} .") for word in ("apples", "dog"))
    before, after = (states(made.networks[name], tokens)[-1][0, :4] for tokens in (one, other))
    assert torch.equal(before, after) == (name in ("lm", "untrained_causal"))


@pytest.mark.parametrize(
    "refused",
    [
        record_of({}),
        record_of({name: a for name, a in kept("lm").items() if "words" not in name}),
        record_of(kept(*OBJECTIVES), name="representation_analysis_steps"),
    ],
    ids=["without arrays", "without words", "another experiment"],
)
def test_a_record_without_the_networks_is_refused(refused: Record):
    expected = f"one of 'representation_analysis' with networks, got {refused.name}"
    with pytest.raises(ValueError, match=f"record: expected {expected}"):
        Encoders.from_record(refused)


def test_a_record_of_other_networks_is_refused():
    name = "networks/0/lm.embedding.weight"
    short = {**RECORD.arrays, name: RECORD.arrays[name][:-1]}
    more = {**RECORD.arrays, "networks/0/lm.layers.9.bias": np.ones(3, np.float16)}
    less = {key: array for key, array in RECORD.arrays.items() if key != name}
    for arrays, said in (
        (short, "of another shape: embedding.weight"),
        (more, "left over: layers.9.bias"),
        (less, "missing: embedding.weight"),
    ):
        with pytest.raises(ValueError, match=f"record: expected .*{said}"):
            Encoders.from_record(record_of(arrays))


# ---- Sentences


def test_a_sentence_becomes_numbers_with_the_end_mark(made: Encoders):
    assert made.mask_id == 11
    expected = [[4, 5, 7, 8, 9, 10, 2]]
    for sentence in (
        "the cat ate two apples .",
        "  The CAT\tate two apples .\n",
        ["the", "cat", "ate", "two", "apples", "."],
        ("the", "cat", "ate", "two", "apples", "."),
    ):
        found = made.encode(sentence)
        assert found.dtype == torch.int64
        assert found.tolist() == expected
    tokens = made.encode("the <mask> ate <mask> .")
    assert tokens.tolist() == made.encode("the <mask> ate <mask> .".split()).tolist()
    assert tokens.tolist() == [[4, 11, 7, 11, 10, 2]]
    for model in made.networks.values():
        assert model(tokens).logits.shape == (1, 6, 12)


@pytest.mark.parametrize(
    ("sentence", "word"),
    [
        ("the hedgehog ate two apples .", "hedgehog"),
        ("the cat ate two apples.", "apples."),
        (["The", "cat"], "The"),  # a list is taken as it is
        ("the <pad> ate", "<pad>"),
    ],
)
def test_an_unknown_word_is_named(made: Encoders, sentence, word: str):
    with pytest.raises(ValueError, match=f"sentence: expected words .* got '{word}'$"):
        made.encode(sentence)
    for empty in ("", "  \n", [], ()):
        with pytest.raises(ValueError, match="sentence: expected at least one word, got none"):
            made.encode(empty)


# ---- The committed record


def test_the_trained_networks_are_read_once():
    found = encoders()
    assert encoders() is found
    record = results.load("representation_analysis.json")
    assert set(found.networks) == {*record.config["objectives"], "untrained", "untrained_causal"}
    assert {model.config.d_model for model in found.networks.values()} == {record.config["d_model"]}
    assert {len(model.layers) for model in found.networks.values()} == {record.config["num_layers"]}


def test_the_masked_model_writes_what_fits_where_a_word_is_hidden():
    found = encoders()

    def likely(name: str, sentence: str) -> set[str]:
        tokens = found.encode(sentence)
        (place,) = (tokens[0] == found.mask_id).nonzero().flatten().tolist()
        with torch.no_grad():
            best = found.networks[name](tokens).logits[0, place, : found.mask_id].topk(5).indices
        return set(found.words.decode(best.tolist()))

    assert "ate" in likely("mlm", "the cat <mask> two apples .")
    assert "the" in likely("mlm", "the cat ate <mask> apples .")
    assert not {"ate", "the"} & likely("untrained", "the cat <mask> two apples .")


@pytest.mark.slow
def test_the_kept_networks_predict_as_well_as_the_measured_ones():
    """Their losses are those of the record, on other sentences of the same language."""
    record, found = results.load("representation_analysis.json"), encoders()
    corpus = minilang.load(1_000, seed=record.config["corpus_seed"] + 1)
    pairs = [(found.words.encode(pair.source), list[int]()) for pair in corpus.train]
    text = Text(found.words, Vocabulary([]), [], pairs)
    place = record.seeds.index(analysis.KEPT_SEED)
    for objective in ("lm", "mlm"):
        measured = record.metric(f"networks.{objective}.loss")[place]
        model = found.networks[objective]
        here = held_out_loss(text, objective, model, analysis.KEPT_SEED)
        assert here == pytest.approx(measured, abs=0.2)  # a guess would lose 6.4 nats
    assert max(len(source) for source, _ in pairs) < LONGEST
