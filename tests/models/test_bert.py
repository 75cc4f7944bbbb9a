import pytest
import torch
from torch import Tensor

from bottomup.models import Bert, LanguageModelConfig
from tests.drawn import global_seed, seeded

VOCABULARY, BATCH, N = 13, 3, 7


def model_of(**options) -> Bert:
    sizes = {"vocabulary": VOCABULARY, "max_length": 11, "d_model": 6, "num_heads": 3, "d_ff": 5}
    with global_seed(0):
        return Bert(LanguageModelConfig(**{**sizes, **options})).double().eval()


def tokens() -> Tensor:
    return torch.randint(VOCABULARY, (BATCH, N), generator=seeded(1))


def segments() -> Tensor:
    return torch.tensor([0, 0, 0, 1, 1, 1, 1]).expand(BATCH, -1)


@torch.no_grad()
def test_without_segments_it_is_the_masked_language_model():
    model = model_of()
    torch.nn.init.zeros_(model.segments.weight)
    output, plain = model(tokens(), segments()), model.reader(tokens())
    assert torch.equal(output.logits, plain.logits)
    assert torch.equal(output.states, plain.states[-1])


@torch.no_grad()
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_the_pair_is_judged_from_the_first_state(norm: str):
    model = model_of(norm=norm)
    output = model(tokens(), segments())
    state = model.reader.final_norm(output.states[:, 0])
    expected = state @ model.follows.weight[0] + model.follows.bias
    assert output.follows.shape == (BATCH,)
    assert torch.allclose(output.follows, expected, atol=1e-12, rtol=0)


@torch.no_grad()
def test_padding_changes_nothing():
    model = model_of()
    padded = torch.cat([tokens(), torch.zeros(BATCH, 3, dtype=torch.int64)], dim=1)
    longer = torch.cat([segments(), torch.zeros(BATCH, 3, dtype=torch.int64)], dim=1)
    real = (torch.arange(N + 3) < N).expand(BATCH, 1, -1)
    got, expected = model(padded, longer, real), model(tokens(), segments())
    assert torch.allclose(got.logits[:, :N], expected.logits, atol=1e-12, rtol=0)
    assert torch.allclose(got.follows, expected.follows, atol=1e-12, rtol=0)


def test_a_third_segment_is_refused():
    with pytest.raises(ValueError, match="segments: expected token numbers in"):
        model_of()(tokens(), segments() + 1)
