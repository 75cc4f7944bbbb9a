"""Chapter 01: the fixed vector of an encoder that reads in one direction, source turned or not.

``forward`` reads the source as it stands, ``turned`` from its last word to its first. The chapter's
encoder reads both ways, so that turning the source only exchanges its halves; Sutskever et al.
(2014) and Luong et al. (2015) turn it for encoders that read one way. The vector is the state after
the last word that is read, and holds best what was read last. The decoder is the chapter's: it gets
the vector as its first state and again at each step; theirs get it once.

No pilot: the same trainings with an encoder that reads both ways are in `attention_lengths`.
"""

from torch import nn

from bottomup.experiments.attention.lengths.experiment import turned
from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.shared.recurrent import last_loss
from bottomup.experiments.shared.translation import (
    TranslatorConfig,
    load_data,
    parameter_count,
    presets,
    train_translator,
    translation_metrics,
)
from bottomup.models import RNNSeq2Seq, Seq2SeqConfig

VARIANTS = ("forward", "turned")  # orders in which the source is read


PRESETS = presets(TranslatorConfig)  # those of the chapter's main record


class OneDirection(RNNSeq2Seq):
    """The chapter's translator, but ``h_j = GRU(h_(j-1), x_j)`` of the whole width d_state.

    ``h_j`` [batch, d_state] knows the words up to j alone, and the fixed vector is the last of
    them. Source: Sutskever et al. (2014), section 3.3, and Luong et al. (2015), with LSTMs of four
    layers; one GRU layer here, as in the chapter.
    """

    def __init__(self, config: Seq2SeqConfig) -> None:
        super().__init__(config)
        self.encoder.gru = nn.GRU(config.d_embedding, config.d_state, batch_first=True)


def measure(config: TranslatorConfig, variant: str, trial: Trial) -> Outcome:
    """Train on one order of the source under one seed; measure the test translations."""
    data = load_data(config.corpus_size, 0)
    if variant == "turned":
        data = turned(data)
    model, history = train_translator(
        config, data, data.train, attention="none", trial=trial, kind=OneDirection,
    )  # fmt: skip
    found = {"loss": last_loss(history), "parameters": parameter_count(model)}
    return Outcome(found | translation_metrics(model, data, config.bins))
