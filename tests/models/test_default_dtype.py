"""Every model computes in torch's default dtype, where that is float64."""

import pytest
import torch

from bottomup.attention import SparsePattern
from bottomup.blocks import PreNorm, SinusoidalPositions
from bottomup.data import make_batch
from bottomup.decoding import beam_search, greedy, sampled
from bottomup.models import (
    AttentionOnly,
    AttentionOnlyConfig,
    Bert,
    ChangedTransformer,
    Changes,
    DecoderOnly,
    DecoderOnlyConfig,
    DeepStack,
    HardSeq2Seq,
    InductionByHand,
    LanguageModel,
    LanguageModelConfig,
    MaskedLanguageModel,
    PairReader,
    PairReaderConfig,
    RNNSeq2Seq,
    Seq2SeqConfig,
    SparseAutoencoder,
    SparseTransformer,
    SparseTransformerConfig,
    ToySuperposition,
    Transformer,
    TransformerConfig,
    TransformerXL,
    TransformerXLConfig,
    XLNet,
    XLNetConfig,
    baseline_reinforce_loss,
    exact_loss,
    from_torch,
    in_segments,
    plain_reinforce_loss,
    to_torch,
)
from bottomup.models.decoder import KINDS
from bottomup.models.rnn_seq2seq import ATTENTIONS, SPANS
from bottomup.training import fit, token_cross_entropy
from tests.drawn import global_seed

PAIRS = [([5, 6, 7], [8, 9]), ([5, 9], [4, 4, 6])]
TOKENS = torch.tensor([[5, 6, 7, 4, 5], [8, 8, 4, 10, 2]])
SIZES = {"vocabulary": 11, "d_model": 12, "num_heads": 2, "num_layers": 1}
BOTH = {"source_vocabulary": 11, "target_vocabulary": 13}


@pytest.fixture(autouse=True)
def float64():
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def translator(**options):
    sizes = {"d_model": 12, "num_heads": 2, "d_ff": 17, "encoder_layers": 1, "decoder_layers": 1}
    return Transformer(TransformerConfig(**BOTH, **sizes, **options))


def recurrent(kind=RNNSeq2Seq, attention="dot", **options):
    config = Seq2SeqConfig(**BOTH, d_embedding=5, d_state=6, attention=attention, **options)
    return kind(config)


def of_tokens(model):
    config = LanguageModelConfig(**SIZES, max_length=7, d_ff=17, positions="sinusoidal")
    return model(config)


def decoder(positions):
    config = DecoderOnlyConfig(**SIZES, max_length=7, positions=positions, window=3, sinks=1)
    return DecoderOnly(config)


def sparse(kind):
    pattern = SparsePattern(kind=kind, width=2)
    sizes = {"length": 6, "row": 2, "d_ff": 17, "pattern": pattern}
    return SparseTransformer(SparseTransformerConfig(**SIZES, **sizes))


def xl(positions):
    model = TransformerXL(TransformerXLConfig(**SIZES, d_ff=17, positions=positions))
    return in_segments(model, TOKENS, segment=2, memory=3)


def bare(positions, heads):
    sizes = {"vocabulary": 11, "outputs": 3, "d_model": 12, "num_heads": heads}
    return AttentionOnly(AttentionOnlyConfig(**sizes, positions=positions))


def drawn(*shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(0))


