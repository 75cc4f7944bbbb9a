"""The trained translator: what it reads and writes, and how it answers what it cannot read."""

import numpy as np
import pytest
import torch

from bottomup import results
from bottomup.analysis import ChangedTransformer
from bottomup.data import Vocabulary, make_batch
from bottomup.decoding import greedy
from bottomup.experiments import Record
from bottomup.experiments.encoder_decoder.config import Config
from bottomup.experiments.encoder_decoder.training import (
    build,
    kept_model,
    largest,
    measure_training,
)
from bottomup.experiments.shared.translation import Data, load_data
from bottomup.models import Changes, Patch, Transformer
from bottomup.results.translator import Translation, Translator, UnknownWordsError, translator
from tests.experiments.records import record_of as recorded

WORDS = "the cat dog ate two apples , sir played and .".split()
TOKENS = "고양이 -는 사과 두 -개 -를 먹 -었 -다 . 쓰".split()
SIZES = {"d_model": 8, "layers": 3, "num_heads": 2, "d_ff": 11}
CONFIG = Config(**SIZES)
VARIANT = largest(CONFIG).name


def network(*, seed: int = 0) -> Transformer:
    data = Data((), Vocabulary(WORDS), Vocabulary(TOKENS), [])
    return build(CONFIG, "transformer", data, seed)


def kept(model: Transformer, words: list[str] = WORDS) -> dict[str, np.ndarray]:
    """The arrays in which the experiment keeps a model."""
    data = Data((), Vocabulary(words), Vocabulary(TOKENS), [])
    found = kept_model(model, data)
    return {f"{VARIANT}/0/{name}": array for name, array in found.items()}


def record_of(arrays: dict[str, np.ndarray], config: Config = CONFIG) -> Record:
    return recorded("encoder_decoder", [{}], config, preset="tiny", arrays=arrays)


RECORD = record_of(kept(network()))


@pytest.fixture(scope="module")
def made() -> Translator:
    return Translator.from_record(RECORD)


def spoken(made: Translator, tokens: list[str], monkeypatch: pytest.MonkeyPatch) -> Translator:
    """The translator, with a model that writes `tokens` whatever it reads."""
    numbers = made.target_tokens.encode(tokens)
    monkeypatch.setattr(Translator, "_write", lambda self, *_asked: numbers)
    return made


def test_the_model_is_read_as_it_was_kept(made: Translator):
    expected = dict(network().named_parameters())
    for name, value in made.model.named_parameters():
        assert torch.equal(value, expected[name].half().float()), name
    assert made.model.config.encoder_layers == made.model.config.decoder_layers == 3
    assert not made.model.training
    assert made.source_words.tokens[4:] == tuple(WORDS)
    assert made.target_tokens.tokens[4:] == tuple(TOKENS)


@pytest.mark.slow
def test_the_experiment_keeps_what_is_read():
    bins = ((4, 9), (10, 20))
    config = Config(
        **SIZES,
        corpus_size=400,
        sweep_steps=2,
        budgets=(3,),
        tokens_per_batch=32,
        warmup=2,
        bins=bins,
    )
    name = largest(config).name
    seed = config.examples_seed
    arrays = measure_training(config, name, seed, torch.device("cpu")).arrays
    named = {f"{name}/{seed}/{key}": array for key, array in arrays.items()}
    made = Translator.from_record(record_of(named, config))
    data = load_data(config.corpus_size, config.corpus_seed)
    assert made.source_words.tokens == data.source_words.tokens
    assert made.translate(data.test[0].source).source == data.test[0].source


def test_a_record_of_another_experiment_is_refused():
    with pytest.raises(
        ValueError, match="one of 'encoder_decoder' or 'decoding_search', got attention/recorded"
    ):
        Translator.from_record(results.load("attention.json"))


def without(part: str) -> dict[str, np.ndarray]:
    return {key: array for key, array in RECORD.arrays.items() if part not in key}


def with_parameter(name: str) -> dict[str, np.ndarray]:
    return RECORD.arrays | {f"{VARIANT}/0/weights.{name}": np.ones(3, np.float16)}


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({}, f"expected arrays below {VARIANT}/0/, got none in enc"),
        (without("target_emb"), "got missing: target_embedding.weight$"),
        (without("source_words"), "expected the words, got none named .'source_words'"),
        (with_parameter("decoder_layers.9.attention.W_Q.weight"), "left over: decoder_layers.9"),
        (with_parameter("target_embedding.weight"), r"target_embedding.weight \(3,\) and not \("),
    ],
)
def test_a_record_of_another_model_is_refused(arrays: dict[str, np.ndarray], said: str):
    with pytest.raises(ValueError, match=f"record: expected .*{said}|{said}"):
        Translator.from_record(record_of(arrays))


