"""What the patching board shows of a translator: every patch of a crossing head, measured."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from bottomup.analysis import kept, patched
from bottomup.data import SPECIAL_TOKENS, make_batch
from bottomup.explorables.patching_board import PatchedPair
from bottomup.models import Transformer

METRICS = ("logits", "probability")
END = SPECIAL_TOKENS[2]
MAPS = ("W_K", "W_V")  # through which a head reads the memory


def patched_pair(
    model: Transformer,
    clean: Sequence[int],
    corrupted: Sequence[int],
    written: Sequence[int],
    answers: tuple[int, int],
    *,
    kind: str,
    source_word: Callable[[int], str],
    target_word: Callable[[int], str],
) -> PatchedPair:
    """Patch every crossing head at every source position, in both directions.

    A patch gives the head, at that position, the key and the value that it has in the other run.
    What is measured stands behind the last written token: the difference of the two answers'
    logits, and the probability of the clean one. With denoising the effect is
    ``(patched - corrupted) / (clean - corrupted)``, with noising ``(clean - patched) / (clean -
    corrupted)``.

    Args:
        model: in evaluation mode.
        clean, corrupted: the words' numbers, equally many, without the end mark.
        written: the target tokens before the answer.
        answers: the next token after the clean and after the corrupted sentence.
        kind: in what the two differ.
        source_word, target_word: how a token is written.
    """
    config = model.config
    names = [f"decoder_layers.{n}.cross_attention" for n in range(config.decoder_layers)]
    heads = [(name, head) for name in names for head in range(config.num_heads)]
    n = len(clean) + 1  # with the end mark
    where = torch.cat([torch.eye(n), torch.ones(1, n)]).bool()  # each position, and all of them
    sentences = {"clean": clean, "corrupted": corrupted}
    states, metrics, weights = {}, {}, {}
    for run, words in sentences.items():
        with torch.no_grad(), kept(model, [f"{a}.{b}" for a in names for b in MAPS]) as states[run]:
            output = model(make_batch([(list(words), list(written))]), need_weights=True)
        metrics[run] = _measured(output.logits, answers)
        weights[run] = torch.stack([layer[0, :, -1] for layer in output.weights.cross])
    effects = {}
    for direction, base, given in (("denoising", "corrupted", "clean"),
                                   ("noising", "clean", "corrupted")):  # fmt: skip
        batch = make_batch([(list(sentences[base]), list(written))] * len(where))
        rows = []
        for chosen in [*([one] for one in heads), heads]:
            changes = {
                f"{name}.{part}": _heads_from(
                    states[given][f"{name}.{part}"],
                    [head for one, head in chosen if one == name],
                    config.num_heads,
                )
                for name in dict.fromkeys(name for name, _head in chosen)
                for part in MAPS
            }
            with torch.no_grad(), patched(model, changes, where=where):
                now = _measured(model(batch).logits, answers)
            away = (now - metrics[base]) / (metrics[given] - metrics[base])
            rows.append(away)  # [source + 1, metric]
        shares = torch.stack(rows)
        effects[direction] = {metric: shares[..., m] for m, metric in enumerate(METRICS)}
    return PatchedPair(
        kind=kind,
        clean=[*map(source_word, clean), END],
        corrupted=[*map(source_word, corrupted), END],
        written=[*map(target_word, written)],
        answers=(target_word(answers[0]), target_word(answers[1])),
        effects=effects,
        weights=weights,
    )


def _measured(logits: Tensor, answers: tuple[int, int]) -> Tensor:
    """Return both metrics behind the last token, [batch, metric]."""
    right, wrong = answers
    last = logits[:, -1].double()
    return torch.stack([last[:, right] - last[:, wrong], last.softmax(-1)[:, right]], dim=-1)


def _heads_from(value: Tensor, heads: Sequence[int], count: int) -> Callable[[Tensor], Tensor]:
    """Return what puts some heads' share of a value in the place of theirs."""
    chosen = torch.zeros(count, dtype=torch.bool)
    chosen[list(heads)] = True
    columns = chosen.repeat_interleave(value.shape[-1] // count)
    return lambda output: torch.where(columns, value, output)
