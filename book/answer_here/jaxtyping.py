"""Stands in for jaxtyping in the page, where nothing looks at an annotation."""

from typing import Any


class Annotation:
    """Any of its kinds, such as ``Float`` in ``Float[Tensor, "query key"]``."""

    def __class_getitem__(cls, item: Any) -> Any:
        """Return what is annotated, without its axes."""
        return item[0]


def __getattr__(name: str) -> type[Annotation]:
    if name.startswith("_"):
        raise AttributeError(name)
    return Annotation
