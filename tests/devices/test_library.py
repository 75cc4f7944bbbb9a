"""The library on a device without float64: the same answers as on the CPU, in what it has."""

from types import SimpleNamespace

import pytest
import torch

from bottomup import analysis, attention, decoding, masks
from bottomup.data import make_batch
from bottomup.models import RNNSeq2Seq, Seq2SeqConfig, Transformer, TransformerConfig
from bottomup.training import VectorBatch, fit, solve_superposition
from bottomup.training.device import alike, for_float64, in_float64, seconds, widest
from bottomup.training.generators import Generators
from tests.devices import fake

PAIRS = [([5, 6, 7], [8, 9]), ([9], [4, 4, 6]), ([4, 8], [10])]


@pytest.fixture
def states(generator: torch.Generator) -> torch.Tensor:
    return torch.randn(79, 5, generator=generator)


@pytest.fixture
def tokens(generator: torch.Generator) -> torch.Tensor:
    return torch.randint(3, (79,), generator=generator)


def seeded(device: torch.device | str) -> torch.Generator:
    return torch.Generator(device).manual_seed(5)


def test_mixed_devices_are_refused(gpu: torch.device):
    x = torch.ones(2, 3, device=gpu)
    with pytest.raises(RuntimeError, match="at least two devices, fake:0 and cpu"):
        x + torch.ones(2, 3)
    with pytest.raises(RuntimeError, match="at least two devices, fake:0 and cpu"):
        torch.ones(7, 3)[x[:, 0].long()]
    assert (x + torch.tensor(2.0)).tolist() == [[3.0] * 3] * 2  # a number may come from the CPU
    assert x[torch.tensor([1])].shape == (1, 3)  # so may an index
    fake.operations.clear(), fake.reads.clear()
    y = (x * 2).sum()
    assert fake.operations == {"mul": 1, "sum": 1} and not fake.reads
    y.item(), y.cpu(), x[x > 0], x.tolist()
    assert sum(fake.reads.values()) == 4
    with pytest.raises(ValueError, match="key: expected the device fake:0 of query, got cpu"):
        attention.scaled_dot_product_attention(x, torch.ones(2, 3), x)


def test_float64_and_a_generator_of_the_cpu_are_refused(gpu: torch.device):
    with pytest.raises(TypeError, match="float64"):
        torch.ones(2, dtype=torch.float64).to(gpu)
    with pytest.raises(TypeError, match="float64"):
        torch.ones(2, device=gpu).double()
    with pytest.raises(RuntimeError, match="generator but found 'cpu'"):
        torch.rand(2, device=gpu, generator=seeded("cpu"))
    here, there = (torch.rand(2, device=at, generator=seeded(at)) for at in (gpu, "cpu"))
    assert here.cpu().equal(there)


def test_where_float64_lies(gpu: torch.device):
    assert (for_float64(gpu), widest(gpu)) == (torch.device("cpu"), torch.float32)
    assert (for_float64("cuda:1"), widest("cuda:1")) == (torch.device("cuda:1"), torch.float64)
    assert widest("mps") == torch.float32
    x = in_float64(torch.ones(2, device=gpu))
    assert (x.device.type, x.dtype) == ("cpu", torch.float64)
    assert alike(gpu) == alike(gpu.type) == [gpu]
    assert seconds(gpu) <= seconds(gpu)  # the clock waits for the device
    assert fake.operations["synchronize"] == 2


def test_an_empty_row_is_not_asked_for(gpu: torch.device):
    mask = torch.tensor([[True, False], [False, False]]).to(gpu)
    fake.reads.clear()
    weights = masks.masked_softmax(torch.zeros(2, 2, device=gpu), mask)
    assert not fake.reads
    assert weights.tolist() == [[1.0, 0.0], [0.0, 0.0]]


def translators() -> list[torch.nn.Module]:
    sizes = {"source_vocabulary": 11, "target_vocabulary": 11}
    layers = {"d_model": 8, "num_heads": 2, "d_ff": 13, "encoder_layers": 1, "decoder_layers": 1}
    with torch.random.fork_rng():
        torch.manual_seed(3)
        transformer = Transformer(TransformerConfig(**sizes, **layers))
        rnn = RNNSeq2Seq(Seq2SeqConfig(**sizes, attention="bahdanau", d_embedding=5, d_state=6))
    return [transformer, rnn]


@pytest.mark.parametrize("which", [0, 1], ids=["transformer", "packed GRU"])
def test_decoding_writes_what_it_writes_on_the_cpu(which: int, gpu: torch.device):
    written = []
    for device in ("cpu", gpu):
        model = translators()[which].to(device).eval()
        batch = make_batch(PAIRS).to(device)
        source, longest = (batch.source, batch.source_mask), {"max_length": 4}
        drawn = decoding.sampled(
            model, *source, **longest, temperature=2.0, top_k=7, top_p=0.9, generator=seeded(device)
        )
        found = decoding.beam_search(model, *source, **longest, beam=3, n_best=2)
        assert found.scores.dtype == widest(device)
        greedy = decoding.greedy(model, *source, **longest)
        written.append([greedy.to_lists(), found.to_lists(), drawn.to_lists()])
    assert written[0] == written[1]


