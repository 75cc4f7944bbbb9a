"""Time greedy decoding of a decoder of today with its cache, beside two widely used libraries.

Every side has the same sizes, reads a prompt in one step and writes the same number of tokens, one
after the other. Llama of Hugging Face's library gets our weights, and has to write our tokens;
x-transformers has other details, so that its times can be compared and its tokens cannot. Sides are
timed in interleaved rounds on one thread; a package that is missing is left out. Printed are
milliseconds a token, and the ratio of ours to each.

    python -m bench.decoder [--rounds 5]
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import torch
from torch import Tensor, nn

from bench.timing import interleave, ratios, spread
from bottomup.models import DecoderOnly, DecoderOnlyConfig, llama_weights
from bottomup.results.speed import OURS

VOCABULARY = 1000
PROMPT = 16

Decode = Callable[[], Tensor]


@dataclass(frozen=True, kw_only=True)
class Case:
    """A decoder, and how much it writes."""

    layers: int
    d_model: int
    heads: int
    groups: int
    batch: int
    n: int

    @property
    def config(self) -> DecoderOnlyConfig:
        """The decoder's choices."""
        return DecoderOnlyConfig(
            vocabulary=VOCABULARY,
            max_length=PROMPT + self.n,
            d_model=self.d_model,
            num_layers=self.layers,
            num_heads=self.heads,
            num_groups=self.groups,
        )


CASES = (
    Case(layers=2, d_model=64, heads=4, groups=2, batch=1, n=128),
    Case(layers=4, d_model=256, heads=8, groups=2, batch=1, n=128),
    Case(layers=4, d_model=256, heads=8, groups=2, batch=16, n=128),
    Case(layers=6, d_model=512, heads=8, groups=2, batch=1, n=128),
)


def ours(model: DecoderOnly, prompt: Tensor, n: int) -> Decode:
    """Return greedy decoding with the cache of `DecoderOnly`."""

    def decode() -> Tensor:
        caches = model.start(len(prompt), prompt.shape[1] + n)
        written, read = [], prompt
        for _ in range(n):
            read = model.step(read, caches)[:, -1:].argmax(dim=-1)
            written.append(read)
        return torch.cat(written, dim=1)

    return decode


def of_transformers(model: DecoderOnly, prompt: Tensor, n: int) -> Decode:
    """Return ``LlamaForCausalLM`` with our weights and its own cache, without ``generate``.

    The loop is ours, so that no sampling options are processed for each token.
    """
    from transformers import DynamicCache, LlamaConfig, LlamaForCausalLM

    config = model.config
    llama = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=config.vocabulary,
            hidden_size=config.d_model,
            intermediate_size=config.neurons,
            num_hidden_layers=config.num_layers,
            num_attention_heads=config.num_heads,
            num_key_value_heads=config.groups,
            max_position_embeddings=config.max_length,
            rms_norm_eps=config.epsilon,
            rope_parameters={"rope_type": "default", "rope_theta": config.base},
            tie_word_embeddings=False,
            attn_implementation="sdpa",
        )
    ).eval()
    llama.load_state_dict(llama_weights(model))

    @torch.no_grad()
    def decode() -> Tensor:
        cache, written, read = DynamicCache(), [], prompt
        for _ in range(n):
            logits = llama(read, cache=cache, use_cache=True).logits
            read = logits[:, -1:].argmax(dim=-1)
            written.append(read)
        return torch.cat(written, dim=1)

    return decode


def of_x_transformers(model: DecoderOnly, prompt: Tensor, n: int) -> Decode:
    """Return a decoder of x-transformers with the same sizes and options, and its own weights."""
    from x_transformers import AutoregressiveWrapper, Decoder, TransformerWrapper

    config = model.config
    network: nn.Module = TransformerWrapper(
        num_tokens=config.vocabulary,
        max_seq_len=config.max_length,
        use_abs_pos_emb=False,
        attn_layers=Decoder(
            dim=config.d_model,
            depth=config.num_layers,
            heads=config.num_heads,
            attn_dim_head=config.d_model // config.num_heads,
            attn_kv_heads=config.groups,
            attn_flash=True,
            rotary_pos_emb=True,
            use_rmsnorm=True,
            ff_glu=True,
            ff_swish=True,
            ff_no_bias=True,
            ff_mult=config.neurons / config.d_model,
        ),
    )
    wrapped = AutoregressiveWrapper(network).eval()
    return lambda: wrapped.generate(prompt, n, temperature=0.0, cache_kv=True)


PEERS: dict[str, Callable[[DecoderOnly, Tensor, int], Decode]] = {
    "transformers": of_transformers,
    "x-transformers": of_x_transformers,
}


def installed() -> list[str]:
    """Return the peers that can be imported."""
    return [name for name in PEERS if find_spec(name.replace("-", "_"))]


def measure(case: Case, peers: Sequence[str], rounds: int) -> dict[str, Any]:
    """Return milliseconds a token of each side, and the ratio of ours to each peer's.

    Raises:
        RuntimeError: transformers writes other tokens than we do.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = DecoderOnly(case.config).eval()
        prompt = torch.randint(VOCABULARY, (case.batch, PROMPT))
        runs = {OURS: ours(model, prompt, case.n)}
        runs |= {name: PEERS[name](model, prompt, case.n) for name in peers}
    tokens = {name: run() for name, run in runs.items()}
    if "transformers" in tokens and not torch.equal(tokens["transformers"], tokens[OURS]):
        raise RuntimeError("transformers does not write what we write")
    seconds = interleave(runs, rounds, warm_up=0)
    return {
        "milliseconds": {name: 1000 * spread(s)["median"] / case.n for name, s in seconds.items()},
        "ratio": {name: spread(ratios(seconds[OURS], seconds[name])) for name in peers},
    }


def row(case: Case, found: dict[str, Any]) -> str:
    """Return a line of the table."""
    sizes = f"{case.layers} x {case.d_model}, {case.heads} heads in {case.groups}, {case.batch}"
    times = ", ".join(f"{name} {ms:.2f}" for name, ms in found["milliseconds"].items())
    parts = ", ".join(f"{name} {r['median']:.2f}" for name, r in found["ratio"].items())
    return f"| {sizes} | {times} | {parts} |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure all cases and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args(arguments).rounds
    torch.set_num_threads(1)
    peers = installed()
    print("| layers x width, heads in groups, texts | ms a token | ours / theirs |\n|---|---|---|")
    for case in CASES:
        print(row(case, measure(case, peers, rounds)), flush=True)


if __name__ == "__main__":
    main()
