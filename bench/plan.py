"""How near `experiments plan` comes: predicted over measured seconds of the same training.

Transformers of several widths, sixty steps on the mini-language, one core; at each width the
training is rehearsed and then run, three times.

    python -m bench.plan [--widths 32 128 256]
"""

import argparse
import statistics

import torch

from bottomup.experiments.encoder_decoder.experiment import EXPERIMENT
from bottomup.experiments.encoder_decoder.training import batches, load_data
from bottomup.experiments.shared.recurrent import cross_entropy
from bottomup.models import Transformer, TransformerConfig
from bottomup.training import History, fit
from bottomup.training.rehearsal import rehearsed

STEPS, ROUNDS = 60, 3
CONFIG = EXPERIMENT.preset("recorded")


def main() -> None:
    parser = argparse.ArgumentParser(description="Predicted over measured seconds of a training.")
    parser.add_argument("--widths", type=int, nargs="+", default=[32, 128, 256])
    torch.set_num_threads(1)
    for width in parser.parse_args().widths:
        found = []
        for _ in range(ROUNDS):
            with rehearsed() as heard:
                train(width)
            found.append(heard[0].whole / sum(train(width).seconds))
        print(
            f"d_model {width}: {statistics.median(found):.2f}, {min(found):.2f} to {max(found):.2f}"
        )


def train(width: int) -> History:
    data = load_data(CONFIG.corpus_size, CONFIG.corpus_seed)
    model = Transformer(
        TransformerConfig(
            source_vocabulary=len(data.source_words),
            target_vocabulary=len(data.target_tokens),
            d_model=width,
            encoder_layers=2,
            decoder_layers=2,
            d_ff=4 * width,
        )
    )
    return fit(
        model,
        batches(CONFIG, data, 0),
        steps=STEPS,
        loss=cross_entropy,
        optimizer=torch.optim.Adam(model.parameters(), lr=1e-3),
    )


if __name__ == "__main__":
    main()
