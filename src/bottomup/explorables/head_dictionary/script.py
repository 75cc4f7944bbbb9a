"""The words of a head as a script: what each asks and offers, 32 numbers of 8 bits each."""

import base64
import json
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from bottomup.experiments.pretrained.derived import NOTICE
from bottomup.experiments.pretrained.head_words import HeadWords, head_words
from bottomup.experiments.pretrained.opened import opened
from bottomup.explorables.head_dictionary import NAME
from bottomup.models import pretrained_folder

MOST = 127  # of a signed byte

_SCRIPT = "// {notice}\n(globalThis.bottomupModels ??= {{}}).{name} = {payload};\n"


@cache
def words_script() -> str | None:
    """Return the classic script that a page loads, or None where the model is not installed."""
    if pretrained_folder() is None:
        return None
    payload = words_payload(head_words(opened(trained=True)))
    text = json.dumps(payload, separators=(",", ":"))
    return _SCRIPT.format(notice=NOTICE, name=NAME, payload=text)


def words_payload(known: HeadWords) -> dict[str, Any]:
    """Return words, queries and keys as JSON can express them.

    Every number of the 32 has a scale of its own, for queries and for keys. A score is
    ``sum_c scale[c] query[c] key[c]``, with the product of both scales and 1 / sqrt(d_head).
    """
    (query, asked), (key, offered) = (_in_bytes(each) for each in (known.query, known.key))
    scale = asked * offered / query.shape[1] ** 0.5
    return {
        "name": NAME,
        "words": " ".join(known.words),
        "scale": [float(f"{each:.6g}") for each in scale],
        "query": base64.b64encode(query.tobytes()).decode("ascii"),
        "key": base64.b64encode(key.tobytes()).decode("ascii"),
    }


def _in_bytes(values: Tensor) -> tuple[NDArray[np.int8], NDArray[np.float64]]:
    """Return numbers as whole steps, and the step of each column."""
    array = values.double().numpy()
    step = np.abs(array).max(0) / MOST
    return (array / step).round().astype(np.int8), step
