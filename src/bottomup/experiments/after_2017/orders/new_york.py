"""Chapter 10: two words that depend on each other, and the networks that are asked for both.

Every sentence has five words, ``new york is a city``. The last one says which table the first two
come from, so that the best possible answer is known.
"""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean
from typing import Any, NamedTuple, cast

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn

from bottomup.data.batching import TensorBatch
from bottomup.data.token_batches import generator_of
from bottomup.experiments.after_2017.orders.config import Config
from bottomup.experiments.shared.training import seeded
from bottomup.models import MaskedLanguageModel, XLNet
from bottomup.training import fit

PAIRS = {
    "city": {
        ("new", "york"): 6,
        ("new", "orleans"): 4,
        ("los", "angeles"): 6,
        ("san", "diego"): 4,
    },
    "state": {
        ("new", "york"): 4,
        ("new", "mexico"): 6,
        ("north", "carolina"): 5,
        ("south", "carolina"): 5,
    },
}  # of 20
FIRST = ("new", "los", "san", "north", "south")
SECOND = ("york", "orleans", "angeles", "diego", "mexico", "carolina")
WORDS = (*FIRST, *SECOND, "is", "a", *PAIRS)
NUMBER = {word: number for number, word in enumerate(WORDS)}
MASK = len(WORDS)  # the mask token's number
LENGTH = 5
BATCHES = 500  # batches come from seeds of their own, apart from those of the parameters

Table = Float[Tensor, "word word"]  # a probability for each first and each second word


@dataclass(frozen=True, eq=False)
class Drawn(TensorBatch):
    """Sentences, an order for each, and which positions are asked for: the last of the order.

    Attributes:
        sentences: token numbers.
        order: the positions in the order in which they are predicted.
        asked: True at the positions to predict.
    """

    sentences: Int64[Tensor, "batch position"]
    order: Int64[Tensor, "batch position"]
    asked: Bool[Tensor, "batch position"]

    @property
    def tokens(self) -> int:
        """Number of tokens to predict."""
        return int(self.asked.sum())


def truth(kind: str) -> Table:
    """Return the probability of each pair of words before ``is a`` kind."""
    table = torch.zeros(len(WORDS), len(WORDS), dtype=torch.float64)
    for (first, second), count in PAIRS[kind].items():
        table[NUMBER[first], NUMBER[second]] = count / 20
    return table


def independent(table: Table) -> Table:
    """Return the product of a table's two marginals: the best that one pass can say."""
    return table.sum(dim=1)[:, None] * table.sum(dim=0)


def nats(table: Table, kind: str) -> float:
    """Return the mean log-probability that a table gives to the pairs of a kind."""
    right = truth(kind)
    seen = right > 0
    return float((right[seen] * table[seen].log()).sum())


def impossible(table: Table, kind: str) -> float:
    """Return the probability that a table gives to pairs that never come."""
    return float(table[truth(kind) == 0].sum())


def batches(config: Config, seed: int) -> Callable[[int], Drawn]:
    """Return ``step -> Drawn``: of each sentence one to four positions are asked for."""
    names = [
        [NUMBER[w] for w in (*pair, "is", "a", kind)] for kind in PAIRS for pair in PAIRS[kind]
    ]
    sentences = torch.tensor(names)
    counts = torch.tensor([float(count) for table in PAIRS.values() for count in table.values()])

    def batch(step: int) -> Drawn:
        generator = generator_of(BATCHES + seed, step)
        size = config.batch
        drawn = counts.multinomial(size, replacement=True, generator=generator)
        order = torch.rand(size, LENGTH, generator=generator).argsort(dim=-1)
        seen = torch.randint(1, LENGTH, (size, 1), generator=generator)
        rank = order.argsort(dim=-1)
        return Drawn(sentences[drawn], order, rank >= seen)

    return batch


def one_pass_loss(model: nn.Module, batch: Drawn) -> Tensor:
    """Return the cross-entropy of all asked tokens, each masked, from one pass: BERT's."""
    logits = model(batch.sentences.masked_fill(batch.asked, MASK)).logits
    return F.cross_entropy(logits[batch.asked], batch.sentences[batch.asked])


def two_stream_loss(model: nn.Module, batch: Drawn) -> Tensor:
    """Return the cross-entropy of the asked tokens, each from those before it: XLNet's."""
    logits = model(batch.sentences, batch.order).logits
    return F.cross_entropy(logits[batch.asked], batch.sentences[batch.asked])


def one_stream_loss(model: nn.Module, batch: Drawn) -> Tensor:
    """Return the same, predicted from the content state of the token before in the order."""
    xlnet = cast(XLNet, model)
    states = xlnet(batch.sentences, batch.order).content
    before = batch.order[:, :-1, None].expand(-1, -1, states.shape[-1])
    logits = xlnet.unembed(states.gather(1, before))
    following = batch.sentences.gather(1, batch.order)[:, 1:]
    asked = batch.asked.gather(1, batch.order)[:, 1:]
    return F.cross_entropy(logits[asked], following[asked])


class Networks(NamedTuple):
    """Three networks of one size, trained on the same sentences and the same questions."""

    bert: MaskedLanguageModel
    xlnet: XLNet
    one_stream: XLNet


