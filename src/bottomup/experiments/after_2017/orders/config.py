"""Chapter 10: the choices of the experiment on orders."""

from dataclasses import dataclass

from bottomup.models import LanguageModelConfig, XLNetConfig


@dataclass(frozen=True, kw_only=True)
class Config:
    """The choices of the networks that read about New York; all have two layers of four heads.

    Attributes:
        steps, batch, rate: of every training, with AdamW and a learning rate that falls to 0.
        width: of every network.
    """

    steps: int = 800
    batch: int = 128
    rate: float = 2e-3
    width: int = 32

    def bert_config(self, vocabulary: int, max_length: int) -> LanguageModelConfig:
        """Return the choices of the masked language model."""
        return LanguageModelConfig(
            vocabulary=vocabulary,
            max_length=max_length,
            d_model=self.width,
            num_layers=2,
            num_heads=4,
            d_ff=4 * self.width,
        )

    def xlnet_config(self, vocabulary: int, max_length: int) -> XLNetConfig:
        """Return the choices of the network of two streams."""
        return XLNetConfig(
            vocabulary=vocabulary,
            max_length=max_length,
            d_model=self.width,
            num_layers=2,
            num_heads=4,
            d_ff=4 * self.width,
        )


PRESETS = {
    "tiny": Config(steps=3, batch=7, width=8),
    "laptop": Config(steps=300, rate=4e-3),
    "recorded": Config(),
    "full": Config(steps=5_000),
}
