"""Every word that the live translators show; the scripts fill in names in braces."""

from collections.abc import Sequence
from typing import Any

from bottomup.i18n import _


def small() -> dict[str, Any]:
    """Return the labels of the small figure."""
    return _shared() | {
        "query": _("Token that is read, arrow keys move"),
        "map": _("What each token read, mean of the last layer's heads"),
        "said": _("Behind “{read}” the model reads “{word}” most and writes “{written}”."),
        "about": _("Computed in this page, just now: {parameters} parameters, trained for {steps} "
                   "steps on a small language. It knows {words} English words."),
    }  # fmt: skip


def live(panels: Sequence[str], *, whole: bool) -> dict[str, Any]:
    """Return the labels of the live figure with these panels, or of the whole one."""
    of_panels = _panels()
    chosen = {name: of_panels[name] for name in panels}
    return _shared() | _live() | chosen | (_whole() if whole else {})


def _shared() -> dict[str, Any]:
    return {
        "title": _("The translator, live"),
        "waiting": _("Type a sentence, or choose one. The model, 0.6 MB, then comes to this page."),
        "loading": _("The model is on its way."),
        "failed": _("The model could not be loaded. Below are translations that were recorded."),
        "as_is": _("Translation"),
        "link": _("Switch its parts off in chapter 05"),
        "begin": "<bos>",
        "end": "<eos>",
        "tokens": {"token": _("Token to look at, arrow keys move"), "end": "<eos>"},
        "box": {
            "sentence": _("An English sentence"),
            "words": _("Words that the model knows"),
            "examples": _("Examples"),
            "add": _("Add a word"),
            "instead": _("{word} instead of {typed}"),
        },
    }


def _live() -> dict[str, Any]:
    return {
        "trained": _("As trained, each time the most probable token"),
        "changed": _("As changed"),
        "chosen": {"sample": _("Drawn by chance"), "beam": _("Found by beam search")},
        "same": _("The translation stays the same."),
        "differs": _("{count} of {all} tokens are others, or stand elsewhere."),
        "active": _("Changed:"),
        "undo": _("Undo: {change}"),
        "undo_all": _("Undo all"),
        "link": _("The same in chapter 05, with all switches"),
        "about": _("Computed in this page, just now, in {ms} ms, by the model of chapter "
                   "{chapter}: {parameters} parameters, one training of {steps} steps."),
        "sides": {"encoder": _("encoder"), "decoder": _("decoder")},
        "sublayers": {
            "attention": _("self-attention"),
            "cross_attention": _("cross-attention"),
            "feed_forward": _("MLP"),
        },
        "stations": {
            "source": _("encoder, embedding and position"),
            "memory": _("memory"),
            "target": _("decoder, embedding and position"),
        },
        "layer_end": _("{side}, behind layer {layer}"),
        "sublayer": _("{side} {layer}, {part}"),
        "one_head": _("{side} {layer}, {part}, head {head}"),
        "changes": _changes(),
    }  # fmt: skip


def _changes() -> dict[str, Any]:
    return {
        "heads": _("{name} off"),
        "skips": _("{name}: no skip"),
        "updates": _("{name}: no update"),
        "positions": {
            "source": _("source without positions"),
            "target": _("target without positions"),
        },
        "causal": _("no causal mask"),
        "hidden": _("word {place} hidden"),
        "training": _("trained for {count} steps on one sentence"),
        "patches": _("{station}, place {place}: the state of place {from} in “{donor}”"),
    }


def _whole() -> dict[str, Any]:
    return {
        "look": _("Look at"),
        "panels": {
            "attention": _("Attention"),
            "choice": _("Choice"),
            "parts": _("Parts"),
            "lens": _("Lens"),
            "train": _("Training"),
        },
        "changes": {
            **_changes(),
            "method": {"sample": _("drawn"), "beam": _("beam search")},
        },
        "python": _("The same in Python"),
        "python_notes": {
            "greedy": "",
            "sample": _("The line writes greedily. A draw has other random numbers in Python."),
            "beam": _("The line writes greedily; chapter 06 calls beam_search."),
            "trained": _("The line has the model as it was before the training in this page."),
        },
        "address": _("Address of this page with these settings, the training included"),
        "about": _("Computed in this page, just now, in {ms} ms; nothing is sent anywhere. The "
                   "model is that of chapter {chapter}: {parameters} parameters in 16 bits, "
                   "trained for {steps} steps on sentences made by rules, with seed {seed}. Of the "
                   "test sentences {exact} % came out exactly right."),
    }  # fmt: skip


