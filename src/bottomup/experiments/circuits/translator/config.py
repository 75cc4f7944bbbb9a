"""Chapter 09: the choices of the experiment on the translator."""

from dataclasses import dataclass

from bottomup.experiments.encoder_decoder import config as encoder_decoder


@dataclass(frozen=True, kw_only=True)
class Config:
    """The choices of the experiment.

    Attributes:
        steps: training steps of the translator, which is chapter 05's.
        rate: learning rate, as text, see `encoder_decoder.config.Config`.
        corpus_size: of the mini-language; its seed is 0 for training and `pairs_seed` for the
            minimal pairs, sentences that were trained on left out.
        pairs_seed: of the second corpus, and of the choice among its pairs.
        pairs: minimal pairs of each kind.
        only_right: whether pairs count alone whose two sentences both get their answers.
        test_sentences: on which the loss without a head is measured.
        d_model, layers, num_heads, d_ff, tokens_per_batch, warmup: as in chapter 05.
    """

    steps: int = 1_200
    rate: str = "12e-3"
    corpus_size: int = 60_000
    pairs_seed: int = 1
    pairs: int = 40
    only_right: bool = True
    test_sentences: int = 1_000
    d_model: int = 64
    layers: int = 2
    num_heads: int = 4
    d_ff: int = 256
    tokens_per_batch: int = 1024
    warmup: int = 50

    @property
    def training(self) -> encoder_decoder.Config:
        """The configuration of chapter 05 that gives this translator."""
        return encoder_decoder.Config(
            rates=(),
            budgets=(),
            sweep_steps=self.steps,
            transformer_rate=self.rate,
            corpus_size=self.corpus_size,
            d_model=self.d_model,
            layers=self.layers,
            num_heads=self.num_heads,
            d_ff=self.d_ff,
            tokens_per_batch=self.tokens_per_batch,
            warmup=self.warmup,
        )


PRESETS = {
    "tiny": Config(
        steps=4,
        corpus_size=2_000,
        pairs=2,
        only_right=False,
        test_sentences=11,
        d_model=8,
        num_heads=2,
        d_ff=12,
        tokens_per_batch=64,
        warmup=2,
    ),
    "laptop": Config(steps=600, corpus_size=20_000, pairs=20),
    "recorded": Config(),
    "full": Config(steps=9_600, d_model=128, layers=3, d_ff=512, pairs=100),
}
