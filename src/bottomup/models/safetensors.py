"""Read a safetensors file: a header of JSON, then the numbers."""

import json
import math
from pathlib import Path

import torch
from torch import Tensor

from bottomup.checks import shown

DTYPES = {
    "F64": torch.float64,
    "F32": torch.float32,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "I64": torch.int64,
    "I32": torch.int32,
    "I16": torch.int16,
    "I8": torch.int8,
    "U8": torch.uint8,
    "BOOL": torch.bool,
}


def read_safetensors(path: str | Path) -> dict[str, Tensor]:
    """Return the tensors of a file by their names, of any shape ``[...]``.

    The first eight bytes are the header's length, the lowest byte first. The
    header is JSON: for each tensor its dtype, its shape, and where its numbers
    begin and end behind the header. The numbers lie row by row, the lowest byte
    first. Nothing in the file is code, so that reading it runs nothing.

    Args:
        path: the file; it is read whole.

    Raises:
        ValueError: the file is no such file, is cut short, or has a dtype
            that is not one of `DTYPES`.

    Source: the format's description in the repository
    github.com/huggingface/safetensors. Chapter 12 reads one.
    """
    content = bytearray(Path(path).read_bytes())
    start = 8 + int.from_bytes(content[:8], "little")
    try:
        header = json.loads(content[8:start])
        del content[:start]
        header.pop("__metadata__", None)
        return {name: _tensor(content, **of) for name, of in header.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        wanted = "a whole safetensors file"
        raise ValueError(
            f"path: expected {wanted}, got {shown(str(path))}: {error}"
        ) from None


def _tensor(
    numbers: bytearray, dtype: str, shape: list[int], data_offsets: list[int]
) -> Tensor:
    """Return the tensor whose numbers lie between two places."""
    (first, end), count = data_offsets, math.prod(shape)
    if not 0 <= first <= end <= len(numbers):
        raise ValueError(f"numbers {first} to {end} of {len(numbers)} bytes")
    kind = DTYPES[dtype]
    if end - first != count * kind.itemsize:
        raise ValueError(f"{end - first} bytes for {count} numbers of {dtype}")
    if not count:
        return torch.empty(shape, dtype=kind)
    # A copy: the numbers of a file need not begin where a dtype may.
    return torch.frombuffer(numbers[first:end], dtype=kind).view(shape)
