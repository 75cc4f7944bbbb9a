"""Interactive figures that answer when touched, on the static page and in a notebook.

They need no kernel, no network and no other package: an `Explorable` carries its data and one
script. Viewers that run no script show a table in its place.
"""

from bottomup.explorables.alignments import AlignedSentence, LengthCurves, alignment_explorer
from bottomup.explorables.head_dictionary import WordsOfHead, head_dictionary
from bottomup.explorables.head_gallery import HeadsOfSentence, head_gallery
from bottomup.explorables.induction_builder import induction_builder
from bottomup.explorables.knobs import Knobs, knobs
from bottomup.explorables.layer_attention import LayersOfSentence, layer_attention
from bottomup.explorables.layer_slider import layer_slider
from bottomup.explorables.mask_painter import mask_painter
from bottomup.explorables.names_board import names_board
from bottomup.explorables.neuron_inspector import neuron_inspector
from bottomup.explorables.patching_board import PatchedPair, patching_board
from bottomup.explorables.pattern_painter import pattern_painter
from bottomup.explorables.query_and_keys import query_and_keys
from bottomup.explorables.segments import segments
from bottomup.explorables.shared.explorable import Explorable
from bottomup.explorables.steps import steps
from bottomup.explorables.superposition_map import superposition_map
from bottomup.explorables.token_journey import token_journey
from bottomup.explorables.translator_live import (
    LiveTranslator,
    translator_live,
    translator_small,
)

__all__ = [
    "AlignedSentence",
    "Explorable",
    "HeadsOfSentence",
    "Knobs",
    "LayersOfSentence",
    "LengthCurves",
    "LiveTranslator",
    "PatchedPair",
    "WordsOfHead",
    "alignment_explorer",
    "head_dictionary",
    "head_gallery",
    "induction_builder",
    "knobs",
    "layer_attention",
    "layer_slider",
    "mask_painter",
    "names_board",
    "neuron_inspector",
    "patching_board",
    "pattern_painter",
    "query_and_keys",
    "segments",
    "steps",
    "superposition_map",
    "token_journey",
    "translator_live",
    "translator_small",
]
