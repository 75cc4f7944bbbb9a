"""BERT: reads two segments from both sides and says if the second follows."""

from typing import NamedTuple

from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn

from bottomup.checks import check_config, check_token_ids, checked
from bottomup.models.language_model import (
    LanguageModelConfig,
    MaskedLanguageModel,
)


class BertOutput(NamedTuple):
    """Logits of the tokens, the logit of "the second follows", and the states.

    `states` are those that both read, after the last layer.
    """

    logits: Float[Tensor, "batch position vocabulary"]
    follows: Float[Tensor, " batch"]
    states: Float[Tensor, "batch position d_model"]


class Bert(nn.Module):
    """Read two segments from both sides, restore tokens, judge the pair.

    ``x_i = sqrt(d_model) E[token_i] + P[i] + S[segment_i]``; the layers of
    `MaskedLanguageModel`; ``follows = u . LayerNorm(x_0) + b``

    Position 0 holds the begin mark, "[CLS]" in the paper, whose state stands
    for the pair. The paper's code puts one more layer with a tanh before u.

    Source: Devlin et al. (2019), section 3 and figure 2. Chapter 10 trains it.

    Example:
        >>> model = Bert(LanguageModelConfig(vocabulary=11, max_length=6))
        >>> tokens = torch.tensor([[1, 5, 2, 6, 2]])
        >>> segments = torch.tensor([[0, 0, 0, 1, 1]])
        >>> output = model(tokens, segments)
        >>> output.logits.shape, output.follows.shape
        (torch.Size([1, 5, 11]), torch.Size([1]))
    """

    def __init__(self, config: LanguageModelConfig) -> None:
        super().__init__()
        check_config(config, LanguageModelConfig)
        self.config, self.d_model = config, config.d_model
        self.reader = MaskedLanguageModel(config)
        self.segments = nn.Embedding(2, config.d_model)
        self.follows = nn.Linear(config.d_model, 1)

    @checked
    def forward(
        self,
        tokens: Int64[Tensor, "batch position"],
        segments: Int64[Tensor, "batch position"],
        mask: Bool[Tensor, "..."] | None = None,
    ) -> BertOutput:
        """Restore the tokens and judge the pair.

        Args:
            tokens: token numbers, corrupted or not.
            segments: 0 in the first segment, 1 in the second.
            mask: True = may attend; broadcasts to ``[batch, query, key]``.
        """
        check_token_ids("segments", segments, "batch position", vocabulary=2)
        x = self.reader.embed(tokens) + self.segments(segments)
        for layer in self.reader.layers:  # x: [batch, position, d_model]
            x, _ = layer(x, mask)
        pair = self.reader.final_norm(x[:, 0])  # [batch, d_model]
        return BertOutput(
            self.reader.unembed(x), self.follows(pair).squeeze(-1), x
        )