OF_TOKENS = {
    "language model": lambda: of_tokens(LanguageModel)(TOKENS).logits,
    "masked": lambda: of_tokens(MaskedLanguageModel)(TOKENS, need_weights=True).logits,
    "bert": lambda: of_tokens(Bert)(TOKENS, torch.zeros_like(TOKENS)).logits,
    "xlnet": lambda: (
        XLNet(XLNetConfig(**SIZES, max_length=7))(
            TOKENS, torch.tensor([[3, 0, 2, 4, 1]]).expand(2, -1)
        ).logits
    ),
    "transformer-xl": lambda: xl("relative"),
    "restarted": lambda: xl("restarted"),
    "induction by hand": lambda: InductionByHand(vocabulary=11, length=7)(TOKENS).logits,
    "pair reader": lambda: (
        PairReader(PairReaderConfig(positions=5, symbols=11, d_model=12))(
            TOKENS, torch.tensor([[0, 1], [4, 2]])
        ).logits
    ),
    "deep stack": lambda: DeepStack(5, 2, kind="highway")(drawn(3, 5)),
    "superposition": lambda: ToySuperposition(5, 3)(drawn(7, 5).square()),
    "autoencoder": lambda: SparseAutoencoder(5, 11)(drawn(7, 5))[0],
    "positions": lambda: SinusoidalPositions(max_length=7, d_model=12)(drawn(5, 12)),
    "pre-norm": lambda: PreNorm(12).read(drawn(5, 12)),
}
OF_TOKENS |= {f"sparse {k}": lambda k=k: sparse(k)(TOKENS).logits for k in ("dense", "fixed")}
OF_TOKENS |= {f"strided {k}": lambda k=k: sparse(k)(TOKENS).logits for k in ("strided", "window")}
OF_TOKENS |= {k: lambda k=k: decoder(k)(TOKENS) for k in KINDS}
OF_TOKENS |= {
    f"bare {k} {heads}": lambda k=k, heads=heads: bare(k, heads)(TOKENS).logits
    for k, heads in [("sinusoidal", None), ("sinusoidal", 2), ("in_scores", 2), ("none", None)]
}


@pytest.mark.parametrize("logits", OF_TOKENS.values(), ids=OF_TOKENS)
def test_a_model_gives_float64(logits):
    found = logits()
    assert found.dtype == torch.float64
    assert found.isfinite().all()


TRANSLATORS = {
    f"{positions} {norm}": lambda positions=positions, norm=norm: translator(
        positions=positions, norm=norm
    )
    for positions in ("sinusoidal", "learned")
    for norm in ("pre", "post")
}
TRANSLATORS |= {name: lambda name=name: recurrent(attention=name) for name in ATTENTIONS}
TRANSLATORS |= {span: lambda span=span: recurrent(span=span) for span in SPANS}
TRANSLATORS["input feeding"] = lambda: recurrent(input_feeding=True)
TRANSLATORS["hard"] = lambda: recurrent(HardSeq2Seq)
TRANSLATORS["from torch"] = lambda: from_torch(to_torch(translator()), **BOTH)
of_each = pytest.mark.parametrize("make", TRANSLATORS.values(), ids=TRANSLATORS)


def loss_of(model, batch):
    return token_cross_entropy(model(batch).logits, batch.target_out, batch.target_mask)


@of_each
def test_a_translator_trains_and_decodes(make):
    with global_seed(2):
        model, batch = make(), make_batch(PAIRS)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    history = fit(model, lambda step: batch, steps=2, loss=loss_of, optimizer=optimizer)
    assert len(history.loss) == 2
    given = (batch.source, batch.source_mask)
    assert model(batch).logits.dtype == torch.float64
    for decoded in (
        greedy(model, *given, max_length=3),
        sampled(model, *given, max_length=3, generator=torch.Generator()),
    ):
        assert decoded.weights is None or decoded.weights.dtype == torch.float64
    assert len(beam_search(model, *given, max_length=3, beam=2).to_lists()) == 2


def test_so_does_a_changed_translator():
    batch = make_batch(PAIRS)
    changes = Changes(heads=("encoder_layers.0.attention:0",), positions=("source",), hidden=(0,))
    changed = ChangedTransformer(translator(), changes)
    logits = changed(batch.source, batch.source_mask, batch.target_in).logits
    assert logits.dtype == torch.float64


@pytest.mark.parametrize("loss", [exact_loss, plain_reinforce_loss, baseline_reinforce_loss])
def test_hard_attention_has_float64_losses(loss):
    with global_seed(2):
        assert loss(recurrent(HardSeq2Seq), make_batch(PAIRS)).dtype == torch.float64
