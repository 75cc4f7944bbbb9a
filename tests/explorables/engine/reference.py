"""What PyTorch computes of the trained translators, for the engine's tests to compare with."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from bottomup import results
from bottomup.analysis import ChangedTransformer
from bottomup.data import BOS, EOS, make_batch, minilang
from bottomup.data.minilang import SentencePair
from bottomup.decoding import (
    beam_search,
    greedy,
    keep_top_k,
    keep_top_p,
    softmax_with_temperature,
)
from bottomup.models import Changes, Patch, Transformer
from bottomup.results.translator import Translator

Numbers = list[int]
ATTENTIONS = ("encoder_layers.{}.attention", "decoder_layers.{}.attention",
              "decoder_layers.{}.cross_attention")  # fmt: skip
NETWORKS = ("encoder_layers.{}.feed_forward", "decoder_layers.{}.feed_forward")


@cache
def translator(name: str) -> Translator:
    return Translator.from_record(results.load(f"{name}.json"))


@cache
def sentences() -> tuple[SentencePair, ...]:
    """Sentence pairs of a small corpus of which the translators know all words."""
    made = translator("encoder_decoder")
    corpus = minilang.load(1_000, seed=1)
    return tuple(
        pair
        for pair in (*corpus.test, *corpus.train)
        if all(word in made.source_words for word in pair.source)
        and all(token in made.target_tokens for token in pair.target)
    )


def encoded(pairs: Sequence[SentencePair]) -> list[tuple[Numbers, Numbers]]:
    """Token numbers of the pairs, without special tokens."""
    made = translator("encoder_decoder")
    return [
        (made.source_words.encode(p.source), made.target_tokens.encode(p.target)) for p in pairs
    ]


def source_of(numbers: Numbers) -> tuple[Tensor, Tensor]:
    batch = make_batch([(numbers, [])])
    return batch.source, batch.source_mask


def target_of(numbers: Numbers) -> Tensor:
    return torch.tensor([[BOS, *numbers]])


def logits(model: Transformer, source: Numbers, target: Numbers) -> list[list[float]]:
    with torch.no_grad():
        return model(make_batch([(source, target)])).logits[0].tolist()


def written(model: Any, sources: Sequence[Numbers], longest: int) -> list[Numbers]:
    """What greedy decoding writes: in batches of one length, so that no padding is needed."""
    found: dict[int, Numbers] = {}
    for length in {len(source) for source in sources}:
        places = [i for i, source in enumerate(sources) if len(source) == length]
        batch = make_batch([(sources[i], []) for i in places])
        decoded = greedy(model, batch.source, batch.source_mask, max_length=longest)
        found.update(zip(places, decoded.to_lists(), strict=True))
    return [found[i] for i in range(len(sources))]


# ---- Changes


def all_changes(state: tuple[float, ...]) -> list[Changes]:
    """Every head, skip, update, position and station, and several at once."""
    sublayers = [name.format(n) for name in (*ATTENTIONS, *NETWORKS) for n in (0, 1)]
    heads = [f"{name.format(n)}:{h}" for name in ATTENTIONS for n in (0, 1) for h in range(4)]
    stations = ["source", "memory", "target"]
    stations += [f"{side}_layers.{n}" for side in ("encoder", "decoder") for n in (0, 1)]
    return [
        Changes(),
        *(Changes(heads=(head,)) for head in heads),
        *(Changes(skips=(name,)) for name in sublayers),
        *(Changes(updates=(name,)) for name in sublayers),
        *(Changes(positions=sides) for sides in (("source",), ("target",), ("source", "target"))),
        Changes(causal=False),
        Changes(hidden=(1,)),
        Changes(hidden=tuple(range(30))),  # all that there is: nothing can be read
        *(Changes(patches=(Patch(station, 1, state),)) for station in stations),
        Changes(
            heads=(heads[16], heads[17]),
            updates=(sublayers[7],),
            positions=("source",),
            causal=False,
            hidden=(0,),
            patches=(Patch("encoder_layers.0", 2, state), Patch("encoder_layers.0", 40, state)),
        ),
    ]


def plain(changes: Changes) -> dict[str, Any]:
    """The changes as the engine takes them."""
    patches = [{**vars(patch), "state": list(patch.state)} for patch in changes.patches]
    return {**vars(changes), "patches": patches}


def under(
    changes: Changes, pairs: Sequence[tuple[Numbers, Numbers]], longest: int
) -> dict[str, Any]:
    """Logits, all weights and what is written, in a changed model."""
    model = ChangedTransformer(translator("encoder_decoder").model, changes)
    shown = []
    for source, target in pairs:
        with torch.no_grad():
            found = model(*source_of(source), target_of(target))
            states = model.states(*source_of(source), target_of(target))
        weights = {
            name.format(n): layers[n].flatten().tolist()
            for name, layers in zip(ATTENTIONS, found.weights, strict=True)
            for n in (0, 1)
        }
        last = {name: state[0, -1].tolist() for name, state in states.items()}
        shown.append({"logits": found.logits[0].tolist(), "weights": weights, "last": last})
    sources = [source for source, _ in pairs]
    return {
        "changes": plain(changes),
        "name": repr(changes),
        "shown": shown,
        "written": written(model, sources[:1], longest),
    }


# ---- Decoding


def beams(name: str, sources: Sequence[Numbers], longest: int) -> list[dict[str, Any]]:
    """Beam searches with all their steps."""
    keys = ("parent", "token", "log_probability", "score", "continued", "ended")
    found = []
    for source in sources:
        for beam, alpha, n_best in ((1, 0.0, 1), (3, 0.6, 2), (5, 1.0, 5)):
            made = beam_search(
                translator(name).model,
                *source_of(source),
                beam=beam,
                length_penalty=alpha,
                n_best=n_best,
                max_length=longest,
                trace=True,
            )
            sequences = made.to_lists()[0]
            kept = len(sequences)
            found.append(
                {
                    "source": [*source, EOS],
                    "options": {"beam": beam, "lengthPenalty": alpha, "nBest": n_best},
                    "tokens": sequences,
                    "scores": made.scores[0, :kept].tolist(),
                    "totals": made.log_probabilities[0, :kept].tolist(),
                    "ended": made.ended[0, :kept].tolist(),
                    "steps": [
                        {key: getattr(step, key)[0].tolist() for key in keys} for step in made.steps
                    ],
                }
            )
    return found


SAMPLINGS: tuple[tuple[float, int | None, float | None], ...] = (
    (1.0, None, None), (0.5, None, None), (2.0, 5, None), (1.5, None, 0.9), (3.0, 40, 0.7),
    (1.0, None, 1.0),
)  # fmt: skip


def samplings(rows: list[list[float]]) -> list[dict[str, Any]]:
    """Probabilities from which `sample` draws, under several rules, and the tokens drawn."""
    found = []
    table = torch.tensor(rows)
    for temperature, k, p in SAMPLINGS:
        kept = table if k is None else keep_top_k(table, k)
        share = softmax_with_temperature(kept, temperature)
        if p is not None:
            share = keep_top_p(share.log(), p).softmax(dim=-1)
        found.append(
            {
                "options": {"temperature": temperature, "topK": k, "topP": p},
                "shares": share.double().tolist(),
            }
        )
    return found


# ---- Gradients


def gradients(source: Numbers, target: Numbers, rate: float, steps: int) -> dict[str, Any]:
    """Loss and gradients of one pair, saliency of its words, and losses as it is trained on."""
    made = Translator.from_record(results.load("encoder_decoder.json"))  # parameters of its own
    model, batch = made.model, make_batch([(source, target)])
    parameters = dict(model.named_parameters())
    losses, first = [], {}
    for step in range(steps):
        model.zero_grad()
        loss = cross_entropy(model(batch).logits[0], batch.target_out[0])
        loss.backward()
        losses.append(loss.item())
        if step == 0:
            first = {name: p.grad.flatten().tolist() for name, p in parameters.items()}
        with torch.no_grad():
            for parameter in parameters.values():
                parameter -= rate * parameter.grad
    places = (0, len(target))
    return {
        "source": [*source, EOS],
        "target": target,
        "rate": rate,
        "losses": losses,
        "gradients": first,
        "places": places,
        "saliency": [saliency(source, target, place) for place in places],
    }


def saliency(source: Numbers, target: Numbers, place: int) -> list[float]:
    """The length of the gradient of log p of a token at each source word's embedding."""
    model = translator("encoder_decoder").model
    kept: list[Tensor] = []

    def keep(_module: object, _inputs: object, embedded: Tensor) -> None:
        embedded.retain_grad()
        kept.append(embedded)

    hook = model.source_positions.register_forward_hook(keep)
    rows = model(make_batch([(source, target)])).logits[0].log_softmax(dim=-1)
    hook.remove()
    rows[place, [*target, EOS][place]].backward()
    model.zero_grad(set_to_none=True)
    return kept[0].grad[0].norm(dim=-1).tolist()
