"""What the paper's translator would cost on WMT14 English to German: on paper, not measured.

The base model takes a step of 25,000 source and as many target tokens in ten parts, as
`fit(accumulate=10)` does; one part is rehearsed here, and the table is that of ``plan``. Sentences
of 25 pieces are an assumption that hardly counts: nearly all operations are the same for every
token. Then the bytes of the shards. A few minutes, 4 GB.

    python -m bench.wmt14

Sources: Vaswani et al. (2017), sections 5.1 and 5.2 and table 3; the data set's card at `REVISION`.
"""

from dataclasses import replace

import torch
from torch import Tensor, nn

from bottomup.data import Batch, make_batch
from bottomup.experiments.engine.plan import Cost, table
from bottomup.models import Transformer, TransformerConfig
from bottomup.training import fit, smoothed_cross_entropy
from bottomup.training.rehearsal import Rehearsal, rehearsed

VOCABULARY, STEPS, TOKENS = 37_000, 100_000, 25_000
PARTS, LENGTH = 10, 25
PAIRS, TEXT = 4_508_785, 1_358_406_800  # of the training set, and their bytes
REVISION = "b199e406369ec1b7634206d3ded5ba45de2fe696"
PAIR, TOKEN = 12, 2  # bytes of a pair in the index, of a token


def main() -> None:
    torch.set_num_threads(1)
    part = rehearse(TOKENS // PARTS)
    whole = replace(
        part,
        flops=PARTS * part.flops,
        operations=PARTS * part.operations,
        seconds=PARTS * part.seconds,
    )
    print("\n".join(table([Cost("base", [whole], rest=0.0)], seeds=1)))
    print(f"index: {PAIRS * PAIR / 1e6:,.0f} MB; tokens of", end=" ")
    print(", ".join(f"{n} bytes of text: {TEXT / n * TOKEN / 1e6:,.0f} MB" for n in (1, 4)))


def rehearse(tokens: int) -> Rehearsal:
    """Rehearse the paper's training with batches of so many tokens a side."""
    words = {"source_vocabulary": VOCABULARY, "target_vocabulary": VOCABULARY}
    model = Transformer(TransformerConfig.preset("base", **words))
    side = [5] * (LENGTH - 1)  # and EOS
    batch = make_batch([(side, side)] * (tokens // LENGTH))
    adam = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-9)
    with rehearsed() as heard:
        fit(model, lambda step: batch, steps=STEPS, loss=loss, optimizer=adam)
    return heard[0]


def loss(model: nn.Module, batch: Batch) -> Tensor:
    return smoothed_cross_entropy(
        model(batch).logits, batch.target_out, batch.target_mask, smoothing=0.1
    )


if __name__ == "__main__":
    main()