def train_all(config: Config, seed: int, device: torch.device | str = "cpu") -> Networks:
    """Train the three networks on a device; return them on the CPU."""
    with seeded(seed):
        networks = Networks(
            MaskedLanguageModel(config.bert_config(MASK + 1, LENGTH)),
            XLNet(config.xlnet_config(len(WORDS), LENGTH)),
            XLNet(config.xlnet_config(len(WORDS), LENGTH)),
        )
    losses = (one_pass_loss, two_stream_loss, one_stream_loss)
    for model, loss in zip(networks, losses, strict=True):
        model.to(device)
        fit(
            model,
            batches(config, seed),
            steps=config.steps,
            loss=loss,
            optimizer=torch.optim.AdamW(model.parameters(), lr=config.rate, weight_decay=0.0),
            schedule=lambda step: 1 - step / config.steps,
            seed=seed,
        )
        model.cpu().eval()
    return networks


def _sentences(kind: str, first: Tensor | int, second: Tensor | int) -> Tensor:
    """Return one sentence for each word, [word, position]; the two words as given."""
    rows = torch.tensor([[0, 0, *(NUMBER[w] for w in ("is", "a", kind))]]).repeat(len(WORDS), 1)
    rows[:, 0], rows[:, 1] = first, second
    return rows


@torch.no_grad()
def one_pass(model: MaskedLanguageModel, kind: str) -> Table:
    """Return BERT's table where both words are hidden and both are read off one pass."""
    logits = model(_sentences(kind, MASK, MASK)[:1]).logits[0, :2, :MASK].double()
    first, second = logits.softmax(dim=-1)
    return first[:, None] * second


@torch.no_grad()
def two_passes(model: MaskedLanguageModel, kind: str, *, second_first: bool = False) -> Table:
    """Return BERT's table where a second pass reads the word that the first one gave."""
    asked, other = (1, 0) if second_first else (0, 1)
    words = torch.arange(len(WORDS))
    hidden = _sentences(kind, MASK, MASK)[:1]
    filled = _sentences(kind, MASK, words) if second_first else _sentences(kind, words, MASK)
    one = model(hidden).logits[0, asked, :MASK].double().softmax(dim=-1)  # [word]
    then = model(filled).logits[:, other, :MASK].double().softmax(dim=-1)  # [given word, word]
    table = one[:, None] * then
    return table.T if second_first else table


@torch.no_grad()
def in_order(model: XLNet, kind: str, *, second_first: bool = False) -> Table:
    """Return XLNet's table: the words of the end, then one of the two, then the other."""
    asked, other = (1, 0) if second_first else (0, 1)
    words = torch.arange(len(WORDS))
    filled = _sentences(kind, 0, words) if second_first else _sentences(kind, words, 0)
    order = torch.tensor([2, 3, 4, asked, other]).expand(len(WORDS), -1)
    logits = model(filled, order).logits.double()
    one = logits[0, asked].softmax(dim=-1)  # the word itself is not read: any row gives it
    table = one[:, None] * logits[:, other].softmax(dim=-1)
    return table.T if second_first else table


@torch.no_grad()
def from_content(model: XLNet, kind: str, target: int) -> Float[Tensor, " word"]:
    """Return what one stream predicts for a target behind the words of the end."""
    order = torch.tensor([[2, 3, 4, target, 1 - target]])
    states = model(_sentences(kind, 0, 0)[:1], order).content
    return model.unembed(states)[0, 4].double().softmax(dim=-1)


def mixture(kind: str) -> Float[Tensor, " word"]:
    """Return what is best for one stream: half the first word's share, half the second's."""
    table = truth(kind)
    return (table.sum(dim=1) + table.sum(dim=0)) / 2


def tables(networks: Networks, kind: str) -> dict[str, Table]:
    """Return the truth, the best product of marginals, and what each network says."""
    bert, xlnet = networks.bert, networks.xlnet
    return {
        "joint": truth(kind),
        "independent": independent(truth(kind)),
        "one_pass": one_pass(bert, kind),
        "two_passes": two_passes(bert, kind),
        "two_passes_back": two_passes(bert, kind, second_first=True),
        "xlnet": in_order(xlnet, kind),
        "xlnet_back": in_order(xlnet, kind, second_first=True),
    }


def measure_new_york(config: Config, seed: int, device: torch.device) -> dict[str, Any]:
    """Train the three networks and compare their tables with the truth.

    By the name of a table, as mean over both kinds of sentence: ``nats``, the log-probability of
    both words, and ``impossible``, the probability of pairs that never come. ``one_stream``:
    ``same``, the largest difference between its predictions for two targets behind the same words,
    and ``distance``, the total variation from `mixture`, the larger of both kinds.
    """
    networks = train_all(config, seed, device)
    found: dict[str, Any] = {}
    for name in tables(networks, "city"):
        each = [(tables(networks, kind)[name], kind) for kind in PAIRS]
        found[name] = {
            "nats": fmean(nats(*one) for one in each),
            "impossible": fmean(impossible(*one) for one in each),
        }
    said = {
        kind: [from_content(networks.one_stream, kind, target) for target in (0, 1)]
        for kind in PAIRS
    }
    found["one_stream"] = {
        "same": max(float((one - other).abs().max()) for one, other in said.values()),
        "distance": max(float((said[k][0] - mixture(k)).abs().sum()) / 2 for k in PAIRS),
    }
    return found
