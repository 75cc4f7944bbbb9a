from bottomup.data import LabelledStream, make_labelled_batch

EXAMPLES = [([4, 5, 6], {1: 9}), ([7], {0: 2}), ([8, 4, 4, 5, 6], {0: 3, 4: 1}), ([5, 5], {})]


def test_a_labelled_batch_by_hand():
    batch = make_labelled_batch(EXAMPLES[:2])
    assert batch.source.tolist() == [[4, 5, 6], [7, 0, 0]]
    assert batch.source_mask.tolist() == [[True, True, True], [True, False, False]]
    assert batch.labels.tolist() == [[0, 9, 0], [2, 0, 0]]
    assert batch.label_mask.tolist() == [[False, True, False], [True, False, False]]
    assert batch.tokens == 2


def test_a_stream_draws_every_example():
    batch = LabelledStream(EXAMPLES, batch_size=200, seed=0)(0)
    assert {int(row.sum()) for row in batch.source_mask} == {1, 2, 3, 5}
