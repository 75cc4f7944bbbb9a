"""A step refuses what does not fit its state, by a sentence, and leaves the state as it was."""

import copy

import pytest
import torch

from bottomup.attention import (
    GroupedCache,
    GroupedQueryAttention,
    KeyValueCache,
    LSTMNCell,
    MemoryCache,
    MultiHeadAttention,
    cached_attention,
)
from bottomup.data import make_batch
from bottomup.models import (
    DecoderOnly,
    DecoderOnlyConfig,
    HardSeq2Seq,
    RNNSeq2Seq,
    Seq2SeqConfig,
    Transformer,
    TransformerConfig,
    TransformerXL,
    TransformerXLConfig,
    next_memory,
)

SIZES = {"vocabulary": 11, "d_model": 12, "num_heads": 6, "num_layers": 2}
BOTH = {"source_vocabulary": 11, "target_vocabulary": 13}
BATCH = make_batch([([5, 6, 7], [8, 9]), ([5, 9], [4, 4, 6]), ([4], [4])])
TOKENS = torch.tensor([[5, 6], [7, 4], [9, 10]])


def refuses(name, call, error=ValueError):
    with pytest.raises(error, match=f"^{name}: expected .*, got "):
        call()


# ---- DecoderOnly


def decoder(**changes):
    return DecoderOnly(DecoderOnlyConfig(**{**SIZES, "max_length": 7, **changes}))


def read(model, batch=3, room=7):
    caches = model.start(batch, room)
    model.step(TOKENS[:1].expand(batch, -1), caches)
    return caches


OTHER_TOKENS = {"one": TOKENS[:1, :1], "two": TOKENS[:2, :1], "more": TOKENS[[0, 1, 2, 0]]}


@pytest.mark.parametrize("tokens", OTHER_TOKENS.values(), ids=OTHER_TOKENS)
def test_tokens_of_another_batch(tokens):
    model = decoder()
    refuses("tokens", lambda: model.step(tokens, read(model)))


def after_another_cast(model):
    return read(copy.deepcopy(model).double())


CACHES = {
    "one layer": (lambda m: read(m)[:1], ValueError),
    "other lengths": (lambda m: [read(m)[0], m.start(3, 7)[1]], ValueError),
    "other heads": (lambda m: read(decoder(num_heads=3)), ValueError),
    "another dtype": (after_another_cast, TypeError),
    "another device": (lambda m: [GroupedCache(each.attention.to("meta"), batch=3, max_length=7)
                                  for each in copy.deepcopy(m).layers], ValueError),
    "another kind": (lambda m: [KeyValueCache(MultiHeadAttention(12, 6), batch=3, max_length=7)
                                for each in m.layers], TypeError),
}  # fmt: skip


@pytest.mark.parametrize("made, error", CACHES.values(), ids=CACHES)
def test_caches_of_another_model(made, error):
    model = decoder()
    caches = made(model)
    before = [getattr(cache, "length", None) for cache in caches or []]
    refuses("caches?", lambda: model.step(TOKENS, caches), error)
    assert [getattr(cache, "length", None) for cache in caches or []] == before


def test_more_tokens_than_a_cache_or_the_model_holds():
    model = decoder()
    refuses("caches?", lambda: model.step(TOKENS, read(model, room=3)))
    refuses("tokens", lambda: model.step(TOKENS[:, [0] * 6], read(model, room=9)))


# ---- Grouped queries


def grouped(**options):
    return GroupedQueryAttention(12, 6, options.get("groups", 3), d_head=options.get("d_head", 2))


def cache(module, batch=3):
    made = GroupedCache(module, batch=batch, max_length=7)
    module(torch.ones(batch, 2, 12), cache=made)
    return made


@pytest.mark.parametrize(
    "made",
    [
        lambda: cache(grouped(), batch=1),
        lambda: cache(grouped(groups=1)),
        lambda: GroupedCache(grouped().to("meta"), batch=3, max_length=7),
    ],
)
def test_grouped_queries_refuse_another_cache(made):
    refuses("cache", lambda: grouped()(torch.ones(3, 1, 12), cache=made()))


def test_grouped_queries_refuse_a_cache_of_another_dtype_or_kind():
    module, x = grouped(), torch.ones(3, 1, 12)
    refuses("cache", lambda: module.double()(x.double(), cache=cache(grouped())), TypeError)
    refuses("cache", lambda: grouped()(x, cache=[cache(grouped())]), TypeError)


def test_appended_values_are_those_of_the_keys():
    made, key = cache(grouped()), torch.ones(3, 3, 1, 2)
    for value, error in [(key[:1], ValueError), (key[:, :, [0, 0]], ValueError),
                         (key[..., :1], ValueError), (key.double(), TypeError)]:  # fmt: skip
        refuses("value", lambda value=value: made.append(key, value), error)
    assert made.length == 2


@pytest.mark.parametrize(
    "shape",
    [(1, 1, 3), (6, 1, 2), (3, 1, 3)],
)
def test_a_bias_has_a_number_for_each_score(shape):
    module = grouped()
    refuses(
        "bias", lambda: module(torch.ones(3, 1, 12), bias=torch.zeros(shape), cache=cache(module))
    )


# ---- Attention over all heads


