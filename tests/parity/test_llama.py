"""Our decoder against Llama of Hugging Face's library, with random weights; nothing is loaded."""

import pytest
import torch

from bottomup.blocks import RMSNorm, rotary_waves, rotate_halves
from bottomup.models import DecoderOnlyConfig, from_llama
from tests.drawn import global_seed, learned, randn, seeded

WORDS, LONGEST, BATCH, N = 31, 23, 3, 11


@pytest.fixture(scope="module")
def llama():
    from transformers import LlamaConfig, LlamaForCausalLM  # five seconds

    def made(*, groups: int, tied: bool) -> torch.nn.Module:
        sizes = LlamaConfig(
            vocab_size=WORDS,
            hidden_size=24,
            intermediate_size=17,
            num_hidden_layers=2,
            num_attention_heads=6,
            num_key_value_heads=groups,
            max_position_embeddings=LONGEST,
            rms_norm_eps=1e-3,
            rope_parameters={"rope_type": "default", "rope_theta": 500.0},
            tie_word_embeddings=tied,
            attn_implementation="eager",
        )
        with global_seed(2):
            model = LlamaForCausalLM(sizes).eval()
            for name, weights in model.named_parameters():
                torch.nn.init.normal_(weights, mean=float("norm" in name), std=0.4)
        return model

    return made


@pytest.mark.parametrize("groups, tied", [(6, False), (2, False), (1, True)])
@torch.no_grad()
def test_the_logits_are_llamas(llama, groups, tied):
    theirs = llama(groups=groups, tied=tied)
    config = DecoderOnlyConfig(
        vocabulary=WORDS,
        max_length=LONGEST,
        d_model=24,
        num_layers=2,
        num_heads=6,
        num_groups=groups,
        d_ff=17,
        base=500.0,
        epsilon=1e-3,
        tied=tied,
    )
    ours = from_llama(theirs.state_dict(), config).eval()
    tokens = torch.randint(WORDS, (BATCH, N), generator=seeded(5))
    expected = theirs(tokens).logits
    torch.testing.assert_close(ours(tokens), expected, rtol=1e-4, atol=1e-4)
    assert expected.std() > 0.5
    caches = ours.start(BATCH, LONGEST)
    said = [ours.step(part, caches) for part in tokens.split([4, 1, 6], dim=1)]
    torch.testing.assert_close(torch.cat(said, dim=1), expected, rtol=1e-4, atol=1e-4)
    count = sum(p.numel() for p in theirs.parameters())
    assert sum(p.numel() for p in ours.parameters()) == count


@torch.no_grad()
def test_rotation_and_norm_are_llamas():
    from transformers.models.llama.modeling_llama import LlamaRMSNorm, apply_rotary_pos_emb

    x = randn(BATCH, 2, N, 8).float()
    cos, sin = rotary_waves(N, 8)
    both = (torch.cat([wave, wave], dim=-1)[None] for wave in (cos, sin))
    turned, _ = apply_rotary_pos_emb(x, x, *both)
    torch.testing.assert_close(rotate_halves(x, cos, sin), turned)
    ours, theirs = learned(RMSNorm(8, epsilon=0.1)), LlamaRMSNorm(8, eps=0.1)
    theirs.weight.copy_(ours.gain)
    torch.testing.assert_close(ours(x), theirs(x))
