"""One good call of each function and class that takes a number, a switch or a name.

`scalars` finds those arguments from the values and the defaults, so that a test can put odd ones
in their places, one at a time.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from bottomup import analysis, attention, blocks, data, decoding, masks, metrics, models, training
from bottomup.data import minilang

Scalar = int | float | str | bool | None


@dataclass(frozen=True)
class Call:
    """A function and good arguments, which are copied for each call.

    Attributes:
        function: what is called.
        arguments: those that have no default, and those worth another value.
        fixed: arguments that are no scalars of interest, such as a file's name.
    """

    function: Callable[..., Any]
    arguments: Mapping[str, Any]
    fixed: frozenset[str] = frozenset()

    @property
    def scalars(self) -> dict[str, Scalar]:
        """Return the arguments with a number, a string or a switch, and their good values."""
        given = dict(self.arguments)
        for name, parameter in inspect.signature(self.function).parameters.items():
            given.setdefault(name, parameter.default)
        return {
            name: value
            for name, value in given.items()
            if isinstance(value, int | float | str | None) and name not in self.fixed
        }

    def __call__(self, **changed: Any) -> Any:
        return self.function(**{**deepcopy(dict(self.arguments)), **changed})


def normal(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(7))


def weights(*shape: int) -> Tensor:
    return normal(*shape).softmax(dim=-1)


def tokens(*shape: int, below: int = 11, least: int = 4) -> Tensor:
    return torch.randint(least, below, shape, generator=generator())


def generator() -> torch.Generator:
    return torch.Generator().manual_seed(7)


def parallel(d: int = 5) -> dict[str, Tensor]:
    return {"query": normal(2, 3, 8, d), "key": normal(2, 3, 8, d), "value": normal(2, 3, 8, d)}


def small_transformer() -> models.Transformer:
    torch.manual_seed(7)
    config = models.TransformerConfig(
        source_vocabulary=11,
        target_vocabulary=11,
        d_model=8,
        encoder_layers=1,
        decoder_layers=1,
        num_heads=2,
        d_ff=12,
        max_length=13,
    )
    return models.Transformer(config)


def sources() -> dict[str, Any]:
    return {
        "model": small_transformer(),
        "source": tokens(2, 5),
        "source_mask": torch.ones(2, 5, dtype=torch.bool),
    }


def small_fit() -> dict[str, Any]:
    torch.manual_seed(7)
    model = nn.Linear(3, 1)
    return {
        "model": model,
        "batches": lambda step: training.VectorBatch(normal(5, 3)),
        "steps": 2,
        "loss": lambda model, batch: model(batch.x).square().mean(),
        "optimizer": torch.optim.SGD(model.parameters(), lr=0.1),
    }


def pairs() -> list[tuple[list[int], list[int]]]:
    return [([4, 5], [6, 7, 8]), ([5, 6, 7], [4]), ([8], [9, 10])]


def gathered() -> dict[str, Any]:
    return {
        "states": normal(60, 4),
        "tokens": tokens(60, below=7),
        "sentences": torch.arange(60) // 3,
    }


def _calls() -> Iterator[tuple[str, Call]]:
    def call(function: Callable[..., Any], *fixed: str, **arguments: Any) -> tuple[str, Call]:
        name = f"{function.__module__.removeprefix('bottomup.')}.{function.__qualname__}"
        return name, Call(function, arguments, frozenset(fixed))

    # masks
    yield call(masks.padding_mask, lengths=torch.tensor([2, 3]), width=5)
    yield call(masks.causal_mask, n=5)
    yield call(masks.window_mask, n=5, width=2)
    yield call(masks.masked_softmax, "mask", scores=normal(3, 3))
    # attention
    yield call(attention.LSTMN, d_word=3, d_state=5, d_attention=2)
    yield call(attention.LSTMNCell, d_word=3, d_state=5, d_attention=2)
    yield call(attention.AdditiveAttention, d_query=3, d_key=5, d_attention=2)
    yield call(attention.ConcatAttention, d_query=3, d_key=5, d_attention=2)
    yield call(attention.GeneralAttention, d_query=3, d_key=5)
    yield call(attention.GroupedQueryAttention, d_model=12, num_heads=4, num_groups=2)
    grouped = attention.GroupedQueryAttention(12, 4, 2)
    yield call(attention.GroupedCache, attention=grouped, batch=2, max_length=5)
    scored = attention.DotAttention()
    yield call(attention.HardAttention, scored=scored)
    yield call(attention.IntraAttention, d_word=3, d_feature=5)
    multi = attention.MultiHeadAttention(12, 4)
    yield call(attention.KeyValueCache, module=multi, batch=2, max_length=5)
    yield call(attention.LocalAttention, score=scored, half_width=2, d_query=3)
    yield call(attention.LocationAttention, d_query=3, max_positions=5)
    yield call(attention.MovingBaseline)
    yield call(attention.MultiHeadAttention, d_model=12, num_heads=4)
    yield call(attention.RelativeAttention, d_model=12, num_heads=4)
    yield call(attention.SelfAttention, d_model=12)
    yield call(attention.SparsePattern, kind="strided", width=2)
    yield call(attention.SparsePattern, kind="fixed", width=3)
    pattern = attention.SparsePattern(kind="strided", width=2)
    yield call(pattern.mask, n=5)
    yield call(pattern.read_by, layer=0)
    yield call(attention.SparseSelfAttention, d_model=12, num_heads=4, pattern=pattern)
    yield call(attention.StructuredSelfAttention, d_state=12, d_attention=4, hops=3)
    yield call(attention.alibi_bias, num_heads=4, length=5)
    yield call(attention.alibi_slopes, num_heads=4)
    yield call(attention.block_attention, "mask", **parallel(), block=3)
    yield call(attention.column_attention, "mask", **parallel(), stride=3)
    yield call(attention.fixed_attention, "mask", **parallel(), block=3)
    yield call(attention.strided_attention, "mask", **parallel(), stride=3)
    yield call(attention.summary_attention, "mask", **parallel(), block=3)
    yield call(attention.window_attention, "mask", **parallel(), width=3)
    yield call(attention.sparse_attention, **parallel(), pattern=pattern)
    yield call(attention.causal_scores, n=5)
    yield call(attention.strided_scores, n=5, stride=2)
    yield call(attention.fixed_scores, n=5, block=2)
    yield call(attention.fixed_mask_mod, block=2)
    yield call(attention.strided_mask_mod, stride=2)
    yield call(attention.fixed_masks, n=5, block=2)
    yield call(attention.strided_masks, n=5, stride=2)
    yield call(attention.distance_bias, bias=normal(5), n=5)
    yield call(attention.fused_attention, "mask", **parallel())
    yield call(attention.scaled_dot_product_attention, "mask", "generator", **parallel())
    yield call(attention.scaled_dot_scores, query=normal(3, 5), key=normal(2, 5))
    yield call(attention.gaussian_around, center=torch.tensor([1.5]), key_count=5, half_width=2)
    yield call(attention.window_around, center=torch.tensor([1.5]), key_count=5, half_width=2)
    yield call(
        attention.gumbel_straight_through,
        "mask",
        scores=normal(3, 5),
        temperature=1.0,
        generator=generator(),
    )
    center = {"scores": normal(3, 5), "center": torch.tensor([1.0, 2.0, 3.0]), "half_width": 2}
    yield call(attention.local_attention, "mask", value=normal(5, 2), **center)
    yield call(attention.local_m_weights, "mask", **center)
    yield call(attention.local_p_weights, "mask", **center)
    yield call(attention.location_scores, query=normal(3, 2), key_count=5, W_a=normal(7, 2))
    yield call(attention.moving_baseline, previous=0.5, log_likelihood=normal(3))
    yield call(attention.one_hot_positions, positions=torch.tensor([1, 2]), keys=5)
    yield call(attention.prune_heads, module=multi, heads=[1])
    yield call(attention.reinforce_loss, log_likelihood=normal(3), log_probability=normal(3))
    yield call(attention.sliding_window_mask, n=5, width=2)
    yield call(attention.split_heads, x=normal(3, 12), num_heads=4)
    # blocks
    yield call(blocks.AttentionLayer, d_model=12, num_heads=4)
    yield call(blocks.DecoderLayer, d_model=12, num_heads=4, d_ff=5)
    yield call(blocks.EncoderLayer, d_model=12, num_heads=4, d_ff=5)
    yield call(blocks.FeedForward, d_model=12, d_ff=5)
    yield call(blocks.GatedFeedForward, d_model=12, d_ff=5)
    yield call(blocks.LayerNorm, d_model=12)
    yield call(blocks.RMSNorm, d_model=12)
    yield call(blocks.LearnedPositions, max_length=5, d_model=12)
    yield call(blocks.SinusoidalPositions, max_length=5, d_model=12)
    yield call(blocks.SinusoidalPositions(max_length=5, d_model=12).forward, x=normal(3, 12))
    yield call(blocks.LearnedPositions(max_length=5, d_model=12).forward, x=normal(3, 12))
    for norm in (blocks.PostNorm, blocks.PreNorm):
        yield call(norm, d_model=12)
    yield call(blocks.layer_norm, x=normal(3, 5), gain=normal(5), bias=normal(5))
    yield call(blocks.rms_norm, x=normal(3, 5), gain=normal(5))
    yield call(blocks.rotary_waves, "dtype", length=5, d_head=4)
    yield call(blocks.rotate_positions, x=normal(5, 4))
    yield call(blocks.sinusoidal_positions, "dtype", length=5, d_model=4)
    # data
    yield call(data.BatchStream, pairs=pairs(), tokens_per_batch=9, seed=1)
    yield call(data.BatchStream(pairs(), tokens_per_batch=9, seed=1).__call__, step=0)
    for task in (data.EchoTask, data.InductionTask, data.PairRetrieval):
        yield call(task)
        yield call(task().__call__, step=0)
    yield call(data.EchoTask().evaluation, count=2, length=32, seed=1)
    yield call(data.InductionTask().evaluation, count=2, seed=1)
    yield call(data.PairRetrieval().evaluation, count=2, seed=1)
    yield call(data.SequenceTask, kind="copy")
    yield call(data.SequenceTask("copy").__call__, step=0)
    yield call(data.SequenceTask("copy").pairs, length=4, count=2, seed=1)
    yield call(data.SequenceTask("copy").alignment, length=4)
    yield call(data.ImageStream, images=tokens(6, 5), batch_size=2, seed=1)
    examples = [([4, 5], {0: 6}), ([5, 6, 7], {1: 2})]
    yield call(data.LabelledStream, examples=examples, batch_size=2, seed=1)
    stream = data.BatchStream(pairs(), tokens_per_batch=9, seed=1)
    yield call(data.MaskedStream, sentences=stream, mask_id=3, vocabulary=12, seed=1)
    yield call(data.WindowStream, text=tokens(30), length=5, batch_size=2, seed=1)
    yield call(data.WindowStream(tokens(30), length=5, batch_size=2, seed=1).__call__, step=0)
    yield call(data.JointBPE.train, texts=["a b c"] * 3, vocabulary=270)
    yield call(data.Vocabulary.build, sequences=[["a", "b"]])
    yield call(data.corrupt, tokens=tokens(2, 9), mask_id=3, vocabulary=12, generator=generator())
    yield call(
        data.exchange,
        tokens=tokens(2, 9),
        among=torch.tensor([4, 5]),
        generator=generator(),
        chosen=0.5,
    )
    yield call(data.digit_images)
    yield call(data.documentation_text)
    facts = data.make_facts()
    yield call(data.make_facts)
    yield call(data.held_out, facts=facts)
    yield call(data.learn_merges, counts={"ab": 3}, merges=2)
    yield call(data.count_pairs, words={("a", "b"): 3})
    yield call(
        data.next_sentence_pairs,
        documents=[(("a", "b"), ("c",), ("d",)), (("e",), ("f",), ("g",))],
        generator=generator(),
    )
    yield call(data.successor_frequencies, tokens=tokens(2, 9), vocabulary=12)
    yield call(minilang.load, size=30)
    # models
    yield call(models.AttentionOnlyConfig, vocabulary=11, outputs=5)
    for decoder in (models.BahdanauDecoder, models.FixedVectorDecoder):
        yield call(decoder, vocabulary=11, d_embedding=3, d_state=4)
    yield call(models.BidirectionalEncoder, vocabulary=11, d_embedding=3, d_state=4)
    for decoder in (models.InputFeedingDecoder, models.LuongDecoder):
        yield call(decoder, vocabulary=11, attention=scored, d_embedding=3, d_state=4)
    yield call(models.DecoderOnlyConfig, vocabulary=11, max_length=5)
    yield call(models.DeepStack, width=4, depth=2, kind="plain")
    seq2seq = models.Seq2SeqConfig(source_vocabulary=11, target_vocabulary=11)
    yield call(models.Seq2SeqConfig, source_vocabulary=11, target_vocabulary=11)
    yield call(models.HardSeq2Seq, config=replace(seq2seq, attention="dot"))
    yield call(models.InductionByHand, vocabulary=11, length=5)
    yield call(models.LanguageModelConfig, vocabulary=11, max_length=5)
    yield call(models.PairReaderConfig, positions=5, symbols=11)
    yield call(models.SparseAutoencoder, d_input=5, d_dictionary=7)
    yield call(models.SparseTransformerConfig, vocabulary=11, length=6, row=2, pattern=pattern)
    yield call(models.ToySuperposition, features=5, dimensions=2)
    yield call(models.TransformerConfig, source_vocabulary=11, target_vocabulary=11)
    yield call(
        models.TransformerConfig.preset, name="tiny", source_vocabulary=11, target_vocabulary=11
    )
    yield call(models.TransformerXLConfig, vocabulary=11)
    yield call(models.XLNetConfig, vocabulary=11, max_length=5)
    yield call(
        models.autoencoder_loss, x=normal(3, 5), x_hat=normal(3, 5), activations=normal(3, 7)
    )
    yield call(models.longest_reach, layers=2, segment=4, memory=3)
    yield call(models.next_memory, memory=None, states=[normal(2, 3, 5)], length=2)
    yield call(models.sample_features, count=3, features=5, sparsity=0.5, generator=generator())
    yield call(models.top_k, pre_activations=normal(3, 7), k=2)
    memory = blocks.FeedForward(5, 7)
    yield call(models.top_triggers, memory=memory, inputs=normal(3, 5), count=2)
    yield call(models.two_stream_masks, order=torch.tensor([[1, 0, 2]]))
    # training
    yield call(training.constant, step=3)
    yield call(training.inverse_square_root, warmup=3)
    yield call(training.linear, warmup=3)
    yield call(training.noam, d_model=8, warmup=3)
    yield call(training.warmup_then_decay, warmup=3, steps=7)
    yield call(training.linear(3), step=2)
    yield call(training.noam(8, 3), step=2)
    yield call(training.inverse_square_root(3), step=2)
    yield call(training.warmup_then_decay(warmup=3, steps=7), step=2)
    yield call(training.fit, "checkpoint", "on_step", **small_fit())
    yield call(
        training.fit_autoencoder,
        "checkpoint",
        model=models.SparseAutoencoder(5, 7),
        vectors=lambda step: normal(6, 5),
        steps=2,
    )
    superposition = {"sparsity": torch.tensor([0.5]), "importance": torch.ones(5)}
    yield call(
        training.fit_superposition,
        "checkpoint",
        "on_step",
        model=models.ToySuperposition(5, 2),
        steps=2,
        **superposition,
    )
    toy = models.ToySuperposition(5, 2)
    yield call(training.fresh_loss, model=toy, samples=10, **superposition)
    yield call(
        training.solve_superposition,
        "checkpoint",
        dimensions=2,
        steps=2,
        fresh=10,
        samples=10,
        **superposition,
    )
    real = torch.ones(2, 3, dtype=torch.bool)
    yield call(
        training.smoothed_cross_entropy, logits=normal(2, 3, 11), target=tokens(2, 3), mask=real
    )
    # decoding
    yield call(decoding.beam_search, **sources(), beam=2, max_length=3)
    yield call(decoding.greedy, **sources(), max_length=3)
    yield call(decoding.sampled, **sources(), max_length=3, generator=generator())
    yield call(
        decoding.continue_beam,
        prefixes=torch.zeros(2, 1, dtype=torch.float64),
        tokens=normal(2, 1, 7).log_softmax(-1),
        beam=2,
    )
    yield call(decoding.gnmt_penalty, length=3, alpha=0.6)
    yield call(decoding.keep_top_k, logits=normal(2, 7), k=3)
    yield call(decoding.keep_top_p, logits=normal(2, 7), p=0.5)
    yield call(decoding.softmax_with_temperature, logits=normal(2, 7), temperature=1.0)
    yield call(decoding.sample, logits=normal(2, 7), generator=generator())
    # metrics
    yield call(metrics.perplexity, nats=5.0, tokens=3)
    yield call(metrics.bits_per_token, nats=5.0, tokens=3)
    yield call(metrics.bits_per_character, nats=5.0, characters=3)
    counts = metrics.text_bleu(["a b c d e"] * 3, ["a b c d f"] * 3).statistics
    yield call(metrics.resampled_difference, ours=counts, theirs=counts, resamples=5)
    # analysis
    W = normal(2, 5)
    yield call(analysis.antipodal_pairs, W=W)
    yield call(analysis.is_pentagon, W=W)
    yield call(analysis.represented, W=W)
    yield call(analysis.expected_phase, importance=1.0, density=0.5)
    X, Y = normal(60, 4), normal(60, 3) + 1
    for compare in (analysis.cca, analysis.mean_cca_distance, analysis.pwcca_distance):
        yield call(compare, X=X, Y=Y)
    yield call(analysis.svcca_distance, X=X, Y=Y)
    yield call(analysis.shuffled_pwcca, X=X, Y=Y, generator=generator(), draws=2)
    yield call(analysis.accessible_information, **gathered(), clusters=3, types=2, seed=1)
    yield call(
        analysis.change_by_group,
        before=X,
        after=X + 1,
        groups=torch.zeros(60, dtype=torch.int64),
        rows=50,
        generator=generator(),
    )
    yield call(analysis.kmeans, "start", points=X, clusters=3, generator=generator())
    labels = {"labels": tokens(60), "clusters": tokens(60)}
    yield call(
        analysis.held_out_information,
        **labels,
        sentences=torch.arange(60) // 3,
        generator=generator(),
    )
    yield call(
        analysis.information_spread,
        **labels,
        sentences=torch.arange(60) // 3,
        generator=generator(),
        draws=3,
    )
    yield call(analysis.shuffled_information, **labels, generator=generator())
    yield call(
        analysis.linear_probe,
        features=X,
        labels=tokens(60, below=3, least=0),
        test_features=X[:7],
        test_labels=tokens(7, below=3, least=0),
        classes=3,
        shuffles=1,
    )
    yield call(analysis.linear_readout_margin, "pairs", symbols=4, heads=[(0.25, 0.75)])
    yield call(analysis.margin_by_share, "pairs", symbols=4, shares=[0.25])
    yield call(analysis.one_head_margin, "pairs", symbols=4, w_a=0.25, w_b=0.75)
    yield call(analysis.most_frequent, labels=tokens(60), k=2)
    yield call(analysis.nearest_types, queries=X[:3], states=X, tokens=tokens(60), k=2)
    yield call(
        analysis.neighbour_position_distance,
        states=X,
        tokens=tokens(60, below=7),
        positions=tokens(60),
        generator=generator(),
    )
    yield call(
        analysis.same_token_neighbours, states=X, tokens=tokens(60, below=7), generator=generator()
    )
    yield call(analysis.output_value, attention=multi, head=1)
    yield call(analysis.query_key, attention=multi, head=1)
    yield call(analysis.random_mean_max_cosine, count=7, true=normal(5, 4), draws=2)
    yield call(analysis.reached_share, reach=torch.eye(4, dtype=torch.bool))
    found = analysis.TokenStates(
        (X, Y), tokens(60, below=7), torch.arange(60) // 3, torch.arange(60) % 3
    )
    yield call(
        analysis.report_on_states,
        "names",
        found=found,
        clusters=3,
        types=2,
        k=2,
        rows=50,
    )


CALLS = list(_calls())
