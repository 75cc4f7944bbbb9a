"""What a model holds beside its checkpoint is a formula: no loading, cast or copy changes it."""

import copy
import io

import pytest
import torch
from torch.func import functional_call

from bottomup.blocks import SinusoidalPositions, rotary_waves, sinusoidal_positions
from bottomup.data import make_batch
from bottomup.models import (
    Bert,
    DecoderOnly,
    DecoderOnlyConfig,
    HardSeq2Seq,
    InductionByHand,
    LanguageModel,
    LanguageModelConfig,
    MaskedLanguageModel,
    Seq2SeqConfig,
    SparseAutoencoder,
    SparseTransformer,
    SparseTransformerConfig,
    Transformer,
    TransformerConfig,
    TransformerXL,
    TransformerXLConfig,
)
from tests.drawn import global_seed

BATCH = make_batch([([5, 6, 7], [8, 9]), ([5, 9], [4, 4, 6])])
TOKENS = torch.tensor([[5, 6, 7, 4, 9], [8, 8, 4, 10, 2]])
SIZES = {"vocabulary": 11, "d_model": 8, "num_heads": 2, "num_layers": 1}


def translator(**options):
    sizes = {"source_vocabulary": 11, "target_vocabulary": 13, "d_model": 8, "num_heads": 2}
    return Transformer(
        TransformerConfig(**sizes, d_ff=17, encoder_layers=1, decoder_layers=1, **options)
    )


def decoder(positions):
    return DecoderOnly(DecoderOnlyConfig(**SIZES, max_length=7, positions=positions))


def language_model(kind, **options):
    return kind(LanguageModelConfig(**SIZES, max_length=7, d_ff=17, **options))


def hard():
    sizes = {"source_vocabulary": 11, "target_vocabulary": 13, "d_embedding": 5, "d_state": 6}
    return HardSeq2Seq(Seq2SeqConfig(**sizes, attention="dot"))


def xl(positions):
    return TransformerXL(TransformerXLConfig(**SIZES, d_ff=17, positions=positions))


def sparse():
    from bottomup.attention import SparsePattern

    pattern = SparsePattern(kind="fixed", width=2)
    return SparseTransformer(
        SparseTransformerConfig(**SIZES, length=6, row=2, d_ff=17, pattern=pattern)
    )


MAKERS = {
    "translator": translator,
    "rotary": lambda: decoder("rotary"),
    "alibi": lambda: decoder("alibi"),
    "sinusoidal decoder": lambda: decoder("sinusoidal"),
    "language model": lambda: language_model(LanguageModel, positions="sinusoidal"),
    "masked": lambda: language_model(MaskedLanguageModel, positions="sinusoidal"),
    "bert": lambda: language_model(Bert, positions="sinusoidal"),
    "transformer-xl": lambda: xl("relative"),
    "restarted": lambda: xl("restarted"),
    "hard": hard,
    "sparse": sparse,
    "induction by hand": lambda: InductionByHand(vocabulary=11, length=7),
    "autoencoder": lambda: SparseAutoencoder(5, 7),
}
models = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


def given(model):
    if isinstance(model, Bert):
        return TOKENS, torch.zeros_like(TOKENS)
    if isinstance(model, SparseAutoencoder):
        return (torch.ones(3, 5, dtype=model.D.dtype),)
    return (BATCH if isinstance(model, Transformer | HardSeq2Seq) else TOKENS,)


def of(output):
    return getattr(output, "x_hat", getattr(output, "logits", output))


def logits(model):
    with torch.no_grad():
        return of(model.eval()(*given(model)))


def built(make):
    with global_seed(2):
        return make()


@pytest.fixture
def garbage():
    """What memory held: torch fills what is empty with NaN."""
    torch.use_deterministic_algorithms(True)
    yield
    torch.use_deterministic_algorithms(False)


@models
def test_a_checkpoint_makes_a_model_from_nothing(make, garbage):
    model = built(make)
    with torch.device("meta"):
        empty = make()
    empty.to_empty(device="cpu")
    empty.load_state_dict(model.state_dict())
    assert torch.equal(logits(empty), logits(model))


@models
def test_so_it_does_where_its_tensors_are_taken_over(make):
    model = built(make)
    with torch.device("meta"):
        empty = make()
    empty.load_state_dict(model.state_dict(), assign=True)
    assert torch.equal(logits(empty), logits(model))


@models
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_a_cast_forth_and_back_rounds_parameters_alone(make, dtype):
    model = built(make)
    there = copy.deepcopy(model).to(dtype).float()
    there.load_state_dict(model.state_dict())
    assert torch.equal(logits(there), logits(model))


@models
def test_float64_is_float64_throughout(make):
    model = built(make).double()
    torch.set_default_dtype(torch.float64)
    try:
        exact = make()
        exact.load_state_dict(model.state_dict())
        expected = logits(exact)
    finally:
        torch.set_default_dtype(torch.float32)
    assert expected.dtype == torch.float64
    assert torch.equal(logits(model), expected)


@models
def test_a_copy_a_file_and_a_call_with_other_tensors_compute_the_same(make):
    model = built(make)
    file = io.BytesIO()
    torch.save(model, file)
    file.seek(0)
    expected = logits(model)
    assert torch.equal(logits(copy.deepcopy(model)), expected)
    assert torch.equal(logits(torch.load(file, weights_only=False)), expected)
    state = {**dict(model.named_parameters()), **dict(model.named_buffers())}
    shell = copy.deepcopy(model).to("meta").eval()
    assert torch.equal(of(functional_call(shell, state, given(model))), expected)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_the_table_is_rounded_once(dtype):
    positions = SinusoidalPositions(max_length=11, d_model=14)
    expected = sinusoidal_positions(11, 14, dtype=dtype)
    assert torch.equal(positions.to(dtype).table, expected)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_a_stream_of_another_dtype_gets_a_table_of_its_own(dtype):
    positions, x = SinusoidalPositions(max_length=11, d_model=14), torch.ones(3, 7, 14, dtype=dtype)
    output = positions(x, first=2)
    assert output.dtype == dtype
    assert torch.equal(output, x + sinusoidal_positions(7, 14, first=2, dtype=dtype))


@pytest.mark.parametrize("dtype", [torch.float16, torch.float64])
def test_tables_have_torch_s_default_dtype(dtype):
    torch.set_default_dtype(dtype)
    try:
        tables = [sinusoidal_positions(3, 4), *rotary_waves(3, 4)]
        tables.append(SinusoidalPositions(max_length=3, d_model=4).table)
    finally:
        torch.set_default_dtype(torch.float32)
    assert {table.dtype for table in tables} == {dtype}
    exact = sinusoidal_positions(3, 4, dtype=torch.float64)
    assert torch.equal(tables[0], exact.to(dtype))


@pytest.mark.slow
def test_a_translator_is_exported_with_its_tables():
    model = translator().eval()

    class OfTensors(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, source, source_mask, target_in, target_mask):
            given = type(BATCH)(source, source_mask, target_in, target_in, target_mask)
            return self.model(given).logits

    tensors = (BATCH.source, BATCH.source_mask, BATCH.target_in, BATCH.target_mask)
    exported = torch.export.export(OfTensors(), tensors)
    torch.testing.assert_close(exported.module()(*tensors), logits(model))
