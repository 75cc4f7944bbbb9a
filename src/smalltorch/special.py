"""torch.special: functions that torch has under two names, and the entropy."""

from smalltorch.elementary import entr, erf, exp2, expm1, log1p, round, xlogy
from smalltorch.elementary import sigmoid as expit
from smalltorch.names import lacking
from smalltorch.reductions import logsumexp
from smalltorch.softmax import log_softmax, softmax

__all__ = [
    "entr", "erf", "exp2", "expit", "expm1", "log1p", "log_softmax", "logsumexp", "round",
    "softmax", "xlogy",
]  # fmt: skip


def __getattr__(name: str) -> object:
    raise lacking(name, "torch.special")