def test_a_checkpoint_goes_on_on_another_device(gpu: torch.device, tmp_path):
    """The file holds the CPU's tensors; the optimizer's follow the model."""

    def trained(device: torch.device | str, steps: int, path=None) -> list[float]:
        torch.manual_seed(1)
        model = torch.nn.Linear(3, 1).to(device)

        def stop(step: int, history: object) -> None:
            if step == steps - 1 and steps < 4:
                raise KeyboardInterrupt

        history = fit(
            model,
            lambda step: VectorBatch(torch.full((2, 3), step + 1.0)),
            steps=4,
            loss=lambda model, batch: model(batch.x).square().mean(),
            optimizer=torch.optim.Adam(model.parameters()),
            checkpoint=path,
            on_step=stop,
        )
        return history.loss

    whole = trained("cpu", 4)
    for first, second in [("cpu", gpu), (gpu, "cpu"), (gpu, gpu)]:
        path = tmp_path / f"{first}-{second}.pt"
        with pytest.raises(KeyboardInterrupt):
            trained(first, 2, path)
        assert trained(second, 4, path) == pytest.approx(whole)


def test_generators_of_the_model_s_devices_are_seeded_saved_and_put_back(gpu: torch.device):
    model = torch.nn.Linear(2, 2).to(gpu)
    generators = Generators(model)
    theirs = torch.fake.default_generators[0]
    before = theirs.get_state()
    with generators.forked():
        generators.seed(7)
        assert theirs.initial_seed() == 7 == torch.default_generator.initial_seed()
        assert len(generators.states()) == 2
    assert theirs.get_state().equal(before)


def test_apple_s_generator_is_found_by_its_own_name(monkeypatch: pytest.MonkeyPatch):
    mine = torch.Generator()
    monkeypatch.setattr(torch.mps, "_get_default_mps_generator", lambda: mine)
    parameter = SimpleNamespace(device=torch.device("mps:0"))
    generators = Generators(SimpleNamespace(parameters=lambda: [parameter]))
    with generators.forked():
        generators.seed(11)
        assert mine.initial_seed() == 11
    assert len(generators.states()) == 2


def test_toy_models_are_solved_on_the_device(gpu: torch.device):
    given = torch.tensor([0.5, 0.9]), torch.ones(3)
    sizes = {"dimensions": 2, "steps": 3, "samples": 5, "fresh": 7, "restarts": 2}
    here = solve_superposition(*given, **sizes, device=gpu)
    assert sum(fake.operations.values()) > 50
    there = solve_superposition(*given, **sizes)
    assert here.W.device.type == "cpu"
    torch.testing.assert_close(here.W, there.W)


def test_instruments_give_what_they_give_on_the_cpu(states, tokens, gpu: torch.device):
    other = states.roll(1, dims=0)[:, :3] + states[:, :3]
    positions = torch.arange(79) % 11

    def all_of(device: torch.device | str) -> list[torch.Tensor | float]:
        h, t, y, p = (tensor.to(device) for tensor in (states, tokens, other, positions))
        few = {"few_samples": "allow"}
        clusters = analysis.kmeans(h, 4, generator=seeded("cpu"))
        share = analysis.same_token_neighbours(h, t, k=3, generator=seeded("cpu"))
        probe = analysis.linear_probe(
            h[:50], t[:50], test_features=h[50:], test_labels=t[50:], classes=3, shuffles=1
        )
        return [
            clusters.assigned,
            clusters.centres,
            *(getattr(share, name) for name in ("share", "ceiling", "chance")),
            analysis.neighbour_position_distance(h, t, p, k=3, generator=seeded("cpu")),
            analysis.principal_plane([h, h.flip(1)]),
            analysis.centred_by_type(h, t),
            analysis.cca(h, y, **few).correlations,
            analysis.svcca_distance(h, y, **few),
            analysis.pwcca_distance(h, y, **few),
            analysis.shuffled_pwcca(h, y, generator=seeded("cpu"), draws=2, **few),
            analysis.copying_score(h[:5], h[5:12], h[5:12]),
            probe.accuracy,
        ]

    for here, there in zip(all_of(gpu), all_of("cpu"), strict=True):
        if isinstance(here, torch.Tensor):
            torch.testing.assert_close(here.cpu(), there, rtol=1e-4, atol=1e-5)
        else:
            assert here == pytest.approx(there, rel=1e-4)