def test_translation_is_the_most_probable_token_at_each_position(made: Translator):
    words = ["the", "cat", "ate", "two", "apples", "."]
    found = made.translate(words)
    assert found.source == tuple(words)
    numbers = made.target_tokens.encode(found.tokens)
    batch = make_batch([(made.source_words.encode(words), numbers)])
    with torch.no_grad():
        best = made.model(batch).logits.argmax(dim=-1)[0].tolist()
    assert best[: len(numbers)] == numbers
    assert len(numbers) == 40 or best[-1] == 2  # the end mark, or the limit


@pytest.mark.parametrize(
    "sentence",
    [
        "the cat ate two apples .",
        "The cat ate two apples.",
        "  the CAT\tate two apples\n",
        ["the", "cat", "ate", "two", "apples"],
        ("The", "cat", "ate", "two", "apples."),
    ],
)
def test_case_spaces_and_the_full_stop_do_not_matter(made: Translator, sentence):
    found = made.translate(sentence)
    assert found.source == ("the", "cat", "ate", "two", "apples", ".")
    assert made.reply(sentence) == str(found)
    assert made.translate("Sir, the cat ate").source == ("sir", ",", "the", "cat", "ate", ".")


def test_translation_is_written_in_glosses_hangul_and_latin_letters():
    tokens = ("고양이", "-는", "사과", "두", "-개", "-를", "먹", "-었", "-다", ".")
    found = Translation(("the", "cat", "ate", "two", "apples", "."), tokens)
    assert found.glosses == (
        *("cat", "-TOP", "apple", "two", "-CL", "-OBJ", "eat", "-PAST", "-DECL", "."),
    )
    assert found.hangul == "고양이는 사과 두 개를 먹었다."
    assert found.romanised == "goyangineun sagwa du gaereul meogeotda."
    assert str(found).split("\n") == [" ".join(found.glosses), found.hangul, found.romanised]
    assert Translation(("wrote",), ("쓰",)).glosses == ("write",)  # the source chooses the sense
    assert Translation(("wore",), ("쓰",)).glosses == ("wear",)


def test_unknown_words_are_named_with_words_near_them_and_a_sentence_that_works(made: Translator):
    with pytest.raises(UnknownWordsError) as caught:
        made.translate("the cats ate a hedgehog and a hedgehog")
    assert caught.value.words == ("cats", "a", "hedgehog")
    assert str(caught.value) == (
        "The model does not know “cats”, “a”, “hedgehog”. It knows 9 words. Near: “cat”. "
        "Try: the cat ate two apples ."
    )
    assert made.reply("the cats ate a hedgehog and a hedgehog") == str(caught.value)


@pytest.mark.parametrize("word", ["<pad>", "<bos>", "<unk>", ";", ":"])
def test_special_tokens_and_other_marks_are_no_words(made: Translator, word):
    with pytest.raises(UnknownWordsError, match=f"does not know “{'.' * len(word)}”"):
        made.translate(["the", "cat", "ate", word])


STATEMENTS = "statements only: no questions or exclamations, with a full stop at the end."


@pytest.mark.parametrize("mark", ["?", "!?"])
def test_questions_and_exclamations_are_told_what_can_be_read(made: Translator, mark):
    with pytest.raises(UnknownWordsError) as caught:
        made.translate(f"the cat ate{mark}")
    assert caught.value.words == tuple(mark)
    assert str(caught.value) == f"The model reads {STATEMENTS} Try: the cat ate two apples ."
    assert made.reply(f"the cats ate{mark}") == (
        "The model does not know “cats”. It knows 9 words. Near: “cat”. "
        f"The model reads {STATEMENTS} Try: the cat ate two apples ."
    )


def test_no_example_is_given_that_the_model_cannot_read():
    words = [word for word in WORDS if word != "apples"] + ["pears"]
    reply = Translator.from_record(record_of(kept(network(), words))).reply("xyz")
    assert reply == "The model does not know “xyz”. It knows 9 words."


