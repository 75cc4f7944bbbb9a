"""What functions with several results return: tuples with names, printed as torch prints them."""

from collections import namedtuple
from typing import Any

from smalltorch.tensor import Tensor


def _named(name: str, fields: str = "values indices") -> Any:
    def shown(results: Any) -> str:
        rows = (f"{field}={value!r}" for field, value in zip(results._fields, results, strict=True))
        return f"torch.return_types.{name}(\n" + ",\n".join(rows) + ")"

    fields_of: Any = namedtuple(name, fields)  # type: ignore[misc]

    def new(cls: Any, results: tuple[Tensor, ...]) -> Any:
        return tuple.__new__(cls, results)

    return type(name, (fields_of,), {
        "__new__": new, "__repr__": shown, "__str__": shown, "__module__": "torch.return_types"
    })  # fmt: skip


max = _named("max")
min = _named("min")
median = _named("median")
topk = _named("topk")
sort = _named("sort")
svd = _named("svd", "U S V")
linalg_svd = _named("linalg_svd", "U S Vh")
linalg_qr = _named("linalg_qr", "Q R")
linalg_eig = _named("linalg_eig", "eigenvalues eigenvectors")
linalg_eigh = _named("linalg_eigh", "eigenvalues eigenvectors")
