"""A translator with hard attention in Luong's order, and losses that train it.

Without input feeding, the position z_t touches the token y_t alone. So the
objective is a sum over steps, each step can be enumerated by itself, and
REINFORCE needs no return over later steps.

`cross_entropy` of the logits trains by Gumbel straight-through, because that is
what the model's attention draws with. The losses below are the two others:
``loss(model, batch)`` for `fit`.
"""

from typing import cast

from jaxtyping import Float
from torch import Tensor, nn

from bottomup.attention import (
    HardAttention,
    MovingBaseline,
    ScoredAttention,
    expected_log_likelihood,
    one_hot_positions,
    position_log_probability,
    reinforce_loss,
    sample_positions,
)
from bottomup.checks import check_token_ids
from bottomup.data import Batch
from bottomup.models.rnn_decoders import LuongDecoder
from bottomup.models.rnn_seq2seq import RNNSeq2Seq, Seq2SeqConfig


class HardSeq2Seq(RNNSeq2Seq):
    """An `RNNSeq2Seq` in Luong's order that reads one position at each step.

    It has the parameters of the soft model, and under one seed the same values:
    softness is a matter of how the weights are used. In training mode it draws
    with Gumbel straight-through, in evaluation mode it reads the strongest
    position.

    Args:
        config: one with a scored attention in Luong's order, without input
            feeding: "dot", "general", "concat" or "additive".
        temperature: of the straight-through gradient.

    Source: Xu et al. (2015), section 4.1; Luong et al. (2015), section 3.1.
    Chapter 01b trains it.

    Example:
        >>> from bottomup.data import make_batch
        >>> sizes = {"source_vocabulary": 11, "target_vocabulary": 13}
        >>> model = HardSeq2Seq(Seq2SeqConfig(**sizes, attention="general"))
        >>> exact_loss(model, make_batch([([5, 6], [7])])).shape
        torch.Size([])
    """

    def __init__(
        self, config: Seq2SeqConfig, *, temperature: float = 1.0
    ) -> None:
        super().__init__(config)
        decoder, score = self.decoder, getattr(self.decoder, "attention", None)
        luong = type(decoder) is LuongDecoder
        if not luong or not isinstance(score, ScoredAttention):
            kind = type(decoder).__name__
            raise ValueError(
                "config: expected a score in Luong's order without input "
                f"feeding, got attention {config.attention!r} and {kind}"
            )
        decoder.attention = HardAttention(score, temperature=temperature)
        self.baseline = MovingBaseline()

    def enumerate_positions(
        self, batch: Batch
    ) -> tuple[
        Float[Tensor, "batch target source"],
        Float[Tensor, "batch target source"],
    ]:
        """Return p(z = j) and log p(y | z = j) at each position j.

        One readout for each pair of target token and source position.
        """
        states, hidden, weights = self._read(batch)
        shape = (*weights.shape, states.shape[-1])
        # both [batch, target, source, d_state]
        contexts = states[:, None].expand(shape)
        queries = hidden[:, :, None].expand(shape)
        logits = self._luong.readout(contexts, queries)
        tokens = batch.target_out[:, :, None].expand(weights.shape)
        return weights, _log_likelihood(logits, tokens)

    def draw_positions(
        self, batch: Batch
    ) -> tuple[Float[Tensor, "batch target"], Float[Tensor, "batch target"]]:
        """Draw a position for each target token; return log p(y | z), log p(z).

        One readout for each target token. The draws come from torch's default
        generator, which `bottomup.training.fit` seeds and keeps.
        """
        states, hidden, weights = self._read(batch)
        positions = sample_positions(weights, generator=None)
        chosen = one_hot_positions(
            positions, weights.shape[-1], dtype=weights.dtype
        )
        logits = self._luong.readout(chosen @ states, hidden)
        log_likelihood = _log_likelihood(logits, batch.target_out)
        return log_likelihood, position_log_probability(weights, positions)

    def _read(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        """Return the encoder's states, the decoder's h_t and p(z_t)."""
        decoder = self._luong
        size = decoder.embedding.num_embeddings
        for name in ("target_in", "target_out"):
            tokens = getattr(batch, name)
            check_token_ids(name, tokens, "batch target", vocabulary=size)
        memory = self.encoder(batch.source, batch.source_mask)
        start = decoder.start(memory).hidden[None]
        E_y = decoder._embed_target(batch.target_in, memory)
        hidden, _ = decoder.gru(E_y, start)
        attention = cast(HardAttention, decoder.attention)
        weights = attention.distribution(hidden, memory.states, memory.mask)
        return memory.states, hidden, weights

    @property
    def _luong(self) -> LuongDecoder:
        return cast(LuongDecoder, self.decoder)


def exact_loss(model: nn.Module, batch: Batch) -> Float[Tensor, ""]:
    """Minus the objective of hard attention, enumerated: the exact gradient.

    ``-mean over real tokens of sum_j p(z = j) log p(y | z = j)``, in nats.

    Source: as `expected_log_likelihood`. Chapter 01b trains with it.
    """
    weights, log_likelihood = _hard(model).enumerate_positions(batch)
    objective = expected_log_likelihood(weights, log_likelihood)
    return -objective[batch.target_mask].mean()  # over [batch, target]


def plain_reinforce_loss(model: nn.Module, batch: Batch) -> Float[Tensor, ""]:
    """`reinforce_loss` of one draw for each real token, without a baseline.

    Source: as `reinforce_loss`. Chapter 01b trains with it.
    """
    log_likelihood, log_probability = _hard(model).draw_positions(batch)
    real = batch.target_mask
    return reinforce_loss(log_likelihood[real], log_probability[real])


def baseline_reinforce_loss(
    model: nn.Module, batch: Batch
) -> Float[Tensor, ""]:
    """`reinforce_loss` of one draw a real token, with the model's baseline.

    The baseline is one number for all tokens. It takes in this batch after it
    was used, so each call in training changes it; a checkpoint keeps it with
    the model.

    Source: as `reinforce_loss` and `moving_baseline`. Chapter 01b trains with
    it.
    """
    hard = _hard(model)
    log_likelihood, log_probability = hard.draw_positions(batch)
    real = batch.target_mask
    loss = reinforce_loss(
        log_likelihood[real], log_probability[real], hard.baseline.value
    )
    hard.baseline.update(log_likelihood[real])
    return loss


def _hard(model: nn.Module) -> HardSeq2Seq:
    if not isinstance(model, HardSeq2Seq):
        kind = type(model).__name__
        raise TypeError(f"model: expected a HardSeq2Seq, got {kind}")
    return model


def _log_likelihood(logits: Tensor, tokens: Tensor) -> Tensor:
    """Return the log-probability of each token under its logits, in nats."""
    return logits.log_softmax(dim=-1).gather(-1, tokens[..., None])[..., 0]
