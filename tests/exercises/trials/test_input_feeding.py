"""Input feeding: the solution decodes like the library's decoder."""

import torch

from bottomup.attention import DotAttention
from bottomup.exercises import catalog
from bottomup.models.input_feeding import InputFeedingDecoder
from bottomup.models.rnn_encoder import Memory
from tests.drawn import global_seed


def test_the_solution_decodes_like_the_library():
    with global_seed(0):
        decoder = InputFeedingDecoder(13, DotAttention(), d_embedding=3, d_state=5).double()
        states, summary = torch.randn(2, 7, 5).double(), torch.randn(2, 5).double()
    torch.nn.init.zeros_(decoder.readout.hidden.bias)  # which the paper does not print
    tokens = torch.tensor([[1, 4, 12, 7], [2, 9, 0, 5]])
    mask = torch.ones(2, 1, 7, dtype=torch.bool)
    memory = Memory(states=states, mask=mask, summary=summary)

    def attend(query, states):
        return decoder.attention(query[:, None], states, states)[0][:, 0]

    found = catalog()["input-feeding"].solution(
        decoder.embedding(tokens),
        decoder.start(memory).hidden,
        states,
        decoder.cell,
        attend,
        decoder.readout.hidden.weight,
    )
    torch.testing.assert_close(decoder.readout.logits(found), decoder(tokens, memory)[0])
