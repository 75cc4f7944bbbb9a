"""The book's translator in the page: a Transformer in JavaScript, and what it needs of a record.

The scripts beside this file have the names of `bottomup.models.transformer`, `bottomup.decoding`
and `bottomup.results.translator`, and tests hold their numbers against PyTorch's. They are no
figure: figures import them. The parameters come in a script of their own, 0.8 MB, which a page asks
for when a reader comes near (``load.js``); no notebook stores it.
"""

from bottomup.explorables.engine.payload import MODELS, model_payload, model_script
from bottomup.explorables.engine.shown import with_scripts

__all__ = ["MODELS", "model_payload", "model_script", "with_scripts"]
