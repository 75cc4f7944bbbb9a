"""Time the attention of chapter 01 against torch's own building blocks, as ratios.

Both sides of a comparison run in every round, on one thread, so that a machine that slows down
slows both. Printed: the median of the ratios and their quartiles.

    python -m bench.attention [--rounds 30]
"""

import argparse

import torch
from torch import Tensor

from bench.timing import Run, interleave, ratios, spread
from bottomup.attention import AdditiveAttention, DotAttention
from bottomup.data import SequenceTask
from bottomup.models import RNNSeq2Seq, Seq2SeqConfig

BATCH, QUERY, KEY, WIDTH = 64, 15, 12, 128


def forward_and_backward(run: Run[Tensor]) -> Run[None]:
    """Return a run with a backward pass after the forward pass."""
    return lambda: run().sum().backward()


def tensors() -> tuple[Tensor, Tensor, Tensor]:
    """Return query, key (which is also the value) and a padding mask."""
    query = torch.randn(BATCH, QUERY, WIDTH, requires_grad=True)
    key = torch.randn(BATCH, KEY, WIDTH, requires_grad=True)
    mask = torch.arange(KEY) < torch.randint(1, KEY + 1, (BATCH, 1, 1))
    return query, key, mask


def dot_against_sdpa() -> tuple[Run[Tensor], Run[Tensor]]:
    """Library's dot attention against torch's scaled_dot_product_attention, both masked."""
    query, key, mask = tensors()
    attention = DotAttention()
    torch_attention = torch.nn.functional.scaled_dot_product_attention
    return (
        lambda: attention(query, key, key, mask)[0],
        lambda: torch_attention(query, key, key, attn_mask=mask, scale=1.0),
    )


def additive_against_layers() -> tuple[Run[Tensor], Run[Tensor]]:
    """Library's additive attention against two torch.nn.Linear, a tanh and a softmax."""
    query, key, mask = tensors()
    attention = AdditiveAttention(WIDTH, WIDTH, WIDTH)
    W_a, U_a = (torch.nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(2))
    v_a = torch.nn.Linear(WIDTH, 1, bias=False)
    blocked = torch.where(mask, 0.0, -torch.inf)

    def from_layers() -> Tensor:
        hidden = torch.tanh(W_a(query)[:, :, None] + U_a(key)[:, None])
        return (v_a(hidden).squeeze(-1) + blocked).softmax(-1) @ key

    return lambda: attention(query, key, key, mask)[0], from_layers


def all_steps_against_looped() -> tuple[Run[Tensor], Run[Tensor]]:
    """Luong's decoder, all steps at once, against the same decoder one step at a time."""
    task = SequenceTask("reverse", min_length=QUERY, max_length=QUERY, batch_size=BATCH)
    size = len(task.vocabulary)
    config = Seq2SeqConfig(source_vocabulary=size, target_vocabulary=size, attention="general")
    model, batch = RNNSeq2Seq(config), task(0)
    memory = model.encoder(batch.source, batch.source_mask)
    memory = type(memory)(memory.states.detach(), memory.mask, memory.summary.detach())
    return (
        lambda: model.decoder(batch.target_in, memory)[0],
        lambda: model.decoder.unroll(batch.target_in, memory)[0],
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=30)
    rounds = parser.parse_args().rounds
    torch.set_num_threads(1)
    torch.manual_seed(0)
    for make in (dot_against_sdpa, additive_against_layers, all_steps_against_looped):
        pair = {name: forward_and_backward(run) for name, run in zip("AB", make(), strict=True)}
        seconds = interleave(pair, rounds, warm_up=3)
        found = spread(ratios(seconds["A"], seconds["B"]))
        print(f"{found['median']:5.2f}  ({found['q1']:.2f} to {found['q3']:.2f})  {make.__doc__}")
    print("Ratio of times, first over second: below 1 the first is faster.")


if __name__ == "__main__":
    main()