def _panels() -> dict[str, dict[str, Any]]:
    """Return the labels of each panel by its name."""
    attention = {
        "kind": _("Attention"),
        "kinds": {
            "cross": _("cross"),
            "decoder": _("decoder, self"),
            "encoder": _("encoder, self"),
        },
        "layer": _("Layer"),
        "head": _("Head"),
        "mean": _("mean"),
        "mean_of": _("layer {layer}, mean of the heads"),
        "head_of": _("head {layer}.{head}"),
        "map": _("{head}: each row is a query, in hundredths"),
        "query": _("Query, arrow keys move"),
        "reads": _("“{query}” reads {words} ({head})."),
        "quoted": _("“{word}” {weight}"),
        "nothing": _("nothing that would show"),
        "next": _("Then “{word}” is written."),
        "begin": "<bos>",
        "end": "<eos>",
        "notes": {
            "cross": _("A row is the token that the decoder reads; there it writes the next one."),
            "decoder": _("A token reads itself and those before it. Hatched: hidden by the mask."),
            "encoder": _("Every source word reads every source word."),
        },
        "off": _("This head is off: it reads as shown, and nothing of it arrives."),
        "uncaused": _("Without the mask a row also reads what was written after it; shown is the "
                      "last step."),
    }  # fmt: skip
    choice: dict[str, Any] = {
        "method": _("How a token is chosen"),
        "methods": {
            "greedy": _("the most probable"),
            "sample": _("by chance"),
            "beam": _("beam search"),
        },
        "temperature": _("Temperature"),
        "top_k": _("Top-k"),
        "top_p": _("Top-p"),
        "beam": _("Beam width"),
        "penalty": _("Length penalty α"),
        "all": _("all"),
        "draw": _("Draw again"),
        "others": _("all {count} others"),
        "left": _("{count} of {all} tokens are left to draw from."),
        "begin": "<bos>",
        "behind": _("Place {place}, behind “{before}”: the six most probable"),
        "token_head": _("token"),
        "chance": _("chance"),
        "chance_trained": _("as trained, behind the same tokens"),
        "cut": _("cut off"),
        "takes": {
            "greedy": _("It writes “{word}”, the most probable, {share}."),
            "sample": _("It drew “{word}”, which had a chance of {share}."),
            "beam": _("The best sequence has “{word}” here, {share}."),
        },
        "tree": {
            "name": _("Tree of the search, scrolls sideways"),
            "step": _("Step"),
            "of": _("{step} of {steps}"),
            "before": _("step before"),
            "after": _("step after"),
            "begin": "<bos>",
            "list": _("Sequences that have ended, with log P / lp(n)"),
            "said": _("Step {step}: {kept} prefixes go on. Best so far: {best}."),
        },
    }
    heads = {
        "parts_title": _("Turn heads off"),
        "parts_note": _("A head that is off adds zeros."),
        "part": _("attention"),
        "heads_off": _("head"),
        "pressed": {"heads": _("{name} off")},
    }
    state = {
        "patching": _("Put in a state of another sentence"),
        "donor": _("Other sentence"),
        "station": _("Station"),
        "from": _("From its place"),
        "to": _("To place"),
        "place": _("{place} {word}"),
        "put": _("Put it in"),
        "begin": "<bos>",
        "end": "<eos>",
    }
    parts = {
        "parts_title": _("Turn parts off"),
        "parts_note": _("A head that is off adds zeros. Without a skip a layer's result replaces "
                        "the stream; without an update the layer is left out."),
        "part": _("part"),
        "heads_off": _("head"),
        "turned": {"skips": _("skip"), "updates": _("update")},
        "off_short": _("off"),
        "pressed": {
            "heads": _("{name} off"),
            "skips": _("{name}, skip off"),
            "updates": _("{name}, update off"),
        },
        "positions": {
            "source": _("positions of the source"),
            "target": _("positions of the target"),
        },
        "causal": _("causal mask"),
        "causal_note": _("While it writes there are no later tokens: the mask hides nothing from "
                         "the last row. Without it the rows before read what was written after "
                         "them, and the last row reads these rows."),
        "hidden": _("Hide words of the source from all attention"),
        "one_model": _("A part that is off shows an effect in this one model, on this sentence. It "
                       "does not say what the part is for: another training divides the work "
                       "differently, and other parts can take over."),
        **state,
    }  # fmt: skip
    lens = {
        "lens": _("Place {place}: “{read}” was read, “{word}” is written. What would each station "
                  "write?"),
        "station": _("station"),
        "ranks": [_("first"), _("second"), _("third")],
        "lens_note": _("Each state goes through the last norm and the unembedding, as if no layer "
                       "came after it."),
        "saliency": _("On which source words it depends"),
        "word": _("word"),
        "length": _("share of the gradients' lengths"),
        "weighs": _("“{word}” depends most on “{first}”, then on “{second}”."),
        "saliency_note": _("The length of the gradient of log p at each word's embedding: how "
                           "strongly a small change of the word would count. It is not what was "
                           "read."),
        "begin": "<bos>",
        "end": "<eos>",
    }  # fmt: skip
    train = {
        "train_note": _("Let it learn one sentence: its translation with another token in one "
                        "place. Each step is plain gradient descent over all parameters, with "
                        "all parts on; at most {most} steps."),
        "instead_here": _("At place {place}, instead of “{word}”"),
        "rate": _("Rate"),
        "one_step": _("1 step"),
        "steps": _("{count} steps"),
        "untrain": _("Undo the training"),
        "curve": _("The loss at each step"),
        "first_step": _("before step 1"),
        "last_step": _("before step {count}"),
        "fell": _("“{sentence}” towards “{target}”: the loss was {first} nats a token and is "
                  "{last} before step {count}. {others}"),
        "others": _("Of the {all} examples it now translates {count} otherwise."),
    }  # fmt: skip
    methods = choice["methods"]
    return {
        "attention": attention,
        "choice": choice,
        "draw": choice | {"methods": {"sample": methods["sample"]}},
        "search": choice | {"methods": {"beam": methods["beam"]}},
        "heads": heads,
        "state": state,
        "parts": parts,
        "lens": lens,
        "train": train,
    }
