"""What sparse attention says about arguments that make no sense."""

import pytest
import torch

from bottomup.attention import (
    block_attention,
    column_attention,
    fixed_attention,
    fixed_mask_mod,
    fixed_scores,
    merge_attention,
    strided_attention,
    strided_mask_mod,
    strided_scores,
    summary_attention,
    window_attention,
)

QUERY = torch.zeros(2, 3, 7, 5)
SIZES = "an integer of at least 1, got 0"


@pytest.mark.parametrize(
    ("function", "options", "error", "message"),
    [
        (strided_attention, {"stride": 0}, ValueError, f"stride: expected {SIZES}"),
        (strided_attention, {"stride": 2.5}, TypeError, "stride: expected an integer, got 2.5"),
        (strided_attention, {"stride": True}, TypeError, "stride: expected an integer, got True"),
        (column_attention, {"stride": 0}, ValueError, f"stride: expected {SIZES}"),
        (window_attention, {"width": 0}, ValueError, f"width: expected {SIZES}"),
        (block_attention, {"block": 0}, ValueError, f"block: expected {SIZES}"),
        (fixed_attention, {"block": 0}, ValueError, f"block: expected {SIZES}"),
        (fixed_attention, {"block": 3, "summary": 0}, ValueError, f"summary: expected {SIZES}"),
        (
            fixed_attention,
            {"block": 3, "summary": 4},
            ValueError,
            r"summary: expected an integer in \[1, block=3\], got 4",
        ),
        (summary_attention, {"block": 3, "summary": 4}, ValueError, "summary: expected"),
        (
            strided_attention,
            {"stride": 2, "merge": "sum"},
            ValueError,
            "merge: expected one of 'union', 'heads', got 'sum'",
        ),
        (
            strided_attention,
            {"stride": 2, "merge": "heads"},
            ValueError,
            "merge: expected an even number of heads for 'heads'.* got 3",
        ),
        (fixed_attention, {"block": 2, "merge": "heads"}, ValueError, "merge: expected an even"),
    ],
)
def test_options_are_checked(function, options, error, message):
    with pytest.raises(error, match=message):
        function(QUERY, QUERY, QUERY, **options)


@pytest.mark.parametrize("function", [strided_attention, fixed_attention])
@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"key": QUERY[:, :, :6]}, ValueError, r"key: expected axes .*n=7.*, got shape"),
        ({"value": QUERY[:, :, :6]}, ValueError, r"value: expected axes .*n=7.*, got shape"),
        ({"value": QUERY[:1]}, ValueError, "value: expected axes .*batch=2"),
        ({"key": QUERY[:, :2]}, ValueError, "key: expected axes .*head=3"),
        ({"key": QUERY[..., :4]}, ValueError, "key: expected axes .*d_key=5"),
        ({"query": QUERY[0]}, ValueError, r"query: expected axes \[batch, head, n, d_key\]"),
        ({"query": QUERY[:, :, :0]}, ValueError, "query: axis n must not be empty"),
        ({"query": QUERY.long()}, TypeError, "query: expected a floating-point tensor"),
        ({"key": QUERY.double()}, TypeError, "key: expected the dtype torch.float32 of query"),
        ({"mask": torch.ones(2, 7)}, TypeError, "mask: expected a boolean mask"),
        ({"mask": [True] * 7}, TypeError, "mask: expected a torch.Tensor, got list"),
        ({"mask": torch.ones(2, 6).bool()}, ValueError, r"mask: expected .*\(2, 7\), got \(2, 6\)"),
        ({"mask": torch.ones(2, 7, 7).bool()}, ValueError, r"mask: expected .*\(2, 1, 7\), got"),
        ({"mask": torch.ones(2, 1, 1, 7).bool()}, ValueError, r"mask: expected .*\(2, 7\), got"),
    ],
)
def test_tensors_are_checked(function, changes, error, message):
    option = {"stride": 2} if function is strided_attention else {"block": 2}
    inputs = {"query": QUERY, "key": QUERY, "value": QUERY, **changes}
    with pytest.raises(error, match=message):
        function(**inputs, **option)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: strided_scores(0, 2), ValueError, f"n: expected {SIZES}"),
        (lambda: strided_scores(7, 0), ValueError, f"stride: expected {SIZES}"),
        (lambda: fixed_scores(7, 2, 3), ValueError, r"summary: expected an integer in \[1, block"),
        (lambda: strided_mask_mod(0), ValueError, f"stride: expected {SIZES}"),
        (lambda: fixed_mask_mod(2, 3), ValueError, r"summary: expected an integer in \[1, block"),
    ],
)
def test_counts_and_mask_functions_check_too(call, error, message):
    with pytest.raises(error, match=message):
        call()


OUTPUT, LOG_SUM = torch.zeros(2, 7, 5), torch.zeros(2, 7)


@pytest.mark.parametrize(
    ("outputs", "log_sums", "error", "message"),
    [
        ([], [], ValueError, "log_sums: expected one for each output, and at least one"),
        ([OUTPUT], [LOG_SUM, LOG_SUM], ValueError, "got 2 for 1 outputs"),
        (
            [OUTPUT, OUTPUT[:1]],
            [LOG_SUM] * 2,
            ValueError,
            r"output: expected the leading axes \(2,\)",
        ),
        (
            [OUTPUT] * 2,
            [LOG_SUM, LOG_SUM[:, :6]],
            ValueError,
            r"log_sum: expected axes \[..., query=7\]",
        ),
        ([OUTPUT], [LOG_SUM.double()], TypeError, "log_sum: expected the dtype"),
        ([OUTPUT], [LOG_SUM.long()], TypeError, "log_sum: expected a floating-point"),
    ],
)
def test_parts_to_merge_are_checked(outputs, log_sums, error, message):
    with pytest.raises(error, match=message):
        merge_attention(outputs, log_sums)
