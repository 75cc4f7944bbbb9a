"""Time a Transformer's forward and backward pass under ``torch.compile``, beside the same as it is.

    python -m bench.compiled [--d-model 64] [--rounds 15]

The compiled side is one graph (``fullgraph=True``). Inductor, which makes it, needs a C++ compiler.
"""

import argparse
import time
from collections.abc import Callable

import torch

from bench.timing import interleave, ratios, spread
from bottomup.data import Batch, make_batch
from bottomup.models import Transformer, TransformerConfig

VOCABULARY, SENTENCES, WORDS = 60, 16, 20


def sides(d_model: int, *, backend: str = "inductor") -> dict[str, Callable[[], torch.Tensor]]:
    """Return both sides; each gives the loss behind a backward pass."""
    model = Transformer(
        TransformerConfig.preset(
            "laptop", source_vocabulary=VOCABULARY, target_vocabulary=VOCABULARY, d_model=d_model
        )
    ).eval()  # no dropout: both sides compute the same
    words = list(range(5, 5 + WORDS))
    batch = make_batch([(words, words[::-1])] * SENTENCES)
    compiled = torch.compile(model, fullgraph=True, backend=backend)

    def run(network: Callable[[Batch], object]) -> torch.Tensor:
        model.zero_grad()
        loss: torch.Tensor = network(batch).logits.square().mean()  # type: ignore[attr-defined]
        loss.backward()
        return loss.detach()

    return {"compiled": lambda: run(compiled), "as it is": lambda: run(model)}


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--d-model", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--backend", default="inductor")
    chosen = parser.parse_args(arguments)
    torch.set_num_threads(1)
    torch.manual_seed(0)
    found = sides(chosen.d_model, backend=chosen.backend)
    start = time.monotonic()
    torch.testing.assert_close(found["compiled"](), found["as it is"]())
    print(f"compiled in {time.monotonic() - start:.0f} s, and the loss agrees")
    seconds = interleave(found, chosen.rounds)
    for name, measured in seconds.items():
        ms = spread(measured)["median"] * 1000
        ratio = spread(ratios(measured, seconds["as it is"]))
        against = f"{ratio['median']:.2f} ({ratio['q1']:.2f}–{ratio['q3']:.2f})"
        print(f"{name:10} {ms:9.2f} ms, {against} of the last row")


if __name__ == "__main__":
    main()