@pytest.mark.parametrize("sentence", ["", ", .", [], [""]])
def test_a_sentence_without_words_is_refused(made: Translator, sentence):
    message = "sentence: expected at least one word, got none. Try: the cat ate two apples ."
    with pytest.raises(ValueError, match="at least one word, got none") as caught:
        made.translate(sentence)
    assert str(caught.value) == made.reply(sentence) == message


def test_a_sentence_longer_than_those_of_training_is_refused(made: Translator):
    assert len(made.translate(["cat"] * 19).source) == 20
    with pytest.raises(ValueError, match="at most 20 words .* counted, got 21"):
        made.translate(["cat"] * 20)
    assert "got 3001" in made.reply("hedgehog " * 3000)


@pytest.mark.parametrize("sentence", [None, 3, ["the", 3], {"the": "cat"}])
def test_what_is_no_text_is_refused(made: Translator, sentence):
    with pytest.raises(TypeError, match="sentence: expected text or a list of words, got"):
        made.translate(sentence)
    assert made.reply(sentence).startswith("sentence: expected text or a list of words, got")


def test_attention_holds_what_every_head_reads(made: Translator, monkeypatch: pytest.MonkeyPatch):
    tokens = ["고양이", "-는", "먹", "-다"]
    spoken(made, tokens, monkeypatch)
    seen = made.attention("the cat ate")
    assert seen.source == ("the", "cat", "ate", ".", "<eos>")
    assert seen.target == ("<bos>", "cat", "-TOP", "eat", "-DECL")
    words = made.source_words.encode(["the", "cat", "ate", "."])
    batch = make_batch([(words, made.target_tokens.encode(tokens))])
    with torch.no_grad():
        expected = made.model(batch, need_weights=True).weights
    for found, layers in zip(seen[2:], expected, strict=True):
        assert found.shape[:2] == (3, 2)
        assert torch.equal(found, torch.stack([layer[0] for layer in layers]))
        torch.testing.assert_close(found.sum(dim=-1), torch.ones(found.shape[:3]))
    assert seen.decoder.triu(1).abs().max() == 0


def test_a_changed_model_is_asked_where_changes_are_given(made: Translator):
    sentence, off = "the cat ate two apples .", "decoder_layers.2.cross_attention"
    assert made.translate(sentence, Changes()) == made.translate(sentence)
    changes = Changes(heads=(f"{off}:0", f"{off}:1"), positions=("source", "target"))
    batch = make_batch([(made.source_words.encode(sentence.split()), [])])
    changed = ChangedTransformer(made.model, changes)
    [numbers] = greedy(changed, batch.source, batch.source_mask, max_length=40).to_lists()
    assert made.translate(sentence, changes).tokens == tuple(made.target_tokens.decode(numbers))
    seen = made.attention(sentence, changes)
    assert seen.cross[2].abs().max() == 0
    assert seen.cross.shape[2] == len(seen.target) == len(numbers) + 1


def test_a_state_is_put_into_another_sentence(made: Translator):
    state = made.state("the dog ate", "memory", 1)
    assert len(state) == SIZES["d_model"]
    changes = Changes(patches=(Patch("memory", 1, state),))
    assert made.state("the cat ate", "memory", 1, changes) == state
    assert made.state("the cat ate", "memory", 1) != state
    with pytest.raises(KeyError, match="encoder_norm"):
        made.state("the cat ate", "encoder_norm", 1)
    with pytest.raises(IndexError):
        made.state("the cat ate", "memory", 9)


def test_the_trained_translator_is_read_once_and_translates():
    assert translator() is translator()
    found = translator().translate("the cat ate two apples .")
    assert found.hangul == "고양이는 사과 두 개를 먹었다."


def test_chapter_06_keeps_a_translator_that_is_still_unsure():
    half = Translator.from_record(results.load("decoding_search.json"))
    assert not half.model.training
    assert len(half.target_tokens) == half.model.config.target_vocabulary
    # The right translation is the more probable one, and greedy decoding misses it.
    right, wrong = "이모 -는 쉬 -었 -다 .", "우리 -는 쉬 -었 -다 ."
    assert " ".join(half.translate("the aunt rested .").tokens) == wrong
    pairs = [
        (
            half.source_words.encode("the aunt rested .".split()),
            half.target_tokens.encode(t.split()),
        )
        for t in (right, wrong)
    ]
    batch = make_batch(pairs)
    with torch.no_grad():
        log_p = half.model(batch).logits.log_softmax(-1)
    first, second = log_p.gather(-1, batch.target_out[..., None]).sum(dim=(1, 2))
    assert first > second + 1
