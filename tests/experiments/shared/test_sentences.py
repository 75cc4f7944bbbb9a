"""Sentences that end in a question, and words that name their neighbours."""

import torch

from bottomup.experiments.shared.sentences import WHICH, Neighbours, Questions


def test_a_question_asks_for_the_colour_of_a_thing_named_before():
    batch = Questions(2, 5, 17, seed=3).evaluation(7, 19)
    assert batch.nouns.shape == batch.colours.shape == (19, 8)
    assert (batch.colours[:, -1] == WHICH).all() and (batch.colours[:, :-1] < WHICH).all()
    things = batch.nouns[:, :-1]
    assert all(len(set(row)) == 7 for row in things.tolist())  # each noun once
    place = (things == batch.nouns[:, -1:]).int().argmax(dim=1, keepdim=True)
    assert torch.equal(batch.colours.gather(1, place), batch.answers)


def test_lengths_of_training_batches_lie_in_the_range_and_depend_on_seed_and_step_alone():
    task = Questions(2, 5, 3, seed=3)
    lengths = {task(step).nouns.shape[1] - 1 for step in range(40)}
    assert lengths == {2, 3, 4, 5}
    assert torch.equal(task(7).nouns, Questions(2, 5, 3, seed=3)(7).nouns)
    assert task(7).tokens == 3


def test_every_word_but_the_first_has_its_left_neighbour_as_answer():
    batch = Neighbours(5, 3, seed=1)(0)
    assert torch.equal(batch.answers, batch.nouns[:, :-1])
    assert not batch.colours.any()