@pytest.mark.parametrize(
    "made, error",
    [
        (lambda: KeyValueCache(MultiHeadAttention(12, 3), batch=1, max_length=7), ValueError),
        (lambda: KeyValueCache(MultiHeadAttention(12, 4), batch=3, max_length=7), ValueError),
        (lambda: MemoryCache(MultiHeadAttention(12, 3), torch.ones(1, 5, 12)), ValueError),
        (lambda: GroupedCache(grouped(), batch=3, max_length=7), TypeError),
    ],
)
def test_cached_attention_refuses_another_cache(made, error):
    module = MultiHeadAttention(12, 3)
    refuses("cache", lambda: cached_attention(module, torch.ones(3, 1, 12), made()), error)


# ---- Translators


def translator(**options):
    sizes = {"d_model": 12, "num_heads": 2, "d_ff": 17, "encoder_layers": 1, "decoder_layers": 2}
    return Transformer(TransformerConfig(**{**BOTH, **sizes, **options})).eval()


def recurrent(attention, kind=RNNSeq2Seq, **options):
    sizes = {"d_embedding": 5, "d_state": 6}
    return kind(Seq2SeqConfig(**{**BOTH, **sizes, **options}, attention=attention)).eval()


STEPWISE = {
    "transformer": translator,
    "bahdanau": lambda: recurrent("bahdanau"),
    "dot": lambda: recurrent("dot"),
    "input feeding": lambda: recurrent("dot", input_feeding=True),
    "hard": lambda: recurrent("dot", HardSeq2Seq),
}


@pytest.mark.parametrize("make", STEPWISE.values(), ids=STEPWISE)
def test_a_step_of_another_batch(make):
    model = make()
    for count in (1, 5):
        state = model.start(BATCH.source, BATCH.source_mask)
        refuses("token", lambda s=state, n=count: model.step(torch.full((n,), 4), s))
        _, state, _ = model.step(torch.full((3,), 4), state)
        refuses("token", lambda s=state, n=count: model.step(torch.full((n,), 4), s))


def test_a_state_of_another_translator():
    state = translator(decoder_layers=1).start(BATCH.source, BATCH.source_mask)
    refuses("state", lambda: translator().step(torch.full((3,), 4), state))
    state = translator().start(BATCH.source, BATCH.source_mask)
    refuses("state", lambda: translator(decoder_layers=1).step(torch.full((3,), 4), state))


@pytest.mark.parametrize("attention", ["none", "bahdanau", "general"])
def test_a_state_of_another_recurrent_translator(attention):
    given, token = (BATCH.source, BATCH.source_mask), torch.full((3,), 4)
    state = recurrent(attention, d_state=8).start(*given)
    refuses("state", lambda: recurrent(attention).step(token, state))
    state = recurrent(attention).double().start(*given)
    refuses("state", lambda: recurrent(attention).step(token, state), TypeError)


@pytest.mark.parametrize("attention", ["none", "bahdanau", "general"])
def test_targets_of_another_batch_than_the_source(attention):
    model = recurrent(attention)
    for count in (1, 2):
        memory = model.encoder(BATCH.source[:count], BATCH.source_mask[:count])
        refuses("target_in", lambda m=memory: model.decoder(BATCH.target_in, m))
    memory = model.encoder(BATCH.source, BATCH.source_mask)
    for call in (model.decoder, model.decoder.unroll):
        refuses("target_in", lambda call=call: call(BATCH.target_in[:1], memory))


# ---- Memories


def xl(**changes):
    return TransformerXL(TransformerXLConfig(**{**SIZES, "d_ff": 17, **changes}))


def remembered(model, batch=3, length=4):
    return next_memory(None, model(TOKENS[[0] * batch]).states, length=length)


MEMORIES = {
    "one sequence": (lambda m: remembered(m, batch=1), ValueError),
    "another width": (lambda m: remembered(xl(d_model=24)), ValueError),
    "a layer less": (lambda m: remembered(m)[:1], ValueError),
    "another dtype": (lambda m: remembered(xl().double()), TypeError),
    "another device": (lambda m: [h.to("meta") for h in remembered(m)], ValueError),
    "other lengths": (lambda m: [h[:, i:] for i, h in enumerate(remembered(m))], ValueError),
    "a tensor": (lambda m: torch.stack(remembered(m)), TypeError),
}


@pytest.mark.parametrize("made, error", MEMORIES.values(), ids=MEMORIES)
def test_a_segment_refuses_another_memory_and_so_does_what_is_remembered(made, error):
    model = xl()
    refuses("memory", lambda: model(TOKENS, made(model)), error)
    states = model(TOKENS).states
    refuses("memory", lambda: next_memory(made(model), states, length=4), error)


def test_a_tape_is_one_of_the_cell_and_the_words():
    cell, words = LSTMNCell(5, 7, 3), torch.ones(3, 5)
    tape, _ = cell(words)
    bad = {
        "cell": tape.cell[:, :0], "hidden": tape.hidden[:1], "summary": tape.summary[:1],
    }  # fmt: skip
    for name, value in bad.items():
        refuses("tape", lambda n=name, v=value: cell(words, tape._replace(**{n: v})))
        refuses(
            "tape", lambda n=name: cell(words, tape._replace(**{n: getattr(tape, n).double()})),
            TypeError,
        )  # fmt: skip
