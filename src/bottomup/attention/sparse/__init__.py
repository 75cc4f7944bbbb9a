"""Sparse attention (Child et al., 2019): two sets of about sqrt(n) positions.

`patterns` says which positions those are, `attention` reads them, and
`self_attention` makes a layer of it. Behind them, `plans` cuts a pattern into
dense products, and `kernel` runs these.
"""

from bottomup.attention.sparse import (
    attention,
    kernel,
    patterns,
    plans,
    self_attention,
)

__all__ = ["attention", "kernel", "patterns", "plans", "self_attention"]
