"""The choice between the two shapes of a particle."""

import pytest

from bottomup.data.minilang.grammar.particles import particle


@pytest.mark.parametrize(
    ("role", "before", "token"),
    [
        ("toward", "서울", "-로"),
        ("toward", "-들", "-로"),
        ("toward", "집", "-으로"),
        ("with", "친구", "-와"),
        ("topic", "책", "-은"),
        ("topic", "나", "-는"),
        ("subject", "나", "-가"),
        ("object", "-개", "-를"),
        ("subject", "-명", "-이"),
        ("in", "집", "-에서"),
        ("to", "꽃", "-에"),
        ("dative", "친구", "-에게"),
    ],
)
def test_particle_follows_the_sound_of_the_word_before(role, before, token):
    assert particle(role, before) == token


def test_honorific_nouns_take_their_own_particles():
    roles = ("topic", "subject", "dative", "object")
    tokens = [particle(role, "선생님", honorific=True) for role in roles]
    assert tokens == ["-께서는", "-께서", "-께", "-을"]
