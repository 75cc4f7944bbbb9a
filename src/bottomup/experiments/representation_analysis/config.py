"""Chapter 08: the choices of the experiments on what the layers hold."""

from dataclasses import dataclass

from bottomup.checks import check_choice
from bottomup.models import LanguageModelConfig, TransformerConfig

LONGEST = 64  # positions that the networks can tell apart
LABELS = {"lm": "LM", "mlm": "MLM", "mt": "MT"}


@dataclass(frozen=True, kw_only=True)
class Config:
    """The choices of an experiment: text, networks, training, and how they are measured.

    Attributes:
        corpus: "minilang"; "docstrings", the texts that come with Python; or "multi30k", captions
            of photographs in English, with their German translations.
        corpus_size, corpus_seed: of the mini-language.
        objectives: what networks are trained on: "lm", "mlm", "mt"; "mlm_left", which is MLM for
            a network that reads no token behind the one it is at.
        starts: 2 for the distances between networks, which compare two starts; 1 leaves them out.
        d_model, num_layers, num_heads, d_ff, norm: of the language models and of the encoder.
        decoder_layers: of the translator.
        steps, warmup, learning_rate, tokens_per_batch: of every training.
        sentences: sentences that are measured, none of them trained on.
        clusters, types: of the mutual information: k-means clusters, and most frequent types.
        rows: tokens of which a distance between representations is computed.
        frequent: types of the distances that leave out rarer ones; fewer than d_model, so that
            the embedding alone does not fill all directions.
        within: types of the distances from which each type's mean is taken off.
        groups: the frequency rank at which each group of types begins.
        group_types: types in each group; as many in all, since distances grow with their number.
        exchanged: frequent types that are exchanged for each other.
        passes: how often the sentences are corrupted anew.
        probed, probe_tokens: types and tokens of the linear probe.
    """

    corpus: str = "minilang"
    corpus_size: int = 60_000
    corpus_seed: int = 0
    objectives: tuple[str, ...] = ("lm", "mlm", "mt")
    starts: int = 2
    d_model: int = 64
    num_layers: int = 6
    num_heads: int = 4
    d_ff: int = 256
    norm: str = "post"
    decoder_layers: int = 2
    steps: int = 1_800
    warmup: int = 200
    learning_rate: float = 2e-3
    tokens_per_batch: int = 1_024
    sentences: int = 6_000
    clusters: int = 300
    types: int = 300
    rows: int = 10_000
    frequent: int = 30
    within: int = 150
    groups: tuple[int, ...] = (0, 20, 80)
    group_types: int = 20
    exchanged: int = 64
    passes: int = 4
    probed: int = 100
    probe_tokens: int = 6_000

    def __post_init__(self) -> None:
        check_choice("starts", self.starts, (1, 2))


def language_model_config(config: Config, words: int) -> LanguageModelConfig:
    """Return the language model's choices; one number more than words is for the mask token."""
    return LanguageModelConfig(
        vocabulary=words + 1,
        max_length=LONGEST,
        d_model=config.d_model,
        num_layers=config.num_layers,
        num_heads=config.num_heads,
        d_ff=config.d_ff,
        norm=config.norm,
        positions="sinusoidal",
    )


def transformer_config(config: Config, words: int, target_tokens: int) -> TransformerConfig:
    """Return the translator's choices; its encoder is that of the language models."""
    return TransformerConfig(
        source_vocabulary=words + 1,
        target_vocabulary=target_tokens,
        max_length=LONGEST,
        d_model=config.d_model,
        encoder_layers=config.num_layers,
        decoder_layers=config.decoder_layers,
        num_heads=config.num_heads,
        d_ff=config.d_ff,
        norm=config.norm,
        positions="sinusoidal",
    )
