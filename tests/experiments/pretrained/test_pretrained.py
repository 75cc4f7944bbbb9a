"""The measures of a model that somebody else trained, by hand and on a small untrained one."""

import math
from contextlib import ExitStack

import pytest
import torch

from bottomup import experiments
from bottomup.analysis import frozen_weights, kept
from bottomup.experiments.engine.entries import entries
from bottomup.experiments.pretrained import heads, layers, lists, names
from bottomup.experiments.pretrained.opened import Opened, opened, states_of

ROOM = "bottomup.experiments.pretrained"


@pytest.fixture(scope="module")
def small() -> Opened:
    return opened(trained=False)


def test_the_lists_are_whole():
    people = lists.people()
    assert {len(each) for each in people.values()} == {16}
    everyone = [name for each in people.values() for name in each]
    assert len({*everyone}) == 128 and all(name.count(" ") == 1 for name in everyone)
    for kind in ("compounds", "related", "opposites"):
        pairs = lists.pairs(kind)
        assert len({frozenset(pair.split()) for pair in pairs}) == len(pairs)
        assert all(pair.count(" ") == 1 for pair in pairs)
    for name, fact in lists.rows("facts"):
        assert not {*name.lower().split()} & {*fact.lower().split()}
    for said, same, other in lists.rows("triplets"):
        words = {*said.lower().strip(".").split()}
        shared = [len(words & {*each.lower().strip(".").split()}) for each in (same, other)]
        assert shared[0] < shared[1]


@pytest.mark.slow
def test_a_small_run_gives_every_claim():
    asked = experiments.experiment("pretrained")
    record = asked.run(asked.preset("tiny"), (0, 1, 2), "cpu")
    found = experiments.claims(record)
    said = [each["id"] for each in entries(ROOM) if "exact" not in each["needs"]]
    assert [claim.id for claim in found if claim.id not in ("12.1a", "12.1b")] == said
    assert all(math.isfinite(value) for claim in found for value in claim.values)
    if "state_digits" in record.runs[0]["metrics"]["exact"]:  # where the libraries are
        assert min(record.metric("exact.state_digits")) > 10
        assert record.metric("exact.lines_alike") == (1, 1, 1)


def test_parts_of_a_score_are_taken_apart():
    profession = torch.tensor([0, 0, 0, 1, 1, 1])
    first, last = torch.tensor([2.0, 3, 5, 7, 11, 13]), torch.tensor([0.2, 0.3, 0.5, 0.7, 1.1, 1.3])
    grid = first[:, None] + last + 17 * torch.eye(6)  # 17 for each person
    found = names.effects(grid[..., None, None].expand(6, 6, 1, 2), profession)
    torch.testing.assert_close(found["person"][:, 0], torch.full((6,), 17.0))
    # Beside others' first names, those of another profession, and their last names.
    base = grid[3:, 3:].mean()
    torch.testing.assert_close(found["last"][0, 0], grid[3:, 0].mean() - base)
    torch.testing.assert_close(found["first"][0, 0], grid[0, 3:].mean() - base)


def test_all_heads_frozen_are_the_layer_frozen(small: Opened):
    reference = torch.tensor([small.pieces.encode(text) for text in ("ice cream", "hot dog")])
    with frozen_weights(small.encoder, layer=0, reference=reference):
        wanted = small.vectors(["sea level"])
    with ExitStack() as stack:
        for head in range(small.encoder.num_heads):
            stack.enter_context(heads.frozen_head(small.encoder, 0, head, reference))
        torch.testing.assert_close(small.vectors(["sea level"]), wanted)


def test_a_blind_head_reads_no_word():
    small, name = opened(trained=False), "layers.0.attention:2"
    attention = small.encoder.layers[0].attention
    for part in (attention.W_Q, attention.W_K, attention.W_V):
        part.weight.mul_(40)  # so that the head looks somewhere

    def read(text: str) -> torch.Tensor:
        with kept(small.encoder, [name]) as outputs:
            small.encoder(torch.tensor([small.pieces.encode(text)]))
        return outputs[name][0, -1]  # by the end mark

    seeing = [read(text) for text in ("sea level", "hot level")]
    with heads.blind_head(small.encoder, 0, 2):
        blind = [read(text) for text in ("sea level", "hot level")]
    assert not torch.allclose(*seeing)
    torch.testing.assert_close(*blind)


def test_nearest_copies_are_asked_for_their_neighbours(small: Opened):
    found = states_of(small, ["a b c.", "a b d.", "x b y.", "x b z."])
    word = small.pieces.numbers["b"]
    left = layers._beside(found, 1)[found.tokens == word]
    assert [small.pieces.pieces[number] for number in left] == ["a", "a", "x", "x"]
    ends = layers._beside(found, 1)[found.positions == 1]
    assert ends.tolist() == [-1] * 4  # a sentence's first word stands behind no other
